"""What every answerer does: answer a question from sources that have marks, and name them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from search.backends.payment import Prices, Purse
from search.backends.provider import Role


class AnswererError(Exception):
    """An answerer that cannot answer. Its message names the place and the cure."""


ROLE = Role(
    name="answerer",
    error=AnswererError,
    without_money="wait for the next month",
    options="model, base_url and max_tokens",
    waits=(0.5,),
)


class Answerer(ABC):
    """Constructing one loads nothing and connects to nothing. Threads share it.

    What it writes is a claim, not a fact: whoever shows it checks its marks and quotations first.
    """

    name: str  # "extracts", "openai/gpt": whose words these are.
    prices = Prices()

    @property
    def is_paid(self) -> bool:
        return not self.prices.is_nothing

    def answer(self, question: str, context: str, *, purse: Purse | None = None) -> str:
        """Return an answer in plain text, with marks such as [1] behind what it takes from a source."""
        if purse is None and self.is_paid:
            raise AnswererError(f"{self.name}: it costs money, and nobody pays. Hand over a purse.")
        written = self.write(question, context, purse).strip()
        if not written:
            raise AnswererError(f"{self.name}: the answer is empty. Ask again, or in other words.")
        return written

    @abstractmethod
    def write(self, question: str, context: str, purse: Purse | None) -> str:
        """Return what is answered."""
