"""What may be read at a read context: the one place that turns it into versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from documents.errors import ReadContextRefused
from documents.models import Baseline, Collection, Document, DocumentQuerySet, Version, VersionQuerySet
from documents.read_context import HEAD, ReadContext, Selector
from tenants.models import Tenant
from tenants.scope import within_tenant

NO_BASELINE = "There is no such baseline here."
NOTHING_PUBLISHED = "Nothing is published here. Publish a baseline first, or read “head”."


PUBLISHED = ReadContext(selector=Selector.PUBLISHED)


@dataclass(frozen=True, slots=True)
class Visible:
    """Versions that may be read, and what makes it these."""

    versions: VersionQuerySet
    context: ReadContext
    baselines: tuple[Baseline, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return the read context in effect, with the baselines that are read."""
        facts = self.context.describe()
        if self.baselines:
            facts["baselines"] = [{"id": str(one.pk), "name": one.name} for one in self.baselines]
        return facts


def visible_versions(
    *, tenant: Tenant, context: ReadContext = HEAD, collections: Sequence[Collection] | None = None
) -> Visible:
    """Return what a tenant may read at a context, in all collections or in some. In the tenant's scope."""
    versions = Version.objects.for_tenant(tenant).at(context)
    if collections is not None:
        versions = versions.filter(document__collection__in=[one.pk for one in collections])
    return Visible(versions, context, _baselines(tenant, context, collections))


def _baselines(
    tenant: Tenant, context: ReadContext, collections: Sequence[Collection] | None
) -> tuple[Baseline, ...]:
    """Return the baselines that are read; there has to be one if one is asked for."""
    if context.selector not in {Selector.BASELINE, Selector.PUBLISHED}:
        return ()
    own = Baseline.objects.for_tenant(tenant)
    if collections is not None:
        own = own.filter(collection__in=[one.pk for one in collections])
    if context.baseline_id is not None:
        found = tuple(own.filter(pk=context.baseline_id))
        if not found:
            raise ReadContextRefused("baseline_id", NO_BASELINE)
        return found
    found = tuple(own.published())
    if not found:
        raise ReadContextRefused("selector", NOTHING_PUBLISHED)
    return found


def usual_context(
    *, tenant: Tenant, collections: Sequence[str] = (), document: UUID | str | None = None
) -> ReadContext:
    """Return what an agent reads unless it says otherwise: what is published if all of it is, else the head.

    All of it is the collections that are named, those that have the document that is named, or every one with
    a document in it.
    """
    with within_tenant(tenant.pk):
        documents = Document.objects.for_tenant(tenant).filter(collection=OuterRef("pk"))
        asked = Collection.objects.for_tenant(tenant)
        if collections:
            asked = asked.filter(name__in=collections)
        if document is None:
            asked = asked.filter(Exists(documents.present()))
        else:
            asked = asked.filter(Exists(_named(documents, document)))
        published = Baseline.objects.for_tenant(tenant).published().values("collection")
        is_published = asked.exists() and not asked.exclude(pk__in=published).exists()
    return PUBLISHED if is_published else HEAD


def _named(documents: DocumentQuerySet, document: UUID | str) -> DocumentQuerySet:
    try:
        return documents.filter(pk=UUID(str(document)))
    except ValueError:
        return documents.filter(name=document)
