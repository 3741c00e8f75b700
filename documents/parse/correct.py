"""Apply what people said about an outline, in this version of a document and in those to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.parse.marks import HEADING
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


def find_corrected(
    text: str, drafts: Sequence[Draft], labels: Sequence[str], corrections: Sequence[Correction]
) -> dict[int, Correction]:
    """Return which correction speaks of which unit."""
    places: dict[str, list[int]] = {}
    for index, draft in enumerate(drafts):
        places.setdefault(opening_of(text, draft.start), []).append(index)
    found: dict[int, Correction] = {}
    for correction in corrections:
        candidates = places.get(correction.opening, [])
        exact = [index for index in candidates if labels[index] == correction.label]
        chosen = exact or (candidates if len(candidates) == 1 or not correction.label else candidates[:1])
        if chosen:
            found[chosen[0]] = correction
    return found


def add_missing(text: str, drafts: list[Draft], corrections: Sequence[Correction]) -> list[Draft]:
    """Add the units that nobody but a person has seen."""
    known = {opening_of(text, draft.start) for draft in drafts}
    missing = [one for one in corrections if one.is_unit and one.opening not in known]
    for correction in missing:
        start = _find_opening(text, correction.opening)
        if start is not None:
            drafts = _insert(drafts, start, correction)
    return drafts


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
    return [*shifted[:at], new, *shifted[at:]]


def apply_corrections(drafts: Sequence[Draft], found: dict[int, Correction]) -> list[Draft]:
    """Return the drafts without those that are no units, and with the levels that people gave."""
    kept = [index for index in range(len(drafts)) if index == 0 or index not in found or found[index].is_unit]
    levels = _levels(drafts)
    for index in kept[1:]:
        wanted = found[index].level if index in found else None
        if wanted is not None and wanted > 0:
            _shift(drafts, levels, index, wanted - levels[index])
    return _rebuild(drafts, kept, levels, found)


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


def _rebuild(
    drafts: Sequence[Draft], kept: Sequence[int], levels: Sequence[int], found: dict[int, Correction]
) -> list[Draft]:
    result: list[Draft] = []
    stack: list[tuple[int, int]] = []  # Level and new index of the open units.
    for index in kept:
        while stack and stack[-1][0] >= levels[index]:
            stack.pop()
        correction = found.get(index)
        title = correction.new_title if correction and correction.new_title else drafts[index].title
        result.append(replace(drafts[index], parent=stack[-1][1] if stack else None, title=title))
        stack.append((levels[index], len(result) - 1))
    return result
