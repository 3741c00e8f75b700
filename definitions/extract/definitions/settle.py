"""Settle which candidates are definitions: the surest reading of each place, and each meaning once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.page import Page

THRESHOLD = 0.5
SURE = 0.7  # Below, a term that is defined anywhere in the document is not defined again.
NEAR = 2000  # A second definition of a term so near to the first is the same one.


def settle_candidates(page: Page, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates that are kept, in the order of the text."""
    sure = [each for each in candidates if each.confidence >= THRESHOLD]
    sure.sort(key=lambda each: (-each.confidence, each.start))
    return sorted(_drop_repeated(page, _drop_overlapping(sure)), key=lambda each: each.start)


def _drop_overlapping(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Keep the surest of those that print their term at the same place."""
    taken: set[int] = set()
    kept = []
    for candidate in candidates:
        places = set(range(candidate.start, candidate.end))
        if not places & taken:
            taken |= places
            kept.append(candidate)
    return kept


def _drop_repeated(page: Page, candidates: Sequence[Candidate]) -> list[Candidate]:
    by_term: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        others = by_term[key(page.text[candidate.start : candidate.end])]
        if not any(_is_same(page, candidate, other) for other in others):
            others.append(candidate)
    return [candidate for others in by_term.values() for candidate in others]


def _is_same(page: Page, candidate: Candidate, other: Candidate) -> bool:
    if candidate.confidence < SURE:
        return True
    unit = page.units[page.unit_at(other.start)]
    is_near = abs(candidate.start - other.start) < NEAR
    return (unit.start <= candidate.start < unit.end and is_near) or page.unit_at(
        candidate.start
    ) in page.ancestors(page.unit_at(other.start))


def key(term: str) -> str:
    """Return a term as terms are compared."""
    return re.sub(r"\W+", " ", term.casefold()).strip()
