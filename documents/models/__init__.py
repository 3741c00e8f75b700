"""A corpus: collections of documents, their versions, and what each version says and where.

Below a collection the database deletes what belongs to a deleted row, and holds each key to its own tenant:
`TieToTenant` in the migrations makes the constraints of the keys that say `db_constraint=False`. Django's
cascade would load every row first, and there can be millions.
"""

from documents.models.baseline import Baseline, BaselineVersion, Publication
from documents.models.collection import (
    NAME_PATTERN,
    ChunkingStrategy,
    Collection,
    CollectionQuerySet,
    Fusion,
    SearchMode,
    text_search_configurations,
)
from documents.models.document import (
    HASH_PATTERN,
    Document,
    DocumentQuerySet,
    Grade,
    Outcome,
    Source,
    State,
    Version,
    VersionQuerySet,
)
from documents.models.section import Chunk, ChunkType, OutlineCorrection, Section
from documents.models.upload import AnsweredRequest, Upload, UploadPart, UploadState
from documents.models.webhook import PING, DeliveryState, Webhook, WebhookDelivery, WebhookEvent

__all__ = [
    "HASH_PATTERN",
    "NAME_PATTERN",
    "PING",
    "AnsweredRequest",
    "Baseline",
    "BaselineVersion",
    "Chunk",
    "ChunkType",
    "ChunkingStrategy",
    "Collection",
    "CollectionQuerySet",
    "DeliveryState",
    "Document",
    "DocumentQuerySet",
    "Fusion",
    "Grade",
    "Outcome",
    "OutlineCorrection",
    "Publication",
    "SearchMode",
    "Section",
    "Source",
    "State",
    "Upload",
    "UploadPart",
    "UploadState",
    "Version",
    "VersionQuerySet",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
    "text_search_configurations",
]
