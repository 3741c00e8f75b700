"""Send what waits: claim → sign → send → settle.

The claim is a lease on the webhook, so one worker at a time sends to it. A worker that dies between sending
and settling leaves the message to be sent again, with the same id: each arrives at least once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import Case, Value, When
from django.utils import timezone

from documents.models import PING, DeliveryState, Webhook, WebhookDelivery
from documents.webhooks.retry import Verdict, is_hopeless, judge_answer, rest_after
from documents.webhooks.send import Answer, send_message
from documents.webhooks.sign import derive_secret, digest_of, signed_headers
from documents.webhooks.turns import is_free, webhooks_in_turn
from tenants.audit import Actor, record
from tenants.scope import platform_scope, tenant_scope

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=1)  # Longer than any attempt takes.
KEPT_FOR = timedelta(days=30)
UPKEEP = Actor("upkeep")
SWITCHED_OFF = "The webhook was switched off before it was sent."
KEY_CHANGED = (
    "It cannot be signed: the key of this installation (PANDECT_SECRET_KEY) has changed, and the secret with "
    "it. Make a new secret, and give it to the receiver."
)
FAULT = "It could not be sent, by a fault of ours. Whoever runs this installation finds it in the log."
GONE = "The receiver answered 410: it is gone for good. Switch the webhook on again once it is back."
HOPELESS = "Nothing got through for three days. The last problem was: {error}"

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A message that one worker may send, with all that it needs."""

    delivery_id: UUID
    webhook_id: UUID
    tenant_id: UUID
    token: UUID
    url: str
    keys: tuple[str, ...]
    event: str
    body: bytes
    attempts: int


def deliver_next(clock: Clock = timezone.now) -> Verdict | None:
    """Send one message of the tenant whose turn it is; tell what became of it, if there was any."""
    for webhook_id, tenant_id in webhooks_in_turn(clock()):
        claimed = claim_delivery(webhook_id, tenant_id, now=clock())
        if claimed is not None:
            return settle(claimed, attempt(claimed, now=clock()), now=clock())
    return None


def claim_delivery(webhook_id: UUID, tenant_id: UUID, *, now: datetime) -> Claimed | None:
    """Take the oldest message that is due, unless somebody else sends to the webhook."""
    with tenant_scope(tenant_id):
        free = Webhook.objects.select_for_update(skip_locked=True, no_key=True).filter(is_free(now))
        webhook = free.filter(pk=webhook_id).first()
        delivery = None if webhook is None else first_due(webhook, now)
        if webhook is None or delivery is None:
            return None
        webhook.claim, webhook.claimed_until, webhook.served_at = uuid4(), now + LEASE, now
        webhook.save(update_fields=["claim", "claimed_until", "served_at"])
        delivery.attempts += 1
        delivery.save(update_fields=["attempts"])
    return Claimed(
        delivery_id=delivery.pk,
        webhook_id=webhook.pk,
        tenant_id=tenant_id,
        token=webhook.claim,
        url=webhook.url,
        keys=valid_keys(webhook, now),
        event=delivery.event,
        body=delivery.payload.encode(),
        attempts=delivery.attempts,
    )


def first_due(webhook: Webhook, now: datetime) -> WebhookDelivery | None:
    """Return the oldest that is due. Somebody waits for the answer to a ping, so it comes first."""
    is_later = Case(When(event=PING, then=Value(0)), default=Value(1))
    due = WebhookDelivery.objects.filter(webhook=webhook).due(now)
    return due.order_by(is_later, "created_at", "id").first()


def valid_keys(webhook: Webhook, now: datetime) -> tuple[str, ...]:
    """Return the secret, and the one before it while that counts; none if it is not what was shown."""
    key = derive_secret(bytes(webhook.salt), settings.SECRET_KEY)
    if digest_of(key) != webhook.digest:
        return ()
    if webhook.old_salt is not None and webhook.old_until is not None and webhook.old_until > now:
        return key, derive_secret(bytes(webhook.old_salt), settings.SECRET_KEY)
    return (key,)


