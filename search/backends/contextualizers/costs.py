"""What questions to a provider cost: at most, before each is sent, and likely, for a quote."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from documents.tokens import count_tokens
from search.backends.contextualizers.prompt import SYSTEM, Question
from search.backends.marks import size_in_bytes
from search.backends.payment import Prices, Usage

FRAME_TOKENS = 64  # What a provider puts around the parts of a request, generously.
OTHER_TOKENIZERS = 1.2  # How many more tokens they may make of a text than the one we count with.
LIKELY_OUTPUT = 75


class Bound:
    """Says what a question on one document costs at most; more closely once a request has told its size."""

    def __init__(self, prices: Prices, *, max_tokens: int, is_batch: bool = False) -> None:
        dearest = max(prices.input, prices.cache_write, prices.cache_read)  # A cache may be gone at any time.
        self._prices = replace(prices, input=dearest)
        self._max_tokens = max_tokens
        self._is_batch = is_batch
        self._prefix_tokens: int | None = None

    def most(self, question: Question) -> Decimal:
        prefix = self._prefix_tokens
        if prefix is None:
            prefix = size_in_bytes(SYSTEM + question.prefix)
        tokens = prefix + size_in_bytes(question.ask) + FRAME_TOKENS
        return self._prices.cost(Usage(tokens, output_tokens=self._max_tokens), is_batch=self._is_batch)

    def learn(self, question: Question, usage: Usage) -> None:
        """Take all that a request had before the answer as the size of the prefix that it begins with."""
        tokens = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
        if tokens:
            self._prefix_tokens = min(tokens, self._prefix_tokens or tokens)


def likely_usage(questions: Iterable[Question], *, max_tokens: int, cache_from: int) -> Usage:
    """Return what questions on one document will take: its prefix written once and read by the others."""
    usage, prefix = Usage(), 0
    output = min(LIKELY_OUTPUT, max_tokens)
    for number, question in enumerate(questions):
        if number == 0:
            prefix = _likely_tokens(SYSTEM + question.prefix)
        place = "input" if prefix < cache_from else "write" if number == 0 else "read"
        usage += Usage(
            _likely_tokens(question.ask) + (prefix if place == "input" else 0),
            prefix if place == "write" else 0,
            prefix if place == "read" else 0,
            output,
        )
    return usage


def _likely_tokens(text: str) -> int:
    return round(count_tokens(text) * OTHER_TOKENIZERS)
