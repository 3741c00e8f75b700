"""Where sentences begin and end, for stretches that were cut amid one."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from search.highlight import SENTENCE, Span

ENDED = re.compile(r"(?:[.!?…;:。！？][\"”’»)\]*_]{0,3}|[。！？]|\n[ \t]*)\s*\Z|\A\s*\Z")
BEGUN = re.compile(r"\s*(?:\Z|\n[ \t]*\n|\n?[ \t]*(?:[#|•*–—-]|[(\[]?\w{1,4}[.)\]]))")
WORD_END = re.compile(r"(?<=\S)(?=\s)")


def sentence_ends(text: str) -> Iterator[int]:
    """Yield where a text may be cut behind a sentence or a line, from the first on; not where it ends."""
    yield from (match.end() for match in SENTENCE.finditer(text) if 0 < match.end() < len(text))


def word_ends(text: str) -> Iterator[int]:
    yield from (match.end() for match in WORD_END.finditer(text))


def grow_sentences(text: str, core: Span) -> Iterator[Span]:
    """Yield the sentences around a part of a text, and one more each time, behind and before in turn."""
    places = [0, *sentence_ends(text), len(text)]
    first = bisect_right(places, core[0], hi=len(places) - 1) - 1
    last = max(first + 1, bisect_left(places, core[1]))
    yield places[first], places[last]
    is_behind = True
    while first > 0 or last < len(places) - 1:
        if last < len(places) - 1 and (is_behind or first == 0):
            last += 1
        else:
            first -= 1
        is_behind = not is_behind
        yield places[first], places[last]


def grow_words(text: str, core: Span) -> Iterator[Span]:
    """Yield the words from the beginning of a part's first sentence on, one more each time."""
    start, _ = next(grow_sentences(text, core))
    yield from ((start, start + end) for end in word_ends(text[start:]))


def count_missing(before: str, text: str, behind: str) -> tuple[int, int]:
    """Return how many characters before and behind a text belong to sentences that are partly in it."""
    return _missing_before(before, text), _missing_behind(text, behind)


def _missing_before(before: str, text: str) -> int:
    if ENDED.search(before) or BEGUN.match(text):
        return 0
    starts = [match.end() for match in SENTENCE.finditer(before)]
    return len(before) - starts[-1] if starts else 0


def _missing_behind(text: str, behind: str) -> int:
    if ENDED.search(text) or BEGUN.match(behind):
        return 0
    end = SENTENCE.search(behind)
    return len(behind[: end.end()].rstrip()) if end else 0


def shorten_text(text: str, most: int) -> str:
    """Return the sentences of a text that fit, or else as many words as do."""
    if len(text) <= most:
        return text
    ends = [end for end in sentence_ends(text[: most + 1]) if most // 3 <= end <= most]
    ends = ends or [end for end in word_ends(text[: most + 1]) if end <= most]
    return text[: ends[-1]] if ends else text[:most]
