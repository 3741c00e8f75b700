"""Webhooks and what was sent to them, to look at: their tenants' admins change them."""

from __future__ import annotations

from django.contrib import admin

from documents.admin.shared import ReadOnlyAdmin
from documents.models import Webhook, WebhookDelivery
from tenants.admin_lists import TenantFilter


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin[Webhook]):
    list_display = ("url", "tenant", "events", "is_active", "failures", "disabled_at", "created_at")
    list_filter = ("is_active", TenantFilter)
    list_select_related = ("tenant",)
    search_fields = ("url", "description", "tenant__name", "tenant__slug")
    fields = (
        ("url", "tenant"),
        "description",
        "events",
        ("is_active", "created_at", "created_by"),
        ("failures", "failing_since", "rests_until"),
        ("disabled_at", "disabled_reason"),
    )


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin[WebhookDelivery]):
    list_display = ("event", "webhook", "tenant", "state", "attempts", "status_code", "error", "created_at")
    list_filter = ("state", "event", TenantFilter)
    list_select_related = ("webhook", "tenant")
    search_fields = ("webhook__url", "error")
    fields = (
        ("event", "webhook", "tenant"),
        ("state", "attempts", "status_code"),
        ("created_at", "next_attempt_at", "delivered_at"),
        "error",
        "payload",
    )
