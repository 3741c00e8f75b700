"""Text that goes on behind a list belongs to what the list stands in, and not to its last item.

“(f) …; (g) … in the particular case.” and then, in a paragraph of its own, “Where a transfer could not …”.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FEWEST_ITEMS = 2
BREAK = re.compile(r"\n[ \t]*\n\s*")
GOES_ON = re.compile(r"(?:[;,]|[;,]?\s(?:and|or|und|oder|et|ou|y|o|e|ed|en|og|och))\s*$")
SENTENCE = re.compile(r"[A-ZÀ-ÝÄÖÜ][\w’']*,?\s")  # No heading, list, table or quotation.
LONGEST_ITEM = 4_000
SHORTEST = 40


def end_lists(
    text: str,
    starts: Sequence[int],
    ends: Sequence[int],
    parents: Sequence[int | None],
    markers: Sequence[str],
) -> list[int]:
    """Return the ends of units, those of last items where their own paragraph ends."""
    below: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        if parent is not None:
            below.setdefault(parent, []).append(index)
    result = list(ends)
    for items in below.values():
        if len(items) >= FEWEST_ITEMS and not any(item in below for item in items[-3:]):
            last = items[-1]
            result[last] = _end_of(text, starts, ends, items, markers)
    return result


def _end_of(
    text: str, starts: Sequence[int], ends: Sequence[int], items: Sequence[int], markers: Sequence[str]
) -> int:
    """Return where the last item ends: before a sentence that cannot be part of the list."""
    last = items[-1]
    end = ends[last]
    if end - starts[last] > LONGEST_ITEM or not all(
        _is_open(text, starts[item], ends[item]) for item in items[-3:-1]
    ):
        return end
    body = BREAK.search(text, starts[last], end)
    own = text[starts[last] : body.start() if body else end].removeprefix(markers[last]).strip()
    if body is None or body.end() >= end or not own.endswith("."):
        return end
    rest = text[body.end() : end].rstrip()
    is_sentence = SENTENCE.match(rest) is not None and rest.endswith((".", ":", ";"))
    return body.end() if is_sentence and len(rest) >= SHORTEST else end


def _is_open(text: str, start: int, end: int) -> bool:
    """Tell an item that goes on in the next, and has no paragraph of its own behind it."""
    item = text[start:end].rstrip()
    return BREAK.search(item) is None and GOES_ON.search(item) is not None
