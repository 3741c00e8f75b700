"""Reading documents in the background, and upkeep scheduled by beat.

A message says that something waits, not what: whose turn it is, is decided when a worker is free. So a
thousand documents of one tenant hold up nobody, and a message too many, or one that is lost, does no harm.
"""

from __future__ import annotations

import time
from datetime import timedelta
from uuid import UUID

from celery import Task, shared_task
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from documents import forget, pipeline
from documents.models import State
from documents.rebuild import Extent, settle, situate_next
from documents.reconcile import release_stuck_versions, waiting_untold
from documents.schedule import is_any_waiting, versions_in_turn
from documents.webhooks import deliver
from documents.webhooks.turns import webhooks_in_turn
from search import contextualize
from search.backends.embedders.base import EmbedderError
from search.calls import close_lost_calls

LONGEST = 10 * 60  # Seconds for one step of one version; then the worker is stopped.
EMBEDDERS = 4  # Workers that are told of a version's passages at once.
TURN = 60  # Seconds that a worker sees after versions which wait for a provider.
SENDERS = 4  # Workers that are told at once of messages for webhooks.
SOON = timedelta(minutes=1)  # What is to be tried again later than this, the scheduler finds in time.


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


@shared_task(
    autoretry_for=(OperationalError, EmbedderError), retry_backoff=True, max_retries=5, time_limit=LONGEST
)
def reindex_next(extent: dict[str, str], after: str | None = None) -> None:
    """Index one version anew, and queue up for the next behind what others wait for."""
    reached = situate_next(Extent.read(extent), UUID(after) if after else None)
    if reached is None:
        settle(Extent.read(extent))
    else:
        reindex_next.delay(extent, str(reached))


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
    forget.sweep_uploads()
    forget.sweep_answers()


@shared_task
def prune_versions() -> None:
    """Delete old versions that their tenants have kept for long enough."""
    call_command("prune_versions")


@shared_task(autoretry_for=(OperationalError,), retry_backoff=True, max_retries=5, time_limit=LONGEST)
def deliver_next() -> None:
    """Send one message to a webhook, of the tenant whose turn it is."""
    verdict = deliver.deliver_next()
    if verdict is None:
        return
    if webhooks_in_turn(timezone.now()):
        deliver_next.delay()
    if verdict.wait is not None and verdict.wait <= SOON:
        deliver_next.apply_async(countdown=verdict.wait.total_seconds())


@shared_task
def find_deliveries() -> None:
    """Tell workers of messages that wait and were forgotten, or that are due again."""
    tell(deliver_next, min(len(webhooks_in_turn(timezone.now())), SENDERS))


@shared_task
def sweep_deliveries() -> None:
    deliver.sweep_deliveries()


def tell(task: Task[[], None], times: int) -> None:
    for _ in range(times):
        task.delay()


NEXT: dict[State, Task[[], None]] = {
    State.QUEUED: read_next,
    State.CONTEXTUALIZING: contextualize_next,
    State.EMBEDDING: embed_next,
}
