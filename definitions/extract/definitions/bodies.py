"""What says the meaning: the sentence or the paragraph, what it leaves out, and where it is given instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.words import either
from definitions.extract.found import Span

LONGEST = 20_000
CONTINUED = re.compile(r"(?:[:—–,;-]|\b(?:and|or|und|oder|et|ou|y|o|e))$")
EXCLUDES = re.compile(rf"\b{either('excludes')}", re.IGNORECASE)
# A sentence that begins so says only what is left out; elsewhere the clause is taken.
WHOLE_SENTENCE = re.compile(
    r"\bnot\b|exclud|ne compren|ne vise|n['’]inclu|nicht|no inclu|no compren|non |não ", re.IGNORECASE
)
CLAUSE_END = re.compile(r"[.;:)\n]|,\s(?=(?:and|or|but|which|that|where|if|unless)\b)")
NEXT_EXCLUDES = re.compile(
    rf"(?:the (?:term|expression|definition)|it|this term|le terme"
    rf"|der begriff)\b.{{0,60}}?\b{either('excludes')}",
    re.IGNORECASE,
)
GIVEN_IN = re.compile(
    r"[^.;\n]{0,80}?\b(?:in|by|under|at|to|as in|with|reference to|à|au|par|dans|nach|en|nel|no|na)\s+"
    r"(?:(?:it|them|that term|those terms|such terms?|that expression|the term|this term"
    r"|each of them)\s+(?:in|by|under|for)\s+)?"
    r"(?P<place>[^;\n]{2,160}?)(?=[;\n]|,\s(?:and|or|except|but|as|other|unless|which)\b|\.?[\"”’)]*$)",
    re.IGNORECASE,
)


def find_body(page: Page, candidate: Candidate) -> Span:
    """Return the sentence that defines, or the paragraph that it opens with the units that go on with it."""
    block = page.block_at(candidate.stated)
    start, end = page.block_span(block)
    if candidate.stated > page.head(block) and not _is_behind_caption(page, block, candidate.stated):
        return candidate.stated, max(candidate.end, page.sentence_end(max(candidate.turn, candidate.end)))
    opened = page.opened_unit(start)
    if opened is not None:
        return start, page.unit_end(opened) if page.units[opened].end - start < LONGEST else end
    return start, max(candidate.end, _continued(page, block))


def _is_behind_caption(page: Page, block: int, stated: int) -> bool:
    """Return whether only the title of the unit, or words in emphasis, stand before a statement."""
    head = page.head(block)
    caption = page.text[head:stated].strip(" *_\n")
    opened = page.opened_unit(page.block_starts[block])
    is_title = opened is not None and page.units[opened].title.strip(" *_") == caption
    return is_title or (
        page.text[head] in "*_" and page.text[stated - 1 : stated].isspace() and caption.endswith(".")
    )


def _continued(page: Page, block: int) -> int:
    """Return the end of a paragraph with the items that follow it, if it ends as if more came."""
    _, end = page.block_span(block)
    first = block
    while CONTINUED.search(page.text, max(0, end - 5), end) and block + 1 < len(page.block_starts):
        start, after = page.block_span(block + 1)
        is_rest = page.text[start].islower()  # Behind a list: "but does not include a raft".
        is_item = is_rest or page.head(block + 1) > start or page.text[end - 1] in ":—–"
        if not is_item or page.text[start] in '#“"«„*' or (page.text[end - 1] in ",;" and block == first):
            break
        block, end = block + 1, after
    return end


def find_exclusions(page: Page, candidate: Candidate, body: Span) -> tuple[Span, ...]:
    """Return the sentences and clauses that say what is not meant."""
    return tuple(dict.fromkeys([*_inside(page, candidate, body), *_behind(page, body)]))


def _inside(page: Page, candidate: Candidate, body: Span) -> Iterator[Span]:
    position = max(candidate.turn, body[0])
    for match in EXCLUDES.finditer(page.text, position, min(body[1], position + LONGEST)):
        if match.start() < position:
            continue
        sentence = page.sentence_start(match.start())
        if WHOLE_SENTENCE.search(match.group()) and sentence >= candidate.turn:
            span = sentence, min(page.sentence_end(match.end()), body[1])
        else:
            closing = CLAUSE_END.search(page.text, match.end(), body[1])
            span = match.start(), closing.start() if closing else body[1]
        position = span[1]
        yield span


def _behind(page: Page, body: Span) -> Iterator[Span]:
    """The next unit may say it: "(2) The term does not include …"."""
    block = page.block_at(max(body[0], body[1] - 1)) + 1
    if block < len(page.block_starts) and NEXT_EXCLUDES.match(
        page.text, page.head(block), page.head(block) + 160
    ):
        start, end = page.block_span(block)
        opened = page.opened_unit(start)
        yield start, end if opened is None else page.unit_end(opened)


def find_given_in(page: Page, candidate: Candidate) -> Span | None:
    """Return the words that name where the meaning is given."""
    if not candidate.given:
        return None
    match = GIVEN_IN.match(
        page.text, max(candidate.turn - 5, candidate.end), page.sentence_end(candidate.turn)
    )
    return match.span("place") if match else None
