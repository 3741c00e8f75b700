"""Pages of a tenant's documents: what is there, how far it is read, what went wrong, and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from documents import agreement, services
from documents.agreement import Asked
from documents.errors import DocumentError
from documents.forms import CollectionForm, ReplaceForm, RetentionForm
from documents.models import Collection, Document, Section, Version
from documents.pages.price import ask_price
from documents.pages.read import read_document
from documents.pages.upload import DONE
from documents.standing import add_notices, month_begin, most_expensive, tell_time_left, with_cost
from documents.unpack import Incoming
from search.budget import budget_of, dollars, limit_of
from search.calls import Month, usage_by_month, usage_of
from search.dashboards.plots import Bars, draw_bars
from search.models import Call
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page

MOST_VERSIONS = 50
MOST_UNITS = 500
MOST_CALLS = 20
MOST_EXPENSIVE = 10
MONTHS = 12


@tenant_view()
@require_safe
def documents(request: HttpRequest, membership: Membership) -> HttpResponse:
    return documents_page(request, membership, CollectionForm())


@tenant_view(role=Role.ADMIN)
@require_POST
def create_collection(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = CollectionForm(request.POST)
    if form.is_valid():
        try:
            made = services.create_collection(
                tenant=membership.tenant, actor=Actor.of_request(request), **form.cleaned_data
            )
        except (DocumentError, ValidationError) as error:
            form.add_error("name", error if isinstance(error, ValidationError) else str(error))
        else:
            return redirect("collection", membership.tenant.slug, made.pk)
    return documents_page(request, membership, form)


@tenant_view(role=Role.ADMIN)
@require_POST
def set_retention(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = RetentionForm(request.POST)
    if not form.is_valid():
        return documents_page(request, membership, CollectionForm(), form)
    days = form.cleaned_data["days"]
    services.set_retention(tenant=membership.tenant, days=days, actor=Actor.of_request(request))
    messages.success(request, tell_retention(days))
    return redirect("documents", membership.tenant.slug)


def tell_retention(days: int | None) -> str:
    if days is None:
        return _("Old versions are kept for ever.")
    said = ngettext(
        "Old versions are kept for %(count)d day.", "Old versions are kept for %(count)d days.", days
    )
    return said % {"count": days}


@tenant_view()
@require_safe
def document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show the versions of a document and the outline of the one that is read."""
    return document_page(request, membership, pk, ReplaceForm())


