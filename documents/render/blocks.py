"""Read a text as blocks: headings, paragraphs, items of lists, tables, and what is shown as it is.

Nothing is rewritten: a block is the spans of its characters that are shown. What is left out between them are
signs of Markdown, such as hashes and the bars of tables, and blanks around blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

Span = tuple[int, int]
Runs = tuple[Span, ...]
Kind = Literal["heading", "paragraph", "item", "table", "verbatim", "rule"]

LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
HASHES = re.compile(r"[ \t]*#{1,6}[ \t]+(?=\S)")
BEFORE_TITLE = re.compile(r"[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+(?=\S))?")
BULLET = re.compile(r"[ \t]*[-*+•][ \t]+(?=\S)")
FENCE = re.compile(r"[ \t]*(```|~~~)")
UNDERLINE = re.compile(r"[ \t]*(?:={3,}|-{3,})[ \t]*\Z")
RULE = re.compile(r"[ \t]*(?:-[ \t]*){3,}\Z|[ \t]*(?:\*[ \t]*){3,}\Z|[ \t]*(?:_[ \t]*){3,}\Z")
ESCAPE = re.compile(r"[ \t]*(\\)(?=[#>|])")  # As the converters write what is no sign.
BAR = re.compile(r"\\\||\|")
DELIMITER = re.compile(r"[ \t]*:?-+:?[ \t]*")
COLUMNS = re.compile(r"\S {3,}\S")
FEWEST_COLUMNS = 2  # Lines with a gap, from which on a paragraph is a table that somebody typed.
SHORT = 0.6  # Of the usual width: a line that ends before it was ended by somebody.
INDENT = 2  # Blanks of one level of a list.
DEEPEST_ITEM = 5
LONGEST_UNDERLINED = 160


@dataclass(frozen=True, slots=True)
class Block:
    """A block and what is shown of it; of a table, by rows and cells."""

    kind: Kind
    runs: Runs = ()
    depth: int = 0  # Of an item.
    is_quoted: bool = False
    keeps_lines: bool = False  # Its lines were ended by somebody, and not by the width of a page.
    rows: tuple[tuple[Runs, ...], ...] = ()
    has_header: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line: where it begins, where its words do behind signs of quotation, and where they end."""

    start: int
    body: int
    end: int
    stop: int
    is_quoted: bool


def read_blocks(
    text: str, span: Span, *, is_markdown: bool, width: int = 0, heading_end: int = 0
) -> list[Block]:
    """Return the blocks of a stretch; up to the end of a heading that is known, it is one.

    `width` is what the lines of the whole text have; a shorter one was ended by somebody.
    """
    reader = _Reader(text, is_markdown, width)
    begin = span[0]
    if heading_end > begin:
        reader.add_heading((begin, heading_end))
        begin = heading_end
    reader.read(_lines(text, (begin, span[1]), is_markdown=is_markdown))
    return reader.blocks


def usual_width(text: str) -> int:
    lengths = sorted(len(line) for line in text.split("\n") if line)
    return lengths[int(len(lengths) * 0.95)] if lengths else 0


def _lines(text: str, span: Span, *, is_markdown: bool) -> Iterator[Line]:
    for match in LINE.finditer(text, *span):
        start, stop = match.span()
        quote = QUOTE.match(text, start, stop) if is_markdown else None
        body = quote.end() if quote else start
        end = start + len(match[0].rstrip())
        yield Line(start, min(body, max(end, start)), max(end, body), stop, quote is not None)


