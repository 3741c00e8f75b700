"""Contexts by Claude: the document as a cached prefix, one request per excerpt or all of them as a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import anthropic
import httpx2
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

from search.backends.chat_models.anthropic import HAIKU, connect_anthropic
from search.backends.chats import anthropic_prices, read_anthropic
from search.backends.contextualizers.anthropic_batches import AnthropicBatches
from search.backends.contextualizers.base import ContextualizerError
from search.backends.contextualizers.dispatch import Reply
from search.backends.contextualizers.prompt import SYSTEM, Question
from search.backends.retries import WAITS


class AnthropicContextualizer(AnthropicBatches):
    provider = "anthropic"
    errors = anthropic.APIError
    cache_from = 4096

    def __init__(
        self,
        *,
        model: str = HAIKU,
        api_key: str = "",
        base_url: str | None = None,
        prices: Mapping[str, object] | None = None,
        window_tokens: int = 200_000,
        timeout: float = 60,
        batch_from: int | None = None,
        waits: Sequence[float] = WAITS,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        super().__init__(
            model=model,
            api_key=api_key,
            base_url=base_url,
            prices=anthropic_prices(model, prices, role="contextualizer"),
            window_tokens=window_tokens,
            timeout=timeout,
            batch_from=batch_from,
            waits=waits,
            sleep=sleep,
        )

    def connect(self) -> anthropic.Anthropic:
        if not self._api_key:
            raise ContextualizerError(f"{self.name}: no key. Set api_key in the contextualizer's OPTIONS.")
        return connect_anthropic(self._api_key, self._base_url, timeout=self._timeout)

    def send(self, question: Question, *, max_tokens: int) -> httpx2.Response:
        params = self.params(question, max_tokens=max_tokens)
        return self.client.messages.with_raw_response.create(**params).http_response

    def params(self, question: Question, *, max_tokens: int) -> MessageCreateParamsNonStreaming:
        """Return a request whose prefix is cached by the provider up to the mark."""
        return {
            "model": self.model,
            "max_tokens": max_tokens,
            "system": SYSTEM,
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": question.prefix, "cache_control": {"type": "ephemeral"}},
                        {"type": "text", "text": question.ask},
                    ],
                }
            ],
        }

    def read(self, answer: object, *, max_tokens: int) -> Reply:
        message = read_anthropic(answer)
        if message is None:
            return Reply(trouble=self.malformed("is not a message"))
        return self.reply(message, max_tokens=max_tokens)
