"""Terms in quotation marks or emphasis with a verb behind them: “X” means, *X* includes, "X" is a."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from definitions.extract.definitions.candidate import Candidate
from definitions.extract.definitions.marks import Mark
from definitions.extract.definitions.page import Page
from definitions.extract.definitions.sections import Sections
from definitions.extract.definitions.terms import trim
from definitions.extract.definitions.words import either
from definitions.extract.found import Span

GAP = (
    r"(?:\s*\([^()\n]{1,90}\))?"
    rf"(?:\s*,\s(?:{either('joins')}\s)?[^.;:\n“\"]{{1,200}}?,"
    rf"|,?\s{either('qualifiers')}\b[^.;:,\n“\"]{{0,60}}?)?,?\s*"
)
VERB = re.compile(
    rf"{GAP}(?:(?P<means>\b{either('means')})|(?P<given>\b{either('given')})"
    rf"|(?P<includes>\b{either('includes')}))",
    re.IGNORECASE,
)
STATES = re.compile(
    rf"(?:\s*\([^()\n]{{1,90}}\)"
    rf"|\s*\[[^\[\]\n]{{1,20}}\]){{0,2}}(?:,\s[\w\s]{{1,40}},)?\s(?:(?P<states>{either('states')})"
    rf"|(?P<copula>(?:is|are)\b))"
    r"|\s(?:[\w-]+\s){0,2}?is one (?:that|where|whose|which)\b",
    re.IGNORECASE,
)
BETWEEN = re.compile(
    rf"\s*(?:\([^()\n]{{1,60}}\)"
    rf"|\[[^\[\]\n]{{1,20}}\])?\s*(?:[,/]\s*)?(?:{either('joins')}\s+)?(?:{either('term_words')}\s+)?(?:{either('articles')}\s+)?",
    re.IGNORECASE,
)
BEFORE_TERM = re.compile(
    rf"(?:{either('term_words')}|^|[;:—]\s|^(?:{either('scope')})\s{either('this')}\s[^.;:“\"]{{2,60}},\s)"
    rf"\s*(?:{either('articles')}\s+)?$",
    re.IGNORECASE,
)
BEFORE_STATED = re.compile(
    rf"(?:^|^(?:\w+\s?){{1,4}},\s|\b{either('term_words')}\s"
    rf"|\b{either('articles')}\s(?:[\w'’-]+\s){{0,3}}|\w['’]s\s)$",
    re.IGNORECASE,
)
BEFORE_COPULA = re.compile(r"\b(?:[Aa]n?|[Uu]ne?|[Ee]ine?)\s$")
NATURAL = re.compile(r"[A-Za-zÀ-ÿ][\w'’-]*(?:[ /][\w'’()-]+){0,5}")
KEYWORD = re.compile(r"[A-Z][A-Z \d-]*")
CAPTION_END = ".:"


def find_dressed(page: Page, sections: Sections, marks: Sequence[Mark]) -> Iterator[Candidate]:
    """Yield the terms whose verb stands behind them, with all that share the verb."""
    for index, mark in enumerate(marks):
        if _is_caption(page.text, mark):
            continue
        if match := VERB.match(page.text, mark.end, mark.end + 320):
            yield from _of_verb(page, sections, _group(page.text, marks, index), match)
        elif not mark.is_emphasis and (match := STATES.match(page.text, mark.end, mark.end + 160)):
            yield from _of_statement(page, _group(page.text, marks, index), match)


def _is_caption(text: str, mark: Mark) -> bool:
    return mark.is_emphasis and text[mark.inner_end - 1 : mark.inner_end] in CAPTION_END


def _group(text: str, marks: Sequence[Mark], last: int) -> list[Mark]:
    """Return the marks that end with one and are joined to it: “X”, “Y” and “Z”."""
    first = last
    while first and last - first < 8 and are_joined(text, marks[first - 1], marks[first]):  # noqa: PLR2004
        first -= 1
    return list(marks[first : last + 1])


def are_joined(text: str, first: Mark, second: Mark) -> bool:
    """Return whether nothing but "and", a comma or an article stands between two marks."""
    between = text[first.end : second.start]
    same = first.is_emphasis == second.is_emphasis and len(between) < 90  # noqa: PLR2004
    return same and bool(between.strip()) and "\n\n" not in between and BETWEEN.fullmatch(between) is not None


def _of_verb(
    page: Page, sections: Sections, group: Sequence[Mark], match: re.Match[str]
) -> Iterator[Candidate]:
    kind = match.lastgroup or "means"
    first, stated = group[0], page.sentence_start(group[0].start)
    opens = BEFORE_TERM.search(page.text[stated : first.start]) is not None
    among = sections.root(page.unit_at(first.start)) is not None
    confidence = _trust(first, kind, opens=opens, among=among, says_meaning="mean" in match.group(kind))
    style = f"{'emphasis' if first.is_emphasis else 'quoted'}-{kind}"
    candidate = Candidate(*_inner(first), stated, match.end(), style, confidence, given=kind == "given")
    yield from candidate.of_terms(_spans(page.text, group))


def _trust(mark: Mark, kind: str, *, opens: bool, among: bool, says_meaning: bool) -> float:
    if kind == "includes":
        return 0.85 if opens and (among or not mark.is_emphasis) else 0.3
    if mark.is_emphasis:
        return 0.9 if opens else 0.3
    if kind == "means" or opens:
        return 0.95
    return 0.8 if says_meaning else 0.4


def _of_statement(page: Page, group: Sequence[Mark], match: re.Match[str]) -> Iterator[Candidate]:
    stated = page.sentence_start(group[0].start)
    before = page.text[max(stated, group[0].start - 60) : group[0].start]
    is_any = BEFORE_COPULA.search(before) is not None  # "A “contributor” is a copyright holder who …"
    if is_any or (match.lastgroup != "copula" and BEFORE_STATED.search(before)):
        natural = [mark for mark in group if is_natural(page.text[mark.inner_start : mark.inner_end])]
        confidence = 0.7 if is_any else 0.62
        candidate = Candidate(*_inner(group[0]), stated, match.end(), "quoted-states", confidence)
        yield from candidate.of_terms(_spans(page.text, natural))


def is_natural(phrase: str) -> bool:
    """Return whether a quoted phrase is words and no literal: no symbols, no capitals only."""
    return NATURAL.fullmatch(phrase.strip(" ,.;:")) is not None and KEYWORD.fullmatch(phrase) is None


def _inner(mark: Mark) -> Span:
    return mark.inner_start, mark.inner_end


def _spans(text: str, group: Sequence[Mark]) -> list[Span]:
    return [span for mark in group if (span := trim(text, _inner(mark)))]
