"""Wait for others no longer than told, whatever they do: a time limit of sockets starts anew at each byte."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from threading import BoundedSemaphore, Thread
from typing import TypeVar

MOST_AT_ONCE = 16  # Calls under way, with those that nobody waits for any more.

T = TypeVar("T")


class OutOfTime(Exception):
    """A call that has not ended when it should have. It may still go on."""


class Watch:
    """Runs each call in a thread of its own, which may be left behind but does not hold up the process."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._slots = BoundedSemaphore(most)

    def call(self, function: Callable[[], T], *, until: float) -> T:
        """Return what a function returns, or raise what it raises, until a time on the monotonic clock."""
        if not self._slots.acquire(timeout=max(until - time.monotonic(), 0)):
            raise OutOfTime
        future: Future[T] = Future()
        Thread(target=copy_context().run, args=(self._run, function, future), daemon=True).start()
        if not wait([future], timeout=max(until - time.monotonic(), 0)).done:
            raise OutOfTime
        return future.result()

    def _run(self, function: Callable[[], T], future: Future[T]) -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001  # Raised again where somebody waits for it.
            future.set_exception(error)
        finally:
            self._slots.release()
