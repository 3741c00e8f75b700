"""Terms that a technical standard quotes where it introduces them, and then uses without quotation marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.dressed import are_joined, is_natural
from definitions.extract.definitions.marks import Mark
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.terms import trim

CLASS = re.compile(  # A quoted literal is followed by what it is: the "gzip" coding.
    r"\s(?:[\w-]+\s)?(?:parameters?|directives?|options?|tokens?|types?|codings?|rules?|fields?|headers?"
    r"|attributes?|values?"
    r"|flags?|keywords?|elements?|tags?|characters?|schemes?|methods?|media|commands?|whitespace|tokens?"
    r"|button|URIs?|strings?)\b"
)
SHORTEST, STEM = 4, 6
FEW, OFTEN = 3, 5  # Quoted at most so often, and used at least so often.
LONGEST_TITLE = 60
MOST = 1000  # Phrases that are counted in the whole text.


def find_introduced(page: Page, marks: Sequence[Mark]) -> Iterator[Candidate]:
    """Yield what is quoted once or twice, used often, and taken up by a heading."""
    lowered = page.text.lower()
    titles = " ".join(_title(page, index) for index in range(len(page.units))).lower()
    for mark in _first_quoted(page.text, marks)[:MOST]:
        phrase = page.text[mark.inner_start : mark.inner_end].lower()
        is_titled = all(word[:STEM] in titles for word in phrase.split())
        if (
            is_titled
            and lowered.count(phrase) > OFTEN
            and (span := trim(page.text, (mark.inner_start, mark.inner_end)))
        ):
            stated = page.sentence_start(mark.start)
            yield Candidate(*span, stated, mark.end, "introduced", 0.5, among=(span,))


def _title(page: Page, index: int) -> str:
    """Return a unit's title, or the few words that stand alone at its head, as “origin-form” may."""
    if page.units[index].title or not index:
        return page.units[index].title
    block = page.block_at(page.units[index].start)
    line = page.text[page.head(block) : page.block_span(block)[1]].strip()
    return line if len(line) <= LONGEST_TITLE and line[-1:].isalnum() else ""


def _first_quoted(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Return where each phrase is first quoted, if it is rarely quoted and can be a term."""
    quoted = [
        mark for mark in marks if mark.quote in '"“' and is_natural(text[mark.inner_start : mark.inner_end])
    ]
    counts = Counter(text[mark.inner_start : mark.inner_end].lower() for mark in quoted)
    first: dict[str, Mark] = {}
    for before, mark in zip([None, *quoted], quoted, strict=False):
        phrase = text[mark.inner_start : mark.inner_end]
        is_alone = before is None or not are_joined(text, before, mark)
        if is_alone and counts[phrase.lower()] <= FEW and not _is_literal(text, mark):
            first.setdefault(phrase.lower(), mark)
    return list(first.values())


def _is_literal(text: str, mark: Mark) -> bool:
    phrase = text[mark.inner_start : mark.inner_end]
    is_word = len(phrase) >= SHORTEST and phrase[0].islower() and "/" not in phrase
    return not is_word or phrase.startswith("not ") or CLASS.match(text, mark.end) is not None
