"""Say of each chunk where it stands: by its structure, or by a provider that is asked once and paid once."""

from search.contextualize.batch import batch_under_way, cancel_batches, follow_batches, forget_batches
from search.contextualize.keep import context_key
from search.contextualize.situate import situate_structurally
from search.contextualize.stage import contextualize_work
from search.contextualize.work import Work

__all__ = [
    "Work",
    "batch_under_way",
    "cancel_batches",
    "context_key",
    "contextualize_work",
    "follow_batches",
    "forget_batches",
    "situate_structurally",
]
