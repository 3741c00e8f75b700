"""Find what killed workers and lost messages have left behind."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from documents.models import State, Version
from tenants.scope import platform_scope, tenant_scope

STUCK_AFTER = timedelta(minutes=5)  # More than a worker takes for one version: it is stopped then.
LOST_AFTER = timedelta(minutes=15)  # Waiting is no fault: only the message that tells of it may be lost.
MOST_ATTEMPTS = 3
MOST_AT_ONCE = 500
DIED = (
    "The worker died three times while reading it. The file may need more memory than there is: split it, or "
    "ask whoever runs this installation to look into the log of the worker."
)


def requeue_stuck_versions() -> list[tuple[UUID, UUID]]:
    """Put what is stuck back to waiting, or give it up; return versions to read, with their tenants."""
    with platform_scope():
        stuck = Version.objects.filter(is_stuck()).order_by("touched_at")
        found = list(stuck.values_list("pk", "tenant_id")[:MOST_AT_ONCE])
    return [(version_id, tenant_id) for version_id, tenant_id in found if requeue(version_id, tenant_id)]


def is_stuck() -> Q:
    now = timezone.now()
    working = Q(state__in=[State.CONVERTING, State.PARSING], touched_at__lt=now - STUCK_AFTER)
    return working | Q(state=State.QUEUED, touched_at__lt=now - LOST_AFTER)


def requeue(version_id: UUID, tenant_id: UUID) -> bool:
    """Tell whether the version is to be read again; it is not if it moved on, or has died too often."""
    with tenant_scope(tenant_id):
        stuck = Version.objects.filter(is_stuck(), pk=version_id)
        given_up = stuck.filter(attempts__gte=MOST_ATTEMPTS).exclude(state=State.QUEUED)
        if name := given_up.values_list("file_name", flat=True).first():
            given_up.update(
                state=State.FAILED, claim=None, failure=f"{name}: {DIED}", touched_at=timezone.now()
            )
            return False
        return stuck.update(state=State.QUEUED, claim=None, touched_at=timezone.now()) > 0
