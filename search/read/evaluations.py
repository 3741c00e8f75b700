"""Read what measurements of the search said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from search.errors import NotHere
from search.models import EvaluationRun
from search.read.cursor import behind, identity, moment, read_cursor, write_cursor
from tenants.models import Tenant
from tenants.scope import within_tenant

LIMIT, MOST = 20, 100
ORDER = ("-created_at", "pk")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRead:
    """One run: the figures of each way of searching, what searches took, and with which parts."""

    id: UUID
    name: str  # Of the set of questions.
    collection: str
    question_count: int
    measures: Any
    latency: Any
    settings: Any
    code: str  # A digest of the program that searched.
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationsRead:
    evaluations: tuple[EvaluationRead, ...]
    next: str | None


def list_evaluations(
    *, tenant: Tenant, name: str = "", collection: str = "", after: str | None = None, limit: int = LIMIT
) -> EvaluationsRead:
    """Return the runs of a tenant, the newest first; those of one set of questions, or of one collection."""
    last = read_cursor(after, moment, identity)
    with within_tenant(tenant.pk):
        rows = EvaluationRun.objects.for_tenant(tenant)
        if name:
            rows = rows.filter(name=name)
        if collection:
            rows = rows.filter(collection=collection)
        if last:
            rows = rows.filter(behind(ORDER, last))
        found = list(rows.order_by(*ORDER)[: limit + 1])
        shown = found[:limit]
        return EvaluationsRead(
            evaluations=tuple(map(_describe, shown)),
            next=write_cursor(shown[-1].created_at, shown[-1].pk) if len(found) > limit else None,
        )


def read_evaluation(*, tenant: Tenant, run: UUID) -> EvaluationRead:
    with within_tenant(tenant.pk):
        found = EvaluationRun.objects.for_tenant(tenant).filter(pk=run).first()
        if found is None:
            raise NotHere("There is no such run here.")
        return _describe(found)


def _describe(run: EvaluationRun) -> EvaluationRead:
    return EvaluationRead(
        id=run.pk,
        name=run.name,
        collection=run.collection,
        question_count=run.question_count,
        measures=run.measures,
        latency=run.latency,
        settings=run.settings,
        code=run.code,
        created_at=run.created_at,
    )
