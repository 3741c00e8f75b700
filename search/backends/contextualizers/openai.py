"""Contexts by OpenAI, and by whatever speaks its protocol: Azure, vLLM, Ollama."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import httpx2
import openai

from search.backends.contextualizers.answer import clean_context
from search.backends.contextualizers.base import ContextualizerError, OptionRefused, Prices, Usage
from search.backends.contextualizers.costs import read_prices
from search.backends.contextualizers.dispatch import Reply
from search.backends.contextualizers.prompt import SYSTEM, Question
from search.backends.contextualizers.provider import ProviderContextualizer, read_count
from search.backends.retries import WAITS, Trouble

NO_KEY = "none"  # Servers of one's own ask for none, and the SDK for some.
TokenLimit = Literal["max_tokens", "max_completion_tokens"]


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
            prices=_prices_of(model, base_url, prices),
            window_tokens=window_tokens,
            timeout=timeout,
            batch_from=None,
            waits=waits,
            sleep=sleep,
        )
        # OpenAI's newer models refuse the old name; other servers may not know the new one.
        self._token_limit = token_limit or ("max_tokens" if base_url else "max_completion_tokens")

    def connect(self) -> openai.OpenAI:
        if not self._api_key and not self._base_url:
            raise ContextualizerError(f"{self.name}: no key. Set api_key in the contextualizer's OPTIONS.")
        return openai.OpenAI(
            api_key=self._api_key or NO_KEY,
            base_url=self._base_url,
            timeout=self._timeout,
            max_retries=0,
        )

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
        choices = answer.get("choices") if isinstance(answer, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not (isinstance(answer, dict) and isinstance(choice, dict) and isinstance(message, dict)):
            return Reply(trouble=self.malformed("is not a chat completion"))
        usage, text = _read_usage(answer.get("usage")), message.get("content")
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            return Reply(usage=usage, trouble=Trouble(f"{self.name}: the model refused to answer."))
        is_cut = choice.get("finish_reason") == "length"
        context = clean_context(text if isinstance(text, str) else "", max_tokens=max_tokens, is_cut=is_cut)
        trouble = None if context else Trouble(f"{self.name}: the answer is empty.")
        return Reply(context, usage, trouble)


def _prices_of(model: str, base_url: str | None, prices: Mapping[str, object] | None) -> Prices:
    """A server of one's own costs nothing unless it is said; of OpenAI's models the prices must be given."""
    if prices is not None:
        return read_prices(prices, cache_write="1", cache_read="1")
    if base_url is None:
        raise OptionRefused(
            f"openai/{model}: its prices are not known here. Set prices in the contextualizer's OPTIONS, "
            "in dollars per million tokens: {'input': …, 'output': …}."
        )
    return Prices()


def _read_usage(usage: object) -> Usage | None:
    """Return what was used; None if the answer does not say it."""
    if not isinstance(usage, dict) or not read_count(usage, "prompt_tokens"):
        return None
    details = usage.get("prompt_tokens_details")
    read, written = read_count(details, "cached_tokens"), read_count(details, "cache_write_tokens")
    fresh = max(read_count(usage, "prompt_tokens") - read - written, 0)
    return Usage(fresh, written, read, read_count(usage, "completion_tokens"))
