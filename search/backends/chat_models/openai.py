"""OpenAI's chat models, and whatever speaks its protocol: Azure, vLLM, Ollama."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Unpack

import httpx2
import openai

from search.backends.chat_models.base import ChatModel, ChatOptions, Declared
from search.backends.chats import Message, openai_prices, read_openai
from search.backends.payment import Prices
from search.backends.provider import Role

NO_KEY = "none"  # Servers of one's own ask for none, and the SDK for some.
TokenLimit = Literal["max_tokens", "max_completion_tokens"]


class OpenAIOptions(ChatOptions, total=False):
    token_limit: TokenLimit | None


def connect_openai(api_key: str, base_url: str | None, *, timeout: float) -> openai.OpenAI:
    """Make a client without retries of its own: it would wait for as long as a server says."""
    return openai.OpenAI(api_key=api_key or NO_KEY, base_url=base_url, timeout=timeout, max_retries=0)


def name_limit(base_url: str | None, chosen: TokenLimit | None = None) -> TokenLimit:
    """Name the limit: OpenAI's newer models refuse the old name; other servers may not know the new one."""
    return chosen or ("max_tokens" if base_url else "max_completion_tokens")


class OpenAIModel(ChatModel[openai.OpenAI]):
    provider = "openai"
    errors = openai.APIError

    def __init__(
        self, role: Role, *, token_limit: TokenLimit | None = None, **declared: Unpack[Declared]
    ) -> None:
        super().__init__(role, **declared)
        self._token_limit = name_limit(self._base_url, token_limit)

    @property
    def has_key(self) -> bool:
        return bool(self._api_key or self._base_url)

    def price(self, model: str, base_url: str | None, given: Mapping[str, object] | None) -> Prices:
        return openai_prices(model, base_url, given, role=self._role.name)

    def connect(self) -> openai.OpenAI:
        return connect_openai(self._api_key, self._base_url, timeout=self._timeout)

    def send(self, system: str, prompt: str, timeout: float) -> httpx2.Response:
        raw = self.client.chat.completions.with_raw_response.create(
            model=self.model,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": prompt}],
            extra_body={self._token_limit: self._max_tokens},
            timeout=timeout,
        )
        return raw.http_response

    def read_message(self, answer: object) -> Message | None:
        return read_openai(answer)
