"""Write a tenant's documents into one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.archive.export import export_tenant
from documents.archive.records import BadArchive
from documents.management.find import require_collection, require_tenant
from tenants.audit import Actor

ACTOR = Actor.of_command("export")


class Command(BaseCommand):
    help = "Write the documents of a tenant, with all versions, baselines and corrections, into one zip."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", nargs="+", metavar="NAME", help="these only")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        tenant = require_tenant(options["tenant"])
        names = options["collection"]
        chosen = None if names is None else [require_collection(tenant, name) for name in names]
        if path.exists():
            raise CommandError(f"{path} exists. Name another file, or delete it.")
        try:
            exported = export_tenant(tenant=tenant, path=path, actor=ACTOR, collections=chosen)
        except BadArchive as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        for what, count in exported.counts.items():
            self.stdout.write(f"{count:>8,} {what.replace('_', ' ')}")
        for what, count in exported.left_out.items():
            if count:
                self.stdout.write(f"{count:>8,} {what}: left out")
