"""Webhooks are added, changed, given another secret, tried out and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from psycopg.errors import UniqueViolation

from documents.errors import NothingToDo
from documents.models import PING, Webhook, WebhookDelivery, WebhookEvent
from documents.webhooks.address import read_address
from documents.webhooks.deliver import end_pending
from documents.webhooks.outbox import write_ping
from documents.webhooks.sign import derive_secret, digest_of, new_salt
from tenants.audit import Actor, record
from tenants.models import Tenant
from tenants.scope import tenant_scope

MOST_WEBHOOKS = 20  # Of a tenant: each event is written once for each of them.
OLD_SECRET_COUNTS = timedelta(days=1)


def create_webhook(
    *,
    tenant: Tenant,
    url: str,
    events: Sequence[WebhookEvent],
    actor: Actor,
    description: str = "",
    webhook_id: UUID | None = None,
) -> Webhook:
    """Return a webhook with its secret, which is not shown again.

    Whoever might ask twice, like a form that is sent again, names the id and gets the webhook once.
    """
    with tenant_scope(tenant.pk):
        _require_room(tenant)
        webhook = Webhook(pk=webhook_id or uuid4(), tenant=tenant, created_by=actor.label)
        webhook.url, webhook.description = _checked_url(url), description.strip()
        webhook.events = _in_order(events)
        _give_secret(webhook)
        webhook.clean_fields(exclude=["tenant"])
        _insert(webhook)
        _record(webhook, "webhook.created", actor, url=webhook.url, events=webhook.events)
    return webhook


def change_webhook(
    *,
    webhook: Webhook,
    actor: Actor,
    url: str | None = None,
    description: str | None = None,
    events: Sequence[WebhookEvent] | None = None,
    is_active: bool | None = None,
) -> Webhook:
    """Change what is given. Switched off, nothing is kept for it; switched on, its failures are forgotten."""
    with tenant_scope(webhook.tenant_id):
        current = _lock(webhook)
        given = {
            "url": None if url is None else _checked_url(url),
            "description": None if description is None else description.strip(),
            "events": None if events is None else _in_order(events),
            "is_active": is_active,
        }
        before = {name: getattr(current, name) for name in given}
        changed = [name for name, value in given.items() if value is not None and value != before[name]]
        for name in changed:
            setattr(current, name, given[name])
        if {"url", "is_active"} & set(changed):
            _begin_anew(current)
        current.clean_fields(exclude=["tenant"])
        current.save()
        if not current.is_active:
            end_pending(current)
        if changed:
            _record(current, "webhook.changed", actor, fields=", ".join(changed))
    return current


def rotate_secret(*, webhook: Webhook, actor: Actor) -> Webhook:
    """Give a webhook another secret. For a day both sign, so that the receiver can change without a gap."""
    with tenant_scope(webhook.tenant_id):
        current = _lock(webhook)
        current.old_salt, current.old_until = current.salt, timezone.now() + OLD_SECRET_COUNTS
        _give_secret(current)
        current.save(update_fields=["salt", "digest", "old_salt", "old_until"])
        _record(current, "webhook.rotated", actor)
    return current


def secret_of(*, webhook: Webhook, digest: str) -> str | None:
    """Return the secret of a webhook that has a digest; nothing if it has had others since."""
    salts = [salt for salt in (webhook.salt, webhook.old_salt) if salt is not None]
    secrets = [derive_secret(bytes(salt), settings.SECRET_KEY) for salt in salts]
    return next((secret for secret in secrets if digest_of(secret) == digest), None)


def send_test(*, webhook: Webhook, actor: Actor) -> WebhookDelivery:
    """Send a ping, once, and at once even if the webhook rests after a failure."""
    with tenant_scope(webhook.tenant_id):
        current = _lock(webhook)
        if not current.is_active:
            raise NothingToDo(_("The webhook is switched off. Switch it on first."))
        if WebhookDelivery.objects.filter(webhook=current, event=PING).pending().exists():
            raise NothingToDo(_("A test is on its way already."))
        current.rests_until = None
        current.save(update_fields=["rests_until"])
        delivery = write_ping(current)
        _record(current, "webhook.tested", actor)
    return delivery


def delete_webhook(*, webhook: Webhook, actor: Actor) -> None:
    """Delete a webhook with what was sent to it, and what waits."""
    with tenant_scope(webhook.tenant_id):
        current = _lock(webhook)
        _record(current, "webhook.deleted", actor, url=current.url)
        current.delete()


def _require_room(tenant: Tenant) -> None:
    """Count under a lock of the tenant, so that two who add one at once are counted one after the other."""
    Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
    if Webhook.objects.for_tenant(tenant).count() >= MOST_WEBHOOKS:
        raise NothingToDo(
            _("There are %(count)d webhooks, and there can be no more. Delete one first.")
            % {"count": MOST_WEBHOOKS}
        )


def _in_order(events: Sequence[WebhookEvent]) -> list[str]:
    """Return each event once, in the order in which they are offered."""
    return [event for event in WebhookEvent.values if event in events]


def _checked_url(url: str) -> str:
    text = url.strip()
    read_address(text, is_private_allowed=settings.WEBHOOK_PRIVATE)
    return text


def _give_secret(webhook: Webhook) -> None:
    salt = new_salt()
    webhook.secret = derive_secret(salt, settings.SECRET_KEY)
    webhook.salt, webhook.digest = salt, digest_of(webhook.secret)


def _begin_anew(webhook: Webhook) -> None:
    webhook.failures, webhook.failing_since, webhook.rests_until = 0, None, None
    if webhook.is_active:
        webhook.disabled_at, webhook.disabled_reason = None, ""


def _insert(webhook: Webhook) -> None:
    try:
        with transaction.atomic():
            webhook.save(force_insert=True)
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise
        raise NothingToDo(
            _("This webhook was added, and its secret shown, before. Make a new secret if you lost it.")
        ) from error


def _lock(webhook: Webhook) -> Webhook:
    found = Webhook.objects.select_for_update(of=["self"], no_key=True).select_related("tenant")
    current = found.filter(pk=webhook.pk).first()
    if current is None:
        raise NothingToDo(_("The webhook is gone: somebody else has deleted it."))
    return current


def _record(webhook: Webhook, action: str, actor: Actor, **detail: object) -> None:
    record(tenant=webhook.tenant, actor=actor, action=action, target=str(webhook), **detail)
