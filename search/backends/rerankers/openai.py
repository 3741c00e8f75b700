"""Order by OpenAI's chat models, and by whatever speaks its protocol: Azure, vLLM, Ollama."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import httpx2
import openai

from search.backends.chats import Message, openai_prices, read_openai
from search.backends.rerankers.base import RerankerError
from search.backends.rerankers.llm import SYSTEM, LlmReranker

NO_KEY = "none"  # Servers of one's own ask for none, and the SDK for some.
TokenLimit = Literal["max_tokens", "max_completion_tokens"]


class OpenAIReranker(LlmReranker[openai.OpenAI]):
    provider = "openai"
    errors = openai.APIError

    def __init__(
        self,
        *,
        model: str,
        api_key: str = "",
        base_url: str | None = None,
        prices: Mapping[str, object] | None = None,
        timeout: float = 10,
        max_tokens: int = 1_000,
        max_characters: int = 2_000,
        total_characters: int = 60_000,
        token_limit: TokenLimit | None = None,
    ) -> None:
        super().__init__(
            model=model,
            api_key=api_key,
            base_url=base_url,
            prices=openai_prices(model, base_url, prices, role="reranker"),
            timeout=timeout,
            max_tokens=max_tokens,
            max_characters=max_characters,
            total_characters=total_characters,
        )
        # OpenAI's newer models refuse the old name; other servers may not know the new one.
        self._token_limit = token_limit or ("max_tokens" if base_url else "max_completion_tokens")

    def connect(self) -> openai.OpenAI:
        if not self._api_key and not self._base_url:
            raise RerankerError(f"{self.name}: no key. Set api_key in the reranker's OPTIONS.")
        return openai.OpenAI(api_key=self._api_key or NO_KEY, base_url=self._base_url, max_retries=0)

    def send(self, prompt: str, timeout: float) -> httpx2.Response:
        raw = self.client.chat.completions.with_raw_response.create(
            model=self.model,
            messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}],
            extra_body={self._token_limit: self._max_tokens},
            timeout=timeout,
        )
        return raw.http_response

    def read_message(self, answer: object) -> Message | None:
        return read_openai(answer)
