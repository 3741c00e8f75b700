"""What reading again may cost: said on a page of its own, which waits for a yes."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from documents import agreement
from documents.models import Collection, VersionQuerySet
from documents.unpack import Incoming
from search.budget import dollars
from tenants.models import Membership
from tenants.views import tenant_page

Kept = Sequence[tuple[str, str]]  # Names and values of a form.


def ask_price(
    request: HttpRequest,
    membership: Membership,
    collection: Collection,
    versions: VersionQuerySet,
    *,
    address: str = "",
    kept: Kept | None = None,
) -> HttpResponse | None:
    """Return the page that asks whether to read versions for money; nothing if there is nothing to ask.

    A yes is sent to where the question came from, or to `address`, with what was sent there.
    """
    if not agreement.is_paid(collection):
        return None
    rows = versions.order_by("document_id").values_list("file_name", "source__content")
    files = [Incoming(name, bytes(content)) for name, content in rows]
    asked = agreement.ask_for(collection, files, agreed=request.POST.get("agreed", ""))
    if asked is None:
        return None
    context = {
        "collection": collection,
        "quote": asked.quote.sentence,
        "price": dollars(asked.quote.most_cost),
        "token": asked.token,
        "address": address or request.get_full_path(),
        "kept": what_was_sent(request) if kept is None else kept,
        "back": reverse("collection", args=[membership.tenant.slug, collection.pk]),
    }
    return tenant_page(request, membership, "price", context)


def what_was_sent(request: HttpRequest) -> Kept:
    own = {"csrfmiddlewaretoken", "agreed"}
    return [(name, str(one)) for name, some in request.POST.lists() if name not in own for one in some]
