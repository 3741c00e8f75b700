"""Whose turn it is to be sent something: the tenant that was served least recently.

A receiver that fails rests, and one that somebody sends to is in hand: neither holds up the others.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Q

from tenants.scope import platform_scope

IN_TURN = """
SELECT webhook.id, webhook.tenant_id
FROM documents_webhook AS webhook
JOIN tenants_tenant AS tenant ON tenant.id = webhook.tenant_id AND tenant.is_active
CROSS JOIN LATERAL (
    SELECT max(served_at) AS at FROM documents_webhook WHERE tenant_id = webhook.tenant_id
) AS served
WHERE webhook.is_active
    AND (webhook.rests_until IS NULL OR webhook.rests_until <= %(now)s)
    AND (webhook.claimed_until IS NULL OR webhook.claimed_until <= %(now)s)
    AND EXISTS (
        SELECT FROM documents_webhookdelivery AS delivery
        WHERE delivery.webhook_id = webhook.id AND delivery.state = 'pending'
            AND delivery.next_attempt_at <= %(now)s
    )
ORDER BY served.at NULLS FIRST, webhook.tenant_id, webhook.served_at NULLS FIRST, webhook.created_at
LIMIT %(most)s
"""
MOST = 10


def webhooks_in_turn(now: datetime) -> list[tuple[UUID, UUID]]:
    """Return some webhooks for which something waits, with their tenants, in the order to take them up."""
    with platform_scope(), connection.cursor() as cursor:
        cursor.execute(IN_TURN, {"now": now, "most": MOST})
        return [(webhook_id, tenant_id) for webhook_id, tenant_id in cursor.fetchall()]


def is_free(now: datetime) -> Q:
    """Of webhooks: those that something may be sent to now."""
    is_rested = Q(rests_until=None) | Q(rests_until__lte=now)
    return Q(is_active=True) & is_rested & (Q(claimed_until=None) | Q(claimed_until__lte=now))
