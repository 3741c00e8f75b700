"""The demo collection: the documents of a fictional port, for workers to read."""

from __future__ import annotations

from collections.abc import Iterator

from documents.demo import DEMO_FILES
from documents.models import Collection, Outcome
from documents.services import add_document, create_collection
from tenants.audit import Actor
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.services import find_tenant

SLUG = "harbour"
NAME = "harbour-rules"
DESCRIPTION = "The rules of the port of Aldmere: its act, a licence, a standard, a policy and a notice."
ACTOR = Actor.of_command("load_demo")


def load_demo_documents() -> Iterator[str]:
    """Add what is missing; yield a line for each thing made."""
    tenant = find_tenant(SLUG)
    collection = _find_collection(tenant)
    if collection is None:
        collection = create_collection(tenant=tenant, name=NAME, description=DESCRIPTION, actor=ACTOR)
        yield f"Made the collection {NAME}."
    for path in DEMO_FILES:
        version = add_document(collection=collection, name=path.name, content=path.read_bytes(), actor=ACTOR)
        if version.outcome != Outcome.UNCHANGED:
            yield f"Added {path.name}; a worker reads it."


def _find_collection(tenant: Tenant) -> Collection | None:
    with tenant_scope(tenant.pk):
        found = Collection.objects.for_tenant(tenant).select_related("tenant")
        return found.filter(name=NAME).first()
