"""What editors can do with one version: bring it back, withdraw it, say when it applies."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from documents import services
from documents.errors import DocumentError
from documents.models import State, Version
from documents.pages.forms import DatesForm
from documents.pages.price import ask_price
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role


@tenant_view(role=Role.EDITOR)
@require_POST
def restore_version(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    version = find_version(membership, pk)
    older = Version.objects.filter(pk=pk, state=State.READY, superseded_at__isnull=False)
    if page := ask_price(request, membership, version.document.collection, older):
        return page
    try:
        services.restore_version(version=version, actor=Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request,
            _("What version %(number)d said is the newest version again.") % {"number": version.number},
        )
    return back(membership, version)


@tenant_view(role=Role.EDITOR)
@require_POST
def withdraw_version(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    version = find_version(membership, pk)
    try:
        services.withdraw_version(version=version, actor=Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Version %(number)d is withdrawn.") % {"number": version.number})
    return back(membership, version)


@tenant_view(role=Role.EDITOR)
@require_POST
def date_version(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Say on which days a version applies."""
    version = find_version(membership, pk)
    form = DatesForm(request.POST)
    if not form.is_valid():
        problems = [f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()]
        messages.error(request, " ".join(problems))
        return back(membership, version)
    try:
        services.set_effective_dates(version=version, actor=Actor.of_request(request), **form.cleaned_data)
    except (DocumentError, ValidationError) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Version %(number)d applies as you said.") % {"number": version.number})
    return back(membership, version)


def find_version(membership: Membership, pk: UUID) -> Version:
    own = Version.objects.for_tenant(membership.tenant).without_text().select_related("document")
    return get_object_or_404(own, pk=pk)


def back(membership: Membership, version: Version) -> HttpResponse:
    return redirect("document", membership.tenant.slug, version.document_id)
