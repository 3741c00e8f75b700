"""Ask a chat model one thing, and read what it says."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Generic, Protocol, Required, TypedDict, TypeVar, cast
from weakref import finalize

import httpx2

from search.backends.chats import Message
from search.backends.marks import size_in_bytes
from search.backends.payment import Prices, Purse, Usage
from search.backends.provider import Provider, Reading, Request, Role, parse_json, require_positive

FRAME_TOKENS = 64  # What a provider puts around the parts of a request, generously.


class ChatOptions(TypedDict, total=False):
    """What is declared of a chat model, whatever it is asked."""

    api_key: str
    base_url: str | None
    prices: Mapping[str, object] | None


class Declared(ChatOptions, total=False):
    """What makes a chat model of one role."""

    model: Required[str]
    timeout: Required[float]
    max_tokens: Required[int]


class Useless(Exception):
    """An answer that cannot be read. Its message goes on from “the answer”."""


class Closing(Protocol):
    def close(self) -> None: ...


Client = TypeVar("Client", bound=Closing)
T = TypeVar("T")


class ChatModel(ABC, Generic[Client]):
    """Constructing one connects to nothing. The client is made on first use, and anew in a forked process."""

    provider: str
    errors: type[Exception]  # What the SDK raises when there is no answer.

    def __init__(
        self,
        role: Role,
        *,
        model: str,
        api_key: str = "",
        base_url: str | None = None,
        prices: Mapping[str, object] | None = None,
        timeout: float,
        max_tokens: int,
    ) -> None:
        self._role, self._api_key, self._base_url, self._timeout = role, api_key, base_url, timeout
        self.model, self.name = model, f"{self.provider}/{model}"
        self.prices = self.price(model, base_url, prices)
        self._max_tokens = int(require_positive("max_tokens", max_tokens))
        self._client: tuple[int, Client] | None = None
        self._provider = Provider(
            role, name=self.name, prices=self.prices, api_key=api_key, timeout=timeout, errors=self.errors
        )

    @property
    @abstractmethod
    def has_key(self) -> bool:
        """Tell whether it can be asked with the key that it has, or without one."""

    @abstractmethod
    def price(self, model: str, base_url: str | None, given: Mapping[str, object] | None) -> Prices:
        """Return what is paid: as given, or as the provider is known to ask for."""

    @abstractmethod
    def connect(self) -> Client:
        """Make the SDK's client."""

    @abstractmethod
    def send(self, system: str, prompt: str, timeout: float) -> httpx2.Response:
        """Send one request and return what came back; errors are the SDK's."""

    @abstractmethod
    def read_message(self, answer: object) -> Message | None:
        """Return what the model said; None if the answer is none of this provider."""

    def ask(self, prompt: str, *, system: str, read: Callable[[str], T], purse: Purse | None) -> T:
        """Return what is read of an answer; raise the role's error if there is none, or it is useless.

        It is paid for all the same if it was written. A model without its key is not asked, and not paid.
        """
        _ = self.client
        request = Request(
            send=partial(self._send, system, prompt),
            read=partial(self._read, read),
            most=self._most_cost(system + prompt),
        )
        return self._provider.ask(request, purse, until=self._provider.deadline())

    @property
    def client(self) -> Client:
        """A connection cannot be shared between processes: each has its own."""
        if self._client is None or self._client[0] != os.getpid():
            if not self.has_key:
                role = self._role
                raise role.error(f"{self.name}: no key. Set api_key in the {role.name}'s OPTIONS.")
            client = self.connect()
            finalize(self, client.close)
            self._client = (os.getpid(), client)
        return self._client[1]

    def _most_cost(self, text: str) -> Decimal:
        prices = self.prices
        dearest = replace(prices, input=max(prices.input, prices.cache_write, prices.cache_read))
        return dearest.cost(Usage(size_in_bytes(text) + FRAME_TOKENS, output_tokens=self._max_tokens))

    def _send(self, system: str, prompt: str, timeout: float) -> object:
        return parse_json(self.send(system, prompt, timeout).content)

    def _read(self, read: Callable[[str], T], answer: object) -> Reading[T]:
        message = self.read_message(answer)
        usage = message.usage if message else None
        try:
            return Reading(read(_require_text(message)), usage)
        except Useless as error:
            return Reading(cast("T", None), usage, str(error))


def _require_text(message: Message | None) -> str:
    if message is None:
        raise Useless("is not that of a chat model")
    if message.is_refused:
        raise Useless("is a refusal")
    if message.is_cut:
        raise Useless("was cut, as it has more than max_tokens")
    return message.text
