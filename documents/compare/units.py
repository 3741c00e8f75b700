"""The units of a text as they are compared: each with the words that are its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BEFORE_MARKER, BEHIND_MARKER = "#*_>- \t\n", "*_.:—– \t\n"


class Place(NamedTuple):
    """Where a unit is in a text, and what it is called."""

    start: int
    end: int
    level: int
    label: str
    marker: str = ""
    title: str = ""
    position: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of one version. `parent` is its index among the units; `own` leaves out what is below it."""

    label: str
    marker: str
    title: str
    level: int
    position: int
    parent: int | None
    own: str
    start: int
    end: int
    source: str = field(repr=False)

    @property
    def whole(self) -> str:
        """Its text with all that is below it."""
        return self.source[self.start : self.end]

    @property
    def body(self) -> str:
        """Its own words with single blanks, without its number: the same wherever it stands."""
        behind = self.own.lstrip(BEFORE_MARKER).removeprefix(self.marker).lstrip(BEHIND_MARKER)
        return " ".join(behind.split())


def cut_units(text: str, places: Sequence[Place]) -> tuple[Unit, ...]:
    """Give each unit its own words. Places come in the order of the text, with the whole first."""
    parents = _parents([place.level for place in places])
    cuts: list[list[Place]] = [[] for _ in places]
    for place, parent in zip(places, parents, strict=True):
        if parent is not None:
            cuts[parent].append(place)
    return tuple(
        Unit(
            place.label,
            place.marker,
            place.title,
            place.level,
            place.position,
            parent,
            _cut(text, place, below),
            place.start,
            place.end,
            text,
        )
        for place, parent, below in zip(places, parents, cuts, strict=True)
    )


def _parents(levels: Sequence[int]) -> list[int | None]:
    """A unit stands below the last one before it that is less deep."""
    parents: list[int | None] = []
    around: list[int] = []
    for index, level in enumerate(levels):
        while around and levels[around[-1]] >= level:
            around.pop()
        parents.append(around[-1] if around else None)
        around.append(index)
    return parents


def _cut(text: str, place: Place, below: Sequence[Place]) -> str:
    parts, at = [], place.start
    for one in below:
        parts.append(text[at : one.start])
        at = max(at, one.end)
    parts.append(text[at : place.end])
    return "".join(parts)
