"""Ask a provider about each excerpt: the first alone, then many at once, each paid for before it is sent."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from decimal import Decimal

from opentelemetry import context, trace

from search.backends.contextualizers.base import Outcome
from search.backends.contextualizers.prompt import Question
from search.backends.payment import BUDGET_USED_UP, Purse, Usage
from search.backends.retries import Limiter, Trouble, wait_before

IN_A_ROW = 3  # So many excerpts fail for a reason that may be common before the rest is given up.
NEVER_SENT = Trouble("The request was not sent.")

tracer = trace.get_tracer("pandect")  # Does nothing until a collector is configured.


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request: a context, or trouble. Without usage, nobody knows what it took."""

    context: str = ""
    usage: Usage | None = None
    trouble: Trouble | None = None

    @classmethod
    def failed(cls, trouble: Trouble) -> Reply:
        """Return the reply of a request that was not answered: it took nothing, if that is sure."""
        return cls(usage=None if trouble.is_unknown else Usage(), trouble=trouble)

    @property
    def is_answer(self) -> bool:
        """Tell whether the model has read the request, whatever it answered."""
        return self.trouble is None or bool(self.usage and self.usage.output_tokens)


@dataclass(slots=True)
class Errand:
    """A question on its way through attempts."""

    question: Question
    attempt: int = 0
    wait: float = 0.0
    most: Decimal | None = None  # What is set aside for it, while it is.
    round: int = 0
    spent: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class Desk:
    """What a provider's contextualizer gives: how to send a question and what that costs at most."""

    send: Callable[[Question], Reply]
    most: Callable[[Question], Decimal]
    learn: Callable[[Question, Usage], None]  # What one really took bounds the next ones better.
    attributes: dict[str, str]
    waits: Sequence[float]
    sleep: Callable[[float], object] | None = None


