"""Read a text line by line: which lines open a block, which are headings, and which to leave alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
HEAD = re.compile(r"[ \t]*(?:>[ \t]?)*(?P<hashes>#{1,6}[ \t]+)?(?P<bullet>[-*+•][ \t]+)?")
PLAIN_HEAD = re.compile(r"[ \t]*(?P<bullet>[•][ \t]+)?")
FENCE = re.compile(r"[ \t]*(```|~~~)")
UNDERLINE = re.compile(r"[ \t]*(={3,}|-{3,})[ \t]*$")
CONTENTS_LINE = re.compile(r"(?:\.[ ]?){4,}\s*\d*\s*$|\t\d+\s*$")
EMPHASIZED_LINE = re.compile(r"([*_]{1,3})(?P<text>[^\W_][^*_\n]{1,100})\1\.?\s*$")
UNFINISHED = re.compile(r"(?:[.;:!?—–)”\"’]|\b(?:and|or|und|oder|et|ou|y|o|e))[ \t*_]*$")
WRAPPED_WIDTH = 200  # Texts with longer lines put a paragraph on a line.


@dataclass(frozen=True, slots=True)
class Line:
    """A line that may open a unit."""

    start: int  # Of its first character that is no blank.
    body: int  # Behind hashes and bullets.
    end: int  # Before its line break.
    level: int  # Of a Markdown heading, or 0.
    opens_block: bool
    is_heading: bool  # Marked as one, or looking like one.


def read_lines(text: str, *, is_markdown: bool) -> Iterator[Line]:
    """Yield the lines of a text that are neither blank nor code nor part of a table."""
    spans = [match.span() for match in LINE.finditer(text)]
    width = _usual_width(spans)
    head = HEAD if is_markdown else PLAIN_HEAD
    before = ""  # The line above, without its blanks.
    fence = ""
    for index, (start, stop) in enumerate(spans):
        raw = text[start:stop]
        stripped = raw.strip()
        if is_markdown and (match := FENCE.match(raw)) and (not fence or match[1] == fence):
            fence = "" if fence else match[1]
            before = ""
            continue
        if fence or not stripped or stripped[0] == "|" or CONTENTS_LINE.search(raw):
            before = "" if not stripped else before
            continue
        match = head.match(text, start, stop)
        if match is None:
            continue
        level = _level(match, raw, text, spans, index, is_markdown=is_markdown)
        first = start + len(raw) - len(raw.lstrip())
        end = start + len(raw.rstrip())
        opens = level > 0 or not before or width > WRAPPED_WIDTH or _has_ended(before, width)
        yield Line(
            first,
            min(match.end(), end),
            end,
            level,
            opens,
            level > 0 or (opens and _looks_like_heading(raw, stripped, text, spans, index, is_markdown=is_markdown)),
        )
        before = stripped if not level else ""


def _usual_width(spans: list[tuple[int, int]]) -> int:
    lengths = sorted(stop - start for start, stop in spans if stop - start > 1)
    return lengths[int(len(lengths) * 0.95)] if lengths else 0


def _has_ended(before: str, width: int) -> bool:
    return len(before) < 0.6 * width or bool(UNFINISHED.search(before))


def _level(
    head: re.Match[str], raw: str, text: str, spans: list[tuple[int, int]], index: int, *, is_markdown: bool
) -> int:
    if not is_markdown:
        return 0
    if hashes := head["hashes"]:
        return len(hashes.strip())
    below = text[slice(*spans[index + 1])] if index + 1 < len(spans) else ""
    if (match := UNDERLINE.match(below.rstrip("\n"))) and len(raw.strip()) <= 160:  # noqa: PLR2004
        above_is_blank = index == 0 or not text[slice(*spans[index - 1])].strip()
        return (1 if match[1][0] == "=" else 2) if above_is_blank else 0
    return 0


def _looks_like_heading(
    raw: str, stripped: str, text: str, spans: list[tuple[int, int]], index: int, *, is_markdown: bool
) -> bool:
    """Tell a heading without marks and number: a short line of its own, in capitals or title case."""
    if is_markdown:
        return EMPHASIZED_LINE.match(stripped) is not None
    if not 3 <= len(stripped) <= 80 or raw[0] in " \t" or stripped[-1] in ".,;:!?_)]”\"":  # noqa: PLR2004
        return False
    if not stripped[0].isupper() or any(character in stripped for character in "_=|<>{}@/\\•[]"):
        return False
    if index + 1 >= len(spans) or text[slice(*spans[index + 1])].strip():
        return False
    return _is_capitalized(stripped) and _prose_follows(text, spans, index)


def _is_capitalized(line: str) -> bool:
    words = [word for word in re.findall(r"[^\W\d_][\w’'-]*", line) if len(word) > 3]  # noqa: PLR2004
    return bool(words) and sum(word[0].isupper() for word in words) >= 0.8 * len(words)


def _prose_follows(text: str, spans: list[tuple[int, int]], index: int) -> bool:
    """A heading has something below it, and lines of forms have other such lines."""
    for start, stop in spans[index + 1 : index + 4]:
        below = text[start:stop].strip()
        if below:
            return len(below) > 60 or bool(re.match(r"[(\d§]|[A-Za-z]{1,4}[.)]\s", below))  # noqa: PLR2004
    return False
