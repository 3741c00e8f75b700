"""Apply what people said about an outline, in this version of a document and in those to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.parse.labels import label_drafts
from documents.parse.marks import HEADING, Mark
from documents.parse.tree import Draft

LONGEST_OPENING = 200


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person said about the unit that begins with these words.

    `label` is what the unit was called before; it decides where several units open alike.
    """

    opening: str
    label: str = ""
    is_unit: bool = True
    level: int | None = None
    new_label: str = ""
    new_title: str = ""


def opening_of(text: str, start: int) -> str:
    """Return the words by which a unit is known again: its first line, with single blanks."""
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)]
    return " ".join(line.split())[:LONGEST_OPENING].rstrip()


def drop_corrected(
    text: str, marks: Sequence[Mark], drafts: Sequence[Draft], corrections: Sequence[Correction]
) -> tuple[list[Mark], list[Correction]]:
    """Return the marks without those that open no unit, and the corrections that are left to apply.

    A wrong unit draws others below it, so the text is to be solved again without its mark.
    """
    labels = label_drafts(drafts)
    dropped: set[int] = set()
    left: list[Correction] = []
    for correction in corrections:
        index = None if correction.is_unit else _find_unit(text, drafts, labels, correction)
        if index is not None and drafts[index].mark >= 0:
            dropped.add(drafts[index].mark)
        else:
            left.append(correction)
    return [mark for index, mark in enumerate(marks) if index not in dropped], left


def correct_drafts(text: str, drafts: list[Draft], corrections: Sequence[Correction]) -> list[Draft]:
    """Apply corrections one after the other, each to what those before it have made."""
    for correction in corrections:
        index = _find_unit(text, drafts, label_drafts(drafts), correction)
        if index is not None:
            drafts = _apply(drafts, index, correction)
        elif correction.is_unit and (start := _find_opening(text, correction.opening)) is not None:
            drafts = _insert(drafts, start, correction)
    return drafts


def _find_unit(
    text: str, drafts: Sequence[Draft], labels: Sequence[str], correction: Correction
) -> int | None:
    """Return the unit that opens with these words; of several, the one with the label, else the first."""
    alike = [
        index for index, draft in enumerate(drafts) if opening_of(text, draft.start) == correction.opening
    ]
    exact = [index for index in alike if labels[index] == correction.label]
    chosen = exact or alike
    return chosen[0] if chosen else None


def _find_opening(text: str, opening: str) -> int | None:
    position = 0
    for line in text.splitlines(keepends=True):
        if " ".join(line.split())[:LONGEST_OPENING].rstrip() == opening:
            return position + len(line) - len(line.lstrip())
        position += len(line)
    return None


def _insert(drafts: list[Draft], start: int, correction: Correction) -> list[Draft]:
    at = next((index for index, draft in enumerate(drafts) if draft.start > start), len(drafts))
    title = correction.new_title or correction.opening.lstrip("# ")
    new = Draft(start, 0, "heading", HEADING, (), "", "", title)
    shifted = [
        replace(
            draft,
            parent=draft.parent + 1 if draft.parent is not None and draft.parent >= at else draft.parent,
        )
        for draft in drafts
    ]
    return _apply([*shifted[:at], new, *shifted[at:]], at, correction)


def _apply(drafts: Sequence[Draft], index: int, correction: Correction) -> list[Draft]:
    levels = _levels(drafts)
    changed = list(drafts)
    if index and not correction.is_unit:
        return _rebuild(changed, levels, without=index)
    draft = drafts[index]
    changed[index] = replace(
        draft, label=correction.new_label or draft.label, title=correction.new_title or draft.title
    )
    if index and correction.level:
        _shift(drafts, levels, index, correction.level - levels[index])
    return _rebuild(changed, levels)


def _levels(drafts: Sequence[Draft]) -> list[int]:
    levels: list[int] = []
    for draft in drafts:
        levels.append(0 if draft.parent is None else levels[draft.parent] + 1)
    return levels


def _shift(drafts: Sequence[Draft], levels: list[int], index: int, by: int) -> None:
    """Move a unit with all that stands below it."""
    below = {index}
    for other in range(index + 1, len(drafts)):
        if drafts[other].parent in below:
            below.add(other)
    for one in below:
        levels[one] = max(1, levels[one] + by)


def _rebuild(drafts: Sequence[Draft], levels: Sequence[int], *, without: int = -1) -> list[Draft]:
    """Nest units by their levels."""
    result: list[Draft] = []
    around: list[tuple[int, int]] = []  # Level and new index of the open units.
    for index, (draft, level) in enumerate(zip(drafts, levels, strict=True)):
        if index == without:
            continue
        while around and around[-1][0] >= level:
            around.pop()
        result.append(replace(draft, parent=around[-1][1] if around else None))
        around.append((level, len(result) - 1))
    return result
