"""An embedder for tests: no packages, no weights, and texts that share words are near each other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from search.backends.embedders.base import Embedder, Vector, to_unit
from search.backends.embedders.windows import Piece

PIECE = re.compile(r"\s*\S+|\s+$")
WORD = re.compile(r"\w+")


class HashedEmbedder(Embedder):
    """Adds up one pseudo-random direction per word."""

    provider = "embedded"

    def __init__(self, *, dimensions: int = 64, max_tokens: int = 512) -> None:
        self.model = f"hashed-{dimensions}"
        self.dimensions = dimensions
        self.max_tokens = max_tokens
        self.overlap = max_tokens // 8

    def split(self, text: str) -> list[Piece]:
        return [Piece(*found.span(), 1) for found in PIECE.finditer(text)]

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        """Add up the words; a text of signs only is one word."""
        words = WORD.findall(text.casefold()) or [text.strip()]
        directions = [self._direction(word) for word in words]
        return to_unit([sum(column) for column in zip(*directions, strict=True)])

    def _direction(self, word: str) -> list[int]:
        """Return numbers from 1 to 256 around nothing: odd, so that no sum of one word is zero."""
        digest = hashlib.shake_128(word.encode("utf-8", "surrogatepass")).digest(self.dimensions)
        return [2 * byte - 255 for byte in digest]
