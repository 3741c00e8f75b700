"""The read context that a command names, and what can be read there; or an error that says what is wrong."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from documents.errors import ReadContextRefused
from documents.management.find import (
    MOST_NAMED,
    listed,
    require_document,
    require_version,
)
from documents.models import Collection, State, Version, VersionQuerySet
from documents.read_context import HEAD, ReadContext
from documents.visible import visible_versions
from tenants.models import Tenant
from tenants.scope import tenant_scope

HELP = "head, published, baseline:ID, a day such as 2016-03-01, or effective:2016-03-01"


def add_read_argument(parser: CommandParser) -> None:
    parser.add_argument("--read", metavar="WORDS", default="head", help=HELP)


def require_context(words: str) -> ReadContext:
    try:
        return ReadContext.read_words(words, now=timezone.now())
    except ReadContextRefused as error:
        raise CommandError(f"--read {words}: {error}") from error


def require_readable(tenant: Tenant, context: ReadContext, collection: Collection | None) -> VersionQuerySet:
    """Return what a tenant may read at a context; a baseline that is not there is an error."""
    collections = None if collection is None else [collection]
    with tenant_scope(tenant.pk):
        try:
            return visible_versions(tenant=tenant, context=context, collections=collections).versions
        except ReadContextRefused as error:
            raise CommandError(f"--read {context.words}: {error}") from error


def require_version_at(
    tenant: Tenant, name: str, collection: Collection | None, context: ReadContext
) -> Version:
    """Return the version of a document that a context shows, by the name or the id of the document."""
    if context == HEAD:
        return require_ready(require_version(require_document(tenant, name, collection), None))
    versions = require_readable(tenant, context, collection).without_text()
    with tenant_scope(tenant.pk):
        known = list(versions.select_related("document__collection").order_by("document__name"))
    found = [version for version in known if name in {version.document.name, str(version.document_id)}]
    if not found:
        names = listed(version.document.name for version in known[:MOST_NAMED])
        raise CommandError(f"No document {name!r} at {context.words}. There are: {names}.")
    if len(found) > 1:
        places = listed(version.document.collection.name for version in found)
        raise CommandError(f"{name!r} is in several collections. Say which with --collection: {places}.")
    return found[0]


def require_ready(version: Version) -> Version:
    if version.state != State.READY:
        name = version.document.name
        raise CommandError(version.failure or f"{name} is not read yet. Try again in a moment.")
    return version
