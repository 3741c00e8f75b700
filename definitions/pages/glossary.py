"""The glossary of a collection."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from definitions.glossary import REST, count_letters, find_terms, find_uses_of, load_entries, load_entry
from definitions.terms import LONGEST_KEY
from documents.models import Collection
from documents.pages.read import read_page
from tenants.access import tenant_view
from tenants.models import Membership
from tenants.views import tenant_page

TERMS_PER_PAGE = 30


@tenant_view()
@require_safe
def glossary(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """List the defined terms, A to Z, with their meanings."""
    collection = find_collection(membership, pk)
    reading = read_page(request, membership.tenant, collections=[collection])
    words, letter = given(request, "q"), given(request, "letter")[:1].upper()
    if letter != REST and not ("A" <= letter <= "Z"):
        letter = ""
    letters = count_letters(reading.versions)
    terms = find_terms(reading.versions, words=words, letter=letter)
    page = Paginator(terms, TERMS_PER_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "collection": collection,
        "reading": reading,
        "words": words,
        "letter": letter,
        "letters": letters,
        "total": sum(letters.values()),
        "page": page,
        "entries": load_entries(reading.versions, list(page)) if page.object_list else [],
    }
    return tenant_page(request, membership, "glossary", context)


@tenant_view()
@require_safe
def glossary_term(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show all that a term means, and the units that use it."""
    collection = find_collection(membership, pk)
    reading = read_page(request, membership.tenant, collections=[collection])
    term = given(request, "term")
    entry = load_entry(reading.versions, term)
    uses = find_uses_of(entry.definitions if entry else ())
    context = {
        "collection": collection,
        "reading": reading,
        "term": term,
        "entry": entry,
        "uses": uses.units,
        "more_uses": uses.more,
    }
    return tenant_page(request, membership, "glossary_term", context)


def find_collection(membership: Membership, pk: UUID) -> Collection:
    return get_object_or_404(Collection.objects.for_tenant(membership.tenant), pk=pk)


def given(request: HttpRequest, name: str) -> str:
    """Return what an address says, as far as it can be looked for."""
    return request.GET.get(name, "").replace("\0", "").strip()[:LONGEST_KEY]
