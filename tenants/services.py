"""Changes to tenants, members and keys. Each acts inside its tenant, in one transaction, on the record."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from psycopg.errors import UniqueViolation

from tenants.audit import Actor, record
from tenants.errors import AlreadyCreated, AlreadyMember, LastAdmin, NoLongerMember, UnknownTenant
from tenants.keys import Token
from tenants.models import ApiKey, Membership, Role, Scope, Tenant, User
from tenants.scope import platform_scope, tenant_scope

UPKEEP = Actor("upkeep")
USE_RECORDED_EVERY = timedelta(minutes=1)


def create_tenant(*, name: str, slug: str, actor: Actor, admin: User | None = None) -> Tenant:
    tenant = Tenant(name=name.strip(), slug=slug)
    tenant.clean_fields()
    with tenant_scope(tenant.pk):
        if not _insert(tenant):
            raise ValidationError({"slug": f"The slug {tenant.slug!r} is taken."})
        record(tenant=tenant, actor=actor, action="tenant.created", target=tenant.name, slug=slug)
        if admin is not None:
            add_member(tenant=tenant, user=admin, role=Role.ADMIN, actor=actor)
    return tenant


def find_tenant(slug: str) -> Tenant:
    """Return a tenant by its slug, for commands: no request may ask for a tenant that is not its own."""
    with platform_scope():
        try:
            return Tenant.objects.get(slug=slug)
        except Tenant.DoesNotExist as error:
            known = ", ".join(Tenant.objects.order_by("slug").values_list("slug", flat=True)[:20])
            raise UnknownTenant(f"No tenant {slug!r}. There are: {known or 'none'}.") from error


def add_member(*, tenant: Tenant, user: User, role: Role, actor: Actor) -> Membership:
    with tenant_scope(tenant.pk):
        membership = Membership(tenant=tenant, user=user, role=role)
        membership.clean_fields()
        if not _insert(membership):
            raise AlreadyMember(_("%(user)s is a member already.") % {"user": user})
        record(tenant=tenant, actor=actor, action="member.added", target=user.email, role=role)
    return membership


def change_role(*, membership: Membership, role: Role, actor: Actor) -> None:
    with tenant_scope(membership.tenant_id):
        current = _lock(membership)
        if role != Role.ADMIN:
            _require_another_admin(current)
        Membership.objects.filter(pk=current.pk).update(role=role)
        membership.role = role
        record(
            tenant=membership.tenant,
            actor=actor,
            action="member.role_changed",
            target=membership.user.email,
            before=current.role,
            after=role,
        )


def remove_member(*, membership: Membership, actor: Actor) -> None:
    with tenant_scope(membership.tenant_id):
        _require_another_admin(_lock(membership))
        email = membership.user.email
        record(tenant=membership.tenant, actor=actor, action="member.removed", target=email)
        membership.delete()


def _lock(membership: Membership) -> Membership:
    """Lock the admins first and then the member, so that two admins cannot remove each other at once."""
    members = Membership.objects.for_tenant(membership.tenant).order_by("pk").select_for_update(of=["self"])
    list(members.filter(role=Role.ADMIN))
    current = members.filter(pk=membership.pk).first()
    if current is None:
        raise NoLongerMember(_("%(user)s is no longer a member.") % {"user": membership.user})
    return current


def _require_another_admin(membership: Membership) -> None:
    admins = Membership.objects.for_tenant(membership.tenant).filter(role=Role.ADMIN)
    if list(admins.values_list("pk", flat=True)) == [membership.pk]:
        raise LastAdmin(
            _("%(user)s is the only admin of %(tenant)s. Make somebody else admin first.")
            % {"user": membership.user, "tenant": membership.tenant}
        )


def _insert(row: models.Model) -> bool:
    """Tell whether a row could be added; only the database knows of those that nobody here may see."""
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise
        return False
    return True


def create_api_key(
    *,
    tenant: Tenant,
    name: str,
    scopes: Sequence[Scope],
    actor: Actor,
    created_by: User | None = None,
    expires_at: datetime | None = None,
    key_id: UUID | None = None,
) -> tuple[ApiKey, Token]:
    """Return the key and its secret, which cannot be had again.

    Whoever might ask twice, like a form that is sent again, names the id and gets the key once.
    """
    token = Token.generate(tenant.pk)
    key = ApiKey(
        pk=key_id or uuid4(),
        tenant=tenant,
        name=name.strip(),
        scopes=sorted(scopes),
        digest=token.digest,
        hint=token.hint,
        created_by=created_by,
        expires_at=expires_at,
    )
    with tenant_scope(tenant.pk):
        key.clean_fields(exclude=["tenant", "created_by"])
        if not _insert(key):
            raise AlreadyCreated(
                _("The key “%(name)s” was created, and shown, before. Revoke it if you lost it.")
                % {"name": name}
            )
        record(tenant=tenant, actor=actor, action="key.created", target=key.name, scopes=key.scopes)
    return key, token


def revoke_api_key(*, key: ApiKey, actor: Actor) -> None:
    """Revoking again changes nothing."""
    with tenant_scope(key.tenant_id):
        now = timezone.now()
        if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now):
            record(tenant=key.tenant, actor=actor, action="key.revoked", target=key.name)
        key.refresh_from_db(fields=["revoked_at"])


def tenants_with_expired_keys() -> list[UUID]:
    with platform_scope():
        expired = ApiKey.objects.expired().order_by("tenant_id")
        return list(expired.values_list("tenant_id", flat=True).distinct())


def revoke_expired_keys(*, tenant_id: UUID) -> int:
    """Close expired keys for good, so that moving a date cannot revive them; return how many."""
    with tenant_scope(tenant_id):
        keys = list(ApiKey.objects.expired().select_related("tenant").select_for_update(of=["self"]))
        for key in keys:
            record(tenant=key.tenant, actor=UPKEEP, action="key.expired", target=key.name)
        return ApiKey.objects.filter(pk__in=[key.pk for key in keys]).update(revoked_at=timezone.now())


def authenticate_api_key(text: str) -> ApiKey | None:
    """Return the usable key that a program presents, and note that it was used."""
    token = Token.parse(text)
    if token is None:
        return None
    with tenant_scope(token.tenant_id):
        keys = ApiKey.objects.usable().select_related("tenant")
        key = keys.filter(digest=token.digest).first()
        if key is not None:
            _note_use(key)
    return key


def _note_use(key: ApiKey) -> None:
    """At most once a minute: a busy key should not cost a write per request."""
    now = timezone.now()
    if key.last_used_at is None or key.last_used_at < now - USE_RECORDED_EVERY:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
