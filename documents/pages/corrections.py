"""What editors say of an outline: what a unit really is, and which of that they take back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from documents import services
from documents.errors import DocumentError
from documents.forms import CorrectionForm
from documents.models import Document, OutlineCorrection, Section, Version
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page

LONGEST_LABEL = 300
MOST_CORRECTIONS = 200


@tenant_view(role=Role.EDITOR)
@require_safe
def corrections(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show what was corrected in an outline, and a form for a unit that is named."""
    document, version = find_current(membership, pk)
    label = request.GET.get("at", "").replace("\0", "")[:LONGEST_LABEL]
    unit = find_unit(version, label)
    form = None if unit is None else CorrectionForm(initial=CorrectionForm.initial_of(unit))
    return corrections_page(request, membership, document, unit, form, label=label)


@tenant_view(role=Role.EDITOR)
@require_POST
def correct_unit(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Say what a unit of the current version is."""
    document, version = find_current(membership, pk)
    label = request.POST.get("at", "").replace("\0", "")[:LONGEST_LABEL]
    unit = find_unit(version, label)
    if version is None or unit is None or document.deleted_at is not None:
        raise Http404(_("The current version has no such unit."))
    form = CorrectionForm(request.POST, initial=CorrectionForm.initial_of(unit))
    if not form.is_valid():
        return corrections_page(request, membership, document, unit, form, label=label)
    try:
        form.save(version=version, unit=unit, actor=Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, gettext("The corrected outline makes a new version. It is read in a moment.")
        )
    return redirect("corrections", membership.tenant.slug, document.pk)


@tenant_view(role=Role.EDITOR)
@require_POST
def remove_correction(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Take a correction back."""
    own = OutlineCorrection.objects.filter(tenant=membership.tenant).select_related("document__tenant")
    correction = get_object_or_404(own, pk=pk)
    try:
        services.remove_correction(correction=correction, actor=Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request,
            gettext("The correction is taken back, which makes a new version. It is read in a moment."),
        )
    return redirect("corrections", membership.tenant.slug, correction.document_id)


def find_current(membership: Membership, pk: UUID) -> tuple[Document, Version | None]:
    own = Document.objects.for_tenant(membership.tenant).select_related("collection", "tenant")
    document = get_object_or_404(own, pk=pk)
    rows = Version.objects.without_text().readable().filter(document=document, superseded_at=None)
    version = rows.first()
    if version is not None:
        version.document = document
    return document, version


def find_unit(version: Version | None, label: str) -> Section | None:
    if version is None or not label:
        return None
    return Section.objects.filter(version=version, label=label, position__gt=0).first()


def corrections_page(
    request: HttpRequest,
    membership: Membership,
    document: Document,
    unit: Section | None,
    form: CorrectionForm | None,
    *,
    label: str,
) -> HttpResponse:
    made = OutlineCorrection.objects.filter(document=document).order_by("-created_at")
    newest = Version.objects.without_text().filter(document=document).order_by("-number").first()
    context: dict[str, Any] = {
        "document": document,
        "unit": unit,
        "form": form,
        "label": label,
        "corrections": made[:MOST_CORRECTIONS],
        "is_open": newest is not None and newest.is_open,
    }
    is_refused = form is not None and form.is_bound
    return tenant_page(request, membership, "corrections", context, is_refused=is_refused)
