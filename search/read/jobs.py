"""Tell what is being worked on, and what waits: versions that are read, and spaces that are filled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from documents.models import State, Version, VersionQuerySet
from documents.standing import time_left
from search.errors import NotHere
from search.models import EmbeddingSpace, Passage, SpaceState
from search.read.cursor import behind, identity, moment, read_cursor, write_cursor
from search.read.facts import DocumentFacts, document_facts
from search.spaces import count_lacking
from tenants.models import Tenant
from tenants.scope import within_tenant

LIMIT, MOST = 50, 200
ORDER = ("queued_at", "pk")
AGAIN = {State.FAILED, State.CANCELLED}


class JobKind(StrEnum):
    VERSION = "version"  # A version of a document is read.
    SPACE = "space"  # Vectors of another model, or new ones, are made beside those in use.


class JobsAsked(StrEnum):
    OPEN = "open"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that is done in the background. `failure` says why it failed, and the cure."""

    id: UUID  # Of the version, or of the space.
    kind: JobKind
    state: str
    progress: int  # In percent.
    done: int  # Chunks that are through the present step, or passages that have vectors.
    total: int
    estimated_seconds_left: int | None
    failure: str
    queued_at: datetime
    touched_at: datetime  # When a worker last had it in hand.
    document: DocumentFacts | None
    number: int | None  # Of the version.
    watch: str
    cancel: str | None  # Where it can be stopped, if it can.
    retry: str | None  # Where it can be tried again, if it can.


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsRead:
    jobs: tuple[Job, ...]
    next: str | None


def list_jobs(
    *, tenant: Tenant, state: str = JobsAsked.OPEN, after: str | None = None, limit: int = LIMIT
) -> JobsRead:
    """Return what runs or waits, or what has failed and nothing has followed: the longest waiting first."""
    last = read_cursor(after, moment, identity)
    with within_tenant(tenant.pk):
        rows = _asked(tenant, JobsAsked(state))
        if last:
            rows = rows.filter(behind(ORDER, last))
        found = list(rows.order_by(*ORDER)[: limit + 1])
        shown = found[:limit]
        spaces = [] if last or state != JobsAsked.OPEN else list(_spaces(tenant))
        return JobsRead(
            jobs=(*spaces, *map(_of_version, shown)),
            next=write_cursor(shown[-1].queued_at, shown[-1].pk) if len(found) > limit else None,
        )


def read_job(*, tenant: Tenant, job: UUID) -> Job:
    with within_tenant(tenant.pk):
        version = _versions(tenant).filter(pk=job).first()
        if version is not None:
            return _of_version(version)
        space = EmbeddingSpace.objects.for_tenant(tenant).filter(pk=job).first()
        if space is None:
            raise NotHere("There is no such job here.")
        return _of_space(space)


def _versions(tenant: Tenant) -> VersionQuerySet:
    return Version.objects.for_tenant(tenant).without_text().select_related("document__collection")


def _asked(tenant: Tenant, state: JobsAsked) -> VersionQuerySet:
    if state is JobsAsked.OPEN:
        return _versions(tenant).open()
    return _versions(tenant).newest().filter(state=State.FAILED, document__deleted_at=None)


def _spaces(tenant: Tenant) -> Iterator[Job]:
    for space in EmbeddingSpace.objects.for_tenant(tenant).filter(state=SpaceState.BUILDING):
        yield _of_space(space)


def _of_version(version: Version) -> Job:
    left = time_left(version, timezone.now())
    return Job(
        id=version.pk,
        kind=JobKind.VERSION,
        state=version.state,
        progress=version.progress,
        done=version.step_done,
        total=version.step_total,
        estimated_seconds_left=None if left is None else round(left.total_seconds()),
        failure=version.failure,
        queued_at=version.queued_at,
        touched_at=version.touched_at,
        document=document_facts(version.document),
        number=version.number,
        watch=reverse("api_version", args=[version.pk]),
        cancel=reverse("api_cancel_version", args=[version.pk]) if version.is_open else None,
        retry=reverse("api_retry_version", args=[version.pk]) if version.state in AGAIN else None,
    )


def _of_space(space: EmbeddingSpace) -> Job:
    total = Passage.objects.filter(tenant=space.tenant_id).count()
    done = total - count_lacking(space)
    return Job(
        id=space.pk,
        kind=JobKind.SPACE,
        state=space.state,
        progress=100 if done == total else 100 * done // total,
        done=done,
        total=total,
        estimated_seconds_left=None,
        failure="",
        queued_at=space.created_at,
        touched_at=space.touched_at,
        document=None,
        number=None,
        watch=reverse("api_job", args=[space.pk]),
        cancel=None,
        retry=None,
    )
