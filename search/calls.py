"""What was asked of providers, and what that took."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db.models import Count, Q, Sum
from django.utils import timezone

from documents.models import Version
from search.models import Call, CallState
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope

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
