"""Chunk along the outline: whole units where they fit, small siblings together, long ones cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.chunk.classify import classify_chunk
from documents.chunk.split import SEAM, overlap_start, split_text
from documents.parse import Outline, Unit
from documents.tokens import count_tokens

MOST_OVERLAP = 2  # A chunk repeats less than half of itself, whatever was asked for.
SMALL = 4  # A unit is small up to a quarter of the limit.


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk: its span, where its overlap begins, the unit it is of, and the table header it continues."""

    start: int
    end: int
    lead_start: int
    unit: int
    type: str
    token_count: int
    header: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Text on its way into a piece."""

    start: int
    end: int
    tokens: int
    unit: int
    header: tuple[int, int] | None = None
    is_cut: bool = False  # It begins where flat text was cut.


def chunk_outline(
    text: str,
    outline: Outline,
    *,
    max_tokens: int = 800,
    overlap: int = 50,
    strategy: str = "structure",
    definitions: Sequence[tuple[int, int]] = (),
) -> tuple[Piece, ...]:
    """Return pieces that tile the text, none of more than `max_tokens`; `definitions` are their spans."""
    if not text.strip():
        return ()
    overlap = min(overlap, max_tokens // MOST_OVERLAP)
    limit = max_tokens - overlap - SEAM
    units = outline.units if strategy == "structure" else outline.units[:1]
    blocks = Chunker(text, units, max_tokens, limit).blocks()
    defining = Coverage(definitions)
    pieces = [_piece(text, outline, block, overlap, defining) for block in _tile(text, blocks)]
    if strategy != "structure":
        pieces = [replace(piece, unit=_holder(outline.units, piece)) for piece in pieces]
    return tuple(pieces)


class Chunker:
    """The walk through one outline."""

    def __init__(self, text: str, units: Sequence[Unit], max_tokens: int, cut_limit: int) -> None:
        self.text = text
        self.units = units
        self.max_tokens = max_tokens
        self.cut_limit = cut_limit  # What is cut leaves room for its overlap.
        self.children: list[list[int]] = [[] for _ in units]
        for index, unit in enumerate(units):
            if unit.parent is not None:
                self.children[unit.parent].append(index)
        self.own = [self._count_own(index) for index in range(len(units))]
        self.behind = [self._count_behind(index) for index in range(len(units))]
        self.total = self._sum_up()

    def _head_end(self, index: int) -> int:
        """Return where a unit's own text ends and its first child begins."""
        below = self.children[index]
        return self.units[below[0]].start if below else self.units[index].end

    def _count_own(self, index: int) -> int:
        start, end = self.units[index].start, self._head_end(index)
        return count_tokens(self.text[start:end]) if end > start else 0

    def _tail(self, index: int) -> tuple[int, int]:
        """Return the text that goes on behind a unit's last child."""
        below, end = self.children[index], self.units[index].end
        return (self.units[below[-1]].end if below else end), end

    def _count_behind(self, index: int) -> int:
        start, end = self._tail(index)
        return count_tokens(self.text[start:end]) + SEAM if end > start else 0

    def _sum_up(self) -> list[int]:
        total = [own + behind for own, behind in zip(self.own, self.behind, strict=True)]
        for index in range(len(self.units) - 1, 0, -1):
            parent = self.units[index].parent
            if parent is not None:
                total[parent] += total[index] + SEAM
        return total

    def blocks(self) -> list[Block]:
        """Return the blocks of the whole text, without recursion: outlines can be deeper than the stack."""
        done: list[list[Block]] = [[] for _ in self.units]
        for index in range(len(self.units) - 1, -1, -1):
            unit = self.units[index]
            if self.total[index] <= self.max_tokens:
                done[index] = [Block(unit.start, unit.end, self.total[index], index)]
            else:
                done[index] = self._divide(index, done)
            for child in self.children[index]:
                done[child] = []
        return [block for block in done[0] if block.end > block.start]

    def _divide(self, index: int, done: list[list[Block]]) -> list[Block]:
        head = self._own_blocks(index, self.units[index].start, self._head_end(index), self.own[index])
        below = [block for child in self.children[index] for block in done[child]]
        tail = self._own_blocks(index, *self._tail(index), self.behind[index])
        return self._pack([*head, *below, *tail], index)

    def _own_blocks(self, index: int, start: int, end: int, tokens: int) -> list[Block]:
        if end <= start:
            return []
        if tokens <= self.max_tokens:
            return [Block(start, end, tokens, index)]
        cuts = split_text(self.text, start, end, self.cut_limit)
        return [
            Block(cut.start, cut.end, cut.tokens, index, cut.header, is_cut=number > 0)
            for number, cut in enumerate(cuts)
        ]

    def _pack(self, blocks: Sequence[Block], index: int) -> list[Block]:
        """Join small neighbours below one unit."""
        small = self.max_tokens // SMALL
        packed: list[Block] = []
        for block in blocks:
            last = packed[-1] if packed else None
            if (
                last is not None
                and last.tokens + block.tokens < (self.cut_limit if last.is_cut else self.max_tokens)
                and min(last.tokens, block.tokens) <= small
                and not (block.is_cut or block.header or last.header)
                and self._are_near(last, block, index)
            ):
                unit = last.unit if self._holds(last.unit, block) else index
                packed[-1] = Block(
                    last.start, block.end, last.tokens + block.tokens + SEAM, unit, is_cut=last.is_cut
                )
            else:
                packed.append(block)
        return packed

    def _are_near(self, last: Block, block: Block, index: int) -> bool:
        """Join what stands directly below the same unit; what is deeper has been joined already."""
        return all(one.unit == index or self.units[one.unit].parent == index for one in (last, block))

    def _holds(self, unit: int, block: Block) -> bool:
        return self.units[unit].start <= block.start and block.end <= self.units[unit].end


