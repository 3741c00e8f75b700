"""Documents as people type them beside a citation: "12 cfr 1002", "[RFC7230]", "the Harbour Safety Act"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from definitions.extract.found import Span
from definitions.extract.references import acts, documents, words
from search.understand.cited_words import NUMBER, Steps, kind_of, read_number

CFR = re.compile(
    r"(?<![\w.])(?P<title>\d{1,2})\s?c\.?\s?f\.?\s?r\.?(?=[\s§,]),?\s?(?:(?:parts?|pts?\.?)\s?(?P<part>\d{1,5})(?![\w.]\d)"
    r"|(?:§§?|sections?|secs?\.?)?\s?(?P<number>\d{1,5})(?P<dot>\.(?=\d))?)",
    re.IGNORECASE,
)
USC = re.compile(
    r"(?<![\w.])(?P<title>\d{1,2})\s?u\.?\s?s\.?\s?c\.?(?:\s?a\.)?\s?(?:§§?|sections?|secs?\.?)?\s?(?=\d)",
    re.IGNORECASE,
)
TAG = re.compile(r"\[\s?rfc[ -]?0*(?P<rfc>\d{1,5})\s?\]", re.IGNORECASE)
ANY_CASE = re.compile(documents.DOCUMENT.pattern, re.IGNORECASE)
# Families whose words mean nothing else in small letters.
ANY_CASE_FAMILIES = frozenset({"rfc", "european", "public_law", "standard", "instrument"})
NO_BODY = frozenset({"en", "bs", "cen"})
OF = re.compile(rf"\s*,?\s+(?:{words.OF})(?:(?<=['’])|\s+)(?:{words.THE}(?:(?<=['’])|\s+))?", re.IGNORECASE)
# A name typed in small letters: "section 12 of the harbour safety act".
SMALL_NAME = re.compile(
    rf"(?P<name>(?:(?!(?:to|in|of|on|with|by|the|a|is|and)\b)[\w'’&-]+\s){{1,7}}?(?:{words.WHOLES})"
    r"(?:,?\s(?:of\s)?\d{4})?)(?=\s*[?.!]*$)",
    re.IGNORECASE,
)
# What a name of a Romance language goes on with, to the end of a query: "code des ports de plaisance".
LONGER = re.compile(
    r"(?:\s(?:de\s(?:la\s|l['’])?|des\s|du\s|d['’]|et\s(?:du\s|de\s(?:la\s)?|des\s)?|del(?:la)?\s|dei\s|di\s|y\s|e\s)"
    r"[\w’'-]+)+(?=\s*[?.!]*$)",
    re.IGNORECASE,
)
GENERIC = re.compile(rf"(?:the\s)?(?:{words.WHOLES}|{words.OTHERS}|{words.OWN})", re.IGNORECASE)
TOKEN = re.compile(r"[\w&][\w&’'./-]*")
JOINT = re.compile(rf"{words.OF}|{words.THE}", re.IGNORECASE)
MOST_WORDS, MOST_AROUND = 12, 40
BETWEEN = re.compile(r"[\s,:;()\[\]|>/–-]*")


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """A document that words name by their form, with the unit that its number says: "12 CFR 1002.5(c)"."""

    end: int
    key: str
    steps: Steps = ()


@dataclass(frozen=True, slots=True)
class NameGuess:
    """Words that may be the name of a document; whether they are one, only those who hold it can tell."""

    key: str
    start: int
    end: int
    is_near: bool  # Whether it stands beside the citation, as names of what is cited do.

    def says_all(self, others: Iterable[NameGuess]) -> bool:
        """Tell whether words that may be names too are all part of this one, or "of" and "the" before it."""
        single = [one for one in others if " " not in one.key]
        return all(
            (self.start <= one.start and one.end <= self.end) or JOINT.fullmatch(one.key) for one in single
        )


def read_document(text: str, position: int) -> CitedDocument | None:
    """Return the document that is named at a place by its number, in capitals or not."""
    if match := CFR.match(text, position):
        return _read_cfr(match)
    if match := USC.match(text, position):
        number = read_number(text, match.end(), "section")
        return CitedDocument(number[0], f"usc {match['title']}", number[1]) if number else None
    if match := TAG.match(text, position):
        return CitedDocument(match.end(), f"rfc {match['rfc']}")
    match = documents.DOCUMENT.match(text, position) or _match_any_case(text, position)
    target = documents.target_of(match, {}) if match else None
    return CitedDocument(match.end(), target.document, target.steps) if match and target else None


def _read_cfr(match: re.Match[str]) -> CitedDocument:
    part = match["part"] or match["number"]
    key = f"cfr {match['title']} {part}"
    number = NUMBER.match(match.string, match.start("number")) if match["dot"] else None
    found = read_number(match.string, match.start("number"), "section") if number else None
    return CitedDocument(found[0], key, found[1]) if found else CitedDocument(match.end(), key)


def _match_any_case(text: str, position: int) -> re.Match[str] | None:
    match = ANY_CASE.match(text, position)
    form = documents.form_of(match) if match else None
    if match is None or form is None or form.name not in ANY_CASE_FAMILIES:
        return None
    return None if (match["std_body"] or "").casefold() in NO_BODY else match


def read_named(text: str, position: int) -> tuple[int, str] | None:
    """Return the end and the key of an act behind "of": in words that are capital, or end the query."""
    of = OF.match(text, position)
    if of is None:
        return None
    act = acts.read_act(text, of.end(), is_capital=False)
    if act is not None and not acts.LEADING_UNIT.search(text[of.end() : act[0]]):
        longer = LONGER.match(text, act[0])
        return (
            (longer.end(), acts.named_key(text[of.end() : longer.end()]))
            if longer
            else (act[0], act[1].document)
        )
    if short := acts.SHORT.match(text, of.end()):
        return short.end(), acts.named_key(short["name"])
    small = SMALL_NAME.match(text, of.end())
    return (small.end("name"), acts.named_key(small["name"])) if small else None


def read_beside(text: str, start: int, end: int) -> tuple[Span, str] | None:
    """Return the abbreviation right behind or before a citation: "§ 823 BGB", "GDPR art. 6"."""
    behind = acts.trailing_act(text, end, is_short=True) or acts.read_act(
        text, end + len(text[end:]) - len(text[end:].lstrip(" ,(")), is_capital=True
    )
    if behind and not kind_of(behind[1].document):
        return (end, behind[0]), behind[1].document
    before = acts.preceding_act(text, start)
    if before is None or not before.document:
        return None
    begin = text[:start].rstrip(" ,").casefold().rfind(before.document.split()[0])
    return ((begin, start), before.document) if begin >= 0 else None


def is_generic(key: str) -> bool:
    """Tell what could be any document: "the Act", "that regulation"."""
    return GENERIC.fullmatch(key.removeprefix(words.THAT)) is not None


def guess_names(text: str, cited: Sequence[Span], group: Span) -> tuple[NameGuess, ...]:
    """Return words outside of citations that may name a document: the nearest first, then the longest."""
    tokens = [match.span() for match in TOKEN.finditer(text) if not _is_inside(match.span(), cited)]
    ahead = [token for token in tokens if token[0] >= group[1]][:MOST_AROUND]
    back = [token for token in tokens if token[1] <= group[0]][-MOST_AROUND:]
    found = [
        *_adjacent(text, ahead, back, group),
        *_elsewhere(text, back, cited),
        *_elsewhere(text, ahead, cited),
    ]
    return tuple({guess.key: guess for guess in reversed(found) if guess.key}.values())[::-1]


def _is_inside(span: Span, cited: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in cited)


def _adjacent(text: str, ahead: Sequence[Span], back: Sequence[Span], group: Span) -> Iterator[NameGuess]:
    of = OF.match(text, group[1]) or BETWEEN.match(text, group[1])
    begin = of.end() if of else group[1]
    behind = [token for token in ahead if token[0] >= begin][:MOST_WORDS]
    if behind and behind[0][0] == begin:
        yield from (_guess(text, begin, token[1], is_near=True) for token in reversed(behind))
    if back and BETWEEN.fullmatch(text, back[-1][1], group[0]):
        last = back[-1][1]
        yield from (_guess(text, token[0], last, is_near=True) for token in back[-MOST_WORDS:])


def _elsewhere(text: str, tokens: Sequence[Span], cited: Sequence[Span]) -> Iterator[NameGuess]:
    for length in range(min(MOST_WORDS, len(tokens)), 0, -1):
        for place in range(len(tokens) - length + 1):
            span = tokens[place][0], tokens[place + length - 1][1]
            if not _is_inside(span, cited):
                yield _guess(text, *span, is_near=False)


def _guess(text: str, start: int, end: int, *, is_near: bool) -> NameGuess:
    return NameGuess(documents.plain_key(text[start:end].rstrip(" ?!.")), start, end, is_near)


def root_of_code(key: str) -> str:
    """Return how the outline of a part of a code begins: "Part 1002" for "cfr 12 1002"."""
    if match := re.fullmatch(r"cfr \d+ (\d+)", key):
        return f"Part {match[1]}"
    match = re.fullmatch(r"usc (\d+)", key)
    return f"Title {match[1]}" if match else ""


def without_publisher(key: str) -> tuple[str, ...]:
    """Return the shorter names of a numbered document: "sp 800-53" for "nist sp 800-53"."""
    match = re.fullmatch(r"[a-z/]+ ([a-z]+ [\d.-]+)", key)
    return (match[1],) if match else ()
