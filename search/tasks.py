"""Fill spaces in the background, beside the one that searches read."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from search.backends import BackendError
from search.backends.embedders.base import EmbedderError
from search.budget import record_embedding
from search.models import EmbeddingSpace, SpaceState
from search.spaces import activate_when_complete, building_space, clear_retired, fill_space
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope

logger = logging.getLogger(__name__)

FORSAKEN = timedelta(minutes=2)  # A space that nobody has filled for so long is taken up again.
QUEUE = "embed"
PAUSE = 5  # Seconds, where others have the rest in hand.


@shared_task
def fill_spaces() -> None:
    """Take up spaces that wait to be filled, and clear away those that were replaced."""
    with platform_scope():
        waiting = EmbeddingSpace.objects.filter(
            state=SpaceState.BUILDING, touched_at__lt=timezone.now() - FORSAKEN
        )
        turns = list(waiting.values_list("tenant", "touched_at"))
        retired = Tenant.objects.filter(spaces__state=SpaceState.RETIRED).distinct()
        cleared = list(retired.values_list("pk", flat=True))
    for tenant_id, touched_at in turns:
        send_turn(str(tenant_id), touched_at)
    for tenant_id in cleared:
        clear_retired(tenant_id)


@shared_task
def fill_space_of(tenant_id: str, turn: str) -> None:
    """Fill some of the space that a tenant builds, and queue up again behind the other tenants.

    A turn is known by when the space was last touched: of two messages with one turn, the first counts.
    """
    space = take_turn(UUID(tenant_id), datetime.fromisoformat(turn))
    if space is None:
        return
    try:
        done = fill_space(space, record_usage=record_embedding)
    except (EmbedderError, BackendError) as error:
        logger.warning("The space %s of tenant %s cannot be filled now: %s", space, tenant_id, error)
        return
    if done or not activate_when_complete(space.tenant_id):
        send_turn(tenant_id, space.touched_at, wait=0 if done else PAUSE)


def send_turn(tenant_id: str, turn: datetime, *, wait: int = 0) -> None:
    fill_space_of.apply_async((tenant_id, turn.isoformat()), queue=QUEUE, countdown=wait)


def take_turn(tenant_id: UUID, turn: datetime) -> EmbeddingSpace | None:
    now = timezone.now()
    with tenant_scope(tenant_id):
        spaces = EmbeddingSpace.objects.filter(tenant=tenant_id, state=SpaceState.BUILDING)
        is_ours = spaces.filter(touched_at=turn).update(touched_at=now)
        return building_space(tenant_id) if is_ours else None
