"""What a context is made of: stretches of versions, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce
from uuid import UUID


class Role(StrEnum):
    """Why a stretch is shown. Where two meet, the first of these counts."""

    PASSAGE = "passage"
    DEFINITION = "definition"
    REFERENCE = "reference"


ROLES = tuple(Role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """The unit that a stretch is of, and whose it is."""

    collection_id: UUID
    document_id: UUID
    version_id: UUID
    document: str
    title: str
    version: int
    label: str
    path: tuple[str, ...]
    labels: tuple[str, ...] = ()  # Of the units on the path.

    def around(self, other: Whereabouts) -> Whereabouts:
        """Return the smallest unit that holds this one and another of the same version."""
        if self.labels == other.labels:
            return self
        shared = [one for one, two in zip(self.labels, other.labels, strict=False) if one == two]
        count = len(shared)  # A label is of one unit: whatever is below another differs.
        label = shared[-1] if shared else ""
        return replace(self, label=label, path=self.path[:count], labels=tuple(shared))


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a version's text that may be shown; `rank` is that of the result that it comes with."""

    role: Role
    where: Whereabouts
    start: int
    text: str
    rank: int = 1
    relevance: float = 0.0
    is_cut: bool = False  # What it is taken from is longer.
    core: tuple[int, int] = (0, 0)  # Where in the text the words of the question are, if that is known.

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Block:
    """Pieces as one stretch. Where it stands is the unit that holds all of them."""

    pieces: tuple[Piece, ...]
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def where(self) -> Whereabouts:
        return reduce(Whereabouts.around, (piece.where for piece in self.pieces))

    @property
    def role(self) -> Role:
        return min((piece.role for piece in self.pieces), key=ROLES.index)

    @property
    def rank(self) -> int:
        return min(piece.rank for piece in self.pieces)

    @property
    def relevance(self) -> float:
        return max(piece.relevance for piece in self.pieces)

    @property
    def is_cut(self) -> bool:
        return any(piece.is_cut and piece.role == self.role for piece in self.pieces)


def merge_pieces(pieces: Sequence[Piece]) -> tuple[Block, ...]:
    """Return the pieces of one version as blocks in the order of its text, each character once.

    Pieces that overlap are one block, and so are those of one role that touch.
    """
    blocks: list[Block] = []
    for piece in sorted(pieces, key=lambda one: (one.start, -one.end, ROLES.index(one.role), one.rank)):
        last = blocks[-1] if blocks else None
        if last is not None and (piece.start < last.end or _continues(last, piece)):
            text = last.text + piece.text[last.end - piece.start :]
            blocks[-1] = Block((*last.pieces, piece), last.start, text)
        else:
            blocks.append(Block((piece,), piece.start, piece.text))
    return tuple(blocks)


def _continues(block: Block, piece: Piece) -> bool:
    return piece.start == block.end and piece.role == block.role
