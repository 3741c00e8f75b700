"""What commands name, found; or an error that says what there is."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.core.management.base import CommandError

from documents.models import Collection, Document, DocumentQuerySet, Version
from tenants.errors import UnknownTenant
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.services import find_tenant

MOST_NAMED = 20


def require_tenant(slug: str) -> Tenant:
    try:
        return find_tenant(slug)
    except UnknownTenant as error:
        raise CommandError(str(error)) from error


def find_collection(tenant: Tenant, name: str) -> Collection | None:
    with tenant_scope(tenant.pk):
        return Collection.objects.for_tenant(tenant).select_related("tenant").filter(name=name).first()


def require_collection(tenant: Tenant, name: str) -> Collection:
    if collection := find_collection(tenant, name):
        return collection
    with tenant_scope(tenant.pk):
        known = Collection.objects.for_tenant(tenant).values_list("name", flat=True)[:MOST_NAMED]
        raise CommandError(
            f"No collection {name!r} in {tenant.slug}. There are: {listed(known)}. "
            "`ingest --create` makes one."
        )


def require_document(tenant: Tenant, name: str, collection: Collection | None) -> Document:
    """Find a document by its id or its name; a name may be in several collections."""
    documents = Document.objects.for_tenant(tenant).select_related("collection")
    with tenant_scope(tenant.pk):
        if collection is not None:
            documents = documents.filter(collection=collection)
        found = list(by_id_or_name(documents, name).order_by("collection__name")[:MOST_NAMED])
        if not found:
            known = documents.present().values_list("name", flat=True)[:MOST_NAMED]
            raise CommandError(f"No document {name!r}. There are: {listed(known)}.")
    if len(found) > 1:
        places = listed(document.collection.name for document in found)
        raise CommandError(f"{name!r} is in several collections. Say which with --collection: {places}.")
    return found[0]


def by_id_or_name(documents: DocumentQuerySet, name: str) -> DocumentQuerySet:
    try:
        return documents.filter(pk=UUID(name))
    except ValueError:
        return documents.present().filter(name=name)


def require_version(document: Document, number: int | None) -> Version:
    """Return a version of a document, ready or not; the current one if none is named, else the last."""
    with tenant_scope(document.tenant_id):
        versions = Version.objects.without_text().filter(document=document)
        if number is None:
            chosen = versions.readable().filter(superseded_at=None).first() or versions.first()
        else:
            chosen = versions.filter(number=number).first()
        known = [
            str(one) for one in versions.order_by("number").values_list("number", flat=True)[:MOST_NAMED]
        ]
    if chosen is None:
        raise CommandError(f"{document.name} has no version {number}. There are: {listed(known)}.")
    chosen.document = document
    return chosen


def listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
