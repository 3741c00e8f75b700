"""What two sequences have in common, in order: exactly where that is cheap, and always in bounded time."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MOST_STEPS = 1_000_000  # Of one comparison as a whole: about half a second.
MOST_STEPS_AT_ONCE = 250_000
MOST_SPLITS = 8


class Run(NamedTuple):
    """That so many items from here on are the same in both."""

    old: int
    new: int
    size: int


@dataclass(slots=True)
class Effort:
    """What may still be spent on a comparison."""

    left: int = MOST_STEPS


def align(old: Sequence[Hashable], new: Sequence[Hashable], effort: Effort) -> list[Run]:
    """Return what is the same, in runs that grow in both.

    By Myers' algorithm, which finds the fewest edits and takes the longer the more there are. Where that
    would be too long, items that are unique in both part the task (“patience”), and where there are none, the
    rest counts as replaced.
    """
    numbers: dict[Hashable, int] = {}
    one, other = ([numbers.setdefault(item, len(numbers)) for item in items] for items in (old, new))
    return list(_merge(_align(one, other, Run(0, 0, 0), effort, 0)))


def _merge(runs: Iterator[Run]) -> Iterator[Run]:
    last = Run(0, 0, 0)
    for run in runs:
        if (last.old + last.size, last.new + last.size) == (run.old, run.new):
            last = Run(last.old, last.new, last.size + run.size)
            continue
        if last.size:
            yield last
        last = run
    if last.size:
        yield last


def _align(old: Sequence[int], new: Sequence[int], at: Run, effort: Effort, depth: int) -> Iterator[Run]:
    """Align what begins `at`: what is the same at both ends first."""
    head = _same_head(old, new)
    tail = _same_head(old[head:][::-1], new[head:][::-1])
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if head:
        yield Run(at.old, at.new, head)
    if inner_old and inner_new:
        yield from _align_inner(inner_old, inner_new, Run(at.old + head, at.new + head, 0), effort, depth)
    if tail:
        yield Run(at.old + len(old) - tail, at.new + len(new) - tail, tail)


def _align_inner(
    old: Sequence[int], new: Sequence[int], at: Run, effort: Effort, depth: int
) -> Iterator[Run]:
    shared = (Counter(old) & Counter(new)).total()
    if not shared:
        return
    found = find_fewest_edits(old, new, effort, at_least=len(old) + len(new) - 2 * shared)
    if found is not None:
        yield from (Run(at.old + run.old, at.new + run.new, run.size) for run in found)
    elif depth < MOST_SPLITS:
        yield from _split(old, new, at, effort, depth)


def _same_head(old: Sequence[int], new: Sequence[int]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _split(old: Sequence[int], new: Sequence[int], at: Run, effort: Effort, depth: int) -> Iterator[Run]:
    """Align what lies between items that both have once, in the longest order that both have."""
    begin_old = begin_new = 0
    for one, other in [*_unique_in_order(old, new), (len(old), len(new))]:
        if (begin_old, begin_new) != (0, 0) or (one, other) != (len(old), len(new)):
            part_old, part_new = old[begin_old:one], new[begin_new:other]
            place = Run(at.old + begin_old, at.new + begin_new, 0)
            yield from _align(part_old, part_new, place, effort, depth + 1)
        begin_old, begin_new = one, other


def _unique_in_order(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    in_old, in_new = _unique(old), _unique(new)
    pairs = [(index, in_new[item]) for item, index in in_old.items() if item in in_new]
    return _longest_rising(pairs)


def _unique(items: Sequence[int]) -> dict[int, int]:
    counts = Counter(items)
    return {item: index for index, item in enumerate(items) if counts[item] == 1}


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most pairs that rise in both; they come rising in the first."""
    ends: list[int] = []  # The least second of all rising rows of a length.
    last: list[int] = []  # Its index.
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [index]
    chosen = []
    index = last[-1] if last else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]


def find_fewest_edits(
    old: Sequence[int], new: Sequence[int], effort: Effort, *, at_least: int
) -> list[Run] | None:
    """Return what is the same if the fewest edits are made; nothing if that takes too long to find out.

    E. Myers, An O(ND) Difference Algorithm and Its Variations (1986). A point is on the diagonal of its place
    in the old less its place in the new.
    """
    steps = min(effort.left, MOST_STEPS_AT_ONCE)
    if at_least * min(at_least, len(old), len(new)) > steps:
        return None
    trace = [{1: 0}]
    spent = 0
    for edits in range(len(old) + len(new) + 1):
        reached, cost = _go_on(old, new, trace[-1], edits)
        spent += cost
        if reached.get(len(old) - len(new)) == len(old):
            effort.left -= spent
            return _walk_back(old, new, trace)
        if spent > steps:
            break
        trace.append(reached)
    effort.left -= spent
    return None


def _go_on(
    old: Sequence[int], new: Sequence[int], furthest: dict[int, int], edits: int
) -> tuple[dict[int, int], int]:
    """Return the furthest points on each diagonal with one edit more, and what it took."""
    size_old, size_new = len(old), len(new)
    first = -edits + 2 * max(0, edits - size_new)
    last = edits - 2 * max(0, edits - size_old)
    reached: dict[int, int] = {}
    cost = 1
    for diagonal in range(first, last + 1, 2):
        begin = at = max(_edit(furthest, diagonal, size_old, size_new))
        if at < 0:
            continue
        while at < size_old and at - diagonal < size_new and old[at] == new[at - diagonal]:
            at += 1
        reached[diagonal] = at
        cost += 3 + at - begin
    return reached, cost


def _edit(furthest: dict[int, int], diagonal: int, size_old: int, size_new: int) -> tuple[int, int]:
    """Return where one is in the old after adding an item and after leaving one out; -1 if one cannot."""
    added, removed = furthest.get(diagonal + 1, -1), furthest.get(diagonal - 1, -2) + 1
    return (
        -1 if added - diagonal > size_new else added,
        -1 if removed > size_old else removed,
    )


def _walk_back(old: Sequence[int], new: Sequence[int], trace: Sequence[dict[int, int]]) -> list[Run]:
    runs = []
    at, diagonal = len(old), len(old) - len(new)
    for furthest in reversed(trace):
        added, removed = _edit(furthest, diagonal, len(old), len(new))
        begin = max(added, removed)
        if at > begin:
            runs.append(Run(begin, begin - diagonal, at - begin))
        at, diagonal = (added, diagonal + 1) if added >= removed else (removed - 1, diagonal - 1)
    return runs[::-1]
