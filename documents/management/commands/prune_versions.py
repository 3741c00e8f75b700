"""Delete old versions that tenants have kept for as long as they want to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from documents.management.find import require_tenant
from documents.management.progress import on_one_line
from documents.services import find_expired, prune_versions
from tenants.models import Tenant
from tenants.scope import platform_scope


class Command(BaseCommand):
    help = (
        "Delete versions that were superseded, withdrawn or given up for longer than their tenant keeps them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="one tenant only")
        parser.add_argument("--dry-run", action="store_true", help="say what would go, and delete nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["tenant"]
        for tenant in [require_tenant(slug)] if slug else tenants_that_prune():
            if tenant.keep_versions_days is None:
                self.stdout.write(f"{tenant.slug} keeps all versions for ever.")
            elif options["dry_run"]:
                self.show(tenant)
            else:
                self.prune(tenant)

    def show(self, tenant: Tenant) -> None:
        versions = documents = 0
        for expired in find_expired(tenant=tenant):
            versions, documents = versions + len(expired.versions), documents + 1
            numbers = listed(one.number for one in expired.versions)
            place = on_one_line(f"{expired.document.collection.name}/{expired.document.name}")
            self.stdout.write(f"{tenant.slug}: {place}, {numbers} would go")
        self.stdout.write(f"{tenant.slug}: {counted(versions, documents)} would go.")

    def prune(self, tenant: Tenant) -> None:
        pruned = prune_versions(tenant=tenant)
        said = f"{tenant.slug}: {counted(pruned.versions, pruned.documents)} deleted."
        self.stdout.write(f"{said} {pruned.refused} documents refused." if pruned.refused else said)


def tenants_that_prune() -> list[Tenant]:
    with platform_scope():
        return list(Tenant.objects.exclude(keep_versions_days=None).order_by("slug"))


def counted(versions: int, documents: int) -> str:
    return f"{versions} old version{'s'[: versions != 1]} of {documents} document{'s'[: documents != 1]}"


def listed(numbers: Iterable[int]) -> str:
    known = [str(number) for number in numbers]
    return f"version{'s'[: len(known) != 1]} {', '.join(known)}"
