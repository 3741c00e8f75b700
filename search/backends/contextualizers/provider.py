"""What contextualizers that ask a provider have in common: options, prompts, costs, requests."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Generic, TypeVar

import httpx2

from search.backends.chats import Message
from search.backends.contextualizers.answer import clean_context
from search.backends.contextualizers.base import Contextualizer, Excerpt, Manuscript, Outcome
from search.backends.contextualizers.costs import Bound, likely_usage
from search.backends.contextualizers.dispatch import Desk, Dispatch, Reply
from search.backends.contextualizers.prompt import Prompter, Question
from search.backends.payment import Prices, Purse
from search.backends.retries import WAITS, Trouble, judge

Client = TypeVar("Client")


class ProviderContextualizer(Contextualizer, Generic[Client]):
    """Sends a request per excerpt. The client is made on first use, and anew in a process that was forked."""

    provider: str
    errors: type[Exception]  # What the SDK raises when there is no answer.
    cache_from: int  # Tokens that a prefix needs to be cached.

    def __init__(
        self,
        *,
        model: str,
        api_key: str,
        base_url: str | None,
        prices: Prices,
        window_tokens: int,
        timeout: float,
        batch_from: int | None,
        waits: Sequence[float] = WAITS,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self.model = model
        self.name = f"{self.provider}/{model}"
        self.prices = prices
        self.is_paid = not prices.is_nothing
        self.batch_from = batch_from
        self._api_key = api_key
        self._base_url = base_url
        self._window_tokens = window_tokens
        self._timeout = timeout
        self._waits = tuple(waits)
        self._sleep = sleep
        self._client: tuple[int, Client] | None = None

    @abstractmethod
    def connect(self) -> Client:
        """Make the SDK's client, or say which option is missing."""

    @abstractmethod
    def send(self, question: Question, *, max_tokens: int) -> httpx2.Response:
        """Send one request and return what came back; errors are the SDK's."""

    @abstractmethod
    def read(self, answer: object, *, max_tokens: int) -> Reply:
        """Read the provider's answer, which may have any shape."""

    @property
    def client(self) -> Client:
        """A connection cannot be shared between processes: each has its own."""
        if self._client is None or self._client[0] != os.getpid():
            self._client = (os.getpid(), self.connect())
        return self._client[1]

    def contextualize(
        self,
        manuscript: Manuscript,
        excerpts: Sequence[Excerpt],
        *,
        max_tokens: int = 100,
        concurrency: int = 10,
        purse: Purse,
    ) -> Iterator[Outcome]:
        """Yield an outcome per excerpt; the first request goes alone, so that the others find its cache."""
        _ = self.client  # In this thread, and before anything is paid.
        bound = Bound(self.prices, max_tokens=max_tokens)
        desk = Desk(
            send=partial(self._ask, max_tokens=max_tokens),
            most=bound.most,
            learn=bound.learn,
            attributes={"llm.provider": self.provider, "llm.model": self.model},
            waits=self._waits,
            sleep=self._sleep,
        )
        questions = self._questions(manuscript, excerpts, max_tokens)
        return Dispatch(desk, questions, purse, concurrency).outcomes()

    def most_cost(self, manuscript: Manuscript, excerpts: Sequence[Excerpt], *, max_tokens: int) -> Decimal:
        """Return what the excerpts cost at most, if each is asked for once."""
        bound = Bound(self.prices, max_tokens=max_tokens, is_batch=self._is_batch(excerpts))
        return sum(map(bound.most, self._questions(manuscript, excerpts, max_tokens)), Decimal(0))

    def likely_cost(self, manuscript: Manuscript, excerpts: Sequence[Excerpt], *, max_tokens: int) -> Decimal:
        questions = self._questions(manuscript, excerpts, max_tokens)
        usage = likely_usage(questions, max_tokens=max_tokens, cache_from=self.cache_from)
        return self.prices.cost(usage, is_batch=self._is_batch(excerpts))

    def _questions(
        self, manuscript: Manuscript, excerpts: Sequence[Excerpt], max_tokens: int
    ) -> Iterator[Question]:
        return Prompter(manuscript, self._window_tokens, max_tokens).questions(excerpts)

    def _is_batch(self, excerpts: Sequence[Excerpt]) -> bool:
        return self.batch_from is not None and len(excerpts) >= self.batch_from

    def _ask(self, question: Question, *, max_tokens: int) -> Reply:
        try:
            response = self.send(question, max_tokens=max_tokens)
        except self.errors as error:
            return Reply.failed(judge(error, self.name))
        return self.read(read_json(response), max_tokens=max_tokens)

    def reply(self, message: Message, *, max_tokens: int) -> Reply:
        """Return the context in what a model said, or why there is none."""
        if message.is_refused:
            return Reply(usage=message.usage, trouble=Trouble(f"{self.name}: the model refused to answer."))
        context = clean_context(message.text, max_tokens=max_tokens, is_cut=message.is_cut)
        trouble = None if context else Trouble(f"{self.name}: the answer is empty.")
        return Reply(context, message.usage, trouble)

    def malformed(self, what: str) -> Trouble:
        """Return the trouble of an answer that is none; of all others, if it happens again and again."""
        reason = f"{self.name}: the answer {what}. Check that base_url is the provider's."
        return Trouble(reason, is_common=True)


def read_json(response: httpx2.Response) -> Any:
    """Return the body, or nothing if it is not JSON."""
    try:
        return response.json()
    except ValueError:
        return None
