"""Check a text: each reference is looked up, and each quotation compared word for word."""

from __future__ import annotations

from collections.abc import Sequence

from documents.read_context import HEAD, ReadContext
from documents.visible import visible_versions
from search.ask import find_collections
from search.backends.keyword_indexes.rows import clean
from search.citations.check_quotations import MOST_QUOTATIONS, TOO_MANY, Quoted, check_quotation, describe
from search.citations.check_references import MOST_REFERENCES, Resolved, check_reference, resolve_references
from search.citations.checked import Checked, Checks, Outcome, sum_up
from search.citations.desk import Desk
from search.citations.quotations import Quotation, find_quotations
from search.citations.references import find_references
from search.errors import TextRefused
from search.planning import planner_settings
from search.stages import LIMITED
from search.understand.citations import CitedPlace
from tenants.models import Tenant
from tenants.scope import within_tenant

MOST_CHARACTERS = 50_000
FURTHEST = 150  # Characters between a quotation and what it is cited from.


def check_citations(
    text: str, *, tenant: Tenant, context: ReadContext = HEAD, collections: Sequence[str] = ()
) -> list[Checked]:
    """Return what a text refers to and quotes, in its order, and whether that is right."""
    return list(check_text(text=text, tenant=tenant, read_context=context, collections=collections).checked)


def check_text(
    *, text: str, tenant: Tenant, read_context: ReadContext = HEAD, collections: Sequence[str] = ()
) -> Checks:
    """Check a text against some collections, or all, at a read context."""
    text = require_text(text)
    with within_tenant(tenant.pk), planner_settings(LIMITED):
        chosen = find_collections(tenant, collections) if collections else None
        desk = Desk(tenant, visible_versions(tenant=tenant, context=read_context, collections=chosen))
        quotations = list(find_quotations(text))
        references = outside(find_references(text, most=MOST_REFERENCES), quotations)
        resolved = resolve_references(references, desk)
        checked = [
            *(check_reference(one, desk) for one in resolved),
            *check_quotations(text, quotations, resolved, desk),
        ]
        return sum_up(sorted(checked, key=lambda one: one.span), desk.described)


def require_text(text: str) -> str:
    """Return a text that can be checked; places in it stay the same."""
    if not text.strip():
        raise TextRefused("The text is blank. Send one with references or quotations.")
    if len(text) > MOST_CHARACTERS:
        raise TextRefused(f"The text is longer than {MOST_CHARACTERS:,} characters. Send it in parts.")
    return clean(text)


def outside(references: Sequence[CitedPlace], quotations: Sequence[Quotation]) -> list[CitedPlace]:
    """Leave out what stands in quotations: that is said by the document, and means places in it."""
    return [
        one for one in references if not any(quoted.start <= one.start < quoted.end for quoted in quotations)
    ]


def check_quotations(
    text: str, quotations: Sequence[Quotation], resolved: Sequence[Resolved], desk: Desk
) -> list[Checked]:
    checked = []
    for one in quotations[:MOST_QUOTATIONS]:
        quoted = beside(text, one, resolved)
        found, problem = desk.attempt(lambda each=quoted: check_quotation(each, desk))  # type: ignore[misc]
        checked.append(found or describe(quoted, Outcome.UNCHECKED, problem))
    rest = (describe(Quoted(one), Outcome.UNCHECKED, TOO_MANY) for one in quotations[MOST_QUOTATIONS:])
    return [*checked, *rest]


def beside(text: str, quotation: Quotation, resolved: Sequence[Resolved]) -> Quoted:
    """Add the reference that stands nearest to a quotation, if one stands near and leads somewhere."""
    near = [
        (gap, one)
        for one in resolved
        if one.sections and (gap := gap_between(text, quotation, one.place)) is not None
    ]
    if not near:
        return Quoted(quotation)
    _, nearest = min(near, key=lambda pair: pair[0])
    return Quoted(quotation, nearest.place.text, nearest.sections)


def gap_between(text: str, quotation: Quotation, place: CitedPlace) -> int | None:
    """Return how many characters are between a quotation and a reference; nothing if they are apart."""
    if place.end <= quotation.start:
        between = text[place.end : quotation.start]
    elif place.start >= quotation.end:
        between = text[quotation.end : place.start]
    else:
        return None
    parts = len([part for part in between.split("\n\n") if part.strip()]) if quotation.is_block else 1
    is_apart = "\n\n" in between and (not quotation.is_block or parts > 1)
    return None if is_apart or len(between) > FURTHEST else len(between)
