"""Terms without dress at the head of a paragraph: X means, X or Y means, X, in relation to Z, means."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.page import SENTENCE_END, Page
from definitions.extract.definitions.sections import Sections
from definitions.extract.definitions.terms import TERM_WORDS, is_plain_term, split_terms
from definitions.extract.definitions.words import either
from definitions.extract.found import Span

FARTHEST = 240  # Between the head of a paragraph and its verb.
LONGEST_CAPTION = 70
MOST_SMALL = 6
# A verb without these letters is looked for nowhere; each is found at the speed of memory.
STEMS = (
    " mean", " refers ", " refer ", " denote", " signif", " is defined as", " are defined as", " includes ",
    " include ", " has the ", " have the ", " désigne", " s’entend", " s'entend", " bezeichne", " bedeute",
    " im Sinne dies", " significa", " se entender", " indica ", " betekent", " betekenen", " is to be ",
    " shall be construed",
)  # fmt: skip
MEANS = re.compile(rf"\s(?P<means>{either('means')})", re.IGNORECASE)
OTHERS = re.compile(rf"\s(?:(?P<given>{either('given')})|(?P<includes>{either('includes')}))")
NOT_AFTER = re.compile(rf"\s+{either('not_after')}\b|\s*[.,;)]|\s*$")
OUTSIDE = re.compile(
    r"means?\b(?! that\b)|shall mean\b|désigne|s['’]entend|bezeichnet|bedeutet|im Sinne|significa"
    r"|has the meaning",
    re.IGNORECASE,
)
SCOPED = re.compile(
    rf"(?:{either('scope')})\b[^,.;:\n]{{0,90}}?\b{either('this')}\s[^,.;:\n]{{2,80}},\s*|(?:in"
    rf"|for)\s[^,;:\n]{{0,80}}[\d)],\s*",
    re.IGNORECASE,
)
QUALIFIED = re.compile(
    rf"(?:,\s*(?:{either('qualifiers')})|\sas (?:defined|referred|used|applied|specified)|\swhen used)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
QUALIFIES = re.compile(rf",\s*{either('qualifiers')}\b", re.IGNORECASE)


def find_plain(page: Page, sections: Sections) -> Iterator[Candidate]:
    """Yield the undressed terms that open a paragraph, or a sentence that names its scope first."""
    for position in sorted({place for stem in STEMS for place in _find_all(page.text, stem)}):
        if page.is_code(position):
            continue
        block = page.block_at(position)
        stated, is_scoped = _statement(page, block, position)
        if position - stated <= FARTHEST:
            yield from _of_verb(page, sections, (stated, position), is_scoped=is_scoped)


def _find_all(text: str, stem: str) -> Iterator[int]:
    place = text.find(stem)
    while place >= 0:
        yield place
        place = text.find(stem, place + 1)


def _statement(page: Page, block: int, position: int) -> tuple[int, bool]:
    """Return where the term begins, and whether words of scope stand before it."""
    head = page.head(block)
    start = page.sentence_start(position)
    if scope := SCOPED.match(page.text, start, position):
        return scope.end(), True
    if start == head or _is_caption(page, head, start):
        return start, False
    return position - FARTHEST - 1, False


def _is_caption(page: Page, head: int, start: int) -> bool:
    """Return whether all before a sentence is a heading that runs in: "In general. Application means"."""
    caption = page.text[head:start]
    return len(caption) <= LONGEST_CAPTION and len(SENTENCE_END.findall(caption + "A")) == 1


def _of_verb(page: Page, sections: Sections, span: Span, *, is_scoped: bool) -> Iterator[Candidate]:
    stated, position = span
    among = sections.root(page.unit_at(position)) is not None
    match = MEANS.match(page.text, position) or (OTHERS.match(page.text, position) if among else None)
    if match is None or not _is_definition(page.text, match, among=among or is_scoped):
        return
    subject = _subject(page.text, stated, position)
    if subject is None or (is_scoped and not among and match.lastgroup != "means"):
        return
    confidence = (
        0.9
        if among or is_scoped
        else 0.75
        if page.text[stated].isupper()
        else _of_small_letter(page, stated, position)
    )
    spans = tuple(split_terms(page.text, subject, plural=_is_plural(match.group())))
    style, is_given = f"plain-{match.lastgroup}", match.lastgroup == "given"
    yield from Candidate(*subject, stated, match.end(), style, confidence, given=is_given).of_terms(spans)


def _of_small_letter(page: Page, stated: int, position: int) -> float:
    """Trust a small first letter only in a short phrase that opens a paragraph without a number."""
    start, _ = page.block_span(page.block_at(stated))
    opens = not page.text[start:stated].strip(" *_") and page.text[max(0, start - 20) : start].rstrip()[
        -1:
    ] in {":", ";", ".", "—", ")"}
    return 0.6 if opens and len(page.text[stated:position].split()) <= MOST_SMALL else 0.4


def _is_plural(verb: str) -> bool:
    return verb.rsplit(maxsplit=1)[-1] in {
        "mean",
        "refer",
        "include",
        "have",
        "are",
        "désignent",
        "bezeichnen",
        "bedeuten",
    }


def _is_definition(text: str, match: re.Match[str], *, among: bool) -> bool:
    is_noun = "mean" in match.group() and NOT_AFTER.match(text, match.end())
    if is_noun and not QUALIFIES.match(text, match.end()):
        return False
    return among or OUTSIDE.match(match.group().strip() + text[match.end() : match.end() + 6]) is not None


def _subject(text: str, start: int, end: int) -> Span | None:
    """Return the words of the term, without "The term" before and "in relation to" behind."""
    if (line := text.rfind("\n", start, end)) >= 0 and text[line + 1 : line + 2].isupper():
        start = line + 1  # A heading stands on the line above.
    if words := TERM_WORDS.match(text, start, end):
        start = words.end()
    if qualified := QUALIFIED.search(text, start, end):
        end = qualified.start()
    phrase = text[start:end]
    if (
        phrase.rstrip().endswith(",")
        or any(char in phrase for char in ';:|“”"«»\t')
        or "*" in phrase
        or phrase.count(",") > 1
    ):
        return None
    return (start, end) if is_plain_term(phrase) else None
