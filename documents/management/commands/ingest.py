"""Read files into a collection, here and now."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template.defaultfilters import pluralize

from documents.claim import stuck_after
from documents.management.find import (
    find_collection,
    require_collection,
    require_document,
    require_tenant,
)
from documents.management.progress import Progress
from documents.models import Collection, Outcome, State, Version
from documents.pipeline import ingest_version
from documents.services import Added, Dates, add_files, create_collection
from documents.services.intake import largest_file
from documents.unpack import count_files, read_path
from tenants.audit import Actor
from tenants.models import Tenant
from tenants.scope import tenant_scope

ACTOR = Actor.of_command("ingest")
LOOK_EVERY = 0.5
PATIENCE = 5  # Times that a version may be without a sign of life until it counts as forsaken.


class Command(BaseCommand):
    help = "Read a file, a folder or a zip into a collection, and wait until it is done."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", required=True, metavar="NAME")
        parser.add_argument("--create", action="store_true", help="make the collection if it does not exist")
        whose = parser.add_mutually_exclusive_group()
        whose.add_argument(
            "--document", metavar="NAME", help="the document that the file is a new version of, by name or id"
        )
        whose.add_argument("--identity", default="", help="what the file is known by, whatever its name")
        for name, what in (("--effective-from", "first"), ("--effective-to", "last")):
            parser.add_argument(name, type=date.fromisoformat, metavar="DATE", help=f"{what} day in force")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["path"]
        require_path(path)
        tenant = require_tenant(options["tenant"])
        collection = choose_collection(tenant, options["collection"], path, is_made=options["create"])
        total = count_files(path)
        if not total:
            raise CommandError(f"There are no files in {path}.")
        name = options["document"]
        added = add_files(
            collection=collection,
            files=read_path(path, largest=largest_file()),
            actor=ACTOR,
            document=None if name is None else require_document(tenant, name, collection),
            identity=options["identity"],
            dates=Dates(options["effective_from"], options["effective_to"]),
            is_queued=False,
        )
        progress = Progress(self.stdout, total=total)
        for name, outcome, problem in ((one.name, *read_now(one)) for one in added):
            progress.advance(name, outcome, problem)
        progress.finish()
        self.stdout.flush()  # The error below goes another way, and should come after.
        if progress.failures:
            count, total = len(progress.failures), progress.done
            raise CommandError(f"{count} of {total} files could not be read.")


def require_path(path: Path) -> None:
    try:
        if not path.is_dir() and not path.is_file():
            raise CommandError(f"There is no file and no folder {path}.")
        if path.is_file():
            path.open("rb").close()
    except OSError as error:
        raise CommandError(f"{path} cannot be opened: {error.strerror}.") from error


def choose_collection(tenant: Tenant, name: str, path: Path, *, is_made: bool) -> Collection:
    if not is_made or find_collection(tenant, name) is not None:
        return require_collection(tenant, name)
    description = f"Read from {path.resolve().name}."
    try:
        return create_collection(tenant=tenant, name=name, description=description, actor=ACTOR)
    except ValidationError as error:
        raise CommandError(f"--collection {name!r}: {' '.join(error.messages)}") from error


def read_now(added: Added) -> tuple[str, str]:
    if added.version is None:
        return "", added.problem
    ingest_version(added.version.pk, added.version.tenant_id)
    version = await_end(added.version)
    if version.state != State.READY:
        return "", version.failure.removeprefix(f"{version.file_name}: ")
    return describe(version, added.version.outcome), ""


def await_end(version: Version) -> Version:
    """Wait for the end of one that a worker has in hand already, for as long as that one shows life."""
    seen_at, touched_at = time.monotonic(), None
    while True:
        with tenant_scope(version.tenant_id):
            current = Version.objects.without_text().filter(pk=version.pk).first()
        if current is None:
            version.failure = "Somebody has deleted it meanwhile."
            return version
        if not State(current.state).is_open:
            return current
        if current.touched_at != touched_at:
            seen_at, touched_at = time.monotonic(), current.touched_at
        if time.monotonic() - seen_at > PATIENCE * stuck_after().total_seconds():
            current.failure = "A worker has had it in hand for too long. It will be tried again by itself."
            return current
        time.sleep(LOOK_EVERY)


def describe(version: Version, outcome: Outcome) -> str:
    with tenant_scope(version.tenant_id):
        sections, chunks = version.sections.count(), version.chunks.count()
    return (
        f"{outcome.label.lower()}, version {version.number}, {sections:,} section{pluralize(sections)}, "
        f"{chunks:,} chunk{pluralize(chunks)}, structure {version.grade}"
    )
