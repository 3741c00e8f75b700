"""Claude."""

from __future__ import annotations

from collections.abc import Mapping

import anthropic
import httpx2

from search.backends.chat_models.base import ChatModel
from search.backends.chats import Message, anthropic_prices, read_anthropic
from search.backends.payment import Prices

HAIKU = "claude-haiku-4-5"


def connect_anthropic(api_key: str, base_url: str | None, *, timeout: float) -> anthropic.Anthropic:
    """Make a client without retries of its own: it would wait as long as a server says, maybe for weeks."""
    return anthropic.Anthropic(
        api_key=api_key,
        base_url=base_url,
        timeout=timeout,
        max_retries=0,
        open_telemetry=False,  # Its spans could carry text; ours do not.
    )


class AnthropicModel(ChatModel[anthropic.Anthropic]):
    provider = "anthropic"
    errors = anthropic.APIError

    @property
    def has_key(self) -> bool:
        return bool(self._api_key)

    def price(self, model: str, base_url: str | None, given: Mapping[str, object] | None) -> Prices:
        return anthropic_prices(model, given, role=self._role.name)

    def connect(self) -> anthropic.Anthropic:
        return connect_anthropic(self._api_key, self._base_url, timeout=self._timeout)

    def send(self, system: str, prompt: str, timeout: float) -> httpx2.Response:
        raw = self.client.messages.with_raw_response.create(
            model=self.model,
            max_tokens=self._max_tokens,
            system=system,
            messages=[{"role": "user", "content": prompt}],
            timeout=timeout,
        )
        return raw.http_response

    def read_message(self, answer: object) -> Message | None:
        return read_anthropic(answer)
