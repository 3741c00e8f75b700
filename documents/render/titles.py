"""Find the heading, the caption and the number with which a unit begins, as they are printed."""

from __future__ import annotations

import re
from dataclasses import dataclass

Span = tuple[int, int]
DECORATION = 30  # Characters beside marker and title: hashes, stars, blanks, the break between two lines.
BEFORE = re.compile(r"[ \t>#*_+•-]*")
PUNCTUATION = " \t.:;,—–-*_#"


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a unit begins: with a heading up to some place, or with a number and a caption."""

    heading_end: int = 0
    caption: Span | None = None
    marker: Span | None = None


def find_beginning(text: str, span: Span, *, kind: str, marker: str, title: str) -> Beginning:
    """Return what the first line of a unit shows; of a paragraph, nothing of it is a heading."""
    start, end = span
    caption = _find_title(text, span, marker, title)
    if kind != "paragraph" and (heading_end := _heading_end(text, span, marker, caption)):
        return Beginning(heading_end)
    if caption is not None and not _is_rest_empty(text, caption[1], end):
        return Beginning(caption=caption, marker=_find_marker(text, start, marker))
    return Beginning(marker=_find_marker(text, start, marker))


def _find_title(text: str, span: Span, marker: str, title: str) -> Span | None:
    if not title:
        return None
    start, end = span
    found = text.find(title, start, min(end, start + len(marker) + len(title) + DECORATION))
    return (found, found + len(title)) if found >= 0 else None


def _heading_end(text: str, span: Span, marker: str, title: Span | None) -> int:
    """Return where a heading ends: with the line of its title, or of its number if that stands alone."""
    start, end = span
    if title is not None:
        return _line_end(text, title[1], end) if _is_rest_empty(text, title[1], end) else 0
    line_end = _line_end(text, start, end)
    return line_end if marker and text[start:line_end].strip(PUNCTUATION) == marker.strip(PUNCTUATION) else 0


def _is_rest_empty(text: str, start: int, end: int) -> bool:
    return not text[start : _line_end(text, start, end)].strip(PUNCTUATION)


def _line_end(text: str, start: int, end: int) -> int:
    found = text.find("\n", start, end)
    return found if found >= 0 else end


def _find_marker(text: str, start: int, marker: str) -> Span | None:
    """Return a number with those of the units around it, if they stand on one line: “(a)(1)”."""
    before = BEFORE.match(text, start)
    begin = before.end() if before else start
    found = text.find(marker, begin, begin + len(marker) + DECORATION) if marker else -1
    if found < 0 or any(map(str.isspace, text[begin:found].strip())):
        return None
    return begin, found + len(marker)
