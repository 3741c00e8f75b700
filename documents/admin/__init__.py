"""The administration of collections, documents, versions and corrections, across tenants.

What staff do goes through the services, like what members do. No page loads all rows of a large table.
"""

from documents.admin.collection import CollectionAdmin
from documents.admin.correction import OutlineCorrectionAdmin
from documents.admin.document import DocumentAdmin
from documents.admin.version import VersionAdmin

__all__ = ["CollectionAdmin", "DocumentAdmin", "OutlineCorrectionAdmin", "VersionAdmin"]
