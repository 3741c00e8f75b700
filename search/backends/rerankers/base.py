"""What every reranker does: score passages against a question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class RerankerError(Exception):
    """A reranker that cannot answer. Its message names the place and the cure."""


class Reranker(ABC):
    """Constructing one loads nothing and connects to nothing."""

    name: str

    @abstractmethod
    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return a score per passage, in order; a higher one answers better."""
