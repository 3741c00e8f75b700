"""A text with its units, and where words stand in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from documents.parse import Unit

Span = tuple[int, int]
HEAD = 12  # Words that are looked for at once; the rest is compared where these stand.
MOST_OCCURRENCES = 1_000  # Of the same words in one text.
BEFORE_MARKER = re.compile(r"[#*_>\s-]*")
BEHIND_MARKER = re.compile(r"[*_.:)—–\s]*")


@dataclass(frozen=True, slots=True)
class Extract:
    """A part of a text, which knows where it begins there."""

    start: int
    text: str

    def find(self, words: Sequence[str]) -> list[Span]:
        """Return where words stand, in the whole text."""
        found = islice(find_words(self.text, words), MOST_OCCURRENCES)
        return [(self.start + start, self.start + end) for start, end in found]

    def holds(self, span: Span) -> bool:
        return self.start <= span[0] and span[1] <= self.start + len(self.text)

    def within(self, span: Span) -> Span:
        """Return a span of the whole text by characters from here."""
        return span[0] - self.start, span[1] - self.start

    def part(self, span: Span) -> Extract:
        """Return a part of it, by characters from its own beginning."""
        return Extract(self.start + span[0], self.text[slice(*span)])


@dataclass(frozen=True)
class Edition:
    """What a version says. The first unit is the whole, and has no label."""

    text: str
    units: Sequence[Unit]

    @cached_property
    def by_label(self) -> dict[str, int]:
        return {self.label(index): index for index in range(len(self.units))}

    @cached_property
    def starts(self) -> list[int]:
        return [unit.start for unit in self.units]

    def label(self, index: int) -> str:
        return self.units[index].label if index else ""

    def span(self, index: int) -> Span:
        return self.units[index].start, self.units[index].end

    def words(self, span: Span) -> list[str]:
        return self.text[slice(*span)].split()

    def extract(self, index: int) -> Extract:
        return Extract(self.units[index].start, self.text[slice(*self.span(index))])

    def innermost(self, span: Span) -> int:
        """Return the smallest unit around the words of a span."""
        return unit_around(self.units, self.starts, trim(self.text, span))

    def beginning_at(self, start: int) -> int | None:
        """Return the last unit that begins at a place."""
        index = bisect_right(self.starts, start) - 1
        return index if index > 0 and self.units[index].start == start else None

    def body(self, span: Span) -> Span:
        """Return a span without the number that its first unit begins with, which may be another one now."""
        start, end = trim(self.text, span)
        index = self.beginning_at(start)
        if index is None or not self.units[index].marker:
            return start, end
        marker = self.units[index].marker
        begin = _end(BEFORE_MARKER, self.text, start)
        if not self.text.startswith(marker, begin):
            return start, end
        behind = _end(BEHIND_MARKER, self.text, begin + len(marker))
        return (behind, end) if behind < end else (start, end)


def unit_around(units: Sequence[Unit], starts: Sequence[int], span: Span) -> int:
    """Return the smallest unit around a span; 0 is the whole."""
    index = max(bisect_right(starts, span[0]) - 1, 0)
    while index and not (units[index].start <= span[0] and span[1] <= units[index].end):
        index = units[index].parent or 0
    return index


def path_of(units: Sequence[Unit], index: int) -> tuple[str, ...]:
    """Return the units around a unit and itself, as their headings say."""
    steps: list[str] = []
    while index:
        unit = units[index]
        steps.append(f"{unit.marker} {unit.title}".strip() or unit.label)
        index = unit.parent or 0
    return tuple(reversed(steps))


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


def trim(text: str, span: Span) -> Span:
    """Return a span without the blanks at its ends."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def find_words(text: str, words: Sequence[str]) -> Iterator[Span]:
    """Yield the places where words stand one behind the other, whatever blanks are between them."""
    if not words:
        return
    before = r"(?<!\w)" if words[0][0].isalnum() else ""
    head = re.compile(before + r"\s+".join(map(re.escape, words[:HEAD])))
    for match in head.finditer(text):
        end = _follow(text, match.end(), words[HEAD:])
        if end is not None and not (text[end - 1].isalnum() and text[end : end + 1].isalnum()):
            yield match.start(), end


def _follow(text: str, end: int, words: Sequence[str]) -> int | None:
    """Return where further words end; nothing if others stand there."""
    for word in words:
        begin = end
        while text[begin : begin + 1].isspace():
            begin += 1
        if begin == end or not text.startswith(word, begin):
            return None
        end = begin + len(word)
    return end
