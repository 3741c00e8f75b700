"""From solved marks to a tree of drafts: a root, the containers that nobody prints, titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.parse.marks import DECIMAL, HEADING, HYPHENED, LETTERED, Mark, reads_like_title
from documents.parse.numbers import NUMBER_WORDS, Value
from documents.parse.solve import Found
from documents.parse.words import ANNEXES

CAPTION = re.compile(
    r"\s*(?P<mark>[*_]{1,3})(?P<marked>[^*_\n]{1,200}?)(?P=mark)|\s*(?P<plain>[^.\n]{1,80}\.)(?=\s+\S|\s?[—–])"
)
TITLE_LINE = re.compile(r"\s*?\n\s*(?:#{1,6}\s+)?([^\n|]{3,160})(?:\n\s*\n|\n?\Z)")
MOST_CAPTION_WORDS = 10
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
    return _add_subpart(_add_recitals(_nest(drafts)))


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
    is_heading = mark.level or mark.is_keyword
    if not is_heading or text[: mark.start].strip():
        return False
    beside = [unit for unit in found[1:] if unit.parent is None]
    return not beside or (mark.is_keyword and all(unit.style[1:] in ANNEXES for unit in beside))


def _draft(text: str, mark: Mark, unit: Found, parent: int | None) -> Draft:
    is_last = unit.step == len(mark.steps) - 1
    marker = mark.markers[unit.step]
    return Draft(
        mark.start,
        parent,
        _kind(unit.style),
        unit.style,
        unit.value,
        _number(marker, unit.style),
        marker,
        _title(text, mark, unit) if is_last else "",
    )


def _kind(style: str) -> str:
    if style == "@sign":
        return "section"
    if style[:1] == "@":
        return style[1:]
    if style in {DECIMAL, LETTERED, HYPHENED, "1"}:
        return "section"
    return "heading" if style == HEADING else "paragraph"


def _number(marker: str, style: str) -> str:
    if style[:1] != "@":
        return marker.strip("()[].:º°ª -–—")
    number = re.sub(r"[º°ª]$", "", re.sub(r"^.*?(?:§§?|[^\W\d_]{2,}\.?)\s*", "", marker.strip(), count=1))
    word = NUMBER_WORDS.get(number.lower())
    return str(word) if word else re.sub(r"(?<=[\dI])(?:er|re)$", "", number)


def _title(text: str, mark: Mark, unit: Found) -> str:
    line = text[mark.title_start : mark.end]
    if not line.strip():
        return _title_below(text, mark.end, any_case=unit.style == DECIMAL)
    if re.fullmatch(r"\s*\([^)\n]*\)\s*", line):  # "(normative)"
        return " ".join(filter(None, (line.strip(), _title_below(text, mark.end))))
    if mark.level or (mark.is_title and mark.is_heading):
        return _clean(line)
    caption = CAPTION.match(line)
    if caption is not None:
        title = _clean(caption["marked"] or caption["plain"])
        return title if len(title.split()) <= MOST_CAPTION_WORDS and title[:1].isupper() else ""
    return _clean(line) if mark.is_keyword and mark.is_title else ""


def _clean(title: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}", "", title)).strip(" #—–")


def _title_below(text: str, end: int, *, any_case: bool = False) -> str:
    """Return the title that stands below its number, as in "Article 5" over "Principles"."""
    match = TITLE_LINE.match(text, end)
    if match is None or re.match(r"[\W_]*(?:\(?\w{1,4}[.)]|\d)", match[1]):
        return ""
    title = match[1].strip()
    is_title = reads_like_title(title[:1].upper() + title[1:] if any_case else title)
    return _clean(title) if is_title and title[-1] != "." else ""


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
