"""Changes to the corpus. Each acts inside its tenant, in one transaction, on the record."""

from documents.services.answer import find_answer, keep_answer
from documents.services.baseline import create_baseline, publish_baseline, unpublish_collection
from documents.services.collection import create_collection, delete_collection, update_collection
from documents.services.correction import correct_outline, remove_correction
from documents.services.document import delete_document, purge_document, restore_document
from documents.services.index import Reindexing, reindex
from documents.services.intake import (
    UNDATED,
    Added,
    Dates,
    add_document,
    add_files,
    expand_upload,
    largest_file,
    replace_document,
)
from documents.services.many import cancel_reading, retry_failed
from documents.services.retention import Pruned, find_expired, prune_versions, set_retention
from documents.services.upload import (
    Taken,
    append_part,
    begin_upload,
    cancel_upload,
    describe_added,
)
from documents.services.version import (
    cancel_version,
    reread_document,
    restore_version,
    retry_version,
    set_effective_dates,
    withdraw_version,
)
from documents.services.webhook import (
    change_webhook,
    create_webhook,
    delete_webhook,
    rotate_secret,
    secret_of,
    send_test,
)

__all__ = [
    "UNDATED",
    "Added",
    "Dates",
    "Pruned",
    "Reindexing",
    "Taken",
    "add_document",
    "add_files",
    "append_part",
    "begin_upload",
    "cancel_reading",
    "cancel_upload",
    "cancel_version",
    "change_webhook",
    "correct_outline",
    "create_baseline",
    "create_collection",
    "create_webhook",
    "delete_collection",
    "delete_document",
    "delete_webhook",
    "describe_added",
    "expand_upload",
    "find_answer",
    "find_expired",
    "keep_answer",
    "largest_file",
    "prune_versions",
    "publish_baseline",
    "purge_document",
    "reindex",
    "remove_correction",
    "replace_document",
    "reread_document",
    "restore_document",
    "restore_version",
    "retry_failed",
    "retry_version",
    "rotate_secret",
    "secret_of",
    "send_test",
    "set_effective_dates",
    "set_retention",
    "unpublish_collection",
    "update_collection",
    "withdraw_version",
]
