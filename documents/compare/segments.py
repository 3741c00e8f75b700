"""Mark the words that two texts do not have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from documents.compare.align import Effort, Run, align
from documents.compare.tokens import split_words

PARAGRAPH = re.compile(r"[^\n]+\n*|\n+")
FEWEST_WORDS = 3  # What stays between two changes that are longer is more of a disturbance than a help.
LEAST_SHARE = 0.2  # Of the shorter text's words: below it, one is written anew rather than changed.


class Mark(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text, and in which of the two it is."""

    kind: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """A text in words, and the blanks behind each."""

    words: Sequence[str]
    blanks: Sequence[str]
    counts: Sequence[int]  # Words, not marks, before each place.

    @classmethod
    def of(cls, text: str) -> Words:
        words, blanks = split_words(text)
        counts = accumulate((word[:1].isalnum() for word in words), initial=0)
        return cls(words, blanks, list(counts))

    def text(self, start: int, end: int) -> str:
        return "".join(
            word + blank for word, blank in zip(self.words[start:end], self.blanks[start:end], strict=True)
        )

    def count(self, start: int, end: int) -> int:
        return self.counts[end] - self.counts[start]


def mark_words(old: str, new: str, effort: Effort | None = None) -> tuple[Segment, ...]:
    """Return one text beside the other. What is the same and removed is the old, word for word.

    Turned around it gives the same, with removed and added exchanged. Several can share one effort.
    """
    effort = effort or Effort()
    if old > new:
        turned = {Mark.REMOVED: Mark.ADDED, Mark.ADDED: Mark.REMOVED, Mark.SAME: Mark.SAME}
        segments = [Segment(turned[one.kind], one.text) for one in _mark(new, old, effort)]
        return tuple(_removed_first(segments))
    return tuple(_mark(old, new, effort))


def _removed_first(segments: list[Segment]) -> Iterator[Segment]:
    for before, segment in enumerate(segments[1:]):
        if segments[before].kind == Mark.ADDED and segment.kind == Mark.REMOVED:
            segments[before], segments[before + 1] = segment, segments[before]
    yield from segments


def _mark(old: str, new: str, effort: Effort) -> Iterator[Segment]:
    writer = Writer()
    old_parts, new_parts = PARAGRAPH.findall(old), PARAGRAPH.findall(new)
    at_old = at_new = 0
    for run in [*align(old_parts, new_parts, effort), Run(len(old_parts), len(new_parts), 0)]:
        gap = "".join(old_parts[at_old : run.old]), "".join(new_parts[at_new : run.new])
        _mark_gap(*gap, effort, writer)
        at_old, at_new = run.old + run.size, run.new + run.size
        writer.write_same("".join(old_parts[run.old : at_old]))
    return writer.finish()


def _mark_gap(old: str, new: str, effort: Effort, writer: Writer) -> None:
    """Mark the words of what lies between paragraphs that are the same."""
    if not old or not new:
        writer.write_change(old, new)
        return
    one, other = Words.of(old), Words.of(new)
    runs = _drop_crumbs(align(one.words, other.words, effort), one, other)
    at_old = at_new = 0
    for run in [*runs, Run(len(one.words), len(other.words), 0)]:
        writer.write_change(one.text(at_old, run.old), other.text(at_new, run.new))
        at_old, at_new = run.old + run.size, run.new + run.size
        for index in range(run.size):
            writer.write_same(one.words[run.old + index])
            writer.write_change(one.blanks[run.old + index], other.blanks[run.new + index])


def _drop_crumbs(runs: Sequence[Run], old: Words, new: Words) -> list[Run]:
    """Leave out what is the same by chance: a few words amid longer changes, or next to nothing at all."""
    kept = [Run(0, 0, 0)]
    for run in [*runs, Run(len(old.words), len(new.words), 0)]:
        kept.append(run)
        while len(kept) > 2 and _is_crumb(kept[-3], kept[-2], kept[-1], old, new):  # noqa: PLR2004
            del kept[-2]
    same = sum(old.count(run.old, run.old + run.size) for run in kept)
    least = min(old.counts[-1], new.counts[-1])
    return kept[1:-1] if same >= LEAST_SHARE * least else []


def _is_crumb(before: Run, run: Run, behind: Run, old: Words, new: Words) -> bool:
    count = old.count(run.old, run.old + run.size)
    return count <= FEWEST_WORDS and all(
        _is_changed(left, right) and count <= _count_changed(left, right, old, new)
        for left, right in ((before, run), (run, behind))
    )


def _is_changed(left: Run, right: Run) -> bool:
    return left.old + left.size < right.old or left.new + left.size < right.new


def _count_changed(left: Run, right: Run, old: Words, new: Words) -> int:
    """Count the words between two runs, in the text that has more of them."""
    removed = old.count(left.old + left.size, right.old)
    return max(removed, new.count(left.new + left.size, right.new))


class Writer:
    """Puts stretches together: what is the same, then what was removed, then what was added."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []
        self._parts: dict[Mark, list[str]] = {mark: [] for mark in Mark}

    def write_same(self, text: str) -> None:
        if text and (self._parts[Mark.REMOVED] or self._parts[Mark.ADDED]):
            self._end_change()
        self._parts[Mark.SAME].append(text)

    def write_change(self, old: str, new: str) -> None:
        if old == new:
            self.write_same(old)
            return
        if old:
            self._parts[Mark.REMOVED].append(old)
        if new:
            self._parts[Mark.ADDED].append(new)

    def finish(self) -> Iterator[Segment]:
        self._end_change()
        self._end(Mark.SAME)
        return iter(self._segments)

    def _end_change(self) -> None:
        """Blanks that both have at an end are no part of the change."""
        removed, added = ("".join(self._parts[mark]) for mark in (Mark.REMOVED, Mark.ADDED))
        head = _shared_blanks(removed, added)
        tail = _shared_blanks(removed[head:][::-1], added[head:][::-1])
        self._parts[Mark.SAME].append(removed[:head])
        self._parts[Mark.REMOVED] = [removed[head : len(removed) - tail]]
        self._parts[Mark.ADDED] = [added[head : len(added) - tail]]
        for mark in Mark:
            self._end(mark)
        self._parts[Mark.SAME].append(removed[len(removed) - tail :])

    def _end(self, mark: Mark) -> None:
        if text := "".join(self._parts[mark]):
            self._segments.append(Segment(mark, text))
        self._parts[mark] = []


def _shared_blanks(old: str, new: str) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other or not one.isspace():
            break
        count += 1
    return count
