"""Take the documents of an archive into a tenant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from documents.archive.check import Checked, check_archive
from documents.archive.members import open_archive
from documents.archive.records import BadArchive
from documents.archive.take_in import (
    Import,
    Imported,
    begin_import,
    finish_import,
    release_version,
    versions_to_read,
)
from documents.management.commands.ingest import await_end
from documents.management.find import require_tenant
from documents.management.progress import Progress, failure_table
from documents.models import State
from documents.pipeline import ingest_version
from documents.services.intake import largest_file
from tenants.audit import Actor
from tenants.errors import UnknownTenant
from tenants.services import create_tenant, find_tenant

ACTOR = Actor.of_command("import")
WIDTH = 110
MOST_NAMED = 20


class Command(BaseCommand):
    help = "Take the documents of an archive into a tenant. Interrupted, it goes on when it is run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--create", action="store_true", help="make the tenant if it does not exist")
        parser.add_argument(
            "--new-ids", action="store_true", help="for a second copy in one installation: citations change"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug: str = options["tenant"]
        if not options["create"]:
            require_tenant(slug)
        with opened(options["file"]) as archive:
            own = self.begin(archive, slug, is_new=options["new_ids"])
            self.read(own)
            self.close(own, finish_import(own, actor=ACTOR))

    def begin(self, archive: Checked, slug: str, *, is_new: bool) -> Import:
        """Make the tenant and what belongs to it, or nothing of both."""
        with transaction.atomic():
            try:
                tenant = find_tenant(slug)
            except UnknownTenant:
                try:
                    tenant = create_tenant(name=slug, slug=slug, actor=ACTOR)
                except ValidationError as error:
                    raise CommandError(f"--tenant {slug!r}: {' '.join(error.messages)}") from error
            return begin_import(tenant=tenant, archive=archive, actor=ACTOR, is_new=is_new)

    def read(self, own: Import) -> None:
        """Run each version through the pipeline; if one cannot be read, the import waits for another run."""
        names = {one.id: one.name for one in own.archive.records.documents}
        waiting = versions_to_read(own)
        progress = Progress(self.stdout, total=len(waiting))
        for one in waiting:
            version = release_version(own, one)
            ingest_version(version.pk, version.tenant_id)
            ended = await_end(version)
            is_ready = ended.state == State.READY
            name = f"{names[one.document]}, version {one.number}"
            progress.advance(name, "ready", "" if is_ready else ended.reason or "It was not read.")
        if progress.failures:
            self.stdout.write("\n".join(failure_table(progress.failures, WIDTH)))
            self.stdout.flush()
            raise CommandError(
                f"{len(progress.failures)} of {progress.done} versions could not be read, and nothing is "
                "shown yet. Mend the cause and run the same command again: it goes on with these."
            )

    def close(self, own: Import, imported: Imported) -> None:
        for what, count in own.archive.records.counts().items():
            self.stdout.write(f"{count:>8,} {what.replace('_', ' ')}")
        if not imported.is_retention_taken:
            self.stdout.write("How long old versions are kept stays as it is: the tenant was not empty.")
        if imported.differing:
            names = {one.id: one.name for one in own.archive.records.documents}
            shown = [f"{names[one.document]} v{one.number}" for one in imported.differing[:MOST_NAMED]]
            more = ", …" if len(imported.differing) > MOST_NAMED else ""
            self.stdout.write(
                f"{len(imported.differing):,} versions have other sections than where they came from, "
                "because the parser is another, or corrections and settings were changed or taken back "
                f"since: {', '.join(shown)}{more}"
            )


@contextmanager
def opened(path: Path) -> Iterator[Checked]:
    """Open and check an archive; what is wrong with it, then or later, is an error of the command."""
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    try:
        with open_archive(path, largest=largest_file()) as archive:
            yield check_archive(archive, now=timezone.now())
    except BadArchive as error:
        raise CommandError(f"{path}: {error}") from error
