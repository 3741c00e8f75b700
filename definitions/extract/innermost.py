"""Which unit a place stands in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from documents.parse import Unit


def innermost_unit(units: Sequence[Unit], starts: Sequence[int], position: int) -> int:
    """Return the innermost unit around a place; several may begin at one place, the last is the innermost."""
    index = max(bisect_right(starts, position) - 1, 0)
    while units[index].end <= position and (above := units[index].parent) is not None:
        index = above
    return index
