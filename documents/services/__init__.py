"""Changes to the corpus. Each acts inside its tenant, in one transaction, on the record."""

from documents.services.collection import create_collection, delete_collection, update_collection
from documents.services.correction import correct_outline, remove_correction
from documents.services.document import delete_document, purge_document, restore_document
from documents.services.intake import Added, add_document, add_files, expand_upload, replace_document
from documents.services.version import cancel_version, reread_document, restore_version, retry_version

__all__ = [
    "Added",
    "add_document",
    "add_files",
    "cancel_version",
    "correct_outline",
    "create_collection",
    "delete_collection",
    "delete_document",
    "expand_upload",
    "purge_document",
    "remove_correction",
    "replace_document",
    "reread_document",
    "restore_document",
    "restore_version",
    "retry_version",
    "update_collection",
]
