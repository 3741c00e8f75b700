"""What every embedder does: texts in, unit vectors out, and long texts cut into windows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from search.backends.embedders.windows import Piece, Span, cut_windows

Vector = list[float]


class EmbedderError(Exception):
    """An embedder that cannot answer. Its message names the place and the cure."""


class EmbedderMissing(EmbedderError):
    """A package or the weights that the embedder needs are not there, or not as they should be."""


class TextRefused(EmbedderError):
    """A text that has no vector: blank, or longer than the model reads."""


class Embedder(ABC):
    """Vectors are kept apart by `provider`, `model` and `dimensions`. Constructing one loads nothing."""

    provider: str
    model: str
    dimensions: int
    max_tokens: int
    marks = 0  # Of these tokens, the ones that the model adds to each text.
    floor = 0.0  # The cosine of texts that have nothing in common. Likeness is counted from there.
    overlap = 64  # Tokens that a window shares with the one before.
    on_usage: Callable[[int], object] | None = None  # Told the tokens that a provider counts.

    def load(self) -> None:  # noqa: B027
        """Load what the first text would wait for. Whoever asks a provider has nothing to load."""

    @abstractmethod
    def split(self, text: str) -> list[Piece]:
        """Tile a text with the pieces that the model's tokenizer sees, each with its number of tokens."""

    @abstractmethod
    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector per text, in order. The texts are known to be readable."""

    def windows(self, text: str) -> list[Span]:
        """Cut a text into overlapping spans that the model can read; together they hold every word."""
        limit = self.max_tokens - self.marks
        spans = cut_windows(text, self.split(text), limit=limit, overlap=self.overlap)
        return [span for span in spans if text[slice(*span)].strip()]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return a unit vector per text, in order; refuse all of them if one cannot be read."""
        for position, text in enumerate(texts):
            self.require_readable(text, position)
        return self.vectors(texts)

    def embed_query(self, text: str) -> Vector:
        """Return the unit vector of a question; of a very long one, the middle of its windows."""
        windows = [text[slice(*span)] for span in self.windows(text)]
        if not windows:
            raise TextRefused(f"{self.model}: the question is blank. Ask with at least one word.")
        return to_unit([math.fsum(column) for column in zip(*self.vectors(windows), strict=True)])

    def require_readable(self, text: str, position: int) -> None:
        if not text.strip():
            raise TextRefused(
                f"{self.model}: text {position} is blank, and a blank has no vector. Leave it out."
            )
        tokens = sum(piece.tokens for piece in self.split(text)) + self.marks
        if tokens > self.max_tokens:
            raise TextRefused(
                f"{self.model}: text {position} has {tokens} tokens, and the model reads {self.max_tokens}. "
                "Cut it with windows()."
            )


def to_unit(values: Sequence[float]) -> Vector:
    """Return the vector of length one in the same direction."""
    length = math.hypot(*values)
    if not (math.isfinite(length) and length > 0):
        raise EmbedderError("The model gave a vector without direction. Report the text that it was made of.")
    return [value / length for value in values]
