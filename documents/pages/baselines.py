"""The baselines of a collection: made, published, and beside each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from documents import services
from documents.differences import BaselineDifferences, DocumentChange, Fate, compare_baselines
from documents.errors import DocumentError
from documents.models import Baseline, Collection, Document, Publication, Version
from documents.pages.forms import BaselineForm
from documents.pages.marked import TAGS, WORDS
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page

BASELINES_PER_PAGE = 50
DOCUMENTS_PER_PAGE = 100
MOST_PUBLICATIONS = 50
MOST_CHOICES = 200  # Documents whose versions can be chosen on a page; programs can choose among any number.
MOST_OTHERS = 200


@tenant_view()
@require_safe
def baselines(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    return baselines_page(request, membership, find_collection(membership, pk), BaselineForm())


@tenant_view(role=Role.EDITOR)
@require_POST
def create_baseline(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    collection = find_collection(membership, pk)
    form = BaselineForm(request.POST)
    if form.is_valid():
        try:
            made = services.create_baseline(
                collection=collection, actor=Actor.of_request(request), **form.chosen()
            )
        except (DocumentError, ValidationError) as error:
            form.add_error(None, error if isinstance(error, ValidationError) else str(error))
        else:
            messages.success(request, _("%(name)s is kept.") % {"name": made.name})
            return redirect("baseline", membership.tenant.slug, made.pk)
    return baselines_page(request, membership, collection, form)


@tenant_view(role=Role.ADMIN)
@require_POST
def publish_baseline(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    baseline = find_baseline(membership, pk)
    return move_pointer(
        request,
        membership,
        baseline.collection,
        lambda actor: services.publish_baseline(baseline=baseline, actor=actor),
        _("%(name)s is published.") % {"name": baseline.name},
    )


@tenant_view(role=Role.ADMIN)
@require_POST
def unpublish_collection(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    collection = find_collection(membership, pk)
    return move_pointer(
        request,
        membership,
        collection,
        lambda actor: services.unpublish_collection(collection=collection, actor=actor),
        _("Nothing is published any more."),
    )


def move_pointer(
    request: HttpRequest,
    membership: Membership,
    collection: Collection,
    move: Callable[[Actor], Publication],
    done: str,
) -> HttpResponse:
    try:
        move(Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("baselines", membership.tenant.slug, collection.pk)


@tenant_view()
@require_safe
def baseline(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show the documents of a baseline, or how it differs from another."""
    found = find_baseline(membership, pk)
    others = Baseline.objects.filter(collection=found.collection_id).exclude(pk=found.pk)
    context: dict[str, Any] = {
        "baseline": found,
        "baselines": others[:MOST_OTHERS],
        "is_published": Baseline.objects.published().filter(pk=found.pk).exists(),
    }
    wanted = request.GET.get("with", "")
    if wanted:
        other = get_object_or_404(others, pk=read_id(wanted))
        context |= {"other": other, **shown_differences(compare_baselines(other, found))}
    else:
        members = Version.objects.without_text().filter(baselines__baseline=found)
        members = members.select_related("document").order_by("document__name", "document_id")
        context["page"] = Paginator(members, DOCUMENTS_PER_PAGE).get_page(request.GET.get("page"))
    return tenant_page(request, membership, "baseline", context)


def read_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def shown_differences(found: BaselineDifferences) -> dict[str, Any]:
    return {
        "fates": [(fate.value.title(), found.of(fate)) for fate in (Fate.ADDED, Fate.REMOVED)],
        "changed": [(change, *shown_units(found, change)) for change in found.of(Fate.CHANGED)],
        "unchanged": found.of(Fate.UNCHANGED),
        "is_same": all(change.fate == Fate.UNCHANGED for change in found.documents),
    }


def shown_units(
    found: BaselineDifferences, change: DocumentChange
) -> tuple[bool, list[tuple[str, str, int]]]:
    """Return whether a document was compared unit by unit, and how many of its units became what."""
    units = found.units.get(change.new.document_id) if change.new else None
    if units is None:
        return False, []
    return True, [
        (str(WORDS[kind]), TAGS[kind], count)
        for kind, count in units.counts.items()
        if count and kind != "unchanged"
    ]


def find_collection(membership: Membership, pk: UUID) -> Collection:
    return get_object_or_404(Collection.objects.for_tenant(membership.tenant).select_related("tenant"), pk=pk)


def find_baseline(membership: Membership, pk: UUID) -> Baseline:
    own = Baseline.objects.for_tenant(membership.tenant).select_related("collection__tenant")
    return get_object_or_404(own, pk=pk)


def baselines_page(
    request: HttpRequest, membership: Membership, collection: Collection, form: BaselineForm
) -> HttpResponse:
    own = Baseline.objects.for_tenant(membership.tenant).filter(collection=collection)
    moves = Publication.objects.filter(collection=collection).select_related("baseline").order_by("-number")
    history = list(moves[:MOST_PUBLICATIONS])
    is_editor = membership.allows(Role.EDITOR)
    context = {
        "collection": collection,
        "page": Paginator(own, BASELINES_PER_PAGE).get_page(request.GET.get("page")),
        "history": history,
        "published": history[0].baseline if history else None,
        "form": form,
        "is_editor": is_editor,
        "documents": choices(collection) if is_editor else [],
        "chosen": request.POST.getlist("versions"),
    }
    return tenant_page(request, membership, "baselines", context, is_refused=form.is_bound)


def choices(collection: Collection) -> list[Document]:
    """Return the documents of a small collection with their ready versions; of a large one, none."""
    ready = Version.objects.without_text().readable().order_by("-number")
    own = Document.objects.present().filter(collection=collection)
    found = list(own.prefetch_related(Prefetch("versions", ready, to_attr="ready"))[: MOST_CHOICES + 1])
    return [] if len(found) > MOST_CHOICES else [one for one in found if one.ready]  # type: ignore[attr-defined]
