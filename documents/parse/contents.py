"""Tidy marks before they are solved: no tables of contents, and titles with their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from documents.parse.marks import HEADING, Mark
from documents.parse.numbers import Value
from documents.parse.words import ANNEXES, UNDIVIDED

FEWEST_ENTRIES = 4
SHARE_REPEATED = 0.7
ASIDE = re.compile(r"\s*(?:\([^)\n]*\))?\s*")  # "Anlage 1 (zu § 3)" has no title yet.
CLOSE = 3  # Characters between two entries.


def drop_contents(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks without runs of headings that have no text between them and come again later."""
    names = [_name(text, mark) for mark in marks]
    last = {name: index for index, name in enumerate(names)}
    dropped: set[int] = set()
    for start, stop in _runs(marks, names):
        again = [index for index in range(start, stop) if last[names[index]] > index]
        if len(again) >= SHARE_REPEATED * (stop - start):
            dropped.update(again)
            if start not in again and marks[start].steps[0][0][0] == HEADING:
                dropped.add(start)  # "Contents"
    return [mark for index, mark in enumerate(marks) if index not in dropped]


def _runs(marks: Sequence[Mark], names: Sequence[object]) -> Iterator[tuple[int, int]]:
    """Yield runs of entries that follow each other directly; a name that returns begins another run."""
    start = 0
    seen: set[object] = set()
    for index in range(len(marks) + 1):
        if index < len(marks) and index > start and _goes_on(marks, index) and names[index] not in seen:
            seen.add(names[index])
            continue
        if index - start >= FEWEST_ENTRIES:
            yield start, index
        start = index
        seen = {names[index]} if index < len(marks) else set()


def _goes_on(marks: Sequence[Mark], index: int) -> bool:
    above, below = marks[index - 1], marks[index]
    return _is_entry(above) and _is_entry(below) and below.start - above.end <= CLOSE


def _is_entry(mark: Mark) -> bool:
    return (mark.is_title or mark.title_start >= mark.end) and not mark.steps[0][0][0].startswith("(")


def _name(text: str, mark: Mark) -> tuple[object, ...]:
    if mark.steps[0][0][0] == HEADING:
        return (HEADING, text[mark.title_start : mark.end].strip().lower())
    return (*mark.steps[0][0], text[mark.title_start : mark.end].strip().lower()[:20])


def drop_asides(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks without those that say below the heading of an annex where it belongs: "Section 3".

    Its title stands below that.
    """
    tidy: list[Mark] = []
    for index, mark in enumerate(marks):
        if not (index and _is_aside(marks, index)):
            tidy.append(mark)
        elif tidy[-1].title_start >= tidy[-1].end:
            tidy[-1] = replace(tidy[-1], title_start=mark.end, end=mark.end)
    return tidy


def _is_aside(marks: Sequence[Mark], index: int) -> bool:
    above, mark = marks[index - 1], marks[index]
    style, value = mark.steps[0][0]
    if not _is_annex(above) or style[1:] not in UNDIVIDED or mark.level or mark.start - above.end > CLOSE:
        return False
    if mark.title_start < mark.end or value[-1] == 1:
        return False
    inside = takewhile(lambda one: not _is_annex(one), marks[index + 1 :])
    return len(mark.steps) > 1 or not any(_follows(one, style, value) for one in inside)


def _is_annex(mark: Mark) -> bool:
    return mark.steps[0][0][0][1:] in ANNEXES


def _follows(mark: Mark, style: str, value: Value) -> bool:
    """Tell whether a mark goes on counting: then the one before it is a unit of the annex."""
    own = mark.steps[0][0]
    return own[0] == style and value < own[1] <= (*value[:-1], value[-1] + 1)


def absorb_titles(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Take a heading right below a number without a title, as in "PART I" over "General", for its title."""
    tidy: list[Mark] = []
    for mark in marks:
        above = tidy[-1] if tidy else None
        if above is not None and _is_title_of(text, mark, above):
            tidy[-1] = replace(
                above, title_start=mark.title_start, end=mark.end, is_title=True, is_heading=True
            )
        else:
            tidy.append(mark)
    return tidy


def _is_title_of(text: str, mark: Mark, above: Mark) -> bool:
    is_plain = mark.steps[0][0][0] == HEADING and above.is_keyword
    return (
        is_plain
        and ASIDE.fullmatch(text, above.title_start, max(above.title_start, above.end)) is not None
        and mark.start - above.end <= CLOSE
        and (not mark.level or mark.level >= above.level > 0)
    )
