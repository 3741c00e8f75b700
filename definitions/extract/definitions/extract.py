"""Find definitions, in whichever style they are drafted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from definitions.extract.definitions.bodies import find_body, find_exclusions, find_given_in
from definitions.extract.definitions.brackets import find_bracketed, find_short_names
from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.captions import find_captioned
from definitions.extract.definitions.dressed import find_dressed
from definitions.extract.definitions.glossary import find_glossed
from definitions.extract.definitions.introduced import find_introduced
from definitions.extract.definitions.marks import SINGLE, Mark, find_marks
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.plain import find_plain
from definitions.extract.definitions.prose import find_called, find_listed
from definitions.extract.definitions.scope import find_scope
from definitions.extract.definitions.sections import Sections
from definitions.extract.definitions.settle import settle_candidates
from definitions.extract.definitions.terms import ACRONYM
from definitions.extract.definitions.variants import find_variants
from definitions.extract.found import FoundDefinition, Span
from documents.parse import Unit

PROSE = frozenset({"quoted-states", "called", "heading-named"})
FEWEST_IN_PROSE = 5
NOT_ITS_STYLE = 0.75
LONGEST_ARTICLE = 7  # With its quotation mark and space.
BILINGUAL = re.compile(r"\([*_“\"«]{1,3}([^()*_“”\"«»]{2,60})[*_”\"»]{1,3}\)\W*$")  # Canada: … (*banque*)


def extract_definitions(text: str, units: Sequence[Unit]) -> tuple[FoundDefinition, ...]:
    """Return the definitions of a text in its order."""
    if not units:
        return ()
    page = Page(text, units)
    sections = Sections(page)
    kept = settle_candidates(page, find_candidates(page, sections))
    return tuple(_rehouse(units, [_describe(page, sections, candidate) for candidate in kept]))


def _rehouse(units: Sequence[Unit], found: Sequence[FoundDefinition]) -> Iterator[FoundDefinition]:
    """Take each definition out of the list that the one before it ends with: it stands beside that list."""
    before: FoundDefinition | None = None
    for definition in found:
        unit = definition.unit
        while before and unit and before.start < units[unit].start < before.body[1] <= definition.start:
            unit = units[unit].parent or 0
        yield replace(definition, unit=unit)
        before = definition if before is None or definition.start >= before.body[1] else before


def _describe(page: Page, sections: Sections, candidate: Candidate) -> FoundDefinition:
    body = find_body(page, candidate)
    term = " ".join(page.text[candidate.start : candidate.end].split())
    return FoundDefinition(
        term=term,
        start=candidate.start,
        end=candidate.end,
        body=body,
        unit=page.unit_at(candidate.start),
        scope=find_scope(page, sections, candidate),
        style=candidate.style,
        confidence=round(candidate.confidence, 2),
        variants=find_variants(
            term, is_name=candidate.style.startswith("bracket"), others=_others(page, candidate, body)
        ),
        exclusions=find_exclusions(page, candidate, body),
        given_in=find_given_in(page, candidate),
    )


def _others(page: Page, candidate: Candidate, body: Span) -> tuple[str, ...]:
    """Return the abbreviation that shares a statement, and the word of the other language behind it."""
    own = page.text[candidate.start : candidate.end]
    names = [
        page.text[start:end]
        for start, end in candidate.among
        if (start, end) != (candidate.start, candidate.end)
    ]
    shorts = [name for name in names if ACRONYM.fullmatch(name) and len(name) < len(own)]
    bilingual = (
        BILINGUAL.search(page.text, max(body[0], body[1] - 90), body[1])
        if "emphasis" in candidate.style
        else None
    )
    return (*shorts, *([bilingual[1]] if bilingual else []))


def find_candidates(page: Page, sections: Sections) -> list[Candidate]:
    """Return what each rule takes for a term, the same place perhaps more than once."""
    marks = find_marks(page)
    dressed = list(find_dressed(page, sections, marks))
    plain = list(find_plain(page, sections))
    singles = sum(page.text[each.start - 1] in SINGLE for each in dressed)
    prose = [*find_called(page, marks), *find_captioned(page, sections)]
    candidates = [
        *dressed,
        *plain,
        *prose,
        *find_short_names(page, [*dressed, *plain]),
        *find_bracketed(page, sections, marks, singles),
        *find_listed(page, sections, marks),
        *find_glossed(page, sections),
    ]
    return _in_style(
        page, sections, marks, [each for each in candidates if not _is_aside(page, sections, each)]
    )


def _is_aside(page: Page, sections: Sections, candidate: Candidate) -> bool:
    """Return whether a commentary says it, or a text that is quoted as a whole."""
    block, _ = page.block_span(page.block_at(candidate.start))
    before = page.text[max(block, candidate.start - 2000) : candidate.start]
    own = before.rfind("“", -LONGEST_ARTICLE)
    before = before[:own] if own >= 0 else before
    is_quoted = before.count("“") > before.count("”") + before.count("„")
    return is_quoted or sections.is_commentary(page.unit_at(candidate.start))


def _in_style(
    page: Page, sections: Sections, marks: Sequence[Mark], candidates: list[Candidate]
) -> list[Candidate]:
    """Trust prose in documents that define in prose, as technical standards do, and less so elsewhere."""
    prose = sum(each.style in PROSE for each in candidates)
    if prose * 2 >= len(candidates) - prose:
        candidates = [each for each in candidates if each.style != "bracket-bare"]
        return candidates + list(find_introduced(page, marks) if prose >= FEWEST_IN_PROSE else ())
    return [_trust_less(page, sections, each) for each in candidates]


def _trust_less(page: Page, sections: Sections, candidate: Candidate) -> Candidate:
    if candidate.style not in PROSE or sections.root(page.unit_at(candidate.start)) is not None:
        return candidate
    return replace(candidate, confidence=candidate.confidence * NOT_ITS_STYLE)
