"""Searches are kept, renamed, shared and forgotten."""

from __future__ import annotations

from django.utils.translation import gettext as _

from search.errors import SavedSearchRefused
from search.models import SavedSearch
from tenants.audit import Actor, record
from tenants.models import Membership, Role
from tenants.scope import tenant_scope

MOST_SAVED = 500  # Of one person in a tenant.


def save_search(
    *, membership: Membership, name: str, query: str, is_shared: bool, actor: Actor
) -> SavedSearch:
    """Keep a search by a name; one of the same name asks this from now on."""
    with tenant_scope(membership.tenant_id):
        own = SavedSearch.objects.for_tenant(membership.tenant).filter(owner=membership.user)
        saved = own.select_for_update().filter(name=name).first()
        if saved is None and own.count() >= MOST_SAVED:
            raise SavedSearchRefused(
                _("You keep %(count)d searches already. Delete some of them first.") % {"count": MOST_SAVED}
            )
        saved = saved or SavedSearch(tenant=membership.tenant, owner=membership.user, name=name)
        saved.query, saved.is_shared = query, is_shared
        _check(saved)
        saved.save()
        _record(saved, membership, "search.saved", actor)
    return saved


def change_search(
    *, saved: SavedSearch, membership: Membership, name: str, is_shared: bool, actor: Actor
) -> SavedSearch:
    """Give a search another name, or show it to others, or no longer."""
    with tenant_scope(saved.tenant_id):
        current = _lock(saved, membership)
        current.name, current.is_shared = name, is_shared
        _check(current)
        current.save(update_fields=["name", "is_shared"])
        _record(current, membership, "search.changed", actor)
    return current


def forget_search(*, saved: SavedSearch, membership: Membership, actor: Actor) -> None:
    with tenant_scope(saved.tenant_id):
        current = _lock(saved, membership)
        _record(current, membership, "search.forgotten", actor)
        current.delete()


def may_change(saved: SavedSearch, membership: Membership) -> bool:
    """Tell whether somebody may change a search: its owner, and if it is shared, admins."""
    return saved.owner_id == membership.user_id or (saved.is_shared and membership.allows(Role.ADMIN))


def _lock(saved: SavedSearch, membership: Membership) -> SavedSearch:
    current = SavedSearch.objects.select_for_update().get(pk=saved.pk)
    if not may_change(current, membership):
        raise SavedSearchRefused(_("It belongs to somebody else. Save it under a name of your own."))
    return current


def _check(saved: SavedSearch) -> None:
    saved.clean_fields(exclude=["tenant", "owner"])
    saved.validate_constraints()


def _record(saved: SavedSearch, membership: Membership, action: str, actor: Actor) -> None:
    """Write down that it was done. What somebody searches for in private is nobody's business."""
    target = saved.name if saved.is_shared else ""
    record(tenant=membership.tenant, actor=actor, action=action, target=target, is_shared=saved.is_shared)
