"""The page of a collection: what is in it, how far it is read, what went wrong, and the door for files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy
from django.views.decorators.http import require_POST, require_safe

from documents import agreement, services
from documents.errors import DocumentError
from documents.forms import UploadForm
from documents.models import Collection, Document, Version
from documents.pages.listing import OPEN, ORDERS, Listing, count_by_state
from documents.pages.price import ask_price
from documents.pages.upload_words import UPLOAD_WORDS
from documents.standing import add_notices, tell_time_left
from search.budget import dollars
from search.quote import Quote
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page

DOCUMENTS_PER_PAGE = 50


@tenant_view()
@require_safe
def collection(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    return collection_page(request, membership, find_collection(membership, pk), UploadForm())


@tenant_view(role=Role.EDITOR)
@require_POST
def retry_failed(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_collection(membership, pk)
    if agreement.is_paid(found):  # As many as are quoted while somebody waits.
        own, listing = Document.objects.for_tenant(membership.tenant), Listing(show="failed")
        failed = listing.choose(own.filter(collection=found)).select_related("tenant", "collection")
        return do_to(request, membership, found, failed[:DOCUMENTS_PER_PAGE], name="retry", listing=listing)
    count = services.retry_failed(collection=found, actor=Actor.of_request(request))
    said = ngettext("%(count)d document is read again.", "%(count)d documents are read again.", count)
    return told(request, membership, found, said % {"count": count}, show=OPEN if count else "")


@tenant_view(role=Role.EDITOR)
@require_POST
def cancel_reading(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = find_collection(membership, pk)
    count = services.cancel_reading(collection=found, actor=Actor.of_request(request))
    said = ngettext(
        "%(count)d document is no longer read. What was done is kept, should you try again.",
        "%(count)d documents are no longer read. What was done is kept, should you try again.",
        count,
    )
    return told(request, membership, found, said % {"count": count}, show="cancelled" if count else "")


@tenant_view(role=Role.EDITOR)
@require_POST
def act_on_documents(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Do the same to each document that was ticked, and say how often it worked and why it did not."""
    found = find_collection(membership, pk)
    own = Document.objects.for_tenant(membership.tenant).filter(collection=found)
    chosen = own.filter(pk__in=ticked(request)).select_related("tenant", "collection")
    name, listing = request.POST.get("act", ""), Listing.of(request.GET)
    return do_to(request, membership, found, chosen, name=name, listing=listing)


def do_to(
    request: HttpRequest,
    membership: Membership,
    collection: Collection,
    documents: Iterable[Document],
    *,
    name: str,
    listing: Listing,
) -> HttpResponse:
    act, chosen = ACTS.get(name), list(documents)
    if act is None or not chosen:
        messages.error(request, _("Nothing was done. Tick at least one document, and choose what to do."))
        return back(membership, collection, listing)
    if name == "retry" and (page := ask_to_retry(request, membership, collection, chosen, listing)):
        return page
    count = sum(_try(request, act, document) for document in chosen)
    messages.success(request, DID[name] % {"count": count})
    return back(membership, collection, listing)


def ask_to_retry(
    request: HttpRequest,
    membership: Membership,
    collection: Collection,
    documents: Sequence[Document],
    listing: Listing,
) -> HttpResponse | None:
    address = reverse("act_on_documents", args=[membership.tenant.slug, collection.pk])
    query = listing.query()
    return ask_price(
        request,
        membership,
        collection,
        Version.objects.newest().filter(document__in=documents).ended(),
        address=f"{address}?{query}" if query else address,
        kept=[("act", "retry"), *(("document", str(document.pk)) for document in documents)],
    )


def ticked(request: HttpRequest) -> list[UUID]:
    """Return the ids that were sent, without what is none; no more than a page shows."""
    ids = []
    for one in request.POST.getlist("document")[:DOCUMENTS_PER_PAGE]:
        try:
            ids.append(UUID(one))
        except ValueError:
            continue
    return ids


def _try(request: HttpRequest, act: Callable[[Document, Actor], None], document: Document) -> bool:
    try:
        act(document, Actor.of_request(request))
    except DocumentError as error:
        messages.error(request, str(error))
        return False
    return True


def _delete(document: Document, actor: Actor) -> None:
    services.delete_document(document=document, actor=actor)


def _restore(document: Document, actor: Actor) -> None:
    services.restore_document(document=document, actor=actor)


def _retry(document: Document, actor: Actor) -> None:
    services.retry_version(version=_last(document), actor=actor)


def _cancel(document: Document, actor: Actor) -> None:
    services.cancel_version(version=_last(document), actor=actor)


def _last(document: Document) -> Version:
    version = Version.objects.without_text().filter(document=document).order_by("-number")[0]
    version.document = document
    return version


ACTS: dict[str, Callable[[Document, Actor], None]] = {
    "delete": _delete,
    "restore": _restore,
    "retry": _retry,
    "cancel": _cancel,
}
DID = {
    "delete": ngettext_lazy(
        "%(count)d document is in the bin.", "%(count)d documents are in the bin.", "count"
    ),
    "restore": ngettext_lazy("%(count)d document is back.", "%(count)d documents are back.", "count"),
    "retry": ngettext_lazy(
        "%(count)d document is read again.", "%(count)d documents are read again.", "count"
    ),
    "cancel": ngettext_lazy(
        "%(count)d document is no longer read.", "%(count)d documents are no longer read.", "count"
    ),
}


def told(
    request: HttpRequest, membership: Membership, collection: Collection, said: str, *, show: str
) -> HttpResponse:
    messages.success(request, said)
    return back(membership, collection, Listing(show=show))


def back(membership: Membership, collection: Collection, listing: Listing) -> HttpResponse:
    address = reverse("collection", args=[membership.tenant.slug, collection.pk])
    query = listing.query()
    return redirect(f"{address}?{query}" if query else address)


def find_collection(membership: Membership, pk: UUID) -> Collection:
    own: QuerySet[Collection] = Collection.objects.for_tenant(membership.tenant).select_related("tenant")
    return get_object_or_404(own, pk=pk)


def collection_page(
    request: HttpRequest,
    membership: Membership,
    collection: Collection,
    form: UploadForm,
    *,
    quote: Quote | None = None,
    token: str = "",
) -> HttpResponse:
    listing = Listing.of(request.GET)
    own = Document.objects.for_tenant(membership.tenant).filter(collection=collection)
    page = Paginator(listing.choose(own).with_newest(), DOCUMENTS_PER_PAGE).get_page(request.GET.get("page"))
    shown: list[Any] = [version for document in page for version in document.newest]  # type: ignore[attr-defined]
    add_notices(shown)
    tell_time_left(shown)
    counts = count_by_state(collection)
    context: dict[str, Any] = {
        "collection": collection,
        "page": page,
        "listing": listing,
        "show": listing.show,
        "tabs": listing.tabs(counts),
        "counts": counts,
        "orders": ORDERS,
        "form": form,
        "quote": "" if quote is None else quote.sentence,
        "price": dollars(quote.most_cost) if quote is not None and token else "",
        "token": token,
        "is_paid": agreement.is_paid(collection),
        "ask_above": agreement.ask_above(),
        "largest": services.largest_file(),
        "upload_words": UPLOAD_WORDS,
        "is_editor": membership.allows(Role.EDITOR),
        "is_reading": counts[OPEN] > 0,
    }
    return tenant_page(request, membership, "collection", context, is_refused=form.is_bound)
