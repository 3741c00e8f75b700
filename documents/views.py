"""Pages of a tenant's collections and documents: what is there, how far it is read, and what went wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_POST, require_safe

from documents import services
from documents.errors import DocumentError
from documents.forms import CollectionForm, UploadForm
from documents.models import Collection, Document, DocumentQuerySet, Outcome, Section, State, Version
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page

DOCUMENTS_PER_PAGE = 50
MOST_VERSIONS = 50
MOST_UNITS = 500
MOST_PROBLEMS = 10
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
    versions = list(Version.objects.without_text().filter(document=found)[:MOST_VERSIONS])
    current = next((version for version in versions if version.is_current), None)
    units = Section.objects.filter(version=current, position__gt=0).order_by("position")
    context = {
        "document": found,
        "versions": versions,
        "current": current,
        "units": units[:MOST_UNITS],
        "unit_count": units.count() if current else 0,
        "is_editor": membership.allows(Role.EDITOR),
    }
    return tenant_page(request, membership, "document", context)


@tenant_view(role=Role.EDITOR)
@require_POST
def retry_document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_document(membership, pk)
    version = Version.objects.without_text().filter(document=found).select_related("document").first()
    if version is None:
        return redirect("collection", membership.tenant.slug, found.collection_id)
    try:
        services.retry_version(version=version, actor=Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{found.name} is read again.")
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


def find_document(membership: Membership, pk: UUID) -> Document:
    return get_object_or_404(Document.objects.for_tenant(membership.tenant), pk=pk)


def documents_page(request: HttpRequest, membership: Membership, form: CollectionForm) -> HttpResponse:
    collections = Collection.objects.for_tenant(membership.tenant).with_counts()
    context = {"collections": collections, "form": form}
    return tenant_page(request, membership, "documents", context, is_refused=form.is_bound)


def collection_page(
    request: HttpRequest, membership: Membership, collection: Collection, form: UploadForm
) -> HttpResponse:
    show = request.GET.get("show", "")
    own = Document.objects.for_tenant(membership.tenant).filter(collection=collection)
    newest = Prefetch("versions", Version.objects.newest().without_text(), to_attr="newest")
    page = Paginator(chosen(own, show).prefetch_related(newest), DOCUMENTS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    context: dict[str, Any] = {
        "collection": collection,
        "page": page,
        "show": show,
        "form": form,
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
