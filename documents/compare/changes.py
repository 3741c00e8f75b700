"""What became of each unit from one version to another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from documents.compare.match import match_units
from documents.compare.units import Unit


class Kind(StrEnum):
    """What became of a unit. What moved has the same words in another place or with another number."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    MOVED = "moved"
    MOVED_AND_CHANGED = "moved_and_changed"
    ADDED = "added"
    REMOVED = "removed"


LOUD = frozenset({Kind.CHANGED, Kind.MOVED_AND_CHANGED, Kind.ADDED, Kind.REMOVED})


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one unit, by its own words; `below` counts the units below it whose words changed."""

    kind: Kind
    old: Unit | None
    new: Unit | None
    below: int = 0

    @property
    def unit(self) -> Unit:
        """The unit as it is now, or was last."""
        unit = self.new or self.old
        if unit is None:
            raise ValueError("A change is of a unit.")
        return unit


def compare_outlines(old: Sequence[Unit], new: Sequence[Unit]) -> tuple[Change, ...]:
    """Return what became of each unit, in the order of the new; what was removed stands where it stood."""
    matches = match_units(old, new)
    origins = {index: other for other, index in matches.items()}
    kinds = [
        Kind.ADDED if index not in origins else _kind(old[origins[index]], unit)
        for index, unit in enumerate(new)
    ]
    below_old, below_new = _count_below(old, new, matches, kinds)
    removed = _place_removed(old, matches)
    changes = [_gone(old, index, below_old) for index in removed[-1]]
    for index, unit in enumerate(new):
        origin = origins.get(index)
        before = None if origin is None else old[origin]
        changes.append(Change(kinds[index], before, unit, below_new[index]))
        changes += [_gone(old, other, below_old) for other in removed[index]]
    return tuple(changes)


def _kind(old: Unit, new: Unit) -> Kind:
    is_same = old.body == new.body
    if old.label == new.label:
        return Kind.UNCHANGED if is_same and old.marker == new.marker else Kind.CHANGED
    return Kind.MOVED if is_same else Kind.MOVED_AND_CHANGED


def _gone(old: Sequence[Unit], index: int, below: Sequence[int]) -> Change:
    return Change(Kind.REMOVED, old[index], None, below[index])


def _place_removed(old: Sequence[Unit], matches: Mapping[int, int]) -> Mapping[int, list[int]]:
    """Return behind which unit of the new each unit stood that is gone; -1 is before all."""
    placed: defaultdict[int, list[int]] = defaultdict(list)
    last = -1
    for index in range(len(old)):
        if index in matches:
            last = matches[index]
        else:
            placed[last].append(index)
    return placed


def _count_below(
    old: Sequence[Unit], new: Sequence[Unit], matches: Mapping[int, int], kinds: Sequence[Kind]
) -> tuple[list[int], list[int]]:
    """Count from the bottom up; what was removed counts for what its parent became."""
    below_old, below_new = [0] * len(old), [0] * len(new)
    for index, parent in _upward(old):
        if index in matches:
            continue
        if parent in matches:
            below_new[matches[parent]] += below_old[index] + 1
        else:
            below_old[parent] += below_old[index] + 1
    for index, parent in _upward(new):
        below_new[parent] += below_new[index] + (kinds[index] in LOUD)
    return below_old, below_new


def _upward(units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    for index in reversed(range(len(units))):
        parent = units[index].parent
        if parent is not None:
            yield index, parent
