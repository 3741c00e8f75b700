"""When a message is tried again, and when no longer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from documents.webhooks.send import Answer

RETRIES = tuple(
    timedelta(**wait)
    for wait in (
        {"seconds": 10},
        {"minutes": 1},
        {"minutes": 5},
        {"minutes": 30},
        {"hours": 2},
        {"hours": 6},
        {"hours": 12},
    )
)
LONGEST_WAIT = timedelta(hours=12)  # However long a receiver asks for.
LONGEST_REST = timedelta(minutes=10)
FAILING_FOR = timedelta(days=3)  # After this a webhook is switched off.
GONE = 410


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a message after an attempt."""

    is_delivered: bool
    wait: timedelta | None = None  # Until the next attempt; none if there is none.
    asked: timedelta = timedelta(0)  # For how long the receiver wants to be left alone.
    is_gone: bool = False


def judge_answer(answer: Answer, *, attempts: int, now: datetime, is_retried: bool = True) -> Verdict:
    """Decide by the answer to the last of some attempts."""
    if answer.is_accepted:
        return Verdict(is_delivered=True)
    if answer.status == GONE:
        return Verdict(is_delivered=False, is_gone=True)
    asked = asked_wait(answer.retry_after, now)
    if not is_retried or attempts > len(RETRIES):
        return Verdict(is_delivered=False, asked=asked)
    return Verdict(is_delivered=False, wait=max(RETRIES[attempts - 1], asked), asked=asked)


def asked_wait(retry_after: str, now: datetime) -> timedelta:
    """Return for how long a receiver asks to be left alone, in seconds or until a date, within limits."""
    text = retry_after.strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        asked = timedelta(seconds=int(text))
    else:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, OverflowError):  # The latter of a day, year or zone of many digits.
            return timedelta(0)
        asked = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
    return min(max(asked, timedelta(0)), LONGEST_WAIT)


def rest_after(failures: int, asked: timedelta) -> timedelta:
    """Return how long a receiver is left alone that has failed so often, whatever else waits for it."""
    doubled: timedelta = RETRIES[0] * 2 ** min(failures - 1, 10)
    return max(min(doubled, LONGEST_REST), asked)


def is_hopeless(verdict: Verdict, *, failing_since: datetime, now: datetime) -> bool:
    """Tell whether to switch a webhook off: another message is given up, and none got through for days."""
    is_given_up = not verdict.is_delivered and verdict.wait is None
    return is_given_up and now - failing_since >= FAILING_FOR
