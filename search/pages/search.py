"""The search page: one box, everything in its address, results with all that comes with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from documents.errors import ReadContextRefused
from documents.models import Document, VersionQuerySet
from documents.pages.read import Reading, read_page
from search.answer import Answer, Confidence, Counts, NotFound
from search.ask import ask, count
from search.copies import find_copies
from search.errors import NoSuchCollection, QueryRefused
from search.models import Door, SavedSearch
from search.pages.asked import PER_PAGE, Asked
from search.pages.examples import examples_of
from search.pages.export import FORMATS, export_results
from search.pages.facets import groups_of
from search.pages.saved import SaveForm
from search.pages.shown import Linked, Shelf, explain
from search.request import Mode
from tenants.access import tenant_view
from tenants.models import Membership, Tenant
from tenants.views import tenant_page

MOST_SAVED = 20
MOST_EXISTING = 12
MEANT, TYPED = "results", "typed"  # Parts of the page: for what somebody has meant, or is typing.


@dataclass(frozen=True, slots=True)
class Missing:
    """A citation that leads nowhere, with searches for what there is."""

    text: str
    reason: str
    existing: tuple[Linked, ...]
    left: int


@tenant_view()
@require_safe
def search(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Search, or show what can be searched for; as a page, as the part of it that changes, or as a file."""
    reading = read_page(request, membership.tenant, without=["part", "format"], form_id="search-form")
    asked = Asked.read_from(request.GET, read=reading.words)
    part = request.GET.get("part", "")
    answer, problem = answer_of(membership.tenant, asked, reading, is_typed=part == TYPED)
    kind = request.GET.get("format", "")
    if answer is not None and kind in FORMATS:
        return export_results(kind, answer, asked, membership.tenant, request.build_absolute_uri)
    context: dict[str, Any] = {
        "reading": reading,
        "asked": asked,
        "problem": problem,
        "modes": modes(),
        "per_page": PER_PAGE,
        "widened": asked.widened().address() if asked.is_narrowed else "",
    }
    if answer is not None:
        context |= shown_answer(request, membership, asked, reading, answer)
    elif not asked.query:
        context |= front(membership, reading.versions)
    if part in {MEANT, TYPED}:
        return render(request, "tenants/search_results.html", {**context, "tenant": membership.tenant})
    return tenant_page(request, membership, "search", context)


def answer_of(tenant: Tenant, asked: Asked, reading: Reading, *, is_typed: bool) -> tuple[Answer | None, str]:
    """Return what is found, or what is wrong with what was asked; neither if nothing was.

    What is still being typed is no question yet, and not counted as one.
    """
    if not asked.query or reading.problem:
        return None, ""
    try:
        answer = ask(
            tenant=tenant,
            read_context=reading.context,
            facets=not asked.is_narrowed,  # See `counted`.
            door=None if is_typed else Door.PAGE,
            **asked.wanted(),
        )
    except (QueryRefused, NoSuchCollection, ReadContextRefused) as error:
        return None, str(error)
    return answer, ""


def shown_answer(
    request: HttpRequest, membership: Membership, asked: Asked, reading: Reading, answer: Answer
) -> dict[str, Any]:
    tenant = membership.tenant
    said = [(hit.passage_id, hit.chunk_id) for hit in answer.hits if hit.passage_id is not None]
    copies = find_copies(said, reading.versions) if any(hit.also_in for hit in answer.hits) else {}
    shelf = Shelf(tenant.slug, asked, request.build_absolute_uri, copies)
    wide = counted(tenant, asked, reading, answer)
    return {
        "answer": answer,
        "results": shelf.results(answer),
        "is_unsure": answer.confidence in {Confidence.LOW, Confidence.NONE} and not answer.not_found,
        "missing": show_missing(tenant, asked, answer.not_found),
        "suggestion": Linked(answer.suggestion, asked.address(query=answer.suggestion))
        if answer.suggestion
        else None,
        "groups": groups_of(wide.facets, asked, names_of(tenant, asked)),
        "facets_of": wide.facets_of,
        "more": more_than(asked, answer),
        "understood": explain(answer.explanation) if answer.explanation else [],
        "explained": asked.address(is_explained=not asked.is_explained),
        "took": answer.took_ms.get("total", 0) / 1000,
        "exports": [
            (kind, name, asked.exported(kind), asked.exported(kind, top=PER_PAGE[-1]))
            for kind, name in FORMATS.items()
        ],
        "save_form": SaveForm(initial={"name": asked.query[:100], "query": asked.words}),
        "degraded": list(answer.degraded.items()),
    }


def more_than(asked: Asked, answer: Answer) -> str:
    """Return the address of the same search with more results, if there may be any."""
    if asked.is_grouped or len(answer.hits) < asked.top_k:
        return ""
    return next((asked.address(top=one) for one in PER_PAGE if one > len(answer.hits)), "")


def counted(tenant: Tenant, asked: Asked, reading: Reading, answer: Answer) -> Counts:
    """Count the candidates of the search in everything, so that a choice can be undone."""
    if not asked.is_narrowed:
        return Counts(answer.facets, answer.facets_of)
    wide = asked.widened().wanted() | {"top_k": 1}
    return count(tenant=tenant, read_context=reading.context, **wide)


def names_of(tenant: Tenant, asked: Asked) -> dict[str, str]:
    """Return the names of the documents that are chosen."""
    if not asked.document:
        return {}
    own = Document.objects.for_tenant(tenant).filter(pk__in=[UUID(one) for one in asked.document])
    return {str(pk): name for pk, name in own.values_list("pk", "name")}


def show_missing(tenant: Tenant, asked: Asked, not_found: tuple[NotFound, ...]) -> list[Missing]:
    """Return citations that lead nowhere, each with searches for what its document has instead."""
    names = {one.document for one in not_found if one.document and one.existing}
    own = Document.objects.for_tenant(tenant).filter(name__in=names) if names else Document.objects.none()
    ids = {name: (str(pk),) for pk, name in own.values_list("pk", "name")}
    return [
        Missing(
            one.text,
            one.reason,
            tuple(
                Linked(label, asked.widened().address(query=label, document=ids.get(one.document, ())))
                for label in one.existing[:MOST_EXISTING]
            ),
            max(0, len(one.existing) - MOST_EXISTING),
        )
        for one in not_found
    ]


def front(membership: Membership, versions: VersionQuerySet) -> dict[str, Any]:
    """Return what is shown before anything is asked."""
    own = SavedSearch.objects.for_tenant(membership.tenant).seen_by(membership.user).select_related("owner")
    return {"examples": examples_of(versions), "saved": own[:MOST_SAVED]}


def modes() -> list[tuple[str, str]]:
    return [
        ("", _("as usual here")),
        (Mode.HYBRID, _("in every way")),
        (Mode.KEYWORD, _("by words")),
        (Mode.SEMANTIC, _("by meaning")),
        (Mode.EXACT, _("exactly")),
    ]
