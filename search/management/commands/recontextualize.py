"""Ask for the contexts that ready versions lack."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Exists, OuterRef, Q

from documents.language import AUTO
from documents.management.find import require_collection, require_tenant
from documents.models import Collection, Version
from documents.pipeline import work_of
from documents.reading import Reading, stored_reading
from search import backends
from search.backends.embedders.base import EmbedderError
from search.backends.payment import BUDGET_USED_UP
from search.contextualize import Work
from search.models import Placement
from search.place import Situated
from search.quote import Quote, counted, quote_works
from search.services import recontextualize
from tenants.models import Tenant
from tenants.scope import tenant_scope


class Command(BaseCommand):
    help = (
        "Ask the declared contextualizer for the contexts of chunks that were situated by their structure, "
        "because it did not answer or the budget was used up."
    )
    pause = 5.0  # Seconds, until a batch or what somebody else asks for is looked at again.

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", metavar="NAME")
        parser.add_argument(
            "--all", action="store_true", help="also those whose contexts another contextualizer gave"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what it would cost")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = require_tenant(options["tenant"])
        name = options["collection"]
        collection = None if name is None else require_collection(tenant, name)
        versions = find_versions(tenant, collection, is_all=options["all"])
        if not versions:
            self.stdout.write("No version lacks a context.")
            return
        self.stdout.write(f"{counted(len(versions), 'version')}: {quote_versions(versions).sentence}")
        if not options["dry_run"]:
            require_complete([one for version in versions for one in self.redo(version)])

    def redo(self, version: Version) -> Sequence[Situated]:
        """Redo one version, wait for what it waits for, and say what became of it."""
        reading = read(version)
        situated = [] if reading is None else self.await_contexts(version, reading)
        lacking = sum(bool(one.fallback) for one in situated)
        said = f"{lacking} of {counted(len(situated), 'chunk')} by structure" if lacking else "complete"
        self.stdout.write(f"{version.file_name}, version {version.number}: {said}")
        return situated

    def await_contexts(self, version: Version, reading: Reading) -> Sequence[Situated]:
        work = work_of(version.pk, version.tenant_id, reading)
        try:
            while (situated := recontextualize(work=work, language=reading.language.configuration)) is None:
                time.sleep(self.pause)
        except EmbedderError as error:
            raise CommandError(f"{version.file_name} is found as before: {error}") from error
        return situated


def find_versions(tenant: Tenant, collection: Collection | None, *, is_all: bool) -> list[Version]:
    """Return the ready versions, old ones too, of which a chunk has another context than it should."""
    lacking = ~Q(fallback="")
    if is_all:
        lacking |= by_another()
    placements = Placement.objects.filter(lacking, version=OuterRef("pk"))
    with tenant_scope(tenant.pk):
        versions = Version.objects.for_tenant(tenant).readable().without_text()
        versions = versions.filter(Exists(placements), document__collection__contextual_embeddings=True)
        if collection is not None:
            versions = versions.filter(document__collection=collection)
        return list(versions.select_related("document__collection").order_by("document_id", "number"))


def by_another() -> Q:
    contextualizer = backends.contextualizer()
    if contextualizer.is_local:
        return Q(passage__written_context__isnull=False)
    ours = Q(passage__written_context__contextualizer=contextualizer.name)
    return Q(passage__written_context=None) | ~ours


def read(version: Version) -> Reading | None:
    with tenant_scope(version.tenant_id):
        return stored_reading(version.pk)


def quote_versions(versions: Sequence[Version]) -> Quote:
    """Sum up what the versions take, language by language."""
    languages = sorted({language_of(version) for version in versions})
    quotes = [quote_works(works_of(versions, language), language=language) for language in languages]
    return sum(quotes, Quote())


def works_of(versions: Sequence[Version], language: str) -> Iterator[Work]:
    for version in versions:
        if language_of(version) == language and (reading := read(version)) is not None:
            yield work_of(version.pk, version.tenant_id, reading)


def language_of(version: Version) -> str:
    chosen = version.document.collection.language
    return version.language if chosen == AUTO else chosen


def require_complete(situated: Sequence[Situated]) -> None:
    """Say how many chunks still have the context of their structure, and why; of the budget first."""
    reasons = [one.fallback for one in situated if one.fallback]
    if reasons:
        why = BUDGET_USED_UP if BUDGET_USED_UP in reasons else reasons[0]
        cure = "Raise it, or run this next month." if why == BUDGET_USED_UP else "Run this again later."
        total = counted(len(situated), "chunk")
        raise CommandError(f"{len(reasons):,} of {total} keep the context of their structure: {why} {cure}")
