"""The REST API of documents: what is there, how far it is read, and what it costs."""

from documents.api.baseline import BaselinesView, BaselineView, PublishBaselineView, UnpublishView
from documents.api.change_version import DateVersionView, RestoreVersionView, WithdrawVersionView
from documents.api.collection import CollectionsView, CollectionView
from documents.api.compare import CompareBaselinesView, CompareVersionsView, HistoryView
from documents.api.cost import EstimateView, UsageView
from documents.api.document import PurgeDocumentView, RestoreDocumentView
from documents.api.resume import UploadsView, UploadView
from documents.api.retention import RetentionView
from documents.api.source import SourceView, TextView
from documents.api.upload import UploadDocumentsView
from documents.api.version import CancelVersionView, RetryVersionView, VersionView
from documents.api.webhook import DeliveriesView, RotateSecretView, TestWebhookView, WebhooksView, WebhookView

__all__ = [
    "BaselineView",
    "BaselinesView",
    "CancelVersionView",
    "CollectionView",
    "CollectionsView",
    "CompareBaselinesView",
    "CompareVersionsView",
    "DateVersionView",
    "DeliveriesView",
    "EstimateView",
    "HistoryView",
    "PublishBaselineView",
    "PurgeDocumentView",
    "RestoreDocumentView",
    "RestoreVersionView",
    "RetentionView",
    "RetryVersionView",
    "RotateSecretView",
    "SourceView",
    "TestWebhookView",
    "TextView",
    "UnpublishView",
    "UploadDocumentsView",
    "UploadView",
    "UploadsView",
    "UsageView",
    "VersionView",
    "WebhookView",
    "WebhooksView",
    "WithdrawVersionView",
]