class Dispatch:
    """One document's questions. The purse is touched only by the thread that iterates."""

    def __init__(self, desk: Desk, questions: Iterator[Question], purse: Purse, concurrency: int) -> None:
        self._desk = desk
        self._purse = purse
        self._waiting: Iterator[Question] = questions
        self._again: deque[Errand] = deque()
        self._flying: dict[Future[Reply], Errand] = {}
        self._limiter = Limiter(concurrency)
        self._is_warm = False
        self._in_a_row = 0
        self._stopped = ""  # Why nothing more is sent.
        self._stop = threading.Event()
        self._parent = context.get_current()

    def outcomes(self) -> Iterator[Outcome]:
        """Yield each outcome after it was paid; if nobody wants more, end and pay what is under way."""
        with ThreadPoolExecutor(self._limiter.most, "contextualize") as pool:
            try:
                yield from self._outcomes(pool)
            finally:
                self._stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                for future, errand in self._flying.items():
                    self._abandon(future, errand)
                for errand in self._again:
                    self._settle(errand, Reply(usage=Usage(), trouble=NEVER_SENT))

    def _outcomes(self, pool: ThreadPoolExecutor) -> Iterator[Outcome]:
        while True:
            yield from self._fill(pool)
            if not self._flying:
                return
            for future in wait(self._flying, return_when=FIRST_COMPLETED).done:
                yield from self._take(future)

    def _fill(self, pool: ThreadPoolExecutor) -> Iterator[Outcome]:
        """Send as many as may be under way; tell of those that will not be sent at all."""
        while self._has_room() and (errand := self._next()):
            if self._stopped:
                yield self._fail(errand, self._stopped)
            elif self._reserve(errand):
                self._launch(pool, errand)
            elif self._flying:  # What they leave of their reservations may be enough.
                self._again.append(errand)
                return
            else:
                self._halt(BUDGET_USED_UP)
                yield self._fail(errand, self._stopped)

    def _has_room(self) -> bool:
        return self._limiter.has_room if self._is_warm or self._stopped else not self._flying

    def _next(self) -> Errand | None:
        if self._again:
            return self._again.popleft()
        question = next(self._waiting, None)
        return Errand(question) if question else None

    def _reserve(self, errand: Errand) -> bool:
        """Set money aside, unless an earlier attempt cost nothing and left it there."""
        if errand.most is not None:
            return True
        most = self._desk.most(errand.question)
        if not self._purse.reserve(most):
            return False
        errand.most = most
        return True

    def _launch(self, pool: ThreadPoolExecutor, errand: Errand) -> None:
        errand.attempt += 1
        errand.round = self._limiter.start()
        self._flying[pool.submit(self._attempt, errand.question, errand.wait)] = errand

    def _attempt(self, question: Question, seconds: float) -> Reply:
        """Wait if need be and send, in a thread of the pool."""
        if seconds:
            (self._desk.sleep or self._stop.wait)(seconds)
        if self._stop.is_set():
            return Reply(usage=Usage(), trouble=NEVER_SENT)
        with tracer.start_as_current_span(
            "llm.completion",
            self._parent,
            attributes=self._desk.attributes,
            record_exception=False,  # Its words may quote the document.
            set_status_on_exception=False,
        ) as span:
            reply = self._desk.send(question)
            _describe(span, reply)
            return reply

    def _take(self, future: Future[Reply]) -> Iterator[Outcome]:
        """Pay for what has ended; then tell of it, or line it up for another attempt."""
        reply = future.result()
        errand = self._flying.pop(future)
        self._note(errand, reply)
        seconds = self._seconds_to_wait(errand, reply.trouble)
        if seconds is None:
            self._settle(errand, reply)
            yield self._conclude(errand, reply)
        else:
            errand.wait = seconds
            self._repeat(errand, reply)

    def _seconds_to_wait(self, errand: Errand, trouble: Trouble | None) -> float | None:
        if trouble is None or self._stopped:
            return None
        return wait_before(errand.attempt, trouble, self._desk.waits)

    def _repeat(self, errand: Errand, reply: Reply) -> None:
        """Line up for another attempt; those that are paid for come first, lest they lock money away."""
        if reply.usage == Usage():
            self._again.appendleft(errand)
        else:
            self._settle(errand, reply)
            self._again.append(errand)

    def _note(self, errand: Errand, reply: Reply) -> None:
        """Learn from the end of a request what concerns the others."""
        is_throttled = bool(reply.trouble and reply.trouble.is_throttled)
        self._limiter.end(errand.round, is_throttled=is_throttled, is_success=reply.trouble is None)
        if reply.is_answer:
            self._is_warm = True
        if reply.usage and reply.usage != Usage():
            self._desk.learn(errand.question, reply.usage)

    def _settle(self, errand: Errand, reply: Reply) -> None:
        if errand.most is None:
            return
        most, errand.most = errand.most, None
        failure = reply.trouble.reason if reply.trouble else ""
        usage = reply.usage or Usage()
        errand.spent += usage
        self._purse.settle(most, usage, failure=failure, is_unknown=reply.usage is None)

    def _conclude(self, errand: Errand, reply: Reply) -> Outcome:
        trouble = reply.trouble
        if trouble is None:
            self._in_a_row = 0
            return self._outcome(errand, context=reply.context)
        if trouble is NEVER_SENT:
            return self._outcome(errand, failure=self._stopped or trouble.reason)
        self._in_a_row = self._in_a_row + 1 if trouble.is_common else 0
        if trouble.is_final or self._in_a_row >= IN_A_ROW:
            self._halt(trouble.reason)
        return self._outcome(errand, failure=trouble.reason)

    def _halt(self, reason: str) -> None:
        """Send nothing more; whoever waits for another attempt wakes up. What was first said stays."""
        self._stopped = self._stopped or reason
        self._stop.set()

    def _fail(self, errand: Errand, reason: str) -> Outcome:
        self._settle(errand, Reply(usage=Usage(), trouble=Trouble(reason)))
        return self._outcome(errand, failure=reason)

    def _outcome(self, errand: Errand, *, context: str = "", failure: str = "") -> Outcome:
        question = errand.question
        return Outcome(question.position, context, failure, errand.spent, question.is_oversized)

    def _abandon(self, future: Future[Reply], errand: Errand) -> None:
        """Pay for what nobody waits for any more: what it took if that is known, else all of it."""
        if future.cancelled():
            self._settle(errand, Reply(usage=Usage(), trouble=NEVER_SENT))
        elif future.exception():
            self._settle(errand, Reply(trouble=NEVER_SENT))
        else:
            self._settle(errand, future.result())


def _describe(span: trace.Span, reply: Reply) -> None:
    usage = reply.usage or Usage()
    span.set_attributes(
        {
            "llm.input_tokens": usage.input_tokens,
            "llm.cache_write_tokens": usage.cache_write_tokens,
            "llm.cache_read_tokens": usage.cache_read_tokens,
            "llm.output_tokens": usage.output_tokens,
        }
    )
    if reply.trouble:
        span.set_status(trace.StatusCode.ERROR)
