"""What commands that fill spaces share."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.core.management.base import CommandError

from documents.management.find import require_tenant
from search.budget import record_embedding
from search.models import EmbeddingSpace, SpaceState
from search.spaces import activate_when_complete, count_lacking, fill_space
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope

EVERY = 10  # Seconds between lines of progress.
PAUSE = 0.5  # Before passages that others have in hand are looked at again.

Say = Callable[[str], None]


def chosen_tenants(slug: str | None) -> list[Tenant]:
    """Return the tenant that was named, or all of them."""
    if slug is not None:
        return [require_tenant(slug)]
    with platform_scope():
        return list(Tenant.objects.order_by("slug"))


def fill_until_complete(space: EmbeddingSpace, say: Say) -> None:
    """Embed what a space lacks, here and now, and tell how far it is."""
    said = time.monotonic()
    while (lacking := count_lacking(space)) and require_wanted(space):
        if time.monotonic() - said >= EVERY:
            say(f"{lacking} passages to embed by {space}")
            said = time.monotonic()
        if not fill_space(space, record_usage=record_embedding):
            time.sleep(PAUSE)


def replace_space(space: EmbeddingSpace, say: Say) -> None:
    """Fill a space and let searches read it: new passages may come until the moment it is complete."""
    fill_until_complete(space, say)
    while require_wanted(space) != SpaceState.ACTIVE and not activate_when_complete(space.tenant_id):
        fill_until_complete(space, say)
    say(f"searches read {space}")


def require_wanted(space: EmbeddingSpace) -> SpaceState:
    """Return the state of a space, which workers may have activated meanwhile; end if it was replaced."""
    with tenant_scope(space.tenant_id):
        state = EmbeddingSpace.objects.filter(pk=space.pk).values_list("state", flat=True).first()
    if state is None or state == SpaceState.RETIRED:
        raise CommandError(f"Another space has taken the place of {space} meanwhile. Run the command again.")
    return SpaceState(state)
