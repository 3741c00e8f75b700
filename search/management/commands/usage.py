"""Show what tenants have used of providers in this month."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from documents.management.find import require_tenant
from search.budget import budget_of, dollars, limit_of, this_month
from search.calls import Spending, usage_of
from tenants.models import Tenant
from tenants.scope import platform_scope

HEADS = ("", "calls", "unanswered", "tokens in", "cache writes", "cache reads", "tokens out", "cost")


class Command(BaseCommand):
    help = "Show what tenants have used of providers in this month, and how much of their budgets."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="one tenant only")

    def handle(self, *args: Any, **options: Any) -> None:
        tenants = all_tenants() if options["tenant"] is None else [require_tenant(options["tenant"])]
        since = datetime.combine(this_month(), time(), UTC)
        for tenant in tenants:
            budget = budget_of(tenant.pk)
            spent, limit = dollars(budget.spent), dollars(limit_of(budget))
            self.stdout.write(f"{tenant.slug}: {spent} of {limit} spent in {since:%B %Y}")
            for line in table(usage_of(tenant, since=since)):
                self.stdout.write(f"  {line}")


def all_tenants() -> list[Tenant]:
    with platform_scope():
        return list(Tenant.objects.order_by("slug"))


def table(spendings: Sequence[Spending]) -> list[str]:
    """Return a line per backend below its heads; nothing if there are none."""
    if not spendings:
        return []
    rows = [HEADS, *map(cells, spendings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(aligned, row, widths, range(len(row)))).rstrip() for row in rows]


def cells(spending: Spending) -> tuple[str, ...]:
    numbers = (
        spending.calls,
        spending.unanswered,
        spending.input_tokens,
        spending.cache_write_tokens,
        spending.cache_read_tokens,
        spending.output_tokens,
    )
    return (spending.backend, *(f"{number:,}" for number in numbers), f"${spending.cost:,.4f}")


def aligned(cell: str, width: int, column: int) -> str:
    return cell.rjust(width) if column else cell.ljust(width)
