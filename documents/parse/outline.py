"""The outline of a text: one tree of units, each an exact span with a canonical label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.parse.contents import absorb_titles, drop_asides, drop_contents
from documents.parse.correct import Correction, correct_drafts, drop_corrected
from documents.parse.flush import end_lists
from documents.parse.grade import grade_solution
from documents.parse.labels import label_drafts
from documents.parse.lost import restore_numbers
from documents.parse.marks import find_marks
from documents.parse.solve import solve_marks
from documents.parse.tree import Draft, build_tree

MOST_MARKS = 200_000  # A thousand pages of dense law have a tenth of that; what is beyond is text.


@dataclass(frozen=True, slots=True)
class Unit:
    """A place that can be cited. `parent` is its index in the outline; the document itself has none."""

    start: int
    end: int
    parent: int | None
    level: int
    kind: str
    marker: str
    title: str
    label: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The units of a text in its order; the first is the whole. The grade says how far to trust them."""

    units: tuple[Unit, ...]
    grade: str


def parse_outline(text: str, *, is_markdown: bool, corrections: Sequence[Correction] = ()) -> Outline:
    """Find the units of a text from its headings, its printed numbering, or both."""
    marks = drop_contents(text, find_marks(text, is_markdown=is_markdown, most=MOST_MARKS))
    marks = absorb_titles(text, drop_asides(marks))
    solution = solve_marks(marks)
    drafts = restore_numbers(text, build_tree(text, marks, solution.units))
    if corrections:
        marks, corrections = drop_corrected(text, marks, drafts, corrections)
        solution = solve_marks(marks)
        drafts = restore_numbers(text, build_tree(text, marks, solution.units))
        drafts = correct_drafts(text, drafts, corrections)
    return Outline(_finish(text, drafts, label_drafts(drafts)), grade_solution(text, solution))


def _finish(text: str, drafts: Sequence[Draft], labels: Sequence[str]) -> tuple[Unit, ...]:
    levels: list[int] = []
    for draft in drafts:
        levels.append(0 if draft.parent is None else levels[draft.parent] + 1)
    starts = [draft.start for draft in drafts]
    ends = end_lists(
        text,
        starts,
        _ends(starts, levels, len(text)),
        [draft.parent for draft in drafts],
        [draft.marker for draft in drafts],
    )
    return tuple(
        Unit(draft.start, end, draft.parent, level, draft.kind, draft.marker, draft.title, label)
        for draft, end, level, label in zip(drafts, ends, levels, labels, strict=True)
    )


def _ends(starts: Sequence[int], levels: Sequence[int], length: int) -> list[int]:
    """A unit ends where the next one begins that does not stand below it."""
    ends = [length] * len(starts)
    open_units: list[int] = []
    for index, level in enumerate(levels):
        while open_units and levels[open_units[-1]] >= level:
            ends[open_units.pop()] = starts[index]
        open_units.append(index)
    return ends
