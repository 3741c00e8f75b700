"""Hold an answer that a model wrote against its sources: each mark, and each quotation word for word."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from search.citations.compared import find_exact, read_pieces, read_tokens
from search.citations.quotations import Quotation, find_quotations

MARK = re.compile(r"\s*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]")
# Behind a sign that ends a sentence, its closing quotation mark, and the marks of its sources.
ENDS = re.compile(
    r"[.!?。！？][”\"»’)]*(?:\s*\[\d[\d,;\s]*\])*(?=\s|$)|[”\"»](?:\s*\[\d[\d,;\s]*\])+(?=\s+[A-Z“\"]|$)"
)
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*[-*•])")
BULLET = re.compile(r"^\s*[-*•]\s+")
SHOWN = 60  # Characters of a quotation that is complained about.
Says = Callable[[int, Quotation], bool]


class Standing(StrEnum):
    """What is known of a sentence."""

    QUOTED = "quoted"  # It quotes its sources, word for word.
    CITED = "cited"  # It names sources that there are, in words of its own.
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence: words, a quotation that stands in a source, or the mark of a source."""

    text: str
    is_quotation: bool = False
    mark: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, and what is wrong with it if it cannot be relied on."""

    parts: tuple[Part, ...]
    standing: Standing
    problem: str = ""


def check_answer(text: str, sources: Mapping[int, str]) -> tuple[tuple[Claim, ...], ...]:
    """Return the sentences of an answer by paragraphs, each checked; `sources` are texts by their marks."""
    tokens = {mark: read_tokens(source) for mark, source in sources.items()}

    def says(mark: int, quotation: Quotation) -> bool:
        pieces = read_pieces(quotation.text)
        return not pieces or next(find_exact(pieces, tokens[mark]), None) is not None

    paragraphs = (BULLET.sub("", part).strip() for part in PARAGRAPH.split(text))
    return tuple(
        tuple(_check(sentence, tokens.keys(), says) for sentence in sentences_of(paragraph))
        for paragraph in paragraphs
        if paragraph
    )


def sentences_of(paragraph: str) -> Iterator[str]:
    """Yield sentences with their marks behind them; none ends inside a quotation."""
    quoted = [(one.start, one.end) for one in find_quotations(paragraph)]
    begin = 0
    for match in ENDS.finditer(paragraph):
        if not any(start < match.start() and match.end() < end for start, end in quoted):
            yield paragraph[begin : match.end()].strip()
            begin = match.end()
    if rest := paragraph[begin:].strip():
        yield rest


def _check(sentence: str, known: Collection[int], says: Says) -> Claim:
    quotations = list(find_quotations(sentence))
    named = [mark for match in MARK.finditer(sentence) for mark in _numbers(match)]
    marks = [mark for mark in dict.fromkeys(named) if mark in known]
    stands = {(one.start, one.end): any(says(mark, one) for mark in marks) for one in quotations}
    problem = _problem(named, marks, known, [one for one in quotations if not stands[one.start, one.end]])
    standing = Standing.QUOTED if quotations else Standing.CITED
    parts = tuple(_parts(sentence, quotations, stands, known))
    return Claim(parts, Standing.UNVERIFIED if problem else standing, problem)


def _problem(
    named: Sequence[int], marks: Sequence[int], known: Collection[int], wrong: Sequence[Quotation]
) -> str:
    """Say why a sentence cannot be relied on; nothing if it can as far as it can be checked."""
    unknown = [f"[{mark}]" for mark in named if mark not in known]
    if wrong:
        quoted = wrong[0].text if len(wrong[0].text) <= SHOWN else f"{wrong[0].text[:SHOWN].rstrip()}…"
        return f"“{quoted}” does not stand word for word in the source that is named."
    if unknown:
        return f"It names {', '.join(dict.fromkeys(unknown))}, and there is no such source."
    return "" if marks else "It names no source."


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", match[1])]


def _parts(
    sentence: str,
    quotations: Sequence[Quotation],
    stands: Mapping[tuple[int, int], bool],
    known: Collection[int],
) -> Iterator[Part]:
    """Yield a sentence in parts. A mark without a source is left out: nothing shall look as if it had one."""
    done = 0
    for one in quotations:
        yield from _marked(sentence[done : one.start], known)
        yield Part(sentence[one.start : one.end], is_quotation=stands[one.start, one.end])
        done = one.end
    yield from _marked(sentence[done:], known)


def _marked(text: str, known: Collection[int]) -> Iterator[Part]:
    done = 0
    for match in MARK.finditer(text):
        if match.start() > done:
            yield Part(text[done : match.start()])
        yield from (Part(f"[{mark}]", mark=mark) for mark in _numbers(match) if mark in known)
        done = match.end()
    if done < len(text):
        yield Part(text[done:])
