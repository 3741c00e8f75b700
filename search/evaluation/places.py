"""Spans in several documents that can be asked which of them a span touches."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable


class Places:
    """Spans by document, in their order."""

    def __init__(self, spans: Iterable[tuple[str, int, int]]) -> None:
        self.spans: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for index, (document, start, end) in enumerate(spans):
            self.spans[document].append((start, end, index))
        for ours in self.spans.values():
            ours.sort()
        longest = [end - start for ours in self.spans.values() for start, end, _ in ours]
        self.longest = max(longest, default=0)

    def touched(self, document: str, start: int, end: int) -> list[int]:
        """Return the indexes of the spans that share a character with a span."""
        ours = self.spans.get(document, [])
        first = bisect_left(ours, (start - self.longest,))
        last = bisect_left(ours, (end,))
        return [index for _, other_end, index in ours[first:last] if other_end > start]

    def touch(self, document: str, start: int, end: int) -> bool:
        return bool(self.touched(document, start, end))
