"""Where a definition holds: the unit that its own words name, or those before its list, or the title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.sections import Sections
from definitions.extract.definitions.words import either
from documents.parse.words import ANNEXES, KINDS

NEAR = 200  # Behind the verb, words of scope may follow: "means, for the purposes of this section, …".
LOWEST = (
    r"sub-?paragraph|sub-?section|paragraph|sub-?clause|sub-?rule|point|absatz|alinéa|paragraphe|apartado|lid"
    r"|comma|número|definition|définition|begriffsbestimmung|definición|definizione|definição|definitie"
)
WORDS = "|".join(f"(?:{words})" for words in (KINDS | ANNEXES).values())
SCOPE = re.compile(
    rf"(?:^|[\s(“\"‘«,;:—–-])(?:{either('scope')})\s+{either('this')}\s+"
    rf"(?P<word>{LOWEST}|{WORDS}|{either('document')})(?:\b|(?<=\.))(?:\s+(?P<marker>\([\w.]{{1,6}}\)))?",
    re.IGNORECASE,
)
KIND = {kind: re.compile(words, re.IGNORECASE) for kind, words in (KINDS | ANNEXES).items()}
# What a draftsman calls a section may be a rule, a clause or a heading without a number in the outline.
SECTIONS = ("section", "sign", "article", "rule", "clause", "heading")
STANDS_FOR = {
    "section": SECTIONS,
    "article": ("article", "sign", "section"),
    "rule": ("rule",),
    "clause": ("clause", "section"),
}
DOCUMENT = re.compile(either("document"), re.IGNORECASE)
LOWEST_WORD = re.compile(LOWEST, re.IGNORECASE)


def find_scope(page: Page, sections: Sections, candidate: Candidate) -> int:
    """Return the unit inside which a definition holds; 0 is the document."""
    unit = page.unit_at(candidate.start)
    for start, end, home in _places(page, sections, candidate, unit):
        if match := SCOPE.search(page.text, start, end):
            return _named(page, home, match)
    if sections.root(unit) is None and (annex := sections.in_annex(unit)) is not None:
        return annex
    return 0


def _places(
    page: Page, sections: Sections, candidate: Candidate, unit: int
) -> Iterator[tuple[int, int, int]]:
    """Yield where words of scope may stand, the nearest first, each with the unit that they speak from."""
    sentence = page.sentence_start(candidate.start)
    yield max(0, sentence - 1), candidate.start, unit
    yield candidate.end, max(candidate.end, candidate.turn), unit
    for above in page.ancestors(unit):
        start, end = sections.lead_in(above)
        is_list = above == sections.root(unit) or sections.announces(above)
        if above and is_list:
            yield start, min(end, candidate.stated), above


def _named(page: Page, home: int, match: re.Match[str]) -> int:
    """Return the unit around a place that a word names, or the document."""
    word, marker = match["word"], match["marker"]
    chain = page.ancestors(home)[:-1]
    if LOWEST_WORD.fullmatch(word):
        return _lowest(page, chain, word, marker)
    kinds = [kind for kind, pattern in KIND.items() if pattern.fullmatch(word)]
    if DOCUMENT.fullmatch(word) and word[:1].isupper():
        return 0  # "this Regulation" with a capital is the whole.
    wanted = {each for kind in kinds for each in STANDS_FOR.get(kind, (kind,))}
    if wanted & set(ANNEXES):
        wanted = set(ANNEXES)
    return next((unit for unit in chain if page.units[unit].kind in wanted), 0)


def _lowest(page: Page, chain: list[int], word: str, marker: str | None) -> int:
    """Return the paragraph of that marker, or the one in which the words stand."""
    if marker:
        return next((unit for unit in chain if page.units[unit].marker == marker), chain[0] if chain else 0)
    if word.lower().startswith(("defin", "défin", "begriff")):
        return chain[0] if chain else 0  # "For the purposes of this definition, “control” means …"
    if word.lower().replace("-", "") in {"subsection", "subrule", "subclause"}:
        below = [unit for unit in chain if page.units[page.units[unit].parent or 0].kind in SECTIONS]
        return below[0] if below else 0
    return next((unit for unit in chain if page.units[unit].kind == "paragraph"), 0)
