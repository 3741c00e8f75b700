"""Terms that running text introduces: … is called a "resource", "X": two things, "X" alone on its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.dressed import are_joined, is_natural
from definitions.extract.definitions.marks import DRESS, Mark
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.sections import Sections
from definitions.extract.definitions.terms import trim
from definitions.extract.definitions.words import either

CALLED = re.compile(
    rf"\b{either('called')},?\s*(?:{either('articles')}\s+)?(?:[A-Z]{{2,6}}\s+)?$", re.IGNORECASE
)
# What the sentence before has described: This "selected representation" is …
THIS = re.compile(r"(?:^|[.;]\s)(?:This|These|Dies(?:e|er|es)|Cet(?:te)?|Ce|Este|Esta|Quest[oa]|Deze|Dit)\s$")
IF = re.compile(r"\b(?:is|are)(?: considered)?\s*$")
LISTED = re.compile(
    r"\s*(?:\([^()\n]{1,90}\)\s*)?(?:(?P<sign>[:—–=]"
    r"|\s-\s)(?!\s*[\"{\[\d'“])\s*\S|(?P<list>[:—–-]+)\s*\n|(?P<text>,?\s+\w)|(?P<line>\s*\n\n?\s*\S))"
)


def find_called(page: Page, marks: Sequence[Mark]) -> Iterator[Candidate]:
    """Yield the terms behind "called", "referred to as", "known as", and behind "is" with a condition."""
    called: Mark | None = None
    for mark in marks:
        if mark.is_emphasis or not is_natural(page.text[mark.inner_start : mark.inner_end]):
            continue
        before = page.text[max(0, mark.start - 70) : mark.start]
        is_condition = IF.search(before) and page.text.startswith((" if ", " when "), mark.end)
        if (
            is_condition
            or THIS.search(before)
            or (before.rstrip()[-1:] not in DRESS and CALLED.search(before))
            or (called and are_joined(page.text, called, mark))
        ):
            called = mark
            yield from _candidate(page, mark, "called", 0.6)


def find_listed(page: Page, sections: Sections, marks: Sequence[Mark]) -> Iterator[Candidate]:
    """Yield the terms that open a paragraph and have a sign or, among definitions, no verb behind them."""
    for mark in marks:
        if page.head(page.block_at(mark.start)) not in {mark.start, mark.inner_start}:
            continue
        match = LISTED.match(page.text, mark.end)
        if match is None or (mark.is_emphasis and page.text[mark.inner_end - 1] == "."):
            continue
        root = sections.root(page.unit_at(mark.start))
        among = root is not None and (not mark.is_emphasis or sections.is_titled(root))
        if among and not (mark.is_emphasis and match["text"]):
            yield from _candidate(page, mark, "listed", 0.85)
        elif (
            not mark.is_emphasis
            and not match["text"]
            and is_natural(page.text[mark.inner_start : mark.inner_end])
        ):
            yield from _candidate(page, mark, "listed", 0.65)


def _candidate(page: Page, mark: Mark, style: str, confidence: float) -> Iterator[Candidate]:
    if span := trim(page.text, (mark.inner_start, mark.inner_end)):
        yield Candidate(*span, page.sentence_start(mark.start), mark.end, style, confidence, among=(span,))
