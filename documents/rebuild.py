"""Make the index anew from the documents, a version at a time, while searches go on.

Contexts that were paid for and vectors that are there are kept; `manage.py rebuild_index` makes new vectors.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Self
from uuid import UUID

from documents.models import Version, VersionQuerySet
from documents.pipeline import situate_again
from search.backends import keyword_index
from search.past import mark_past
from search.sweep import sweep_passages
from tenants.scope import tenant_scope


@dataclass(frozen=True, slots=True)
class Extent:
    """What is made anew: all that a tenant has, a collection of it, or a document."""

    tenant_id: UUID
    collection_id: UUID | None = None
    document_id: UUID | None = None

    @property
    def is_everything(self) -> bool:
        return self.collection_id is None and self.document_id is None

    def versions(self) -> VersionQuerySet:
        """Return the versions that can be read in it. In the tenant's scope."""
        rows = Version.objects.filter(tenant=self.tenant_id).readable()
        if self.collection_id is not None:
            rows = rows.filter(document__collection=self.collection_id)
        return rows if self.document_id is None else rows.filter(document=self.document_id)

    def written(self) -> dict[str, str]:
        """Return it as a message carries it."""
        return {name: str(value) for name, value in asdict(self).items() if value is not None}

    @classmethod
    def read(cls, written: dict[str, str]) -> Self:
        return cls(**{name: UUID(value) for name, value in written.items()})


def situate_next(extent: Extent, after: UUID | None) -> UUID | None:
    """Say anew what the version behind another is indexed as; return its id, nothing behind the last one."""
    with tenant_scope(extent.tenant_id):
        rows = extent.versions().order_by("pk")
        if after is not None:
            rows = rows.filter(pk__gt=after)
        version_id = rows.values_list("pk", flat=True).first()
    if version_id is not None:
        situate_again(version_id, extent.tenant_id)
    return version_id


def settle(extent: Extent) -> None:
    """Delete what no version says any more, and count the words of all that is left."""
    sweep_passages(extent.tenant_id)
    mark_past(extent.tenant_id)
    if extent.is_everything:
        keyword_index().rebuild(extent.tenant_id)
