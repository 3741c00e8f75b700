"""Leave out tables of contents, which print every heading a first time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from documents.parse.marks import HEADING, Mark

FEWEST_ENTRIES = 4
SHARE_REPEATED = 0.7
CLOSE = 3  # Characters between two entries.


def drop_contents(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks without runs of headings that have no text between them and come again later."""
    names = [_name(text, mark) for mark in marks]
    total = Counter(names)
    dropped: set[int] = set()
    for start, stop in _runs(marks):
        inside = Counter(names[start:stop])
        again = sum(total[name] > inside[name] for name in names[start:stop])
        if again >= SHARE_REPEATED * (stop - start):
            dropped.update(index for index in range(start, stop) if total[names[index]] > inside[names[index]])
    return [mark for index, mark in enumerate(marks) if index not in dropped]


def _runs(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    start = 0
    for index in range(1, len(marks) + 1):
        goes_on = index < len(marks) and _is_entry(marks[index - 1]) and _is_entry(marks[index])
        if goes_on and marks[index].start - marks[index - 1].end <= CLOSE:
            continue
        if index - start >= FEWEST_ENTRIES:
            yield start, index
        start = index


def _is_entry(mark: Mark) -> bool:
    return (mark.is_title or mark.title_start >= mark.end) and not mark.steps[0][0][0].startswith("(")


def _name(text: str, mark: Mark) -> tuple[object, ...]:
    if mark.steps[0][0][0] == HEADING:
        return (HEADING, text[mark.title_start : mark.end].strip().lower())
    return (*mark.steps[0][0], text[mark.title_start : mark.end].strip().lower()[:20])
