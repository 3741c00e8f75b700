"""Where a part of an old text is in a new one, by the words that both have in the same order.

Words that both texts have once lead the way (patience diff): so of passages that say the same, each is known
by what stands around it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

Span = tuple[int, int]
Pair = tuple[int, int]  # A word of the old text, and the same word of the new one, by their numbers.
Stretch = tuple[int, int, int, int]  # From one word to before another in the old text, and in the new one.
WORD = re.compile(r"\S+")
RUN = 3  # Words of an anchor.
DEEPEST = 10  # How often what is between anchors is looked through for further ones.
MOST_COMPARED = 250_000  # Pairs of words that are compared where nothing leads the way.


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words that two texts have in common, in their order, between their beginnings and their ends."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]
    pairs: tuple[Pair, ...]

    def window(self, span: Span) -> tuple[Span, Span]:
        """Return what is between the nearest common words around a span, in each text."""
        first, last = self._words(span)
        below, above = self.pairs[self._at(first) - 1], self.pairs[self._at(last)]
        return _stretch(self.old, below[0] + 1, above[0]), _stretch(self.new, below[1] + 1, above[1])

    def map(self, span: Span) -> Span:
        """Return what stands in the new text where a span stood in the old one; of no length if gone."""
        first, last = self._words(span)
        low, high = self._at(first), self._at(last)
        begins = low < high and self.pairs[low][0] == first
        ends = low < high and self.pairs[high - 1][0] == last - 1
        begin = self.pairs[low][1] if begins else self.pairs[low - 1][1] + 1
        end = self.pairs[high - 1][1] + 1 if ends else self.pairs[high][1]
        return _stretch(self.new, begin, end)

    def _words(self, span: Span) -> Span:
        """Return the first word that a span has a part of, and the first behind it."""
        first = bisect_right(self.old, span[0], key=lambda word: word[1])
        return first, max(first, bisect_left(self.old, span[1], key=lambda word: word[0]))

    def _at(self, word: int) -> int:
        return bisect_left(self.pairs, (word, -1))


def _stretch(words: Sequence[Span], first: int, last: int) -> Span:
    """Return the characters from one word to before another; if there are none, the place."""
    if first < last:
        return words[first][0], words[last - 1][1]
    place = words[first][0] if first < len(words) else words[-1][1] if words else 0
    return place, place


def align_texts(old: str, new: str) -> Alignment:
    before = tuple(match.span() for match in WORD.finditer(old))
    after = tuple(match.span() for match in WORD.finditer(new))
    pairs = sorted(_common(old.split(), new.split()))
    return Alignment(before, after, ((-1, -1), *pairs, (len(before), len(after))))


def _common(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    """Yield the words that both have in one order: what they begin and end with, and what is at anchors."""
    waiting: list[tuple[Stretch, int]] = [((0, len(old), 0, len(new)), 0)]
    while waiting:
        (start, end, begin, stop), depth = waiting.pop()
        while start < end and begin < stop and old[start] == new[begin]:
            yield start, begin
            start, begin = start + 1, begin + 1
        while start < end and begin < stop and old[end - 1] == new[stop - 1]:
            end, stop = end - 1, stop - 1
            yield end, stop
        if start == end or begin == stop:
            continue
        anchors = find_anchors(old[start:end], new[begin:stop]) if depth < DEEPEST else []
        if anchors:
            edges = [(start, begin), *((start + one, begin + other) for one, other in anchors), (end, stop)]
            waiting += [((one[0], two[0], one[1], two[1]), depth + 1) for one, two in pairwise(edges)]
        elif (end - start) * (stop - begin) <= MOST_COMPARED:
            matcher = SequenceMatcher(None, old[start:end], new[begin:stop], autojunk=False)
            for one, other, size in matcher.get_matching_blocks():
                yield from ((start + one + place, begin + other + place) for place in range(size))


def find_anchors(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Return pairs of places that begin the same few words, each once in its text, in one order."""
    places = _once(new)
    pairs = [(place, places[run]) for run, place in _once(old).items() if run in places]
    return _rising(sorted(pairs))


def _once(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    runs = [tuple(words[place : place + RUN]) for place in range(len(words) - RUN + 1)]
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs) if counts[run] == 1}


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the longest part of the pairs that keeps its order in both texts (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int | None] = []
    for index, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(piles[pile - 1] if pile else None)
        tops[pile : pile + 1], piles[pile : pile + 1] = [place], [index]
    kept: list[Pair] = []
    index_or_none = piles[-1] if piles else None
    while index_or_none is not None:
        kept.append(pairs[index_or_none])
        index_or_none = before[index_or_none]
    return kept[::-1]
