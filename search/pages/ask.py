"""Ask for an answer: sources that were found, and if a chat model is declared, what it makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from documents.errors import ReadContextRefused
from documents.pages.read import Reading, read_page
from search import backends
from search.answering import Answered, Written, check_written, write_answer
from search.context.assemble import AssembledContext, ContextSource, assemble_context
from search.errors import QueryRefused
from search.models import Door
from search.pages.links import place_link
from search.pages.snippets import GAP, plain
from search.permalink import permalink_of
from tenants.access import find_membership, tenant_view
from tenants.models import Membership, Tenant
from tenants.scope import tenant_scope
from tenants.views import tenant_page

LONGEST = 10_001
SHOWN = 700  # Characters of a source; the permalink has all of it.


@dataclass(frozen=True, slots=True)
class Shown:
    """A source as the page shows it."""

    source: ContextSource
    number: int
    text: str
    href: str
    permalink: str


@dataclass(frozen=True, slots=True)
class Asking:
    """A question as the page was asked it, and what there is on it; or what is wrong with it."""

    reading: Reading
    query: str
    found: AssembledContext | None = None
    problem: str = ""


@tenant_view(is_scoped=False)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show what there is on a question; a model is asked, and paid, only when somebody presses the button."""
    tenant = membership.tenant
    with tenant_scope(tenant.pk):
        asking = read_asked(request, tenant)
    written = None
    if request.method == "POST" and asking.found:
        written = write_answer(tenant=tenant, query=asking.query, context=asking.found)
        membership = find_membership(request, tenant.slug)
    with tenant_scope(tenant.pk):
        context = show(asking, written, membership)
        return tenant_page(request, membership, "ask", context)


def read_asked(request: HttpRequest, tenant: Tenant) -> Asking:
    """Read the question and look for its sources."""
    reading = read_page(request, tenant)
    given = request.POST if request.method == "POST" else request.GET
    query = given.get("q", "").replace("\0", "").strip()[:LONGEST]
    if not query or reading.problem:
        return Asking(reading, query)
    try:
        found = assemble_context(tenant=tenant, query=query, read_context=reading.context, door=Door.PAGE)
    except (QueryRefused, ReadContextRefused) as error:
        return Asking(reading, query, problem=str(error))
    return Asking(reading, query, found)


def show(asking: Asking, written: Written | None, membership: Membership) -> dict[str, Any]:
    """Return what the template shows, of sources that can still be read."""
    reading, query, tenant = asking.reading, asking.query, membership.tenant
    answerer = backends.answerer()
    context = {"reading": reading, "query": query, "answerer": answerer and answerer.name}
    if asking.found is None:
        return {**context, "problem": asking.problem}
    try:
        answered = check_written(
            written, asking.found, tenant=tenant, query=query, read_context=reading.context
        )
    except ReadContextRefused as error:  # What was published or kept is no longer.
        return {**context, "problem": str(error)}
    return {**context, "answered": answered, "sources": show_sources(answered, membership, reading.words)}


def show_sources(answered: Answered, membership: Membership, read: str) -> list[Shown]:
    return [
        Shown(
            source,
            number,
            GAP.sub("\n", plain(text[:SHOWN])).strip() + (" …" if len(text) > SHOWN else ""),
            place_link(
                membership.tenant.slug, source.citation.document_id, label=source.section_label, read=read
            ),
            permalink_of(
                membership.tenant.slug,
                source.citation.version_id,
                source.citation.span,
                source.citation.content_hash,
            ),
        )
        for number, (source, text) in enumerate(zip(answered.context.sources, answered.texts, strict=True), 1)
    ]
