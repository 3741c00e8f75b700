"""What every reranker does: score passages against a question."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from search.backends.payment import Prices, Purse
from search.backends.provider import Role


class RerankerError(Exception):
    """A reranker that cannot answer. Its message names the place and the cure."""


ROLE = Role(
    name="reranker",
    error=RerankerError,
    without_money="turn reranking off",
    options="model, base_url and style",
    waits=(0.2,),
)


class Reranker(ABC):
    """Constructing one loads nothing and connects to nothing. Threads share it."""

    name: str  # "overlap", "openai/gpt": whose scores these are.
    prices = Prices()

    @property
    def is_paid(self) -> bool:
        return not self.prices.is_nothing

    def scores(self, question: str, passages: Sequence[str], *, purse: Purse | None = None) -> list[float]:
        """Return a score per passage, in order; a higher one answers better.

        Scores of different questions, or of different rerankers, cannot be compared. A blank passage has the
        lowest score of all, and nobody is asked about it.
        """
        if purse is None and self.is_paid:
            raise RerankerError(f"{self.name}: it costs money, and nobody pays. Hand over a purse.")
        shown = [passage for passage in passages if passage.strip()]
        if not shown or not question.strip():
            return [0.0] * len(passages)
        rated = self.rate(question, shown, purse)
        if len(rated) != len(shown) or not all(map(math.isfinite, rated)):
            raise RerankerError(f"{self.name}: {len(shown)} passages did not get a score each. Report it.")
        scores, lowest = iter(rated), min(rated)
        return [next(scores) if passage.strip() else lowest for passage in passages]

    def load(self) -> None:  # noqa: B027
        """Load what the first question would wait for. Whoever asks a provider has nothing to load."""

    @abstractmethod
    def rate(self, question: str, passages: Sequence[str], purse: Purse | None) -> list[float]:
        """Return a finite score per passage, in order. Neither the question nor a passage is blank."""
