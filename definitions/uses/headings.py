"""Find the headings and captions of a text, in which a term is named rather than used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from definitions.extract.found import Span

DECORATION = 30  # Characters beside marker and title: hashes, stars, blanks.
GOES_ON = re.compile(r"[;,:]$|\b(?:and|or)$")  # A member of a list that was taken for a title.


class Titled(Protocol):
    """A unit of an outline."""

    @property
    def start(self) -> int: ...
    @property
    def parent(self) -> int | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def marker(self) -> str: ...
    @property
    def title(self) -> str: ...


def heading_spans(text: str, units: Sequence[Titled]) -> list[Span]:
    """Return the spans of the headings, each from the start of its unit to the end of its title."""
    return list(_headings(text, units))


def _headings(text: str, units: Sequence[Titled]) -> Iterator[Span]:
    for index, unit in enumerate(units):
        has_units = index + 1 < len(units) and units[index + 1].parent == index
        end = _end_of_title(text, unit) if unit.title else -1
        if end >= 0 and (unit.kind != "paragraph" or _is_caption(text, unit, end, has_units=has_units)):
            yield unit.start, end


def _end_of_title(text: str, unit: Titled) -> int:
    length = len(unit.title)
    found = text.find(unit.title, unit.start, unit.start + len(unit.marker) + length + DECORATION)
    return found + length if found >= 0 else -1


def _is_caption(text: str, unit: Titled, end: int, *, has_units: bool) -> bool:
    """Tell "(a) Scope. This part …" from "(a) Ships; and"."""
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)]
    if rest.strip(" .*_"):
        return True
    if GOES_ON.search(unit.title):
        return False
    is_sentence = unit.title.endswith(".") or rest.lstrip().startswith(".")
    return has_units or not is_sentence
