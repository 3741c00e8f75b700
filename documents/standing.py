"""How far a version is, and what it and its tenant have cost: what the pages and the API both tell."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from django.db.models import Sum
from django.template.defaultfilters import pluralize

from documents.models import Document, DocumentQuerySet, Version, VersionQuerySet
from search.budget import this_month
from tenants.models import Tenant

MINUTES_UNTIL_HOURS = 90


def time_left(version: Version, now: datetime) -> timedelta | None:
    """Guess from how long its chunks took so far; nothing before there is one to guess from."""
    if not version.is_open or not 0 < version.step_done < version.step_total:
        return None
    per_chunk = (version.touched_at - version.step_began_at) / version.step_done
    left = per_chunk * (version.step_total - version.step_done) - (now - version.touched_at)
    return max(left, timedelta())


def in_words(left: timedelta) -> str:
    minutes = round(left / timedelta(minutes=1))
    if minutes < 1:
        return "less than a minute left"
    if minutes < MINUTES_UNTIL_HOURS:
        return f"about {minutes} minute{pluralize(minutes)} left"
    return f"about {round(minutes / 60)} hours left"


def with_cost(versions: VersionQuerySet) -> VersionQuerySet:
    """With what providers were paid for each; nothing where none was asked."""
    return versions.annotate(cost=Sum("calls__cost"))


def month_begin() -> datetime:
    return datetime.combine(this_month(), time(), UTC)


def most_expensive(tenant: Tenant, *, since: datetime) -> DocumentQuerySet:
    """With what providers were paid for each since then, the dearest first."""
    paid = Document.objects.for_tenant(tenant).filter(versions__calls__at__gte=since)
    summed = paid.annotate(cost=Sum("versions__calls__cost")).filter(cost__gt=0)
    return summed.order_by("-cost", "name")
