"""Documents with several versions, read as the pipeline reads them."""

from __future__ import annotations

from django.db import connection

from documents import services
from documents.models import Collection, Document, Version
from documents.pipeline import ingest_version
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR

PILOTS = "Pilots\n\nA vessel of more than fifty metres takes a pilot on board before it enters.\n\n"
FEES = "Fees\n\nThe master pays what the board has published for the berth and the day.\n\n"
LIGHTS = "Lights\n\nBetween sunset and sunrise every moored barge shows a white light astern.\n\n"
WASTE = "Waste\n\nNobody throws oil, ashes or refuse into the basin or onto its quays.\n\n"


def act(*bodies: str) -> str:
    """An act of sections that count from one."""
    sections = (f"## Section {number}. {body}" for number, body in enumerate(bodies, 1))
    return "".join(["# Harbour Act\n\n", *sections])


def collection(tenant: Tenant) -> Collection:
    return factories.collection(tenant, "rules")


def add_version(place: Collection, text: str, name: str = "act.md") -> Version:
    """Add the next version of a document, ready."""
    version = services.add_document(
        collection=place, name=name, content=text.encode(), actor=ACTOR, is_queued=False
    )
    ingest_version(version.pk, version.tenant_id)
    with tenant_scope(version.tenant_id), connection.cursor() as cursor:
        # To publish checks all at once until the transaction ends, and that of a test goes on.
        cursor.execute("SET CONSTRAINTS baseline_is_filled DEFERRED")
        return Version.objects.select_related("document__collection", "document__tenant").get(pk=version.pk)


def add_versions(place: Collection, *texts: str, name: str = "act.md") -> tuple[Document, list[Version]]:
    versions = [add_version(place, text, name) for text in texts]
    return versions[-1].document, versions
