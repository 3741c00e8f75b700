"""Order by Claude."""

from __future__ import annotations

from collections.abc import Mapping

import anthropic
import httpx2

from search.backends.chats import Message, anthropic_prices, read_anthropic
from search.backends.rerankers.base import RerankerError
from search.backends.rerankers.llm import SYSTEM, LlmReranker


class AnthropicReranker(LlmReranker[anthropic.Anthropic]):
    """The SDK's own retries are off: it waits for as long as a server says, which may be weeks."""

    provider = "anthropic"
    errors = anthropic.APIError

    def __init__(
        self,
        *,
        model: str = "claude-haiku-4-5",
        api_key: str = "",
        base_url: str | None = None,
        prices: Mapping[str, object] | None = None,
        timeout: float = 10,
        max_tokens: int = 1_000,
        max_characters: int = 2_000,
        total_characters: int = 60_000,
    ) -> None:
        super().__init__(
            model=model,
            api_key=api_key,
            base_url=base_url,
            prices=anthropic_prices(model, prices, role="reranker"),
            timeout=timeout,
            max_tokens=max_tokens,
            max_characters=max_characters,
            total_characters=total_characters,
        )

    def connect(self) -> anthropic.Anthropic:
        if not self._api_key:
            raise RerankerError(f"{self.name}: no key. Set api_key in the reranker's OPTIONS.")
        return anthropic.Anthropic(
            api_key=self._api_key,
            base_url=self._base_url,
            max_retries=0,
            open_telemetry=False,  # Its spans could carry text; ours do not.
        )

    def send(self, prompt: str, timeout: float) -> httpx2.Response:
        raw = self.client.messages.with_raw_response.create(
            model=self.model,
            max_tokens=self._max_tokens,
            system=SYSTEM,
            messages=[{"role": "user", "content": prompt}],
            timeout=timeout,
        )
        return raw.http_response

    def read_message(self, answer: object) -> Message | None:
        return read_anthropic(answer)
