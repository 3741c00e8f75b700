"""A text as blocks and sentences: where a paragraph begins, where its words begin, and what it stands in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from definitions.extract.innermost import innermost_unit
from documents.parse import Unit

LONGEST_SENTENCE = 800
LONGEST_HEADING = 200

# The full stop comes first, so that the search runs from one to the next.
ABBREVIATIONS = (
    "[A-Z]", "No", r"e\.g", r"i\.e", "Art", "[Ss]ec", "Nr", "Abs", "cf", "vs", "[Pp]ara", "Inc", "Co", "Ltd",
    "St", "pp",    "al", "seq", "bzw", r"a\.k\.a", "Mr", "Mrs", "Dr", "ff", "Reg",
)  # fmt: skip
SENTENCE_END = re.compile(
    r"[.!?]"
    + "".join(rf"(?<!\b{each}\.)" for each in ABBREVIATIONS)
    + r"[\"”’')\]*_»]*\s+(?=[*_\"“‘«„'(\[]*[A-ZÀ-ÖØ-Þ0-9])"
)
NEW_BLOCK = re.compile(
    r"\s*(?:#|>|\||[-•·▪*+]\s|\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]{1,2}"
    r"|[ivxlcIVXLC]{1,6})[.)]\s)"
)
BULLET = re.compile(r"(?:[#>•·▪*+|–—-]+\s+|\s+|\|)*")
MARKER = re.compile(
    r"[*_]{0,3}(?:\(?(?:\d{1,3}(?:\.\d{1,3}){0,5}|[A-Za-z]{1,2}|[ivxlcIVXLC]{1,7})(?:-?[a-z]|bis"
    r"|ter)?[.)°]{1,2}[*_]{0,3}"
    r"|\d{1,3}(?:\.\d{1,3}){1,5}|[A-Z]{1,5}\d{0,3}(?:\.[A-Z]?\d{1,3}){1,6})(?:\s+|(?=\())"
)
CLOSES_BLOCK = frozenset(".;:!?—–-")
FENCE = re.compile(r"^ {0,3}```[^\n]*$", re.MULTILINE)


class Page:
    """The text and units of one document, with what every rule asks of them."""

    def __init__(self, text: str, units: Sequence[Unit]) -> None:
        self.text = text
        self.units = units
        self.unit_starts = [unit.start for unit in units]
        self._heads: dict[int, int] = {}

    @cached_property
    def block_starts(self) -> list[int]:
        """Where paragraphs begin: behind an empty line, at a unit, or where a line opens like an item."""
        starts = set(self.unit_starts)
        position, before = 0, ""
        for line in self.text.split("\n"):
            if _opens_block(line, before):
                starts.add(position)
            position, before = position + len(line) + 1, line.rstrip()
        return sorted(starts | {0})

    @cached_property
    def fences(self) -> list[int]:
        """Where fenced code begins and ends, by turns."""
        return [match.start() for match in FENCE.finditer(self.text)]

    def is_code(self, position: int) -> bool:
        return bisect_right(self.fences, position) % 2 == 1

    def block_at(self, position: int) -> int:
        """Return the index of the block that holds a position."""
        return bisect_right(self.block_starts, position) - 1

    def block_span(self, block: int) -> tuple[int, int]:
        """Return a block without the white space behind it."""
        starts = self.block_starts
        start = starts[block]
        end = starts[block + 1] if block + 1 < len(starts) else len(self.text)
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return start, end

    def unit_at(self, position: int) -> int:
        """Return the index of the innermost unit that holds a position."""
        return innermost_unit(self.units, self.unit_starts, position)

    def opened_unit(self, position: int) -> int | None:
        """Return the innermost unit that starts exactly at a position, unless it is the document."""
        index = bisect_right(self.unit_starts, position) - 1
        return index if index > 0 and self.unit_starts[index] == position else None

    def unit_end(self, unit: int) -> int:
        """Return where a unit ends, without the white space behind it."""
        end = self.units[unit].end
        while end > self.units[unit].start and self.text[end - 1].isspace():
            end -= 1
        return end

    def ancestors(self, unit: int) -> list[int]:
        """Return a unit and all that it stands in, the innermost first."""
        chain = [unit]
        while (parent := self.units[chain[-1]].parent) is not None:
            chain.append(parent)
        return chain

    def head(self, block: int) -> int:
        """Return where the words of a block begin, behind bullets and markers."""
        if block not in self._heads:
            self._heads[block] = self._find_head(block)
        return self._heads[block]

    def _find_head(self, block: int) -> int:
        start, end = self.block_span(block)
        place = _skip(BULLET, self.text, start, end)
        opened = self.opened_unit(start)
        if opened is not None and (marker := self.units[opened].marker):
            found = self.text.find(marker, place, place + len(marker) + 4)
            place = found + len(marker) if found >= 0 else place
            place = _skip(BULLET, self.text, place, end)
        for _ in range(2):
            place = _skip(MARKER, self.text, place, end)
        return _skip(BULLET, self.text, place, end)

    def sentence_start(self, position: int) -> int:
        """Return where the sentence around a position begins, at the earliest the words of its block."""
        head = min(self.head(self.block_at(position)), position)
        start = max(head, position - LONGEST_SENTENCE)
        for match in SENTENCE_END.finditer(self.text, start, position):
            start = match.end()
        return start

    def sentence_end(self, position: int) -> int:
        """Return where the sentence around a position ends, at the latest with its block."""
        _, end = self.block_span(self.block_at(position))
        match = SENTENCE_END.search(self.text, position, min(end, position + 4 * LONGEST_SENTENCE))
        if match is None:
            return max(end, position)
        return match.start() + len(match.group().rstrip())

    def title_span(self, unit: int) -> tuple[int, int] | None:
        """Return where the title of a unit is printed."""
        title, start = self.units[unit].title, self.units[unit].start
        if not title or len(title) > LONGEST_HEADING:
            return None
        found = self.text.find(title, start, start + LONGEST_HEADING + len(title))
        return (found, found + len(title)) if found >= 0 else None


def _opens_block(line: str, before: str) -> bool:
    if not line or line.isspace():
        return False
    return not before or before[-1] in CLOSES_BLOCK or before[0] == "#" or NEW_BLOCK.match(line) is not None


def _skip(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    match = pattern.match(text, start, end)
    return match.end() if match else start
