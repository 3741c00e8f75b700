"""Texts beside each other as pages show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from documents.compare import Effort, Kind, Mark, Segment, mark_words

HEADING = re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)
GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
LONGEST = 1500  # Characters that are the same and shown at once; of more, the middle is folded,
SHOWN = 400  # with so many left at each end.
WORDS = {
    Kind.UNCHANGED: _("Unchanged"),
    Kind.CHANGED: _("Changed"),
    Kind.MOVED: _("Renumbered"),
    Kind.MOVED_AND_CHANGED: _("Renumbered and changed"),
    Kind.ADDED: _("Added"),
    Kind.REMOVED: _("Removed"),
}
TAGS = {
    Kind.UNCHANGED: "open",
    Kind.CHANGED: "",
    Kind.MOVED: "open",
    Kind.MOVED_AND_CHANGED: "",
    Kind.ADDED: "ready",
    Kind.REMOVED: "failed",
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of text: the same, removed or added, and folded if it is long and the same."""

    kind: str
    text: str
    is_folded: bool = False


def readable(text: str) -> str:
    """Return a text without the signs of headings and without gaps, as people read it."""
    return GAP.sub("\n\n", HEADING.sub("", text)).strip()


def show_words(old: str, new: str, effort: Effort) -> list[Stretch]:
    """Mark the words of two texts, for people: blanks that changed are not worth a mark."""
    return [
        stretch for segment in mark_words(readable(old), readable(new), effort) for stretch in _show(segment)
    ]


def _show(segment: Segment) -> Iterator[Stretch]:
    if segment.text.isspace():
        if segment.kind != Mark.REMOVED:
            yield Stretch(Mark.SAME, segment.text)
    elif segment.kind == Mark.SAME and len(segment.text) > LONGEST:
        yield from _fold(segment.text)
    elif segment.kind == Mark.SAME:
        yield Stretch(Mark.SAME, segment.text)
    else:
        yield from _mark(segment)


def _mark(segment: Segment) -> Iterator[Stretch]:
    """Mark words without the blanks around them."""
    words = segment.text.strip()
    before, _, behind = segment.text.partition(words)
    for kind, text in ((Mark.SAME, before), (segment.kind, words), (Mark.SAME, behind)):
        if text:
            yield Stretch(kind, text)


def _fold(text: str) -> Iterator[Stretch]:
    head = text.rfind(" ", SHOWN // 2, SHOWN) + 1 or SHOWN
    tail = text.find(" ", len(text) - SHOWN, len(text) - SHOWN // 2) + 1 or len(text) - SHOWN
    yield Stretch(Mark.SAME, text[:head])
    yield Stretch(Mark.SAME, text[head:tail], is_folded=True)
    yield Stretch(Mark.SAME, text[tail:])
