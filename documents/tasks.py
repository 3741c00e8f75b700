"""Reading documents in the background, and upkeep scheduled by beat.

A message says that something waits, not what: whose turn it is, is decided when a worker is free. So a
thousand documents of one tenant hold up nobody, and a message too many, or one that is lost, does no harm.
"""

from __future__ import annotations

import time
from uuid import UUID

from celery import Task, shared_task
from django.db import OperationalError

from documents import forget, pipeline
from documents.models import State
from documents.reconcile import release_stuck_versions, waiting_untold
from documents.schedule import is_any_waiting, versions_in_turn
from search import contextualize
from search.calls import close_lost_calls

LONGEST = 10 * 60  # Seconds for one step of one version; then the worker is stopped.
EMBEDDERS = 4  # Workers that are told of a version's passages at once.
TURN = 60  # Seconds that a worker sees after versions which wait for a provider.


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5, time_limit=LONGEST)
def read_next() -> None:
    """Read one version that came in, of the tenant whose turn it is."""
    for version_id, tenant_id in versions_in_turn(State.QUEUED):
        if pipeline.read_waiting(version_id, tenant_id):
            break
    if is_any_waiting(State.CONTEXTUALIZING):
        contextualize_next.delay()
    if is_any_waiting(State.EMBEDDING):
        tell(embed_next, EMBEDDERS)


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5, time_limit=LONGEST)
def contextualize_next() -> None:
    """Have contexts written for one version. Who finds only such that wait for a provider ends: every minute
    the reconciler has somebody look after these."""
    until = time.monotonic() + TURN
    is_worth_it = False
    for version_id, tenant_id in versions_in_turn(State.CONTEXTUALIZING):
        is_finished = pipeline.contextualize_waiting(version_id, tenant_id)
        is_worth_it = is_finished or time.monotonic() > until
        if is_worth_it:
            break
    if is_any_waiting(State.EMBEDDING):
        tell(embed_next, EMBEDDERS)
    if is_worth_it and is_any_waiting(State.CONTEXTUALIZING):
        contextualize_next.delay()


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5, time_limit=LONGEST)
def embed_next() -> None:
    """Embed one batch of one version. Who finds nothing to do ends: others have it in hand, and go on."""
    waiting = versions_in_turn(State.EMBEDDING)
    is_done = any(pipeline.embed_waiting(version_id, tenant_id) for version_id, tenant_id in waiting)
    if is_done and is_any_waiting(State.EMBEDDING):
        embed_next.delay()


@shared_task
def reconcile_versions() -> None:
    """Tell workers of what waits and was forgotten."""
    release_stuck_versions()
    for state, count in waiting_untold().items():
        tell(NEXT[state], min(count, EMBEDDERS))
    close_lost_calls()
    follow_batches.delay()


@shared_task
def follow_batches() -> None:
    """Collect what providers have written for versions that nobody waits for any more."""
    contextualize.follow_batches()


@shared_task
def cancel_batches(version_id: str, tenant_id: str) -> None:
    contextualize.cancel_batches(UUID(version_id), UUID(tenant_id))


@shared_task
def sweep_index() -> None:
    """Delete what nothing needs any more."""
    forget.sweep_index()


def tell(task: Task[[], None], times: int) -> None:
    for _ in range(times):
        task.delay()


NEXT: dict[State, Task[[], None]] = {
    State.QUEUED: read_next,
    State.CONTEXTUALIZING: contextualize_next,
    State.EMBEDDING: embed_next,
}
