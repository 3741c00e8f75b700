"""Who works on a version. Two workers may be told of the same one: the first gets it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import F
from django.utils import timezone

from documents.errors import DocumentError
from documents.models import State, Version
from documents.webhooks.outbox import announce_version
from tenants.scope import tenant_scope

logger = logging.getLogger(__name__)

BEATS = 6  # So often is a version touched in the time after which it counts as forsaken.
# What a worker takes up in each state, and the state in which it works on it.
WORKED_AS = {
    State.QUEUED: State.CONVERTING,
    State.CONTEXTUALIZING: State.CONTEXTUALIZING,
    State.EMBEDDING: State.EMBEDDING,
}


class ClaimLost(DocumentError):
    """Somebody else has the version by now, or it is gone; what was done so far is not written."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to write to a version that waits to be read."""

    version_id: UUID
    tenant_id: UUID
    token: UUID


def claim_version(version_id: UUID, tenant_id: UUID, *, state: State = State.QUEUED) -> Claim | None:
    """Take a version that waits; nothing if it does not, or somebody else was faster."""
    claim = Claim(version_id, tenant_id, uuid4())
    with tenant_scope(tenant_id):
        waiting = Version.objects.filter(pk=version_id, state=state)
        if state != State.QUEUED:
            waiting = waiting.filter(claim=None)
        is_ours = waiting.update(
            state=WORKED_AS[state], claim=claim.token, attempts=F("attempts") + 1, touched_at=timezone.now()
        )
    return claim if is_ours else None


def advance(claim: Claim, /, **changes: Any) -> None:
    """Write to the version if the claim still holds."""
    with tenant_scope(claim.tenant_id):
        held = Version.objects.open().filter(pk=claim.version_id, claim=claim.token)
        if not held.update(touched_at=timezone.now(), **changes):
            raise ClaimLost


def hold_claim(claim: Claim) -> None:
    """Keep the version from being deleted until the transaction ends, if the claim holds. Touches pass."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM documents_version WHERE id = %s AND claim = %s FOR KEY SHARE",
            [claim.version_id, claim.token],
        )
        if cursor.fetchone() is None:
            raise ClaimLost


def begin_step(claim: Claim, state: State, chunks: int) -> None:
    """Say which step the version is in now, and how many chunks have to go through it."""
    now = timezone.now()
    advance(claim, state=state, step_done=0, step_total=chunks, step_began_at=now)


def release(claim: Claim, /, **changes: Any) -> None:
    """Give the version back to wait for its next step. It came so far, so what it died of is forgotten."""
    advance(claim, claim=None, attempts=0, **changes)


def fail_version(claim: Claim, reason: str) -> None:
    """Say why it cannot be read. The version before it, if any, stays the current one."""
    with tenant_scope(claim.tenant_id):
        name = Version.objects.values_list("file_name", flat=True).filter(pk=claim.version_id).first()
        advance(claim, state=State.FAILED, claim=None, failure=f"{name}: {reason}")
        announce_version(claim.version_id, claim.tenant_id)


def stuck_after() -> timedelta:
    """How long a version may be in hand without a sign of life."""
    return timedelta(seconds=settings.STUCK_SECONDS)


@contextmanager
def kept_alive(claim: Claim) -> Iterator[None]:
    """Show that somebody works on it, by a thread, for as long as the block runs."""
    is_over = Event()
    thread = Thread(target=_beat, args=(claim, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _beat(claim: Claim, is_over: Event) -> None:
    """Touch it again and again. A database that is away for a moment is no reason to stop."""
    try:
        while not is_over.wait(settings.STUCK_SECONDS / BEATS):
            try:
                advance(claim)
            except ClaimLost:
                return
            except DatabaseError:
                logger.warning("Version %s could not be touched.", claim.version_id, exc_info=True)
                connection.close()
    finally:
        connection.close()
