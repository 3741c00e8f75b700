"""Pages of a tenant's documents: what is there, how far it is read, what went wrong, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from documents import services
from documents.errors import DocumentError
from documents.forms import CollectionForm, UploadForm
from documents.models import (
    Collection,
    Document,
    DocumentQuerySet,
    Outcome,
    Section,
    State,
    Version,
)
from documents.quote import quote_files
from documents.standing import add_notices, in_words, month_begin, most_expensive, time_left, with_cost
from search.budget import budget_of, limit_of
from search.calls import usage_of
from search.models import Call
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page

DOCUMENTS_PER_PAGE = 50
MOST_VERSIONS = 50
MOST_UNITS = 500
MOST_PROBLEMS = 10
MOST_CALLS = 20
MOST_EXPENSIVE = 10
DONE = {
    Outcome.ADDED: "{count} document{s} added",
    Outcome.REPLACED: "{count} new version{s} added",
    Outcome.UNCHANGED: "{count} file{s} unchanged",
    Outcome.RETRIED: "{count} file{s} tried again",
}


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


@tenant_view()
@require_safe
def collection(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Collection.objects.for_tenant(membership.tenant), pk=pk)
    return collection_page(request, membership, found, UploadForm())


@tenant_view(role=Role.EDITOR)
@require_POST
def upload_documents(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = get_object_or_404(
        Collection.objects.for_tenant(membership.tenant).select_related("tenant"), pk=pk
    )
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return collection_page(request, membership, found, form)
    if "estimate" in request.POST:
        quote = quote_files(found, form.incoming())
        return collection_page(request, membership, found, UploadForm(), quote=quote.sentence)
    upload(request, found, form)
    return redirect("collection", membership.tenant.slug, found.pk)


def upload(request: HttpRequest, collection: Collection, form: UploadForm) -> None:
    """Add what was chosen, and say what became of it."""
    actor = Actor.of_request(request)
    added = list(services.add_files(collection=collection, files=form.incoming(), actor=actor))
    outcomes = Counter(one.version.outcome for one in added if one.version is not None)
    parts = [
        DONE[outcome].format(count=count, s=pluralize(count)) for outcome, count in sorted(outcomes.items())
    ]
    if not added:
        messages.error(request, "There is no file in what you chose.")
    if parts:
        messages.success(request, f"{', '.join(parts)}.")
    problems = [f"{one.name}: {one.problem}" for one in added if one.version is None]
    for problem in problems[:MOST_PROBLEMS]:
        messages.error(request, problem)
    if len(problems) > MOST_PROBLEMS:
        messages.error(request, f"{len(problems) - MOST_PROBLEMS} more files were not taken.")


@tenant_view()
@require_safe
def document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show the versions of a document and the outline of the current one."""
    own = Document.objects.for_tenant(membership.tenant).select_related("collection")
    found = get_object_or_404(own, pk=pk)
    newest = with_cost(Version.objects.without_text().filter(document=found)).order_by("-number")
    versions = list(newest[:MOST_VERSIONS])
    add_notices(versions)
    tell_time_left(versions)
    current = next((version for version in versions if version.is_current), None)
    units = Section.objects.filter(version=current, position__gt=0).order_by("position")
    context = {
        "document": found,
        "versions": versions,
        "current": current,
        "is_reading": any(version.is_open for version in versions),
        "units": units[:MOST_UNITS],
        "unit_count": units.count() if current else 0,
        "is_editor": membership.allows(Role.EDITOR) and found.deleted_at is None,
    }
    return tenant_page(request, membership, "document", context)


@tenant_view(role=Role.EDITOR)
@require_POST
def cancel_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    done = "{name} is no longer read. What was done is kept, should you try again."
    return act_on_last_version(request, membership, pk, services.cancel_version, done)


@tenant_view(role=Role.EDITOR)
@require_POST
def retry_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    return act_on_last_version(request, membership, pk, services.retry_version, "{name} is read again.")


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
            messages.success(request, done.format(name=found.name))
    if request.POST.get("back") == "document":
        return redirect("document", membership.tenant.slug, found.pk)
    return redirect("collection", membership.tenant.slug, found.collection_id)


@tenant_view(role=Role.EDITOR)
@require_POST
def delete_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_document(membership, pk)
    services.delete_document(document=found, actor=Actor.of_request(request))
    messages.success(request, f"{found.name} is in the bin.")
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
        messages.success(request, f"{found.name} is back.")
    return redirect("collection", membership.tenant.slug, found.collection_id)


@tenant_view(role=Role.ADMIN)
@require_safe
def usage(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show what providers were paid in this month, for what, and how much there is left to pay."""
    tenant, begin = membership.tenant, month_begin()
    budget = budget_of(tenant.pk)
    limit = limit_of(budget)
    calls = Call.objects.for_tenant(tenant).select_related("version__document")
    context = {
        "month": begin,
        "spent": budget.spent,
        "limit": limit,
        "left": max(limit - budget.spent, Decimal(0)),
        "spendings": usage_of(tenant, since=begin),
        "expensive": most_expensive(tenant, since=begin)[:MOST_EXPENSIVE],
        "calls": calls.defer("version__text", "version__pages")[:MOST_CALLS],
    }
    return tenant_page(request, membership, "usage", context)


def find_document(membership: Membership, pk: UUID) -> Document:
    return get_object_or_404(Document.objects.for_tenant(membership.tenant), pk=pk)


def documents_page(request: HttpRequest, membership: Membership, form: CollectionForm) -> HttpResponse:
    collections = Collection.objects.for_tenant(membership.tenant).with_counts()
    context = {"collections": collections, "form": form}
    return tenant_page(request, membership, "documents", context, is_refused=form.is_bound)


def collection_page(
    request: HttpRequest, membership: Membership, collection: Collection, form: UploadForm, *, quote: str = ""
) -> HttpResponse:
    show = request.GET.get("show", "")
    own = Document.objects.for_tenant(membership.tenant).filter(collection=collection)
    newest = Prefetch("versions", Version.objects.newest().without_text(), to_attr="newest")
    page = Paginator(chosen(own, show).prefetch_related(newest), DOCUMENTS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    shown = [version for document in page for version in document.newest]  # type: ignore[attr-defined]
    add_notices(shown)
    tell_time_left(shown)
    context: dict[str, Any] = {
        "collection": collection,
        "page": page,
        "show": show,
        "form": form,
        "quote": quote,
        "is_editor": membership.allows(Role.EDITOR),
        "is_reading": Version.objects.open().filter(document__in=own.present()).exists(),
    }
    return tenant_page(request, membership, "collection", context, is_refused=form.is_bound)


def chosen(documents: DocumentQuerySet, show: str) -> DocumentQuerySet:
    match show:
        case "failed":
            return documents.present().in_state(State.FAILED)
        case "bin":
            return documents.exclude(deleted_at=None)
    return documents.present()


def tell_time_left(versions: Iterable[Any]) -> None:
    now = timezone.now()
    for version in versions:
        left = time_left(version, now)
        version.time_left = "" if left is None else in_words(left)
