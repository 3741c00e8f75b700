"""Mark what is different between two readings, near where it begins to be."""

from __future__ import annotations

import re
from itertools import takewhile

from documents.compare import Segment, mark_words

MOST_MARKED = 6_000  # Characters of each text.
LED = 40  # Words before the first difference that are shown with it.
WORD = re.compile(r"\S+")


def mark_difference(old: str, new: str) -> tuple[tuple[Segment, ...], bool]:
    """Return the marked texts, and whether they are only a part: of long texts what is around the first
    difference.
    """
    if max(len(old), len(new)) <= MOST_MARKED:
        return mark_words(old, new), False
    before, after = list(WORD.finditer(old)), list(WORD.finditer(new))
    pairs = zip(before, after, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1][0], pairs))
    first = max(same - LED, 0)
    begins = [found[first].start() if first < len(found) else 0 for found in (before, after)]
    cut = [text[begin : begin + MOST_MARKED] for text, begin in zip((old, new), begins, strict=True)]
    return mark_words(cut[0], cut[1]), True
