"""Pack pieces into a budget of tokens: in their order until one does not fit, and a part of that one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from documents.tokens import count_tokens
from search.context.pieces import Block, Piece, merge_pieces
from search.context.render import HEAD, arrange_blocks, render_block
from search.context.sentences import grow_sentences, grow_words
from search.highlight import Span

Shown = Mapping[UUID, tuple[Piece, ...]]  # By version.
LAST_MARK = 999  # Numbers of up to three digits are one token each.


@dataclass(frozen=True, slots=True)
class Packing:
    """A budget, and what is known of what things cost."""

    budget: int
    head: str
    costs: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def fits(self, shown: Shown) -> bool:
        """Tell whether all of it fits. Blocks begin and end with lines of their own: their tokens add up."""
        blocks = (block for pieces in shown.values() for block in merge_pieces(pieces))
        return count_tokens(self.head + "\n") + sum(map(self.cost, blocks)) <= self.budget

    def cost(self, block: Block) -> int:
        key = (block.where.version_id, block.where.label, block.start, block.end, block.role, block.is_cut)
        if key not in self.costs:
            self.costs[key] = count_tokens(render_block(block, LAST_MARK))
        return self.costs[key]


def pack_pieces(pieces: Iterable[Piece], *, budget: int, head: str = HEAD) -> list[Block]:
    """Return as many pieces as a budget holds, joined where they touch, in the order in which they are shown.

    What a budget holds, a larger one holds too: nothing is left out to make room for something smaller.
    """
    packing = Packing(budget, head)
    shown: dict[UUID, tuple[Piece, ...]] = {}
    for piece in pieces:
        grown = _with(shown, piece)
        if not packing.fits(grown):
            shown = _with_part(packing, shown, piece)
            break
        shown = grown
    blocks = (block for own in shown.values() for block in merge_pieces(own))
    return arrange_blocks(block for block in blocks if block.text.strip())


def _with(shown: Shown, piece: Piece) -> dict[UUID, tuple[Piece, ...]]:
    version = piece.where.version_id
    return {**shown, version: (*shown.get(version, ()), piece)}


def _with_part(packing: Packing, shown: Shown, piece: Piece) -> dict[UUID, tuple[Piece, ...]]:
    """Add the sentences around the question's words that fit; if nothing is shown yet, some words."""
    longest = _longest(packing, shown, piece, grow_sentences(piece.text, piece.core))
    if longest is None and not shown:
        longest = _longest(packing, shown, piece, grow_words(piece.text, piece.core))
    return dict(shown) if longest is None else longest


def _longest(
    packing: Packing, shown: Shown, piece: Piece, spans: Iterable[Span]
) -> dict[UUID, tuple[Piece, ...]] | None:
    """Return what is shown with the last of some spans before the first that does not fit."""
    found = None
    for start, end in spans:
        part = replace(piece, start=piece.start + start, text=piece.text[start:end], is_cut=True)
        grown = _with(shown, part)
        if not packing.fits(grown):
            break
        found = grown
    return found
