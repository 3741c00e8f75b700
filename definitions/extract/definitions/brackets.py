"""Terms that a bracket introduces: (the "Bank"), (hereinafter the Seller), and acronyms in a definition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.marks import SINGLE, Mark
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.sections import Sections
from definitions.extract.definitions.terms import initials, trim
from definitions.extract.definitions.words import either

FARTHEST = 140  # Between the bracket and the term.
MANY = 4  # So many definitions elsewhere, and a name in single quotation marks is only a nickname.
CLOSES = re.compile(rf"\s*(?:[),;]|{either('joins')}\b)", re.IGNORECASE)
WORDS = re.compile(rf"(?:[\s,:;/–-]|\b{either('bracket')}(?!\w))*", re.IGNORECASE)
ENDS_WITH_ARTICLE = re.compile(rf"\b{either('articles')}\s*$|l['’]$", re.IGNORECASE)
SMALL = (
    r"(?:the|an?|of|and|or|for|in|to|on|by|with|de|la|le|les|des|du|et|der|die|das|und|y|e|del|di|van|en|&)"
)
NAMELIKE = re.compile(
    rf"(?:{SMALL}\s|l['’])?(?:[A-ZÀ-Þ][\w'’./&-]+)(?:[\s-]+(?:[A-ZÀ-Þ0-9][\w'’./&-]*|{SMALL})){{0,7}}"
)
ENDS_BLOCK = re.compile(r"\)\W*(?:\n|$)")
EXAMPLE = re.compile(r"\b(?:such as|e\.g\.|i\.e\.|like|see|for example|including)\b", re.IGNORECASE)
UNDRESSED = re.compile(
    r"\((?:hereinafter|hereafter|ci-après|im Folgenden|nachfolgend|en adelante|di seguito|doravante|hierna)"
    rf"[,:]?\s+(?:{either('bracket')}[,:]?\s+){{0,6}}(?P<term>[A-ZÀ-Þ][^()\"“«„,;\n]{{1,60}})\)"
)
SHORT = re.compile(r"\(([A-Z][A-Za-z&.-]{1,10})\)")
NAME = re.compile(r"(?:(?:[A-Z][\w'’-]*|of|and|for|the|in|on|to|&)[ ,]+){1,9}$")


def find_bracketed(
    page: Page, sections: Sections, marks: Sequence[Mark], singles: int
) -> Iterator[Candidate]:
    """Yield the dressed terms of brackets; `singles` counts the definitions in single quotation marks."""
    for mark in marks:
        if mark.quote in SINGLE and singles >= MANY:
            continue
        opening = _opening(page.text, mark)
        if (
            opening is not None
            and CLOSES.match(page.text, mark.end)
            and _introduces(page.text, opening, mark, marks)
        ):
            is_bare = not page.text[opening + 1 : mark.start].strip()
            if (
                is_bare
                and sections.root(page.unit_at(mark.start)) is not None
                and ENDS_BLOCK.match(page.text, mark.end)
            ):
                continue  # The word of the other language of a bilingual law.
            style, confidence = ("bracket-bare", 0.7) if is_bare else ("bracket", 0.85)
            yield from _candidate(page, (mark.inner_start, mark.inner_end), opening, style, confidence)
    for match in UNDRESSED.finditer(page.text):
        yield from _candidate(page, match.span("term"), match.start(), "bracket-plain", 0.8)


def _opening(text: str, mark: Mark) -> int | None:
    start = max(0, mark.start - FARTHEST)
    opening = text.rfind("(", start, mark.start)
    return opening if opening > 0 and text.rfind(")", opening, mark.start) < 0 else None


def _introduces(text: str, opening: int, mark: Mark, marks: Sequence[Mark]) -> bool:
    """Return whether only words such as "each, a" stand between the bracket and the term."""
    words = re.sub(r"[“\"«„‘*_][^“”\"«»„‘’*_\n]{1,80}[”\"»“’*_]+", " ", text[opening + 1 : mark.start])
    term = text[mark.inner_start : mark.inner_end]
    is_name = NAMELIKE.fullmatch(term) is not None
    if (mark.is_emphasis and not words.strip()) or EXAMPLE.search(words):
        return False
    if WORDS.fullmatch(words):
        return is_name or bool(re.search(r"here(?:in)?after|folgend|après", words))
    return (
        is_name
        and not EXAMPLE.search(words)
        and ENDS_WITH_ARTICLE.search(words) is not None
        and "\n\n" not in words
    )


def _candidate(
    page: Page, span: tuple[int, int], opening: int, style: str, confidence: float
) -> Iterator[Candidate]:
    if found := trim(page.text, span):
        start, end = found
        end -= 2 * page.text.endswith(("’s", "'s"), start, end)
        yield Candidate(
            start, end, page.sentence_start(opening), opening, style, confidence, among=((start, end),)
        )


def find_short_names(page: Page, definitions: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield acronyms behind a name that a definition gives: X means the Long Name (LN)."""
    for definition in definitions:
        end = min(page.sentence_end(definition.turn), definition.turn + 300)
        for match in SHORT.finditer(page.text, definition.turn, end):
            name = NAME.search(page.text[max(definition.turn, match.start() - 120) : match.start()])
            short = match.group(1).replace(".", "").upper()
            is_whole = name and not page.text[definition.turn : match.start() - len(name.group())].strip(
                " *_the"
            )
            if name and is_whole and short and initials(name.group()).endswith(short):
                span = match.span(1)
                yield Candidate(*span, definition.stated, match.end(), "short-name", 0.7, among=(span,))
