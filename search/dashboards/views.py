"""Pages for whoever looks after an index: searches that went badly, and what measurements said."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from documents.models import State
from documents.unpack import MEGABYTE
from search.dashboards.evaluations import describe_run, history_of, plot_history, plot_ways
from search.dashboards.plots import draw_bars, draw_lines
from search.health import read_health
from search.models import EvaluationRun
from search.queries import Queries, summarize_queries
from tenants.access import tenant_view
from tenants.models import Membership, Role
from tenants.views import tenant_page

DAYS = (7, 30, 90)
MOST_RUNS = 200


@tenant_view()
@require_safe
def index_health(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show whether what came in can be found."""
    health = read_health(tenant=membership.tenant)
    states = [(State(name).label, count, State(name).is_open) for name, count in health.versions.items()]
    sizes = {
        _("Files as they came"): health.sizes.sources,
        _("Texts"): health.sizes.texts,
        _("Passages and words"): health.sizes.passages,
        _("Vectors"): health.sizes.vectors,
    }
    megabytes = [size / MEGABYTE for size in sizes.values()]
    context: dict[str, Any] = {
        "health": health,
        "states": states,
        "sizes": sizes,
        "plot": draw_bars(list(sizes), [("MB", megabytes)], unit="{:,.3g} MB"),
    }
    return tenant_page(request, membership, "index_health", context)


@tenant_view(role=Role.ADMIN)
@require_safe
def queries(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show how many searches there were, how long they took, and which found nothing."""
    choices = [days for days in DAYS if days <= max(settings.QUERY_DAYS, DAYS[0])]
    asked = request.GET.get("days", "")
    days = next((one for one in choices if str(one) == asked), choices[-1])
    found = summarize_queries(membership.tenant, now=timezone.now(), days=days)
    context: dict[str, Any] = {
        "found": found,
        "days": days,
        "choices": choices,
        "slow_ms": settings.SLOW_MS,
        "kept_days": settings.QUERY_DAYS,
        "keeps_words": settings.KEEP_QUERIES,
        **plot_queries(found),
    }
    return tenant_page(request, membership, "queries", context)


def plot_queries(found: Queries) -> dict[str, Any]:
    labels = [date_format(day.day, "j M") for day in found.days]
    counts = [
        (_("answered"), [day.answered for day in found.days]),
        (_("without an answer"), [day.unanswered for day in found.days]),
    ]
    times = [
        (_("median"), [day.p50 if day.count else None for day in found.days]),
        (_("95 of 100"), [day.p95 if day.count else None for day in found.days]),
    ]
    return {"counts": draw_bars(labels, counts), "times": draw_lines(labels, times, unit="{:,.0f} ms")}


@tenant_view()
@require_safe
def evaluations(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show each set of questions with the history of its figures."""
    rows = EvaluationRun.objects.for_tenant(membership.tenant).order_by("-created_at")[:MOST_RUNS]
    newest = sorted(rows, key=lambda run: (run.name, run.collection, run.question_count))
    grouped = groupby(newest, key=lambda run: (run.name, run.collection, run.question_count))
    sets = [history_of(list(runs)) for _set, runs in grouped]
    context = {"sets": sets, "plots": [(one, plot_history(one)) for one in sets]}
    return tenant_page(request, membership, "evaluations", context)


@tenant_view()
@require_safe
def evaluation(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show one run: each way of searching beside the others, and beside the run before."""
    own = EvaluationRun.objects.for_tenant(membership.tenant)
    run = get_object_or_404(own, pk=pk)
    before = own.comparable(run).filter(created_at__lt=run.created_at).first()
    context = {"run": run, "before": before, "table": describe_run(run, before), "plot": plot_ways(run)}
    return tenant_page(request, membership, "evaluation", context)