def _tile(text: str, blocks: Sequence[Block]) -> list[Block]:
    """Let blank stretches belong to a neighbour, so that no piece is empty."""
    tiled: list[Block] = []
    lead: int | None = None
    for block in blocks:
        if text[block.start : block.end].strip():
            tiled.append(block if lead is None else replace(block, start=lead))
            lead = None
        elif tiled:
            tiled[-1] = replace(tiled[-1], end=block.end)
        elif lead is None:
            lead = block.start
    return tiled


class Coverage:
    """How much of a stretch of text lies in some spans, which may overlap each other."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self.spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            last = self.spans[-1] if self.spans else (0, 0)
            if start < last[1]:
                self.spans[-1] = (last[0], max(last[1], end))
            else:
                self.spans.append((start, end))

    def count(self, start: int, end: int) -> int:
        """Return the number of characters of a stretch that are covered."""
        first = max(bisect_right(self.spans, (start, start)) - 1, 0)
        last = bisect_right(self.spans, (end, end))
        return sum(max(0, min(end, b) - max(start, a)) for a, b in self.spans[first:last])


def _piece(text: str, outline: Outline, block: Block, overlap: int, defining: Coverage) -> Piece:
    floor = outline.units[block.unit].start
    lead = (
        overlap_start(text, block.start, floor, overlap) if block.is_cut and not block.header else block.start
    )
    tokens = (
        block.tokens if lead == block.start else block.tokens + count_tokens(text[lead : block.start]) + SEAM
    )
    kind = classify_chunk(
        text[block.start : block.end],
        title=outline.units[block.unit].title,
        has_body=_has_body(text, outline.units, block),
        defined=defining.count(block.start, block.end),
    )
    return Piece(block.start, block.end, lead, block.unit, kind, tokens, block.header)


def _has_body(text: str, units: Sequence[Unit], block: Block) -> bool:
    """Tell whether there is more than headings."""
    lines = [line.strip() for line in text[block.start : block.end].splitlines() if line.strip()]
    unit = units[block.unit]
    if len(lines) > 3 or any(len(line) > 200 for line in lines):  # noqa: PLR2004
        return True
    return any(
        not (line.startswith("#") or (unit.title and unit.title in line) or line == unit.marker)
        for line in lines
    )


def _holder(units: Sequence[Unit], piece: Piece) -> int:
    """Return the smallest unit around a piece."""
    holder = 0
    for index, unit in enumerate(units):
        if unit.start > piece.start:
            break
        if unit.end >= piece.end:
            holder = index
    return holder
