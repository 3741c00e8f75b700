"""Nobody asks for a context that somebody else is being asked for.

What a version asks for is written down before, as a row of `ContextBatch`, and crossed out after. Rows rather
than locks of the session, which a connection pool would share out; the budget's row, which is locked for a
moment, makes looking and writing one step. All or nothing is taken: nobody waits while others wait for him.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from search.budget import lock_budget
from search.models import ContextBatch
from tenants.scope import tenant_scope

SINGLY = "singly"  # In place of the batch's id, where there is no batch: a worker asks for one by one.
SINGLY_FOR = timedelta(minutes=20)  # Longer than a turn takes; who has not ended it by then has died.
BATCH_FOR = timedelta(hours=25)  # A provider gives a batch up after a day.


def take_turn(
    *, tenant_id: UUID, version_id: UUID, contextualizer: str, keys: Sequence[str], is_alone: bool = True
) -> ContextBatch | None:
    """Write down what a version asks for; nothing if others are being asked for some of it.

    Whoever is alone with the version knows that what it asked for before has come to its end.
    """
    with tenant_scope(tenant_id):
        lock_budget(tenant_id)
        own = ContextBatch.objects.filter(version_id=version_id, ended_at=None)
        own.filter(Q() if is_alone else ~is_alive(), provider_id=SINGLY).delete()
        others = ContextBatch.objects.filter(is_alive(), tenant_id=tenant_id, contextualizer=contextualizer)
        wanted = set(keys)
        if own.exists() or any(wanted.intersection(other) for other in others.values_list("keys", flat=True)):
            return None
        return ContextBatch.objects.create(
            tenant_id=tenant_id,
            version_id=version_id,
            contextualizer=contextualizer,
            provider_id=SINGLY,
            keys=list(keys),
            reserved=Decimal(0),
        )


def end_turn(turn: ContextBatch) -> None:
    """Cross it out, unless a batch has come of it."""
    with tenant_scope(turn.tenant_id):
        ContextBatch.objects.filter(pk=turn.pk, provider_id=SINGLY).delete()


def is_alive() -> Q:
    """Choose what may still be answered."""
    now = timezone.now()
    singly = Q(provider_id=SINGLY, created_at__gt=now - SINGLY_FOR)
    return Q(ended_at=None) & (singly | ~Q(provider_id=SINGLY) & Q(created_at__gt=now - BATCH_FOR))
