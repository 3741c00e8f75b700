"""Terms that only a heading names: "(c) Adverse action", and below it "(1) The term means"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.marks import DRESS
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.plain import NOT_AFTER
from definitions.extract.definitions.sections import TITLE, Sections
from definitions.extract.definitions.terms import is_plain_term, trim
from definitions.extract.definitions.words import either
from definitions.extract.found import Span

ABSENT_TERM = re.compile(
    rf"(?:[*_]{{0,3}}[A-Z][\w ]{{2,30}}\.[*_]{{0,3}}\s+)?(?P<verb>{either('bare_means')}"
    rf"|(?:(?:the|this) (?:term|expression|word)|le terme|der begriff|el término|il termine|o termo"
    rf"|het begrip)\s+"
    rf"(?:{either('means')}|{either('given')}|{either('includes')}))",
    re.IGNORECASE,
)
GENERIC = re.compile(
    r"(?:in )?general(?: .*)?|generally|general rules?|introduction|scope|purpose|overview|notes?"
    r"|examples?|exceptions?",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:(?:The|An?|Le|La|Les|Der|Die|Das|Eine?|El|Il)\s+|(?=[^.;:\n]{2,120}? (?:ist|sind|est|sont)\b))"
    r"(?P<subject>[^.;:\n]{2,120}?)\s(?P<verb>(?:ist|sind) (?:eine?r?|jede[rs]?|der|die|das|wer)"
    r"|est (?:une?|le|la)|indicates?|means?"
    r"|(?:is|are|was) (?:an?|the|one|any|reserved|defined|used)|informs|denotes|désigne|bezeichnet)\b"
)
WORD = re.compile(r"\w+")
MOST_EXTRA = 5  # Words between the name and the verb: "class of status code".


def find_captioned(page: Page, sections: Sections) -> Iterator[Candidate]:
    """Yield the headings that are the term of what stands below them."""
    for index, unit in enumerate(page.units):
        if index and unit.title:
            yield from _named(page, index)
            if sections.root(index) not in {None, index}:
                yield from _of_section(page, sections, index)
        if index:
            yield from _absent(page, index)


def _absent(page: Page, index: int) -> Iterator[Candidate]:
    """The unit says "The term means": the term is the nearest heading above, or its own."""
    block = page.block_at(page.units[index].start)
    match = ABSENT_TERM.match(page.text, page.head(block))
    if match is None or NOT_AFTER.match(page.text, match.end()):
        return
    for above in page.ancestors(index)[:2]:
        span = caption(page, above)
        if span and span[1] <= match.start("verb") and not GENERIC.fullmatch(page.text[slice(*span)]):
            yield Candidate(*span, page.units[above].start, match.end(), "caption", 0.85, among=(span,))
            return


def caption(page: Page, index: int) -> Span | None:
    """Return the title of a unit, if it is a bare phrase and no sentence."""
    span = page.title_span(index)
    if span is None or not (term := trim(page.text, span)):
        return None
    phrase = page.text[slice(*term)]
    return (
        term
        if is_plain_term(phrase) and not TITLE.fullmatch(phrase) and not phrase.endswith("terms")
        else None
    )


def _named(page: Page, index: int) -> Iterator[Candidate]:
    """The first sentence takes up the heading: the term is as the sentence prints it."""
    first = page.block_at(page.units[index].start) + 1
    if first >= len(page.block_starts) or page.block_starts[first] >= page.units[index].end:
        return
    match = NAMED.match(page.text, page.head(first))
    if match is None:
        return
    span = _same_words(page.text, match.span("subject"), page.units[index].title)
    if span and page.text[span[0] - 1] not in DRESS.strip():  # In quotation marks it is a literal.
        yield Candidate(*span, match.start(), match.end(), "heading-named", 0.6, among=(span,))


def _same_words(text: str, subject: Span, title: str) -> Span | None:
    """Return the first words of a subject if they are those of the heading, in whatever order."""
    wanted = sorted(WORD.findall(title.lower()))
    found = list(WORD.finditer(text, *subject))
    own, extra = found[: len(wanted)], found[len(wanted) :]
    if not own or len(extra) > MOST_EXTRA or sorted(each.group().lower() for each in own) != wanted:
        return None
    end = own[-1].end()
    return own[0].start(), end + (text[end : end + 1] == ")")


def _of_section(page: Page, sections: Sections, index: int) -> Iterator[Candidate]:
    """Among definitions, a bare heading with text below it is a term."""
    span = caption(page, index)
    root = sections.root(index)
    if (
        span is None
        or root is None
        or page.units[index].parent not in {root, page.units[root].parent}
        or not sections.is_titled(root)
    ):
        return
    annex = sections.in_annex(index)
    if annex is not None and annex != root:
        return
    below = page.text[span[1] : page.units[index].end].strip(" .\n")
    if below:
        yield Candidate(*span, page.units[index].start, span[1], "heading-in-section", 0.55, among=(span,))
