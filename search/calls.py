"""What was asked of providers, and what that took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from documents.models import Version
from search.models import Call, CallState
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope, within_tenant

LOST_AFTER = timedelta(hours=1)  # Longer than any request may take, with all of its attempts.
LOST = "The worker died before the answer came."
SUMS = ("texts", "input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens", "cost")
ORDER = ("backend", "role", "calls", "unanswered", *(f"sum_{name}" for name in SUMS))


@dataclass(frozen=True, slots=True)
class Spending:
    """The requests to one backend, summed up."""

    backend: str
    role: str
    calls: int
    unanswered: int  # Of these, the ones that failed or that nobody heard of again.
    texts: int
    input_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    output_tokens: int
    cost: Decimal


def usage_of(tenant: Tenant, *, since: datetime | None = None) -> list[Spending]:
    """Return what a tenant has used, by backend, with what is set aside for requests on their way."""
    calls = Q(tenant=tenant) if since is None else Q(tenant=tenant, at__gte=since)
    return _sum(tenant.pk, calls)


@dataclass(frozen=True, slots=True)
class Month:
    """What providers were paid in a month, by the role of the backend."""

    first: date
    costs: Mapping[str, Decimal]

    @property
    def cost(self) -> Decimal:
        return sum(self.costs.values(), Decimal(0))


def usage_by_month(tenant: Tenant, *, last: date, count: int) -> list[Month]:
    """Return the months up to one, also those in which nobody was paid."""
    firsts = [month_before(last, number) for number in reversed(range(count))]
    begin = datetime.combine(firsts[0], time(), UTC)
    calls = Call.objects.filter(tenant=tenant, at__gte=begin, cost__gt=0).order_by()
    by_month = calls.annotate(month=TruncMonth("at", tzinfo=UTC)).values("month", "role")
    costs: dict[date, dict[str, Decimal]] = {first: {} for first in firsts}
    with within_tenant(tenant.pk):
        for row in by_month.annotate(paid=Sum("cost")):
            costs.setdefault(row["month"].date(), {})[row["role"]] = row["paid"]
    return [Month(first, costs[first]) for first in firsts]


def month_before(month: date, number: int) -> date:
    """Return the first day of the month so many months before one."""
    years, index = divmod(12 * month.year + month.month - 1 - number, 12)
    return date(years, index + 1, 1)


def usage_of_version(version: Version) -> list[Spending]:
    """Return what a version has taken, by backend; not what it found ready because another had it."""
    return _sum(version.tenant_id, Q(version=version))


def _sum(tenant_id: UUID, condition: Q) -> list[Spending]:
    unanswered = Q(state__in=[CallState.FAILED, CallState.UNKNOWN])
    groups = Call.objects.filter(condition).order_by("role", "backend").values("backend", "role")
    summed = groups.annotate(
        calls=Count("pk"),
        unanswered=Count("pk", filter=unanswered),
        **{f"sum_{name}": Sum(name) for name in SUMS},
    )
    with tenant_scope(tenant_id):
        return [Spending(*row) for row in summed.values_list(*ORDER)]


def close_lost_calls() -> int:
    """Give up the requests of workers that died; what was set aside counts as spent. Return how many."""
    lost = Q(state=CallState.OPEN, at__lt=timezone.now() - LOST_AFTER)
    with platform_scope():
        found = Call.objects.filter(lost).order_by("tenant_id")
        tenants = list(found.values_list("tenant_id", flat=True).distinct())
    return sum(_close(tenant_id, lost) for tenant_id in tenants)


def _close(tenant_id: UUID, lost: Q) -> int:
    with tenant_scope(tenant_id):
        return Call.objects.filter(lost).update(state=CallState.UNKNOWN, failure=LOST)
