"""Ask a provider while somebody waits: paid before it is sent, quick or given up, settled whatever comes."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Generic, TypeVar

from search.backends.payment import BUDGET_USED_UP, OptionRefused, Prices, Purse, Usage
from search.backends.retries import RequestFailed, call_again
from search.backends.watch import OutOfTime, Watch

SOON = 0.001  # Seconds that a request is given at least.
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """For whom a provider is asked: what is raised if it does not help, and the cures that are named."""

    name: str  # As in SEARCH_BACKENDS.
    error: type[Exception]
    without_money: str
    options: str  # That are to be checked if an answer makes no sense.
    waits: Sequence[float]  # Seconds before each further attempt.


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What an answer holds, or what is wrong with it. Without usage, nobody knows what it took."""

    result: T
    usage: Usage | None
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    send: Callable[[float], object]  # Within so many seconds; returns what came back as JSON.
    read: Callable[[object], Reading[T]]
    most: Decimal  # What it costs at most.


class Provider:
    """Asks once, and again if trouble passes quickly; all within one time limit."""

    def __init__(
        self,
        role: Role,
        *,
        name: str,
        prices: Prices,
        api_key: str,
        timeout: float,
        errors: type[Exception],
    ) -> None:
        if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
            raise OptionRefused("OPTIONS['api_key'] holds a character that no key has. Copy the key again.")
        self.role = role
        self.name = name
        self.prices = prices
        self._timeout = require_positive("timeout", timeout)
        self._errors = errors  # What is raised when there is no answer.
        self._watch = Watch()

    def deadline(self) -> float:
        """Return when what begins now has to end, on the monotonic clock."""
        return time.monotonic() + self._timeout

    def ask(self, request: Request[T], purse: Purse | None, *, until: float) -> T:
        """Pay for a request, send it, and return what came back."""
        role = self.role
        if purse and not purse.reserve(request.most):
            raise role.error(f"{self.name}: {BUDGET_USED_UP} Raise it, or {role.without_money}.")
        try:
            answer = self._watch.call(partial(self._send, request, until), until=until)
        except RequestFailed as failed:
            trouble = failed.trouble
            raise self._fail(request.most, purse, trouble.reason, is_unknown=trouble.is_unknown) from failed
        except OutOfTime as late:
            reason = f"{self.name}: no answer within {self._timeout:g} s. Check the network and base_url."
            raise self._fail(request.most, purse, reason, is_unknown=True) from late
        reading = request.read(answer)
        failure = f"{self.name}: the answer {reading.wrong}." if reading.wrong else ""
        if purse:
            usage = reading.usage
            purse.settle(request.most, usage or Usage(), failure=failure, is_unknown=usage is None)
        if failure:
            raise role.error(f"{failure} Check {role.options} in the {role.name}'s OPTIONS.")
        return reading.result

    def _send(self, request: Request[T], until: float) -> object:
        return call_again(
            lambda: request.send(max(until - time.monotonic(), SOON)),
            place=self.name,
            errors=self._errors,
            waits=self.role.waits,
            is_repeatable=self.prices.is_nothing,
            until=until,
        )

    def _fail(self, most: Decimal, purse: Purse | None, reason: str, *, is_unknown: bool) -> Exception:
        if purse:
            purse.settle(most, Usage(), failure=reason, is_unknown=is_unknown)
        return self.role.error(reason)


def parse_json(body: bytes) -> object:
    """Return what JSON says; nothing if it is none, or nested without end."""
    try:
        answer: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer


def require_positive(option: str, number: float) -> float:
    if not 0 < number < math.inf:
        raise OptionRefused(f"OPTIONS[{option!r}]: {number!r} is no such number. Give one above 0.")
    return number