@dataclass
class _Reader:
    text: str
    is_markdown: bool
    width: int
    blocks: list[Block] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)  # Of the paragraph, item or table that is open.
    kind: Kind = "paragraph"
    fence: str = ""

    def read(self, lines: Iterator[Line]) -> None:
        for line in lines:
            self.take(line)
        self.close()

    def take(self, line: Line) -> None:
        words = self.text[line.body : line.end]
        if self.is_markdown and (match := FENCE.match(words)) and self.fence in {"", match[1]}:
            self.close()
            self.fence = "" if self.fence else match[1]
        elif self.fence:
            self.go_on("verbatim", line)
        elif not words.strip():
            self.close()
        elif not self.is_markdown or not self.take_sign(line, words):
            self.go_on(self.kind if self.kind == "item" and self.lines else "paragraph", line)

    def take_sign(self, line: Line, words: str) -> bool:
        """Take a line that begins with a sign of Markdown, or return that it does not."""
        if match := HASHES.match(words):
            self.close()
            self.add_heading((line.body + match.end(), line.end), is_quoted=line.is_quoted)
        elif words.lstrip().startswith("|"):
            self.go_on("table", line)
        elif self.is_underlined() and UNDERLINE.match(words):
            only = self.lines.pop()
            self.add_heading((only.body, only.end), is_quoted=only.is_quoted)
        elif RULE.match(words):
            self.close()
            self.blocks.append(Block("rule"))
        elif BULLET.match(words):
            self.close()
            self.go_on("item", line)
        else:
            return False
        return True

    def is_underlined(self) -> bool:
        return (
            self.kind == "paragraph"
            and len(self.lines) == 1
            and self.lines[0].end - self.lines[0].body <= LONGEST_UNDERLINED
        )

    def go_on(self, kind: Kind, line: Line) -> None:
        if self.lines and (kind != self.kind or line.is_quoted != self.lines[0].is_quoted):
            self.close()
        self.kind = kind
        self.lines.append(line)

    def add_heading(self, span: Span, *, is_quoted: bool = False) -> None:
        start, end = trim(self.text, span)
        signs = self._signs(start, end) if self.is_markdown else []
        self.blocks.append(Block("heading", subtract(((start, end),), signs), is_quoted=is_quoted))

    def _signs(self, start: int, end: int) -> list[Span]:
        """Return the hashes of a heading; its number and its title may stand on two lines."""
        lines = (match.span() for match in LINE.finditer(self.text, start, end))
        found = (BEFORE_TITLE.match(self.text, *line) for line in lines)
        return [match.span() for match in found if match and match[0]]

    def close(self) -> None:
        if not self.lines:
            return
        lines, self.lines = self.lines, []
        kind, self.kind = self.kind, "paragraph"
        match kind:
            case "table":
                self.blocks.append(self._table(lines))
            case "verbatim":
                self.blocks.append(
                    Block("verbatim", _joined(lines, whole=True), is_quoted=lines[0].is_quoted)
                )
            case "item":
                self.blocks.append(self._item(lines))
            case _:
                self.blocks.append(self._paragraph(lines))

    def _item(self, lines: Sequence[Line]) -> Block:
        first = lines[0]
        bullet = BULLET.match(self.text, first.body, first.end)
        begin = bullet.end() if bullet else first.body
        indent = len(self.text[first.body : begin]) - len(self.text[first.body : begin].lstrip())
        runs = subtract(_joined(lines), [(first.body, begin)])
        depth = min(indent // INDENT, DEEPEST_ITEM)
        return Block("item", runs, depth, first.is_quoted, keeps_lines=self._keeps_lines(lines))

    def _paragraph(self, lines: Sequence[Line]) -> Block:
        escapes = [match.span(1) for line in lines if (match := self._escape(line))]
        if not self.is_markdown and self._is_typed_table(lines):
            return Block("verbatim", _joined(lines, whole=True))
        runs = subtract(_joined(lines), escapes)
        return Block("paragraph", runs, is_quoted=lines[0].is_quoted, keeps_lines=self._keeps_lines(lines))

    def _escape(self, line: Line) -> re.Match[str] | None:
        return ESCAPE.match(self.text, line.body, line.end) if self.is_markdown else None

    def _is_typed_table(self, lines: Sequence[Line]) -> bool:
        gaps = sum(COLUMNS.search(self.text, line.body, line.end) is not None for line in lines)
        return gaps >= FEWEST_COLUMNS

    def _keeps_lines(self, lines: Sequence[Line]) -> bool:
        return any(line.end - line.body < SHORT * self.width for line in lines[:-1])

    def _table(self, lines: Sequence[Line]) -> Block:
        rows = [_cells(self.text, line) for line in lines]
        has_header = len(rows) > 1 and _is_delimiter(self.text, rows[1])
        kept = [row for row in rows if not _is_delimiter(self.text, row)]
        return Block("table", rows=tuple(kept), has_header=has_header, is_quoted=lines[0].is_quoted)


def _joined(lines: Sequence[Line], *, whole: bool = False) -> Runs:
    """Return lines with their breaks; whole, with the blanks before their words too."""
    spans = [(line.start if whole and not line.is_quoted else line.body, line.stop) for line in lines]
    spans[-1] = (spans[-1][0], lines[-1].end)
    return merge(spans)


def _cells(text: str, line: Line) -> tuple[Runs, ...]:
    """Cut a row at its bars. A backslash before a bar that is none is not shown."""
    start, end = trim(text, (line.body, line.end))
    escapes: list[Span] = []
    bars = [start - 1]
    for match in BAR.finditer(text, start, end):
        if match[0] == "|":
            bars.append(match.start())
        else:
            escapes.append((match.start(), match.start() + 1))
    if bars[-1] != end - 1:
        bars.append(end)
    if len(bars) > 2 and bars[1] == start:  # noqa: PLR2004
        del bars[0]
    cells = (trim(text, (one + 1, other)) for one, other in pairwise(bars))
    return tuple(subtract((cell,), escapes) if cell[0] < cell[1] else () for cell in cells)


def _is_delimiter(text: str, row: Sequence[Runs]) -> bool:
    words = ["".join(text[start:end] for start, end in cell) for cell in row]
    return any(words) and all(DELIMITER.fullmatch(cell) for cell in words)


def trim(text: str, span: Span) -> Span:
    """Return a span without the blanks at its ends."""
    words = text[span[0] : span[1]]
    start = span[0] + len(words) - len(words.lstrip())
    return start, max(start, span[0] + len(words.rstrip()))


def merge(spans: Sequence[Span]) -> Runs:
    """Join spans that touch."""
    merged: list[Span] = []
    for start, end in spans:
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        elif start < end:
            merged.append((start, end))
    return tuple(merged)


def subtract(spans: Sequence[Span], hidden: Sequence[Span]) -> Runs:
    """Return spans without what is hidden in them; both are in order."""
    left: list[Span] = []
    index = 0
    for start, end in spans:
        at = start
        while index < len(hidden) and hidden[index][0] < end:
            first, last = hidden[index]
            if first > at:
                left.append((at, first))
            at = max(at, last)
            if last > end:
                break
            index += 1
        if at < end:
            left.append((at, end))
    return tuple(left)
