"""Contexts by OpenAI, and by whatever speaks its protocol: Azure, vLLM, Ollama."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import httpx2
import openai

from search.backends.chat_models.openai import TokenLimit, connect_openai, name_limit
from search.backends.chats import openai_prices, read_openai
from search.backends.contextualizers.base import ContextualizerError
from search.backends.contextualizers.dispatch import Reply
from search.backends.contextualizers.prompt import SYSTEM, Question
from search.backends.contextualizers.provider import ProviderContextualizer
from search.backends.retries import WAITS


class OpenAIContextualizer(ProviderContextualizer[openai.OpenAI]):
    """The document comes first, so that the server finds what it has read already without being told."""

    provider = "openai"
    errors = openai.APIError
    cache_from = 1024

    def __init__(
        self,
        *,
        model: str,
        api_key: str = "",
        base_url: str | None = None,
        prices: Mapping[str, object] | None = None,
        window_tokens: int = 128_000,
        timeout: float = 60,
        token_limit: TokenLimit | None = None,
        waits: Sequence[float] = WAITS,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        super().__init__(
            model=model,
            api_key=api_key,
            base_url=base_url,
            prices=openai_prices(model, base_url, prices, role="contextualizer"),
            window_tokens=window_tokens,
            timeout=timeout,
            batch_from=None,
            waits=waits,
            sleep=sleep,
        )
        self._token_limit = name_limit(base_url, token_limit)

    def connect(self) -> openai.OpenAI:
        if not self._api_key and not self._base_url:
            raise ContextualizerError(f"{self.name}: no key. Set api_key in the contextualizer's OPTIONS.")
        return connect_openai(self._api_key, self._base_url, timeout=self._timeout)

    def send(self, question: Question, *, max_tokens: int) -> httpx2.Response:
        raw = self.client.chat.completions.with_raw_response.create(
            model=self.model,
            messages=[
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": question.prefix + question.ask},
            ],
            extra_body={self._token_limit: max_tokens},
        )
        return raw.http_response

    def read(self, answer: object, *, max_tokens: int) -> Reply:
        message = read_openai(answer)
        if message is None:
            return Reply(trouble=self.malformed("is not a chat completion"))
        return self.reply(message, max_tokens=max_tokens)
