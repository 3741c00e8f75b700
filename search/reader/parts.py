"""The parts in which a long text is shown, cut where units begin, and kept for the next reader.

A version that is ready never changes, so neither do its parts. Which ones may be read is asked of the
database each time; what is kept is reached by the id of a version alone, and is nothing but numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any
from uuid import UUID

from django.db import connection

SIZE = 16_000  # Characters: in each such stretch one part begins, so that none is twice as long.
MOST_KEPT = 500  # Versions; of a thousand pages each, some ten megabytes.
# In each stretch the first of the highest units that begin in it; where none does, a chunk, as in flat text.
CUTS = """
    WITH cuts AS (
        SELECT start / %(size)s AS stretch, start, position, level FROM documents_section
        WHERE version_id = %(version)s AND position > 0 AND start >= %(size)s
        UNION ALL
        SELECT start / %(size)s, start, NULL, 100000 FROM documents_chunk
        WHERE version_id = %(version)s AND start >= %(size)s
    )
    SELECT DISTINCT ON (stretch) start, position, min(position) OVER (PARTITION BY stretch) FROM cuts
    ORDER BY stretch, level, start, position
"""
LENGTHS = """
    SELECT length(text), (SELECT count(*) FROM documents_section WHERE version_id = %(version)s)
    FROM documents_version WHERE id = %(version)s
"""


@dataclass(frozen=True, slots=True)
class Parts:
    """Where each part begins, and the position of the first unit that begins in it."""

    length: int
    starts: tuple[int, ...]
    positions: tuple[int, ...]  # One more than there are parts: the last is behind all units.

    def __len__(self) -> int:
        return len(self.starts)

    def span(self, index: int) -> tuple[int, int]:
        end = self.starts[index + 1] if index + 1 < len(self.starts) else self.length
        return self.starts[index], end

    def units(self, index: int) -> range:
        """Return the positions of the units that begin in a part."""
        return range(self.positions[index], self.positions[index + 1])

    def at(self, place: int) -> int:
        """Return the part that has a character."""
        return max(0, bisect_right(self.starts, place) - 1)


class PartsCache:
    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self.kept: OrderedDict[UUID, Parts] = OrderedDict()
        self.lock = Lock()

    def get(self, version_id: UUID) -> Parts:
        with self.lock:
            if (known := self.kept.get(version_id)) is not None:
                self.kept.move_to_end(version_id)
                return known
        parts = load_parts(version_id)
        with self.lock:
            self.kept[version_id] = parts
            while len(self.kept) > self.most:
                self.kept.popitem(last=False)
        return parts


CACHE = PartsCache()


def load_parts(version_id: UUID) -> Parts:
    """Divide a version that may be read. In the tenant's scope."""
    asked: dict[str, Any] = {"version": version_id, "size": SIZE}
    with connection.cursor() as cursor:
        cursor.execute(CUTS, asked)
        cuts = cursor.fetchall()
        cursor.execute(LENGTHS, asked)
        length, count = cursor.fetchone() or (0, 0)
    return divide(cuts, length, count)


def divide(cuts: Iterable[tuple[int, int | None, int | None]], length: int, count: int) -> Parts:
    """Begin a part at the start and at each cut. One without a unit comes before the next unit there is."""
    starts: list[int] = []
    positions: list[int] = []
    following = count
    for start, position, first in reversed(list(cuts)):
        starts.append(start)
        positions.append(following if position is None else position)
        following = following if first is None else first
    return Parts(length, (0, *reversed(starts)), (0, *reversed(positions), count))
