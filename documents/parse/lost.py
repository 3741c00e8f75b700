"""Give headings back the numbers that they lost in conversion.

Between § 1 and § 4 stand two headings without a number, each with a body: they are § 2 and § 3. If there are
fewer or more of them, numbers were repealed or the headings are something else, and nothing changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from documents.parse.marks import HEADING, reads_like_title
from documents.parse.titles import clean_title
from documents.parse.tree import Draft
from documents.parse.words import UNDIVIDED

WIDEST_GAP = 5
MOST_TITLE_WORDS = 14
LONGEST_LEAD_IN = 300
FIRST = (1.0,)
HASHES = re.compile(r"#{1,6}(?=[ \t])")
BLOCK = re.compile(r"\S[^\n]*(?:\n[ \t]*\S[^\n]*)*")


@dataclass(frozen=True, slots=True)
class _Gap:
    """Two units side by side whose numbers do not follow each other."""

    before: int
    after: int
    missing: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a heading without its number stands: a draft already, or a line before one."""

    index: int
    start: int
    title: str
    is_draft: bool


def restore_numbers(text: str, drafts: list[Draft]) -> list[Draft]:
    """Return the drafts with the units whose numbers are missing and whose headings are there."""
    titles = Counter(draft.title for draft in drafts if draft.style == HEADING)
    for gap in reversed(list(_gaps(drafts))):  # From the end, so that what is inserted shifts no other gap.
        places = sorted(_find_places(text, drafts, gap, titles), key=lambda place: place.start)
        if len(places) == gap.missing:
            drafts = _fill(drafts, gap, places)
    return drafts


def _gaps(drafts: Sequence[Draft]) -> Iterator[_Gap]:
    last: dict[int | None, int] = {}
    for index, draft in enumerate(drafts):
        if index == 0 or draft.style[:1] != "@":
            continue
        before = last.get(draft.parent)
        last[draft.parent] = index
        if before is not None and (missing := _count_missing(drafts[before], draft)):
            yield _Gap(before, index, missing)


def _count_missing(before: Draft, after: Draft) -> int:
    """Return how many numbers lie between two units that are cited alike, if they are a few."""
    if before.style != after.style or before.style[1:] not in UNDIVIDED:
        return 0
    if len(before.value) != len(after.value) or before.value[:-1] != after.value[:-1] or not before.value:
        return 0
    missing = after.value[-1] - before.value[-1] - 1
    is_printed = before.number.endswith(str(int(before.value[-1])))
    return int(missing) if is_printed and missing in range(1, WIDEST_GAP + 1) else 0


def _find_places(text: str, drafts: Sequence[Draft], gap: _Gap, titles: Counter[str]) -> Iterator[_Place]:
    """Yield what looks like a heading that lost its number."""
    before = drafts[gap.before]
    opened: set[str] = set()  # Styles of the lists directly below the first unit.
    for index in range(gap.before + 1, gap.after):
        draft = drafts[index]
        if draft.style == HEADING:
            below = drafts[index + 1] if index + 1 < gap.after else None
            restarts = below is not None and below.parent == index and _restarts(below, opened)
            is_beside = draft.parent == before.parent and _is_alike(text, drafts, index, gap)
            if titles[draft.title] == 1 and (is_beside or restarts):
                yield _Place(index, draft.start, draft.title, is_draft=True)
        elif _restarts(draft, opened) and (line := _title_above(text, drafts, index)):
            yield _Place(index, line.start(), clean_title(line[0]), is_draft=False)
        elif draft.parent == gap.before:
            opened.add(draft.style)


def _restarts(draft: Draft, opened: set[str]) -> bool:
    return draft.value == FIRST and draft.style in opened


def _is_alike(text: str, drafts: Sequence[Draft], index: int, gap: _Gap) -> bool:
    """Tell whether a heading has the level of those around it, and words below it."""
    hashes = [HASHES.match(text, drafts[one].start) for one in (gap.before, index, gap.after)]
    levels = {match[0] if match else "" for match in hashes}
    end_of_line = text.find("\n", drafts[index].start)
    body = text[end_of_line : drafts[index + 1].start] if end_of_line >= 0 else ""
    has_body = bool(body.strip()) or drafts[index + 1].parent == index
    return len(levels) == 1 and "" not in levels and has_body


def _title_above(text: str, drafts: Sequence[Draft], index: int) -> re.Match[str] | None:
    """Return the short line over a list, with one paragraph between them at most."""
    blocks = list(BLOCK.finditer(text, drafts[index - 1].start, drafts[index].start))[1:]
    if blocks and _is_title(blocks[-1][0]):
        return blocks[-1]
    if len(blocks) > 1 and len(blocks[-1][0]) <= LONGEST_LEAD_IN and _is_title(blocks[-2][0]):
        return blocks[-2]
    return None


def _is_title(block: str) -> bool:
    is_short = "\n" not in block and len(block.split()) <= MOST_TITLE_WORDS
    return is_short and block[0].isupper() and reads_like_title(block)


def _fill(drafts: list[Draft], gap: _Gap, places: Sequence[_Place]) -> list[Draft]:
    """Make the places units of the kind around them, and put below each what follows it."""
    heads: list[int] = []
    inserted = 0
    for place in places:
        heads.append(place.index + inserted)
        if not place.is_draft:
            new = Draft(place.start, gap.before, "", HEADING, (), "", "", place.title)
            drafts = _insert(drafts, heads[-1], new)
            inserted += 1
    filled = list(drafts)
    for position, (head, end) in enumerate(pairwise([*heads, gap.after + inserted]), start=1):
        filled[head] = _numbered(drafts[head], drafts[gap.before], position)
        for index in range(head + 1, end):
            if (drafts[index].parent or 0) in range(gap.before, head):
                filled[index] = replace(drafts[index], parent=head)
    return filled


def _insert(drafts: Sequence[Draft], at: int, new: Draft) -> list[Draft]:
    def moved(draft: Draft) -> Draft:
        is_behind = draft.parent is not None and draft.parent >= at
        return replace(draft, parent=(draft.parent or 0) + 1) if is_behind else draft

    return [*drafts[:at], new, *map(moved, drafts[at:])]


def _numbered(draft: Draft, before: Draft, position: int) -> Draft:
    value = (*before.value[:-1], before.value[-1] + position)
    printed = str(int(before.value[-1]))
    number = before.number.removesuffix(printed) + str(int(value[-1]))
    return replace(
        draft, parent=before.parent, kind=before.kind, style=before.style, value=value, number=number
    )