@tenant_view(role=Role.EDITOR)
@require_POST
def replace_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Add a version from a file of any name."""
    form = ReplaceForm(request.POST, request.FILES)
    if form.is_valid():
        file, found = form.cleaned_data["file"], find_document(membership, pk)
        if asked := ask_for_file(request, found, file):
            return document_page(request, membership, pk, ReplaceForm(), asked=asked)
        try:
            version = services.replace_document(
                document=found,
                file_name=str(file.name),
                content=file.read(),
                actor=Actor.of_request(request),
                dates=form.dates(),
            )
        except DocumentError as error:
            form.add_error("file", str(error))
        else:
            messages.success(request, f"{DONE[version.outcome] % {'count': 1}}.")
            return redirect("document", membership.tenant.slug, pk)
    return document_page(request, membership, pk, form)


def ask_for_file(request: HttpRequest, document: Document, file: UploadedFile[bytes]) -> Asked | None:
    """Return what a file costs as a version of a document, unless nobody need be asked."""
    if file.size is None or file.size > services.largest_file():
        return None  # It is refused in a moment.
    incoming = Incoming(str(file.name), file.read())
    file.seek(0)
    return agreement.ask_for(document.collection, [incoming], agreed=request.POST.get("agreed", ""))


def document_page(
    request: HttpRequest,
    membership: Membership,
    pk: UUID,
    form: ReplaceForm,
    *,
    asked: Asked | None = None,
) -> HttpResponse:
    own = Document.objects.for_tenant(membership.tenant).select_related("collection")
    found = get_object_or_404(own, pk=pk)
    newest = with_cost(Version.objects.without_text().filter(document=found)).order_by("-number")
    versions = list(newest[:MOST_VERSIONS])
    add_notices(versions)
    tell_time_left(versions)
    reading, shown = read_document(request, membership.tenant, found)
    units = Section.objects.filter(version=shown, position__gt=0).order_by("position")
    context = {
        "reading": reading,
        "shown": shown,
        "document": found,
        "versions": versions,
        "is_reading": any(version.is_open for version in versions),
        "units": units[:MOST_UNITS],
        "unit_count": units.count() if shown else 0,
        "is_editor": membership.allows(Role.EDITOR) and found.deleted_at is None,
        "form": form,
        "asked": asked,
        "price": "" if asked is None else dollars(asked.quote.most_cost),
    }
    return tenant_page(request, membership, "document", context, is_refused=form.is_bound)


@tenant_view(role=Role.EDITOR)
@require_POST
def cancel_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    done = _("%(name)s is no longer read. What was done is kept, should you try again.")
    return act_on_last_version(request, membership, pk, services.cancel_version, done)


@tenant_view(role=Role.EDITOR)
@require_POST
def retry_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_document(membership, pk)
    ended = Version.objects.newest().filter(document=found).ended()
    if page := ask_price(request, membership, found.collection, ended):
        return page
    return act_on_last_version(request, membership, pk, services.retry_version, _("%(name)s is read again."))


def act_on_last_version(
    request: HttpRequest, membership: Membership, pk: UUID, service: Callable[..., Version], done: str
) -> HttpResponse:
    """Do something to the last version of a document, and go back to where that was asked for."""
    found = find_document(membership, pk)
    version = Version.objects.without_text().filter(document=found).select_related("document").first()
    if version is not None:
        try:
            service(version=version, actor=Actor.of_request(request))
        except DocumentError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, done % {"name": found.name})
    if request.POST.get("back") == "document":
        return redirect("document", membership.tenant.slug, found.pk)
    return redirect("collection", membership.tenant.slug, found.collection_id)


@tenant_view(role=Role.EDITOR)
@require_POST
def delete_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_document(membership, pk)
    services.delete_document(document=found, actor=Actor.of_request(request))
    messages.success(request, _("%(name)s is in the bin.") % {"name": found.name})
    return redirect("collection", membership.tenant.slug, found.collection_id)


@tenant_view(role=Role.EDITOR)
@require_POST
def restore_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_document(membership, pk)
    try:
        services.restore_document(document=found, actor=Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("%(name)s is back.") % {"name": found.name})
    return redirect("collection", membership.tenant.slug, found.collection_id)


@tenant_view(role=Role.ADMIN)
@require_safe
def usage(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show what providers were paid in this month, for what, and how much there is left to pay."""
    tenant, begin = membership.tenant, month_begin()
    budget = budget_of(tenant.pk)
    limit = limit_of(budget)
    calls = Call.objects.for_tenant(tenant).select_related("version__document")
    months = usage_by_month(tenant, last=begin.date(), count=MONTHS)
    context = {
        "months": months,
        "plot": plot_months(months, float(limit)),
        "month": begin,
        "spent": budget.spent,
        "limit": limit,
        "left": max(limit - budget.spent, Decimal(0)),
        "spendings": usage_of(tenant, since=begin),
        "expensive": most_expensive(tenant, since=begin)[:MOST_EXPENSIVE],
        "calls": calls.defer("version__text", "version__pages")[:MOST_CALLS],
    }
    return tenant_page(request, membership, "usage", context)


def plot_months(months: Sequence[Month], limit: float) -> Bars:
    """Draw what each month cost, by who was paid; the limit is the one of today."""
    roles = sorted({role for month in months for role in month.costs}) or ["contextualizer"]
    series = [(role, [float(month.costs.get(role, 0)) for month in months]) for role in roles]
    return draw_bars(
        [date_format(month.first, "M Y") for month in months], series, unit="${:,.2f}", limit=limit
    )


def find_document(membership: Membership, pk: UUID) -> Document:
    return get_object_or_404(Document.objects.for_tenant(membership.tenant), pk=pk)


def documents_page(
    request: HttpRequest,
    membership: Membership,
    form: CollectionForm,
    retention: RetentionForm | None = None,
) -> HttpResponse:
    collections = Collection.objects.for_tenant(membership.tenant).with_counts()
    kept = RetentionForm(initial={"days": membership.tenant.keep_versions_days})
    context = {"collections": collections, "form": form, "retention": retention or kept}
    is_refused = form.is_bound or retention is not None
    return tenant_page(request, membership, "documents", context, is_refused=is_refused)
