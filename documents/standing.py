"""How far a version is, and what it and its tenant have cost: what the pages and the API both tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db.models import Count, Min, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from documents.models import Document, DocumentQuerySet, Version, VersionQuerySet
from search.budget import this_month
from search.models import Context, Placement
from tenants.models import Tenant

MINUTES_UNTIL_HOURS = 90
FALLEN_BACK = ngettext_lazy(
    "%(count)d chunk is situated by structure alone. %(reason)s "
    "`manage.py recontextualize` asks for the rest.",
    "%(count)d chunks are situated by structure alone. %(reason)s "
    "`manage.py recontextualize` asks for the rest.",
    "count",
)
OVERSIZED = ngettext_lazy(
    "The document is too long to be read whole by whoever writes contexts: %(count)d of them is told by its "
    "outline and what stands around the chunk.",
    "The document is too long to be read whole by whoever writes contexts: %(count)d of them are told by its "
    "outline and what stands around the chunk.",
    "count",
)


def time_left(version: Version, now: datetime) -> timedelta | None:
    """Guess from how long its chunks took so far; nothing before there is one to guess from."""
    if not version.is_open or not 0 < version.step_done < version.step_total:
        return None
    per_chunk = (version.touched_at - version.step_began_at) / version.step_done
    left = per_chunk * (version.step_total - version.step_done) - (now - version.touched_at)
    return max(left, timedelta())


def tell_time_left(versions: Iterable[Any]) -> None:
    """Add to versions what is to be said of how long they take."""
    now = timezone.now()
    for version in versions:
        left = time_left(version, now)
        version.time_left = "" if left is None else in_words(left)


def in_words(left: timedelta) -> str:
    minutes = round(left / timedelta(minutes=1))
    if minutes < 1:
        return _("less than a minute left")
    if minutes < MINUTES_UNTIL_HOURS:
        said = ngettext("about %(count)d minute left", "about %(count)d minutes left", minutes)
        return said % {"count": minutes}
    hours = round(minutes / 60)
    return ngettext("about %(count)d hour left", "about %(count)d hours left", hours) % {"count": hours}


def add_notices(versions: Sequence[Version]) -> None:
    """Add to the warnings of versions what is to be said of their contexts."""
    fallen = Placement.objects.filter(version__in=versions).exclude(fallback="").order_by()
    oversized = Context.objects.filter(version__in=versions, is_oversized=True).order_by()
    notices: dict[object, list[str]] = {}
    for version, count, reason in fallen.values_list("version").annotate(Count("pk"), Min("fallback")):
        said = str(FALLEN_BACK % {"count": count, "reason": reason})
        notices.setdefault(version, []).append(said)
    for version, count in oversized.values_list("version").annotate(Count("pk")):
        said = str(OVERSIZED % {"count": count})
        notices.setdefault(version, []).append(said)
    for version in versions:
        version.warnings = [*version.warnings, *notices.get(version.pk, [])]


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
