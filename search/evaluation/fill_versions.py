"""Read every version of a set's documents into a scratch tenant, in their order and with their dates."""

from __future__ import annotations

from datetime import date
from hashlib import sha256

from documents.models import Collection, Version
from documents.pipeline import ingest_version
from documents.services import Dates, add_document, create_collection, delete_collection
from search.evaluation.histories import Histories, KnownVersion
from search.evaluation.scratch import ACTOR, find_collection
from tenants.models import Tenant
from tenants.scope import tenant_scope

NAME = "versions"

Said = dict[str, list[tuple[str, date | None]]]  # The contents and days of each document's versions.


def fill_versions(tenant: Tenant, histories: Histories, *, is_fresh: bool) -> Collection:
    """Return a collection that holds these versions and no others; what is there already is kept."""
    collection = find_collection(tenant, NAME)
    if collection is not None and (is_fresh or _held(collection) != _known(histories)):
        delete_collection(collection=collection, actor=ACTOR)
        collection = None
    if collection is None:
        collection = create_collection(
            tenant=tenant, name=NAME, description="Made by manage.py score.", actor=ACTOR
        )
        for version in histories.versions:
            _ingest(collection, version)
    return collection


def _ingest(collection: Collection, known: KnownVersion) -> None:
    version = add_document(
        collection=collection,
        name=known.document,
        content=known.path.read_bytes(),
        actor=ACTOR,
        dates=Dates(known.effective),
        is_queued=False,
    )
    ingest_version(version.pk, version.tenant_id)


def _held(collection: Collection) -> Said:
    with tenant_scope(collection.tenant_id):
        rows = Version.objects.readable().filter(document__collection=collection).order_by("number")
        held: Said = {}
        for name, digest, day in rows.values_list("document__name", "source__digest", "effective_from"):
            held.setdefault(name, []).append((digest, day))
    return held


def _known(histories: Histories) -> Said:
    return {
        document: [
            (sha256(version.path.read_bytes()).hexdigest(), version.effective)
            for version in histories.of(document)
        ]
        for document in histories.documents
    }
