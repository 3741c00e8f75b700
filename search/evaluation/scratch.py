"""A scratch tenant that holds the documents of a set, read by the real pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from documents.models import Collection, Document, State, Version, VersionQuerySet
from documents.pipeline import ingest_version
from documents.read_context import HEAD, ReadContext
from documents.services import (
    add_document,
    create_collection,
    delete_collection,
    delete_document,
    purge_document,
)
from tenants.audit import Actor
from tenants.errors import UnknownTenant
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.services import create_tenant, find_tenant

ACTOR = Actor.of_command("score")
LONGEST_SLUG = 50


def scratch_tenant(folder: Path, *, is_contextual: bool = True) -> Tenant:
    """Return the tenant of a set, made on first use; another one for an index without contexts."""
    words = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-") or "set"
    slug = f"{'score' if is_contextual else 'plain'}-{words}"[:LONGEST_SLUG].rstrip("-")
    try:
        return find_tenant(slug)
    except UnknownTenant:
        return create_tenant(name=f"Measurements on {folder.resolve().name}", slug=slug, actor=ACTOR)


def find_collection(tenant: Tenant, name: str) -> Collection | None:
    with tenant_scope(tenant.pk):
        return Collection.objects.for_tenant(tenant).select_related("tenant").filter(name=name).first()


def fill_collection(
    tenant: Tenant, name: str, files: dict[str, Path], *, is_fresh: bool, **options: object
) -> Collection:
    """Return a collection that holds these files and no others, each read through to its end.

    One that was made with other options is made anew.
    """
    collection = find_collection(tenant, name)
    if collection is not None and (
        is_fresh or any(getattr(collection, one) != options[one] for one in options)
    ):
        delete_collection(collection=collection, actor=ACTOR)
        collection = None
    if collection is None:
        collection = create_collection(
            tenant=tenant,
            name=name,
            description="Made by manage.py score.",
            actor=ACTOR,
            **options,
        )
    _forget_others(collection, set(files))
    for file_name, path in files.items():
        version = add_document(
            collection=collection, name=file_name, content=path.read_bytes(), actor=ACTOR, is_queued=False
        )
        ingest_version(version.pk, version.tenant_id)
    return collection


def _forget_others(collection: Collection, names: set[str]) -> None:
    with tenant_scope(collection.tenant_id):
        others = list(Document.objects.filter(collection=collection).exclude(name__in=names))
    for document in others:
        delete_document(document=document, actor=ACTOR)
        purge_document(document=document, actor=ACTOR)


def newest_versions(collection: Collection) -> Iterator[tuple[str, Version]]:
    """Yield the name and the newest version of each document, ready or failed."""
    with tenant_scope(collection.tenant_id):
        versions = list(
            Version.objects.without_text()
            .filter(document__collection=collection)
            .select_related("document")
            .order_by("document__name", "-number")
        )
    seen: set[str] = set()
    for version in versions:
        if version.document.name not in seen:
            seen.add(version.document.name)
            yield version.document.name, version


def read_versions(collection: Collection, context: ReadContext = HEAD) -> VersionQuerySet:
    """Return what the documents of a collection say now, or at a read context."""
    return Version.objects.at(context).filter(document__collection=collection)


def stem(name: str) -> str:
    """Return the name by which the truth knows a document: that of its file, without the extension."""
    return name.rsplit(".", 1)[0]


def is_ready(version: Version) -> bool:
    return version.state == State.READY
