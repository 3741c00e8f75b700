"""Write down what webhooks have to be told, in the transaction of what has happened.

So a message is there if and only if that came about. What is told is where to look, not what a document
says: a receiver may be anybody's, and asks for the rest with a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from itertools import product
from typing import Any
from uuid import UUID, uuid4

from celery import current_app
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from documents.models import (
    PING,
    Collection,
    Publication,
    Version,
    VersionQuerySet,
    Webhook,
    WebhookDelivery,
    WebhookEvent,
)
from tenants.models import Tenant

SENDER = "documents.tasks.deliver_next"  # By its name: tasks are above whoever announces something.

# Held, so that nobody deletes one before what is written for it is there. Sending to it goes on meanwhile.
SUBSCRIBED = """
    SELECT id FROM documents_webhook WHERE tenant_id = %s AND is_active AND events @> ARRAY[%s]::varchar[]
    ORDER BY created_at, id FOR KEY SHARE
"""


def announce_version(version_id: UUID, tenant_id: UUID) -> None:
    """Tell that a version has become what it is: ready, or failed. What is in the bin is nobody's news."""
    event = WebhookEvent(f"version.{state_of(version_id)}")
    present = Version.objects.filter(pk=version_id, document__deleted_at=None)
    _announce(tenant_id, event, present)


def announce_arrived(tenant_id: UUID, document_ids: Iterable[UUID]) -> None:
    """Tell of documents that came in ready that they are: of the version of each that is current."""
    current = Version.objects.head().filter(document__in=document_ids).order_by("recorded_at", "pk")
    _announce(tenant_id, WebhookEvent.VERSION_READY, current)


def _announce(tenant_id: UUID, event: WebhookEvent, versions: VersionQuerySet) -> None:
    if webhooks := subscribed(tenant_id, event):
        known = versions.without_text().select_related("document__collection", "tenant")
        write(webhooks, tenant_id, event, *map(version_facts, known))


def state_of(version_id: UUID) -> str:
    return Version.objects.values_list("state", flat=True).get(pk=version_id)


def announce_publication(publication: Publication) -> None:
    """Tell that a baseline is published."""
    event = WebhookEvent.BASELINE_PUBLISHED
    webhooks = subscribed(publication.tenant_id, event)
    if webhooks:
        write(webhooks, publication.tenant_id, event, publication_facts(publication))


def write_ping(webhook: Webhook) -> WebhookDelivery:
    """Tell a webhook nothing but that it is one."""
    facts = {"tenant": tenant_facts(webhook.tenant), "webhook": {"id": str(webhook.pk)}}
    return write([webhook.pk], webhook.tenant_id, PING, facts)[0]


def subscribed(tenant_id: UUID, event: WebhookEvent) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(SUBSCRIBED, [tenant_id, event.value])
        return [webhook_id for (webhook_id,) in cursor.fetchall()]


def write(
    webhooks: Iterable[UUID], tenant_id: UUID, event: str, *told: dict[str, Any]
) -> list[WebhookDelivery]:
    now = timezone.now()
    deliveries = []
    for facts, webhook_id in product(told, webhooks):
        message_id = uuid4()
        deliveries.append(
            WebhookDelivery(
                pk=message_id,
                tenant_id=tenant_id,
                webhook_id=webhook_id,
                event=event,
                payload=payload_of(message_id, event, now, facts),
                created_at=now,
                next_attempt_at=now,
            )
        )
    WebhookDelivery.objects.bulk_create(deliveries)
    if deliveries:
        transaction.on_commit(tell_sender, robust=True)
    return deliveries


def tell_sender() -> None:
    current_app.send_task(SENDER)


def payload_of(message_id: UUID, event: str, now: datetime, facts: dict[str, Any]) -> str:
    head = {"event": str(event), "id": str(message_id), "occurred_at": now.isoformat()}
    return json.dumps({**head, **facts}, ensure_ascii=False)


def version_facts(version: Version) -> dict[str, Any]:
    document, tenant = version.document, version.tenant
    return {
        "tenant": tenant_facts(tenant),
        "collection": collection_facts(document.collection),
        "document": {"id": str(document.pk), "name": document.name},
        "version": {
            "id": str(version.pk),
            "number": version.number,
            "state": version.state,
            "failure": version.failure,
        },
        "links": {
            "api": reverse("api_version", kwargs={"pk": version.pk}),
            "page": reverse("document", kwargs={"slug": tenant.slug, "pk": document.pk}),
        },
    }


def publication_facts(publication: Publication) -> dict[str, Any]:
    collection, baseline = publication.collection, publication.baseline
    return {
        "tenant": tenant_facts(collection.tenant),
        "collection": collection_facts(collection),
        "baseline": baseline and {"id": str(baseline.pk), "name": baseline.name, "size": baseline.size},
        "publication": {"id": str(publication.pk), "number": publication.number},
        "links": {
            "page": reverse("collection", kwargs={"slug": collection.tenant.slug, "pk": collection.pk})
        },
    }


def tenant_facts(tenant: Tenant) -> dict[str, str]:
    return {"id": str(tenant.pk), "slug": tenant.slug}


def collection_facts(collection: Collection) -> dict[str, str]:
    return {"id": str(collection.pk), "name": collection.name}
