"""What rerankers that ask a provider have in common: a search waits, so they are quick or give up."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from search.backends.payment import BUDGET_USED_UP, OptionRefused, Prices, Purse, Usage
from search.backends.rerankers.base import Reranker, RerankerError
from search.backends.retries import RequestFailed, call_again
from search.backends.watch import OutOfTime, Watch

WAITS = (0.2,)  # Seconds before the one further attempt.
SOON = 0.001  # Seconds that a request is given at least.


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer holds, or what is wrong with it. Without usage, nobody knows what it took."""

    scores: list[float]
    usage: Usage | None
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    send: Callable[[float], object]  # Within so many seconds; returns what came back as JSON.
    read: Callable[[object], Reading]
    most: Decimal  # What it costs at most.


class ProviderReranker(Reranker):
    """Asks once, and once more if trouble passes quickly; all within one time limit."""

    errors: type[Exception]  # What is raised when there is no answer.

    def __init__(self, *, name: str, prices: Prices, api_key: str, timeout: float) -> None:
        if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
            raise OptionRefused("OPTIONS['api_key'] holds a character that no key has. Copy the key again.")
        self.name = name
        self.prices = prices
        self._api_key = api_key
        self._timeout = require_positive("timeout", timeout)
        self._watch = Watch()

    def ask(self, request: Request, purse: Purse | None, *, until: float) -> list[float]:
        """Pay for a request, send it, and return the scores that came back."""
        if purse and not purse.reserve(request.most):
            raise RerankerError(f"{self.name}: {BUDGET_USED_UP} Raise it, or turn reranking off.")
        try:
            answer = self._watch.call(partial(self._send, request, until), until=until)
        except RequestFailed as failed:
            trouble = failed.trouble
            raise self._fail(request, purse, trouble.reason, is_unknown=trouble.is_unknown) from failed
        except OutOfTime as late:
            reason = f"{self.name}: no answer within {self._timeout:g} s. Check the network and base_url."
            raise self._fail(request, purse, reason, is_unknown=True) from late
        reading = request.read(answer)
        failure = f"{self.name}: the answer {reading.wrong}." if reading.wrong else ""
        if purse:
            usage = reading.usage
            purse.settle(request.most, usage or Usage(), failure=failure, is_unknown=usage is None)
        if failure:
            raise RerankerError(f"{failure} Check model, base_url and style in the reranker's OPTIONS.")
        return reading.scores

    def _send(self, request: Request, until: float) -> object:
        return call_again(
            lambda: request.send(max(until - time.monotonic(), SOON)),
            place=self.name,
            errors=self.errors,
            waits=WAITS,
            is_repeatable=not self.is_paid,
            until=until,
        )

    def _fail(self, request: Request, purse: Purse | None, reason: str, *, is_unknown: bool) -> RerankerError:
        if purse:
            purse.settle(request.most, Usage(), failure=reason, is_unknown=is_unknown)
        return RerankerError(reason)


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
