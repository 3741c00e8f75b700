"""What providers are paid: what a request took, what that costs, and who pays for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal, InvalidOperation
from typing import Protocol

BUDGET_USED_UP = "The budget is used up."
THOUSAND = 1_000
MILLION = 1_000_000
MILLIONTH = Decimal("0.000001")
KINDS = ("input", "cache_write", "cache_read", "output", "batch")
NEEDED = ("input", "output")


class OptionRefused(ValueError):
    """An option that a backend cannot be made with."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider says that a request took."""

    input_tokens: int = 0  # Neither written to a cache nor read from one.
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    output_tokens: int = 0
    searches: int = 0  # Rerankings, where a provider counts these.

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.output_tokens + other.output_tokens,
            self.searches + other.searches,
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens."""

    input: Decimal = Decimal(0)
    cache_write: Decimal = Decimal(0)
    cache_read: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    batch: Decimal = Decimal("0.5")  # The share of these that a request in a batch costs.
    search: Decimal = Decimal(0)  # For a thousand rerankings.

    @property
    def is_nothing(self) -> bool:
        return self == Prices(batch=self.batch)

    def cost(self, usage: Usage, *, is_batch: bool = False) -> Decimal:
        """Return what was used in dollars, rounded up to a millionth."""
        paid = (
            usage.input_tokens * self.input
            + usage.cache_write_tokens * self.cache_write
            + usage.cache_read_tokens * self.cache_read
            + usage.output_tokens * self.output
            + usage.searches * self.search * THOUSAND
        )
        return (paid * (self.batch if is_batch else 1) / MILLION).quantize(MILLIONTH, ROUND_UP)


class Purse(Protocol):
    """Pays for requests. Whoever sends one asks before, in the thread that was called."""

    def reserve(self, most: Decimal) -> bool:
        """Set aside what a request costs at most; tell whether it may be sent."""

    def settle(self, most: Decimal, usage: Usage, *, failure: str = "", is_unknown: bool = False) -> None:
        """Replace what was set aside by what it really took; by all of it if nobody knows what that was."""


def read_prices(given: Mapping[str, object], *, cache_write: str, cache_read: str) -> Prices:
    """Return the prices of an option; what is not said of the cache is its share of the input's."""
    wrong = [kind for kind in given if kind not in KINDS] + [kind for kind in NEEDED if kind not in given]
    if wrong:
        raise OptionRefused(
            f"OPTIONS['prices']: {', '.join(wrong)}. Give dollars per million tokens as 'input' and 'output' "
            "and, where they differ from the usual, 'cache_write', 'cache_read' and 'batch'."
        )
    numbers = {kind: read_price(kind, value) for kind, value in given.items()}
    numbers.setdefault("cache_write", numbers["input"] * Decimal(cache_write))
    numbers.setdefault("cache_read", numbers["input"] * Decimal(cache_read))
    return Prices(**numbers)


def read_price(kind: str, value: object) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number < 0:
        raise OptionRefused(f"OPTIONS['prices'][{kind!r}]: {value!r} is no price. Give a number, 0 or more.")
    return number
