"""From solved marks to a tree of drafts: a root, the containers that nobody prints, titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

from documents.parse.marks import DECIMAL, HEADING, HYPHENED, LETTERED, Mark
from documents.parse.numbers import UNNUMBERED, Value
from documents.parse.solve import Found
from documents.parse.titles import clean_title, find_title
from documents.parse.words import ANNEXES

FEWEST_RECITALS = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A unit without its end and label."""

    start: int
    parent: int | None
    kind: str
    style: str
    value: Value
    number: str  # The printed number without its brackets.
    marker: str
    title: str
    mark: int = -1  # Index of the mark that opens it, if one does.
    label: str = ""  # Given by a person.


def build_tree(text: str, marks: Sequence[Mark], found: Sequence[Found]) -> list[Draft]:
    """Return the drafts in the order of the text; the first is the document, parents come before children."""
    drafts = [Draft(0, None, "document", "", (), "", "", "")]
    place: dict[int | None, int] = {None: 0}
    for index, unit in enumerate(found):
        mark = marks[unit.mark]
        if index == 0 and _is_title_of_all(text, mark, found):
            drafts[0] = replace(_draft(text, mark, unit, None), start=0)
            place[0] = 0
            continue
        place[index] = len(drafts)
        drafts.append(_draft(text, mark, unit, place[unit.parent]))
    return _add_subpart(_add_recitals(_nest(_tidy_headings(text, drafts))))


def _tidy_headings(text: str, drafts: list[Draft]) -> list[Draft]:
    """Put a heading directly above a section beside it, and take back titles that are units themselves."""
    tidy = list(drafts)
    for index, below in enumerate(drafts[1:], start=1):
        above = tidy[index - 1]
        if below.style[:1] != "@":
            continue
        between = text[above.start : below.start].strip()
        if index > 1 and above.style == HEADING and below.parent != index - 1 and "\n" not in between:
            tidy[index - 1] = replace(above, parent=below.parent)
        elif above.title and above.title == _line_at(text, below.start):
            tidy[index - 1] = replace(above, title="")
    return tidy


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    return clean_title(text[start : end if end >= 0 else len(text)])


def _nest(drafts: list[Draft]) -> list[Draft]:
    """Keep each heading inside the list that goes on behind it, so that every unit is one stretch of text."""
    parents = [draft.parent for draft in drafts]
    for index in range(1, len(drafts)):
        parent = parents[index] or 0
        other = _highest(parents, index - 1, parent)
        while other > parent and parents[other] != parent:
            parents[other] = parent
            other = _highest(parents, other - 1, parent)
    return [replace(draft, parent=parent) for draft, parent in zip(drafts, parents, strict=True)]


def _highest(parents: Sequence[int | None], index: int, floor: int) -> int:
    """Return the highest unit above another that still comes after a given one."""
    while (above := parents[index]) is not None and above > floor:
        index = above
    return index


def _is_title_of_all(text: str, mark: Mark, found: Sequence[Found]) -> bool:
    """Tell whether the first heading is that of the document: nothing else stands beside it."""
    if text[: mark.start].strip():
        return False
    beside = [unit for unit in found[1:] if unit.parent is None]
    if found[0].style == HEADING and _names_all(text, mark, beside):
        return True
    if not (mark.level or mark.is_keyword):
        return False
    return not beside or (mark.is_keyword and all(unit.style[1:] in ANNEXES for unit in beside))


def _names_all(text: str, mark: Mark, beside: Sequence[Found]) -> bool:
    """Tell the name of a document, alone among numbered units, from a foreword."""
    is_name = len(text[mark.title_start : mark.end].split()) > 1
    return is_name and all(unit.style not in {HEADING, ""} for unit in beside)


def _draft(text: str, mark: Mark, unit: Found, parent: int | None) -> Draft:
    is_last = unit.step == len(mark.steps) - 1
    marker = mark.markers[unit.step] if unit.style != HEADING else ""
    return Draft(
        mark.start,
        parent,
        _kind(unit.style),
        unit.style,
        unit.value,
        _number(mark, unit, marker),
        marker,
        find_title(text, mark, unit.style, marker) if is_last else "",
        unit.mark,
    )


def _kind(style: str) -> str:
    if style == "@sign":
        return "section"
    if style[:1] == "@":
        return style[1:].replace("_", " ")
    if style in {DECIMAL, LETTERED, HYPHENED, "1"}:
        return "section"
    return "heading" if style == HEADING else "paragraph"


def _number(mark: Mark, unit: Found, marker: str) -> str:
    if unit.style[1:] in ANNEXES and unit.value == UNNUMBERED:
        return ""
    if unit.step == 0 and mark.number and marker:
        return mark.number
    return normalize("NFKC", re.sub(r"[º°ª]", "", marker.strip(". "))).strip("()[].:§ -–—、")


def _add_recitals(drafts: list[Draft]) -> list[Draft]:
    """Put the numbered recitals before the first article below one unit."""
    first = next((index for index, draft in enumerate(drafts) if index and draft.style[:1] == "@"), 0)
    recitals = [
        index
        for index in range(1, first)
        if drafts[index].style not in {HEADING, ""} and drafts[index].parent == 0
    ]
    values = [drafts[index].value for index in recitals if drafts[index].style == "(1)"]
    if len(recitals) < FEWEST_RECITALS or values != [
        (float(number),) for number in range(1, len(recitals) + 1)
    ]:
        return drafts
    holder = Draft(drafts[recitals[0]].start, 0, "recitals", HEADING, (), "", "", "Recitals")
    for index in recitals:
        drafts[index] = replace(drafts[index], kind="recital", style="@recital")
    return _hold(drafts, holder, recitals)


def _add_subpart(drafts: list[Draft]) -> list[Draft]:
    """Give the sections of an undivided part their one unnamed subpart.

    Parts of a code hold subparts and these hold sections. A part that is not divided has one subpart that
    nobody prints, and its sections stand as deep as those of other parts.
    """
    if drafts[0].style != "@part":
        return drafts
    sections = [index for index, draft in enumerate(drafts) if draft.style == "@sign" and draft.parent == 0]
    if not sections or any(draft.style == "@subpart" for draft in drafts):
        return drafts
    return _hold(drafts, Draft(drafts[sections[0]].start, 0, "subpart", HEADING, (), "", "", ""), sections)


def _hold(drafts: list[Draft], holder: Draft, held: Sequence[int]) -> list[Draft]:
    """Insert a unit around others that stand directly below the document, and what stands between them."""
    at = held[0]

    def moved(parent: int | None) -> int | None:
        return parent + 1 if parent is not None and parent >= at else parent

    shifted = [replace(draft, parent=moved(draft.parent)) for draft in drafts]
    for index in range(at, held[-1] + 1):
        if drafts[index].parent == 0:
            shifted[index] = replace(shifted[index], parent=at)
    return [*shifted[:at], holder, *shifted[at:]]
