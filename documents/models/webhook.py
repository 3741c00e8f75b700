"""Addresses that are told when something has happened, and what was sent to them."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.models import Tenant


class WebhookEvent(models.TextChoices):
    """What a webhook can be told of."""

    VERSION_READY = "version.ready", _("A version of a document is ready")
    VERSION_FAILED = "version.failed", _("A version of a document has failed")
    BASELINE_PUBLISHED = "baseline.published", _("A baseline is published")


STATES = {
    "active": _("active"),
    "failing": _("failing"),
    "disabled": _("disabled"),
    "paused": _("paused"),
}
PING = "ping"  # What a test sends; nobody subscribes to it.


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def active(self) -> Self:
        return self.filter(is_active=True)


class Webhook(models.Model):
    """An address of a tenant to which events are sent.

    Its secret is not kept: it is derived from the salt and the key of the installation, each time that
    something is signed.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="webhooks"
    )
    url = models.CharField("URL", max_length=500)
    description = models.CharField(max_length=200, blank=True, help_text="What listens there.")
    events = ArrayField(models.CharField(max_length=30, choices=WebhookEvent.choices))
    salt = models.BinaryField(editable=False)
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the secret.")
    old_salt = models.BinaryField(null=True, editable=False)
    old_until = models.DateTimeField(
        null=True, editable=False, help_text="Until when the secret before this one signs too."
    )
    is_active = models.BooleanField("active", default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=300, blank=True)
    failures = models.PositiveIntegerField(default=0, help_text="Attempts since one has succeeded.")
    failing_since = models.DateTimeField(null=True, blank=True)
    rests_until = models.DateTimeField(
        null=True, blank=True, help_text="After a failure it is left alone for a while."
    )
    disabled_at = models.DateTimeField(null=True, blank=True, help_text="When it was switched off for it.")
    disabled_reason = models.TextField(blank=True)
    claim = models.UUIDField(null=True, editable=False, help_text="Of the worker that sends to it.")
    claimed_until = models.DateTimeField(null=True, editable=False)
    served_at = models.DateTimeField(null=True, editable=False, help_text="When it last had its turn.")

    objects = WebhookQuerySet.as_manager()
    secret = ""  # Of a new webhook, on its way to whoever made it. No field.

    class Meta:
        ordering = ("created_at", "id")
        indexes = (models.Index(fields=["tenant", "created_at"], name="webhooks_of_a_tenant"),)
        constraints = (
            models.UniqueConstraint(fields=["id", "tenant"], name="webhook_of_a_tenant"),
            models.CheckConstraint(condition=Q(url__regex=r"^https?://"), name="webhook_url_is_http"),
            models.CheckConstraint(
                condition=Q(events__contained_by=WebhookEvent.values) & Q(events__len__gt=0),
                name="webhook_events_are_known",
            ),
            models.CheckConstraint(
                condition=Q(disabled_at=None, disabled_reason="")
                | Q(disabled_at__isnull=False, disabled_reason__regex=r"\S", is_active=False),
                name="disabled_webhook_says_why",
            ),
        )

    def __str__(self) -> str:
        return self.description or self.url

    @property
    def state_words(self) -> str:
        return str(STATES[self.state])

    @property
    def state(self) -> str:
        if self.is_active:
            return "failing" if self.failures else "active"
        return "disabled" if self.disabled_at else "paused"


class DeliveryState(models.TextChoices):
    PENDING = "pending", _("Waiting")
    DELIVERED = "delivered", _("Delivered")
    FAILED = "failed", _("Failed")


class WebhookDeliveryQuerySet(models.QuerySet["WebhookDelivery"]):
    def for_tenant(self, tenant: Tenant) -> Self:
        return self.filter(tenant=tenant)

    def pending(self) -> Self:
        return self.filter(state=DeliveryState.PENDING)

    def due(self, now: datetime) -> Self:
        return self.pending().filter(next_attempt_at__lte=now)


class WebhookDelivery(models.Model):
    """A message for a webhook. Written in the transaction of what it tells of, and sent afterwards."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="webhook_deliveries",
    )
    webhook = models.ForeignKey(
        Webhook, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="deliveries"
    )
    event = models.CharField(max_length=30)
    payload = models.TextField(help_text="As it is sent, byte for byte: a retry says the same.")
    created_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=DeliveryState.choices, default=DeliveryState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    status_code = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Of the last answer.")
    error = models.TextField(blank=True, help_text="What went wrong at the last attempt, in words.")
    delivered_at = models.DateTimeField(null=True, blank=True)

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "webhook deliveries"
        ordering = ("-created_at", "id")
        indexes = (
            models.Index(fields=["webhook", "-created_at"], name="deliveries_of_a_webhook"),
            models.Index(
                fields=["webhook", "next_attempt_at"],
                name="pending_deliveries",
                condition=Q(state="pending"),
            ),
            models.Index(fields=["created_at"], name="deliveries_by_age"),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(event__in=[*WebhookEvent.values, PING]), name="delivery_event_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="pending", next_attempt_at__isnull=False, delivered_at=None)
                | Q(state="delivered", next_attempt_at=None, delivered_at__isnull=False, error="")
                | Q(state="failed", next_attempt_at=None, delivered_at=None, error__regex=r"\S"),
                name="delivery_state_is_whole",
            ),
        )

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}"
