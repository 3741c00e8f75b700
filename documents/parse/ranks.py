"""How a document nests its parts, chapters, sections and articles: as it shows, else as is usual.

What goes on counting across another kind stands above it: between Chapter 1 and Chapter 2 there are articles,
between § 1 and § 2 of an article there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cmp_to_key
from itertools import pairwise

from documents.parse.marks import HEADING, Mark
from documents.parse.numbers import Value
from documents.parse.words import DIVISIONS, USUAL_ORDER

CLEAR = 30  # Percent that decide.


class Ranks:
    """Which kind stands above which in one document."""

    def __init__(self, order: Sequence[str], counts: Counter[tuple[str, Value]]) -> None:
        self._rank = {f"@{kind}": rank for rank, kind in enumerate(order)}
        self._counts = counts

    def above(self, style: str, other: str) -> bool:
        return self._rank.get(style, -1) < self._rank.get(other, -1)

    def is_division(self, style: str) -> bool:
        return style[1:] in DIVISIONS

    def is_repeated(self, style: str, value: Value) -> bool:
        return self._counts[style, value] > 1


def rank_kinds(marks: Sequence[Mark]) -> Ranks:
    """Order the kinds of a document: what directly precedes another stands above it."""
    numbered = [mark for mark in marks if mark.is_keyword]
    styles = [mark.steps[0][0] for mark in numbered]
    kinds = [style[1:] for style, _ in styles]
    crossed, steps = _share_crossed(styles)
    adjacent = _count_adjacent(marks)
    levels = _usual_levels(numbered)
    first = {kind: index for index, kind in reversed(list(enumerate(kinds)))}

    def compare(one: str, other: str) -> int:
        if levels.get(one) and levels.get(other) and levels[one] != levels[other]:
            return levels[one] - levels[other]
        is_shown = (one in DIVISIONS and other in DIVISIONS) or min(steps[one], steps[other]) > 0
        if is_shown and abs(shown := crossed[other, one] - crossed[one, other]) >= CLEAR:
            return 1 if shown > 0 else -1
        if shown := adjacent[other, one] - adjacent[one, other]:
            return shown
        if one in DIVISIONS and other in DIVISIONS and not _is_derived(one, other):
            return first[one] - first[other]
        return USUAL_ORDER[one] - USUAL_ORDER[other]

    body = [kind for kind in dict.fromkeys(kinds) if kind in USUAL_ORDER]
    return Ranks(sorted(body, key=cmp_to_key(compare)), Counter(styles))


def _share_crossed(styles: Sequence[tuple[str, Value]]) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Return the steps of each kind, and how many percent of them have another kind in between."""
    last: dict[str, tuple[Value, set[str]]] = {}
    steps: Counter[str] = Counter()
    crossed: Counter[tuple[str, str]] = Counter()
    for style, value in styles:
        kind = style[1:]
        before, between = last.get(kind, ((), set()))
        if len(before) == len(value) and before[:-1] == value[:-1] and 0 < value[-1] - before[-1] <= 1:
            steps[kind] += 1
            crossed.update((kind, other) for other in between)
        for _, seen in last.values():
            seen.add(kind)
        last[kind] = (value, set())
    return Counter({pair: 100 * count // steps[pair[0]] for pair, count in crossed.items()}), steps


def _count_adjacent(marks: Sequence[Mark]) -> Counter[tuple[str, str]]:
    """Count headings that follow another with nothing but blanks between them."""
    pairs: Counter[tuple[str, str]] = Counter()
    for above, below in pairwise(marks):
        if not (above.is_keyword and below.is_keyword) or below.start - above.end > 3:  # noqa: PLR2004
            continue
        one, other = above.steps[0][0][0][1:], below.steps[0][0][0][1:]
        if one != other and (above.is_heading or above.title_start >= above.end):
            pairs[one, other] += 1
    return pairs


def _usual_levels(marks: Sequence[Mark]) -> dict[str, int]:
    found: dict[str, Counter[int]] = {}
    for mark in marks:
        if mark.level and mark.steps[0][0][0] != HEADING:
            found.setdefault(mark.steps[0][0][0][1:], Counter())[mark.level] += 1
    return {kind: counts.most_common(1)[0][0] for kind, counts in found.items()}


def _is_derived(one: str, other: str) -> bool:
    """A subpart belongs below a part, wherever each was seen first."""
    return one == f"sub{other}" or other == f"sub{one}"
