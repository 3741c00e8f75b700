"""Where a part of an old text is in a new one, by the words around it that both have once."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

Span = tuple[int, int]
WORD = re.compile(r"\S+")
RUN = 3  # Words of an anchor.


def map_span(old: str, new: str, span: Span) -> Span:
    """Return what stands in a new text where a span stood in the old one, to the word."""
    before, after = list(WORD.finditer(old)), list(WORD.finditer(new))
    first = bisect_right([match.end() for match in before], span[0])
    last = bisect_left([match.start() for match in before], span[1])
    anchors = find_anchors([match[0] for match in before], [match[0] for match in after])
    begin = 0 if not first else _place(anchors, first, len(before), len(after))
    end = len(after) if last >= len(before) else _place(anchors, last, len(before), len(after))
    if not after or begin >= end:
        return (0, len(new))
    return after[begin].start(), after[end - 1].end()


def _place(anchors: Sequence[tuple[int, int]], word: int, old_count: int, new_count: int) -> int:
    """Return the word of the new text that a word of the old one is nearest to."""
    known = [(0, 0), *anchors, (old_count, new_count)]
    index = bisect_left([old for old, _ in known], word)
    above = known[min(index, len(known) - 1)]
    below = known[max(index - 1, 0)]
    nearest = above if above[0] - word <= word - below[0] else below
    return min(max(nearest[1] + word - nearest[0], below[1]), above[1])


def find_anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of places that begin the same few words, each once in its text, in one order."""
    places = _once(new)
    pairs = [(place, places[run]) for run, place in _once(old).items() if run in places]
    return _rising(sorted(pairs))


def _once(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    runs = [tuple(words[place : place + RUN]) for place in range(len(words) - RUN + 1)]
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs) if counts[run] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of the pairs that keeps its order in both texts (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int | None] = []
    for index, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(piles[pile - 1] if pile else None)
        tops[pile : pile + 1], piles[pile : pile + 1] = [place], [index]
    kept: list[tuple[int, int]] = []
    index_or_none = piles[-1] if piles else None
    while index_or_none is not None:
        kept.append(pairs[index_or_none])
        index_or_none = before[index_or_none]
    return kept[::-1]
