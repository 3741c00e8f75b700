"""Pages of a tenant's webhooks, for its admins."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from documents import services
from documents.errors import DocumentError
from documents.models import DeliveryState, Webhook, WebhookDelivery
from documents.webhook_forms import WebhookForm
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page

MOST_DELIVERIES = 50


@tenant_view(role=Role.ADMIN)
@require_safe
def webhooks(request: HttpRequest, membership: Membership) -> HttpResponse:
    return webhooks_page(request, membership, WebhookForm())


@tenant_view(role=Role.ADMIN)
@never_cache
@require_POST
def create_webhook(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show the secret in the answer itself: it is not shown again."""
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return webhooks_page(request, membership, form)
    try:
        made = services.create_webhook(
            tenant=membership.tenant, actor=Actor.of_request(request), **form.cleaned_data
        )
    except DocumentError as error:
        messages.error(request, str(error))
        return redirect("webhooks", membership.tenant.slug)
    return tenant_page(request, membership, "webhook_secret", {"webhook": made, "is_new": True})


@tenant_view(role=Role.ADMIN)
@require_safe
def webhook(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show a webhook with what was last sent to it."""
    found = find_webhook(membership, pk)
    deliveries = list(WebhookDelivery.objects.filter(webhook=found)[:MOST_DELIVERIES])
    is_waiting = any(one.state == DeliveryState.PENDING for one in deliveries)
    context = {"webhook": found, "deliveries": deliveries, "is_waiting": is_waiting}
    return tenant_page(request, membership, "webhook", context)


@tenant_view(role=Role.ADMIN)
@require_POST
def send_test(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    try:
        services.send_test(webhook=find_webhook(membership, pk), actor=Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("A test is on its way. What comes of it is shown below."))
    return redirect("webhook", membership.tenant.slug, pk)


@tenant_view(role=Role.ADMIN)
@never_cache
@require_POST
def rotate_secret(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    made = services.rotate_secret(webhook=find_webhook(membership, pk), actor=Actor.of_request(request))
    return tenant_page(request, membership, "webhook_secret", {"webhook": made})


@tenant_view(role=Role.ADMIN)
@require_POST
def switch_webhook(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Switch a webhook on or off, as the form says."""
    is_active = request.POST.get("is_active") == "1"
    services.change_webhook(
        webhook=find_webhook(membership, pk), actor=Actor.of_request(request), is_active=is_active
    )
    said = _("The webhook is switched on.") if is_active else _("The webhook is switched off.")
    messages.success(request, said)
    return redirect("webhook", membership.tenant.slug, pk)


@tenant_view(role=Role.ADMIN)
@require_POST
def delete_webhook(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_webhook(membership, pk)
    services.delete_webhook(webhook=found, actor=Actor.of_request(request))
    messages.success(request, _("Nothing is sent to %(url)s any more.") % {"url": found.url})
    return redirect("webhooks", membership.tenant.slug)


def find_webhook(membership: Membership, pk: UUID) -> Webhook:
    return get_object_or_404(Webhook.objects.for_tenant(membership.tenant), pk=pk)


def webhooks_page(request: HttpRequest, membership: Membership, form: WebhookForm) -> HttpResponse:
    own = Webhook.objects.for_tenant(membership.tenant)
    context = {"webhooks": own, "form": form}
    return tenant_page(request, membership, "webhooks", context, is_refused=form.is_bound)
