"""The administration of collections, documents, versions and corrections, across tenants.

What staff do goes through the services, like what members do. No page loads all rows of a large table.
"""

from documents.admin.baseline import BaselineAdmin, PublicationAdmin
from documents.admin.collection import CollectionAdmin
from documents.admin.correction import OutlineCorrectionAdmin
from documents.admin.document import DocumentAdmin
from documents.admin.parts import BaselineVersionAdmin, ChunkAdmin, SectionAdmin, SourceAdmin
from documents.admin.upload import AnsweredRequestAdmin, UploadAdmin, UploadPartAdmin
from documents.admin.version import VersionAdmin
from documents.admin.webhook import WebhookAdmin, WebhookDeliveryAdmin

__all__ = [
    "AnsweredRequestAdmin",
    "BaselineAdmin",
    "BaselineVersionAdmin",
    "ChunkAdmin",
    "CollectionAdmin",
    "DocumentAdmin",
    "OutlineCorrectionAdmin",
    "PublicationAdmin",
    "SectionAdmin",
    "SourceAdmin",
    "UploadAdmin",
    "UploadPartAdmin",
    "VersionAdmin",
    "WebhookAdmin",
    "WebhookDeliveryAdmin",
]
