"""What searches took and found, summed up for a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Aggregate, Count, FloatField, Max
from django.db.models.functions import TruncDate

from search.models import QueryRecord
from search.models.query import UNANSWERED
from tenants.models import Tenant

MOST_SLOW = 20
MOST_UNANSWERED = 20


class Percentile(Aggregate):
    """The value that a share of the rows does not exceed."""

    function = "percentile_cont"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    day: date
    count: int = 0
    unanswered: int = 0
    p50: float = 0.0
    p95: float = 0.0

    @property
    def answered(self) -> int:
        return self.count - self.unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """The searches of some days: as a whole, by day, the slowest, and what found nothing most often."""

    count: int
    unanswered: int
    slow: int
    p50: float
    p95: float
    days: tuple[Day, ...]
    slowest: tuple[QueryRecord, ...]
    missing: tuple[Mapping[str, Any], ...]


def summarize_queries(tenant: Tenant, *, now: datetime, days: int) -> Queries:
    """Sum up the last days, today among them. In the tenant's scope."""
    first = (now.astimezone(UTC) - timedelta(days=days - 1)).date()
    rows = QueryRecord.objects.for_tenant(tenant).since(datetime.combine(first, datetime.min.time(), UTC))
    whole = rows.order_by().aggregate(
        count=Count("pk"),
        unanswered=Count("pk", filter=UNANSWERED),
        p50=Percentile("took_ms", share=0.5),
        p95=Percentile("took_ms", share=0.95),
    )
    slow = rows.slow(settings.SLOW_MS)
    return Queries(
        count=whole["count"],
        unanswered=whole["unanswered"],
        slow=slow.count(),
        p50=whole["p50"] or 0.0,
        p95=whole["p95"] or 0.0,
        days=tuple(_by_day(rows, first, days)),
        slowest=tuple(slow.order_by("-took_ms", "-at")[:MOST_SLOW]),
        missing=tuple(_missing(rows)),
    )


def _by_day(rows: Any, first: date, days: int) -> list[Day]:
    """Return each day, also those on which nobody asked."""
    by_day = rows.order_by().annotate(day=TruncDate("at", tzinfo=UTC)).values("day")
    summed = by_day.annotate(
        count=Count("pk"),
        unanswered=Count("pk", filter=UNANSWERED),
        p50=Percentile("took_ms", share=0.5),
        p95=Percentile("took_ms", share=0.95),
    )
    found = {row["day"]: Day(**row) for row in summed}
    all_days = (first + timedelta(days=number) for number in range(days))
    return [found.get(day, Day(day=day)) for day in all_days]


def _missing(rows: Any) -> Any:
    """Return what was asked in vain, the most frequent first; the words of one if they are kept."""
    grouped = rows.unanswered().order_by().values("digest")
    summed = grouped.annotate(count=Count("pk"), last=Max("at"), text=Max("text"), length=Max("length"))
    return summed.order_by("-count", "-last")[:MOST_UNANSWERED]
