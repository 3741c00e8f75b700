"""Who works on a version. Two workers may be told of the same one: the first gets it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db.models import F
from django.utils import timezone

from documents.errors import DocumentError
from documents.models import State, Version
from tenants.scope import tenant_scope


class ClaimLost(DocumentError):
    """Somebody else has the version by now, or it is gone; what was done so far is not written."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to write to a version that waits to be read."""

    version_id: UUID
    tenant_id: UUID
    token: UUID


def claim_version(version_id: UUID, tenant_id: UUID) -> Claim | None:
    """Take a version that waits; nothing if it does not, or somebody else was faster."""
    claim = Claim(version_id, tenant_id, uuid4())
    with tenant_scope(tenant_id):
        waiting = Version.objects.filter(pk=version_id, state=State.QUEUED)
        is_ours = waiting.update(
            state=State.CONVERTING, claim=claim.token, attempts=F("attempts") + 1, touched_at=timezone.now()
        )
    return claim if is_ours else None


def advance(claim: Claim, **changes: Any) -> None:
    """Write to the version if the claim still holds."""
    with tenant_scope(claim.tenant_id):
        held = Version.objects.open().filter(pk=claim.version_id, claim=claim.token)
        if not held.update(touched_at=timezone.now(), **changes):
            raise ClaimLost


def fail_version(claim: Claim, reason: str) -> None:
    """Say why it cannot be read. The version before it, if any, stays the current one."""
    with tenant_scope(claim.tenant_id):
        name = Version.objects.values_list("file_name", flat=True).filter(pk=claim.version_id).first()
        advance(claim, state=State.FAILED, failure=f"{name}: {reason}")