def attempt(claimed: Claimed, *, now: datetime) -> Answer:
    """Send, and take a fault of ours for a failure: unsettled, the message would be the next one for ever."""
    try:
        return send_claimed(claimed, now=now)
    except Exception:
        logger.exception("Message %s to webhook %s failed.", claimed.delivery_id, claimed.webhook_id)
        return Answer(error=FAULT)


def send_claimed(claimed: Claimed, *, now: datetime) -> Answer:
    if not claimed.keys:
        return Answer(error=KEY_CHANGED)
    signed = signed_headers(
        claimed.keys,
        message_id=str(claimed.delivery_id),
        timestamp=int(now.timestamp()),
        body=claimed.body,
    )
    return send_message(
        claimed.url,
        body=claimed.body,
        headers={"Content-Type": "application/json", **signed},
        is_private_allowed=settings.WEBHOOK_PRIVATE,
    )


def settle(claimed: Claimed, answer: Answer, *, now: datetime) -> Verdict:
    """Write down what came of it, if the claim still holds: otherwise somebody else has sent it again."""
    is_ping = claimed.event == PING
    verdict = judge_answer(answer, attempts=claimed.attempts, now=now, is_retried=not is_ping)
    with tenant_scope(claimed.tenant_id):
        held = Webhook.objects.select_for_update(of=["self"], no_key=True).select_related("tenant")
        webhook = held.filter(pk=claimed.webhook_id, claim=claimed.token).first()
        if webhook is None:
            logger.info("Webhook %s is in other hands, or gone.", claimed.webhook_id)
            return verdict
        settle_delivery(claimed.delivery_id, answer, verdict, now)
        webhook.claim, webhook.claimed_until = None, None
        if verdict.is_delivered:
            webhook.failures, webhook.failing_since, webhook.rests_until = 0, None, None
        elif not is_ping:
            count_failure(webhook, verdict, now)
        webhook.save(update_fields=["claim", "claimed_until", "failures", "failing_since", "rests_until"])
        if webhook.is_active and (reason := why_disabled(webhook, answer, verdict, now)):
            disable(webhook, reason, now)
    return verdict


def settle_delivery(delivery_id: UUID, answer: Answer, verdict: Verdict, now: datetime) -> None:
    state = DeliveryState.PENDING if verdict.wait is not None else DeliveryState.FAILED
    WebhookDelivery.objects.pending().filter(pk=delivery_id).update(
        state=DeliveryState.DELIVERED if verdict.is_delivered else state,
        next_attempt_at=None if verdict.wait is None else now + verdict.wait,
        status_code=answer.status,
        error=answer.error,
        delivered_at=now if verdict.is_delivered else None,
    )


def count_failure(webhook: Webhook, verdict: Verdict, now: datetime) -> None:
    webhook.failures += 1
    webhook.failing_since = webhook.failing_since or now
    webhook.rests_until = now + rest_after(webhook.failures, verdict.asked)


def why_disabled(webhook: Webhook, answer: Answer, verdict: Verdict, now: datetime) -> str | None:
    if verdict.is_gone:
        return GONE
    since = webhook.failing_since
    if since is not None and is_hopeless(verdict, failing_since=since, now=now):
        return HOPELESS.format(error=answer.error)
    return None


def disable(webhook: Webhook, reason: str, now: datetime) -> None:
    """Switch a webhook off for a reason that its page shows."""
    webhook.is_active, webhook.disabled_at, webhook.disabled_reason = False, now, reason
    webhook.save(update_fields=["is_active", "disabled_at", "disabled_reason"])
    end_pending(webhook)
    record(tenant=webhook.tenant, actor=UPKEEP, action="webhook.disabled", target=str(webhook), reason=reason)


def end_pending(webhook: Webhook) -> None:
    """Give up what waits for a webhook that is switched off."""
    WebhookDelivery.objects.filter(webhook=webhook).pending().update(
        state=DeliveryState.FAILED, next_attempt_at=None, error=SWITCHED_OFF
    )


def sweep_deliveries(clock: Clock = timezone.now) -> int:
    """Forget messages that are older than anybody asks for; return how many."""
    with platform_scope():
        return WebhookDelivery.objects.filter(created_at__lt=clock() - KEPT_FOR).delete()[0]
