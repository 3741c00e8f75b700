"""Judge what went wrong with a provider: ask again, ask later, ask no more; and ask for less at once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx2

WAITS = (1.0, 2.0, 4.0)  # Seconds before each further attempt.
LONGEST_WAIT = 60.0  # A provider that asks for more is asked again all the same.
THROTTLED = 429
SERVER_ERROR = 500
AGAIN = {408, 409, THROTTLED}  # And whatever says that the server is at fault.
# Between us and the model stands a gateway that gave up: the model may have answered, and be paid for it.
UNKNOWN = {408, 502, 504}
CURES = {
    401: "the key is not accepted (401). Set the right api_key in its OPTIONS",
    402: "the account cannot pay (402). Top it up at the provider",
    403: "the key may not do this (403). Give it the right, or set another api_key in its OPTIONS",
    404: "the model or the address is not known (404). Set the right model and base_url in its OPTIONS",
}
NO_CREDIT = "insufficient_quota"  # As OpenAI says, with a status that otherwise means to ask again.
# Failures before the request was on its way.
UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a request has no answer, and what follows from it."""

    reason: str
    is_passing: bool = False  # Worth asking again.
    is_final: bool = False  # True of every other request as well: wrong key, wrong model, no credit.
    is_throttled: bool = False
    is_common: bool = False  # If it happens again and again, it will happen to the rest.
    is_unknown: bool = False  # The provider may have done the work, and may charge for it.
    retry_after: float = 0.0


class RequestFailed(Exception):
    """A request that has no answer after all attempts."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.reason)
        self.trouble = trouble


def judge(error: Exception, place: str) -> Trouble:
    """Return the trouble behind an error of either SDK, or of httpx2; `place` starts the sentence."""
    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response):
        return _judge_response(response, place)
    cause = error if isinstance(error, httpx2.TransportError) else error.__cause__ or error
    what = "no answer in time" if isinstance(cause, httpx2.TimeoutException) else "no connection"
    return Trouble(
        f"{place}: {what} ({type(cause).__name__}). Check the network and base_url.",
        is_passing=True,
        is_common=True,
        is_unknown=not isinstance(cause, UNSENT),
    )


def _judge_response(response: httpx2.Response, place: str) -> Trouble:
    status = response.status_code
    if status in CURES:
        return Trouble(f"{place}: {CURES[status]}.", is_final=True)
    if status == THROTTLED and NO_CREDIT in response.text:
        return Trouble(f"{place}: {CURES[402]}.", is_final=True)
    is_passing = status in AGAIN or status >= SERVER_ERROR
    return Trouble(
        f"{place}: {_said(response)}.",
        is_passing=is_passing,
        is_throttled=status == THROTTLED,
        is_common=status != THROTTLED,
        is_unknown=status in UNKNOWN,
        retry_after=read_retry_after(response.headers.get("retry-after", "")),
    )


def _said(response: httpx2.Response) -> str:
    """Return status and the kind of error; never the provider's sentence, which may quote the request."""
    kind = _kind(response)
    return f"the provider answered with {response.status_code}" + (f" ({kind})" if kind else "")


def _kind(response: httpx2.Response) -> str:
    try:
        body = response.json()
    except ValueError:
        return ""
    error = body.get("error") if isinstance(body, dict) else None
    kind = (error.get("code") or error.get("type")) if isinstance(error, dict) else None
    return kind[:60] if isinstance(kind, str) and kind.isascii() and kind.isprintable() else ""


def read_retry_after(header: str, now: datetime | None = None) -> float:
    """Return how many seconds to wait, from seconds or a date, within bounds; nothing if it is neither."""
    try:
        seconds = float(header)
    except ValueError:
        seconds = _seconds_until(header, now or datetime.now(UTC))
    return min(seconds, LONGEST_WAIT) if seconds > 0 else 0.0


def _seconds_until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
    except (ValueError, OverflowError):  # The latter of a day, year or zone of many digits.
        return 0.0
    return (then.replace(tzinfo=then.tzinfo or UTC) - now).total_seconds()


def wait_before(attempt: int, trouble: Trouble, waits: Sequence[float] = WAITS) -> float | None:
    """Return the seconds until the next attempt after so many; None if there is no next one."""
    if not trouble.is_passing or attempt > len(waits):
        return None
    return max(waits[attempt - 1], trouble.retry_after)


def call_again(
    call: Callable[[], T],
    *,
    place: str,
    errors: type[Exception],
    waits: Sequence[float] = WAITS,
    sleep: Callable[[float], object] = time.sleep,
    is_repeatable: bool = True,
    until: float = math.inf,
) -> T:
    """Return what an SDK returns, at once or after waits; do not repeat blindly what would be paid twice.

    Nothing is asked again after `until`, on the monotonic clock.
    """
    attempt = 1
    while True:
        try:
            return call()
        except errors as error:
            trouble = judge(error, place)
            wait = wait_before(attempt, trouble, waits)
            is_paid = trouble.is_unknown and not is_repeatable
            if wait is None or is_paid or time.monotonic() + wait >= until:
                raise RequestFailed(trouble) from error
        sleep(wait)
        attempt += 1


class Limiter:
    """Says how many requests may be under way: half as many when there were too many, then slowly more."""

    def __init__(self, most: int) -> None:
        self.most = self.limit = max(most, 1)
        self.in_flight = 0
        self._round = 0
        self._successes = 0

    @property
    def has_room(self) -> bool:
        return self.in_flight < self.limit

    def start(self) -> int:
        """Count a request in and return its round, to be given back at its end."""
        self.in_flight += 1
        return self._round

    def end(self, started_in: int, *, is_throttled: bool = False, is_success: bool = False) -> None:
        """Count a request out; all that were under way together halve the limit once."""
        self.in_flight -= 1
        if is_throttled and started_in == self._round:
            self.limit = max(self.limit // 2, 1)
            self._round += 1
            self._successes = 0
        elif is_success:
            self._recover()

    def _recover(self) -> None:
        self._successes += 1
        if self._successes >= self.limit:
            self.limit = min(self.limit + 1, self.most)
            self._successes = 0
