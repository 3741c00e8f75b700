"""Contexts by Claude: the document as a cached prefix, one request per excerpt or all of them as a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import anthropic
import httpx2
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

from search.backends.contextualizers.answer import clean_context
from search.backends.contextualizers.anthropic_batches import AnthropicBatches
from search.backends.contextualizers.base import ContextualizerError, OptionRefused, Prices, Usage
from search.backends.contextualizers.costs import read_prices
from search.backends.contextualizers.dispatch import Reply
from search.backends.contextualizers.prompt import SYSTEM, Question
from search.backends.contextualizers.provider import read_count
from search.backends.retries import WAITS, Trouble

HAIKU = {"input": "1", "cache_write": "1.25", "cache_read": "0.10", "output": "5"}
SHARES = {"cache_write": "1.25", "cache_read": "0.1"}  # Of the input's price, for each model.


class AnthropicContextualizer(AnthropicBatches):
    """The SDK's own retries are off: it waits for as long as a server says, which may be weeks."""

    provider = "anthropic"
    errors = anthropic.APIError
    cache_from = 4096

    def __init__(
        self,
        *,
        model: str = "claude-haiku-4-5",
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
            prices=_prices_of(model, prices),
            window_tokens=window_tokens,
            timeout=timeout,
            batch_from=batch_from,
            waits=waits,
            sleep=sleep,
        )

    def connect(self) -> anthropic.Anthropic:
        if not self._api_key:
            raise ContextualizerError(f"{self.name}: no key. Set api_key in the contextualizer's OPTIONS.")
        return anthropic.Anthropic(
            api_key=self._api_key,
            base_url=self._base_url,
            timeout=self._timeout,
            max_retries=0,
            open_telemetry=False,  # Its spans could carry text; ours do not.
        )

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
        if not isinstance(answer, dict) or not isinstance(answer.get("content"), list):
            return Reply(trouble=self.malformed("is not a message"))
        usage, stop = _read_usage(answer.get("usage")), answer.get("stop_reason")
        if stop == "refusal":
            return Reply(usage=usage, trouble=Trouble(f"{self.name}: the model refused to answer."))
        text = "\n".join(filter(None, map(_read_text, answer["content"])))
        context = clean_context(text, max_tokens=max_tokens, is_cut=stop == "max_tokens")
        trouble = None if context else Trouble(f"{self.name}: the answer is empty.")
        return Reply(context, usage, trouble)


def _prices_of(model: str, prices: Mapping[str, object] | None) -> Prices:
    """Know the prices of one class of models; of the others a budget would be kept wrongly."""
    if prices is None and "haiku" not in model:
        raise OptionRefused(
            f"anthropic/{model}: its prices are not known here. Set prices in the contextualizer's OPTIONS, "
            "in dollars per million tokens: {'input': …, 'output': …}."
        )
    return read_prices(HAIKU if prices is None else prices, **SHARES)


def _read_text(block: object) -> str:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else ""
    return text if isinstance(text, str) else ""


def _read_usage(usage: object) -> Usage | None:
    """Return what was used; None if the answer does not say it."""
    if not isinstance(usage, dict) or not read_count(usage, "output_tokens"):
        return None
    return Usage(
        read_count(usage, "input_tokens"),
        read_count(usage, "cache_creation_input_tokens"),
        read_count(usage, "cache_read_input_tokens"),
        read_count(usage, "output_tokens"),
    )
