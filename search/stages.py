"""Run the stages of a search: time each, trace each, and go on without one that fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import DatabaseError, transaction
from opentelemetry import trace
from psycopg.errors import QueryCanceled

from search.backends import BackendError
from search.backends.embedders.base import EmbedderError
from search.backends.rerankers.base import RerankerError
from search.planning import NO_SCAN
from search.round_trips import Asking

logger = logging.getLogger(__name__)
tracer = trace.get_tracer("pandect")  # Does nothing until a collector is configured.

LONGEST = 1_500  # Milliseconds of one statement: an answer without one leg is better than none.
# Plans are kept, so they must be right for a table that is small now, too.
LIMITED = {"statement_timeout": str(LONGEST), **NO_SCAN}
SAVEPOINT = "before_the_stages"
TOO_LONG = "It took too long."
FAILED = "It failed. Whoever runs this installation finds the reason in the log."

T = TypeVar("T")


class Stages:
    """What each stage of one search took, and which ones are missing from its answer."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.took: dict[str, float] = {}
        self.degraded: dict[str, str] = {}
        self.savepoint: str | None = None

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        with tracer.start_as_current_span(stage, record_exception=False, set_status_on_exception=False):
            try:
                yield
            finally:
                self.took[stage] = self.took.get(stage, 0.0) + since(began)

    def attempt(self, stage: str, look: Callable[[], T], *, instead: T, is_writing: bool = False) -> T:
        """Return what a stage finds; if it fails or takes too long, say so and go on with something else.

        What a stage that `is_writing` has written stays, whatever fails after it.
        """
        try:
            with self.timed(stage):
                self._mark()
                found = look()
                if is_writing:
                    self.savepoint = None
                return found
        except (DatabaseError, BackendError, EmbedderError, RerankerError) as error:
            transaction.savepoint_rollback(self._mark())
            # Not the words of the database: it may quote the question.
            cause = type(error.__cause__).__name__ if isinstance(error, DatabaseError) else error
            logger.warning("A search goes on without its %s: %s", stage, cause)
            self.degraded[stage] = reason_of(error)
        return instead

    def mark(self) -> Asking[None]:
        """Set where a stage that fails is taken back to, together with other questions."""
        yield [(f"SAVEPOINT {SAVEPOINT}", [])]
        self.savepoint = SAVEPOINT

    def _mark(self) -> str:
        """Return where a stage that fails is taken back to: one place for all that write nothing.

        It goes with the transaction, or with the savepoint that the search is in.
        """
        if self.savepoint is None:
            self.savepoint = transaction.savepoint()
        return self.savepoint

    def milliseconds(self) -> dict[str, float]:
        took = {stage: round(1000 * seconds, 2) for stage, seconds in self.took.items()}
        return {**took, "total": round(1000 * since(self.began), 2)}


def reason_of(error: Exception) -> str:
    """Say what the asker may know of a failure: a budget that is used up is their own business."""
    if isinstance(error, RerankerError):
        return str(error)
    return TOO_LONG if isinstance(error.__cause__, QueryCanceled) else FAILED


def since(began: float) -> float:
    return time.perf_counter() - began
