"""Webhooks: who is told when something has happened, and what came of telling them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from django.core.exceptions import ValidationError as FieldsRefused
from django.shortcuts import get_object_or_404
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.api.compare import read_query
from documents.api.page import PageSerializer, read_page
from documents.api.repeat import repeatable
from documents.api.shared import Conflict, actor_of
from documents.errors import BadAddress, NothingToDo
from documents.models import DeliveryState, Webhook, WebhookDelivery, WebhookEvent
from documents.webhooks.sign import digest_of
from search.read.cursor import identity, moment
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.models import Scope
from tenants.schema import describe

NEWEST_FIRST = {"-created_at": moment, "pk": identity}


class WebhookFacts(TypedDict):
    """An address that is told what happens."""

    id: UUID
    url: str
    description: str
    events: list[WebhookEvent]
    is_active: bool
    created_at: datetime
    failures: int  # Attempts that failed since the last one that got through.
    failing_since: datetime | None
    disabled_at: datetime | None
    disabled_reason: str


class WebhookWithSecret(WebhookFacts):
    """A webhook with its secret, which is told this once."""

    secret: str | None  # What signs the deliveries; nothing if a repeated request finds another in force.


class WebhooksFacts(TypedDict):
    webhooks: list[WebhookFacts]


class DeliveryFacts(TypedDict):
    """Something that a webhook is told, and what came of it."""

    id: UUID
    event: str
    state: DeliveryState
    attempts: int
    created_at: datetime
    next_attempt_at: datetime | None
    delivered_at: datetime | None
    status_code: int | None  # Of the last answer.
    error: str
    payload: dict[str, Any]


class DeliveriesFacts(TypedDict):
    deliveries: list[DeliveryFacts]  # The newest first.
    next: str | None


def chosen_events(**options: Any) -> serializers.ListField:
    events = serializers.ChoiceField(WebhookEvent.values)
    return serializers.ListField(child=events, allow_empty=False, max_length=20, **options)


class WebhookSerializer(StrictSerializer):
    """What a program may say of a new webhook."""

    url = serializers.CharField(max_length=500, help_text="Where to post what happened, with https.")
    description = serializers.CharField(max_length=200, required=False, allow_blank=True)
    events = chosen_events(help_text="What to tell.")


class WebhookChangeSerializer(StrictSerializer):
    """What is to be changed; what is left out stays."""

    url = serializers.CharField(max_length=500, required=False)
    description = serializers.CharField(max_length=200, required=False, allow_blank=True)
    events = chosen_events(required=False)
    is_active = serializers.BooleanField(required=False, help_text="Whether it is told anything.")


def hide_secret(request: Request, shown: dict[str, Any]) -> dict[str, Any]:
    """Keep of an answer that shows a secret no more than its digest."""
    return {**shown, "secret": digest_of(shown["secret"])}


def show_secret(request: Request, shown: dict[str, Any]) -> dict[str, Any]:
    """Make the secret anew; nothing if the webhook is gone, or has had other secrets since."""
    own = Webhook.objects.for_tenant(acting_program(request).tenant)
    webhook = own.filter(pk=shown["id"]).first()
    secret = webhook and services.secret_of(webhook=webhook, digest=shown["secret"])
    return {**shown, "secret": secret}


class WebhookAPIView(TenantAPIView):
    required_scope: ClassVar[Scope] = Scope.MANAGE
    parser_classes = (PlainJSONParser,)

    def handle_exception(self, exc: Exception) -> Response:
        """Answer what the services refuse: an address is wrong, or the state of things is."""
        match exc:
            case BadAddress():
                exc = ValidationError({"url": [str(exc)]})
            case FieldsRefused():
                exc = ValidationError(exc.message_dict)
            case NothingToDo():
                exc = Conflict(str(exc))
        return super().handle_exception(exc)

    def find(self, request: Request, pk: UUID) -> Webhook:
        own = Webhook.objects.for_tenant(acting_program(request).tenant)
        return get_object_or_404(own.select_related("tenant"), pk=pk)


class WebhooksView(WebhookAPIView):
    @describe("list_webhooks", tag="webhooks", answers=WebhooksFacts)
    def get(self, request: Request) -> Response:
        """List the webhooks of a tenant."""
        own = Webhook.objects.for_tenant(acting_program(request).tenant)
        return Response({"webhooks": [describe_webhook(webhook) for webhook in own]})

    @describe(
        "create_webhook",
        tag="webhooks",
        takes=WebhookSerializer,
        answers=WebhookWithSecret,
        status=201,
        refuses=[409],
        example={"url": "https://example.org/hooks/pandect", "events": ["version.ready", "version.failed"]},
    )
    @repeatable(keep=hide_secret, renew=show_secret)
    def post(self, request: Request) -> Response:
        """Add a webhook, and tell its secret."""
        asked = WebhookSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        webhook = services.create_webhook(
            tenant=acting_program(request).tenant, actor=actor_of(request), **asked.validated_data
        )
        return Response(with_secret(webhook), status=status.HTTP_201_CREATED)


class WebhookView(WebhookAPIView):
    @describe("read_webhook", tag="webhooks", answers=WebhookFacts)
    def get(self, request: Request, pk: UUID) -> Response:
        """Show a webhook."""
        return Response(describe_webhook(self.find(request, pk)))

    @describe(
        "change_webhook",
        tag="webhooks",
        takes=WebhookChangeSerializer,
        answers=WebhookFacts,
        refuses=[409],
        example={"is_active": False},
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """Change a webhook, or switch it off or on."""
        webhook = self.find(request, pk)
        asked = WebhookChangeSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        changed = services.change_webhook(webhook=webhook, actor=actor_of(request), **asked.validated_data)
        return Response(describe_webhook(changed))

    @describe("delete_webhook", tag="webhooks", status=204)
    def delete(self, request: Request, pk: UUID) -> Response:
        """Delete a webhook, with what waits for it."""
        services.delete_webhook(webhook=self.find(request, pk), actor=actor_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DeliveriesView(WebhookAPIView):
    """Show what was sent to a webhook, and what waits."""

    @describe("list_deliveries", tag="webhooks", asks=PageSerializer, answers=DeliveriesFacts)
    def get(self, request: Request, pk: UUID) -> Response:
        sent = WebhookDelivery.objects.filter(webhook=self.find(request, pk))
        page, following = read_page(sent, NEWEST_FIRST, read_query(request, PageSerializer))
        return Response({"deliveries": [describe_delivery(one) for one in page], "next": following})


class TestWebhookView(WebhookAPIView):
    """Send a ping, and tell how to find out what came of it."""

    @describe("test_webhook", tag="webhooks", answers=DeliveryFacts, status=202, refuses=[409])
    @repeatable()
    def post(self, request: Request, pk: UUID) -> Response:
        delivery = services.send_test(webhook=self.find(request, pk), actor=actor_of(request))
        return Response(describe_delivery(delivery), status=status.HTTP_202_ACCEPTED)


class RotateSecretView(WebhookAPIView):
    """Make a new secret; for a day the old one signs too."""

    @describe("rotate_secret", tag="webhooks", answers=WebhookWithSecret)
    @repeatable(keep=hide_secret, renew=show_secret)
    def post(self, request: Request, pk: UUID) -> Response:
        webhook = services.rotate_secret(webhook=self.find(request, pk), actor=actor_of(request))
        return Response(with_secret(webhook))


def describe_webhook(webhook: Webhook) -> WebhookFacts:
    return {
        "id": webhook.pk,
        "url": webhook.url,
        "description": webhook.description,
        "events": [WebhookEvent(event) for event in webhook.events],
        "is_active": webhook.is_active,
        "created_at": webhook.created_at,
        "failures": webhook.failures,
        "failing_since": webhook.failing_since,
        "disabled_at": webhook.disabled_at,
        "disabled_reason": webhook.disabled_reason,
    }


def with_secret(webhook: Webhook) -> WebhookWithSecret:
    """Tell the secret too, this once."""
    return {**describe_webhook(webhook), "secret": webhook.secret}


def describe_delivery(delivery: WebhookDelivery) -> DeliveryFacts:
    return {
        "id": delivery.pk,
        "event": delivery.event,
        "state": DeliveryState(delivery.state),
        "attempts": delivery.attempts,
        "created_at": delivery.created_at,
        "next_attempt_at": delivery.next_attempt_at,
        "delivered_at": delivery.delivered_at,
        "status_code": delivery.status_code,
        "error": delivery.error,
        "payload": json.loads(delivery.payload),
    }
