"""The defined terms in a unit, each with the definition that governs there, for whoever shows its text."""

from __future__ import annotations

from dataclasses import dataclass

from definitions.models import Definition
from definitions.outlines import load_outline
from definitions.uses import Term, TermMatcher, heading_spans
from documents.models import Section, Version


@dataclass(frozen=True, slots=True)
class ShownTerm:
    """A use of a defined term, in characters of the version's text."""

    start: int
    end: int
    definition: Definition


def show_terms(section: Section) -> list[ShownTerm]:
    """Return the uses of terms in a unit, in its order; of two definitions the one with the nearer scope."""
    rows = list(Definition.objects.filter(version=section.version_id).select_related("scope", "section"))
    if not rows:
        return []
    text = Version.objects.values_list("text", flat=True).get(pk=section.version_id)
    skip = heading_spans(text, load_outline(section.version_id).units)
    matcher = TermMatcher(text, [_term(row) for row in rows], skip=skip)
    uses = matcher.find(section.start, section.end)
    return [ShownTerm(use.start, use.end, rows[use.term]) for use in uses]


def _term(row: Definition) -> Term:
    return Term(
        (row.term, *row.variants),
        row.start,
        row.end,
        (row.text_start, row.text_end),
        (row.scope.start, row.scope.end),
    )
