"""Find what killed workers and lost messages have left behind."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from documents.claim import stuck_after
from documents.models import State, Version
from documents.webhooks.outbox import announce_version
from tenants.scope import platform_scope, tenant_scope

MOST_ATTEMPTS = 5
MOST_AT_ONCE = 500
WAITING = (State.QUEUED, State.CONTEXTUALIZING, State.EMBEDDING)
DIED = (
    "The worker died five times while reading it. The file may need more memory than there is: split it, or "
    "ask whoever runs this installation to look into the log of the worker."
)


def release_stuck_versions() -> list[UUID]:
    """Put what a dead worker has in hand back to waiting, or give it up; return what waits again."""
    with platform_scope():
        stuck = Version.objects.filter(is_stuck()).order_by("touched_at")
        found = list(stuck.values_list("pk", "tenant_id")[:MOST_AT_ONCE])
    return [version_id for version_id, tenant_id in found if release_stuck(version_id, tenant_id)]


def waiting_untold() -> Counter[State]:
    """Count what has waited in each state for so long that the message that tells of it may be lost."""
    with platform_scope():
        waiting = Version.objects.filter(
            state__in=WAITING, claim=None, touched_at__lt=timezone.now() - stuck_after()
        )
        return Counter(State(state) for state in waiting.values_list("state", flat=True)[:MOST_AT_ONCE])


def is_stuck() -> Q:
    in_hand = Q(state__in=[State.CONVERTING, State.PARSING]) | Q(
        state__in=[State.CONTEXTUALIZING, State.EMBEDDING], claim__isnull=False
    )
    return in_hand & Q(touched_at__lt=timezone.now() - stuck_after())


def release_stuck(version_id: UUID, tenant_id: UUID) -> bool:
    """Tell whether the version waits again; it does not if it moved on, or has died too often."""
    with tenant_scope(tenant_id):
        stuck = Version.objects.filter(is_stuck(), pk=version_id)
        given_up = stuck.filter(attempts__gte=MOST_ATTEMPTS)
        if name := given_up.values_list("file_name", flat=True).first():
            if given_up.update(
                state=State.FAILED, claim=None, failure=f"{name}: {DIED}", touched_at=timezone.now()
            ):
                announce_version(version_id, tenant_id)
            return False
        early = stuck.filter(state__in=[State.CONVERTING, State.PARSING])
        now = timezone.now()
        is_early = early.update(state=State.QUEUED, claim=None, touched_at=now) > 0
        return is_early or stuck.update(claim=None, touched_at=now) > 0
