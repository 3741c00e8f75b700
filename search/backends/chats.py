"""Read what chat models answer, which may have any shape, and know what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from search.backends.payment import OptionRefused, Prices, Usage, read_prices

HAIKU = {"input": "1", "cache_write": "1.25", "cache_read": "0.10", "output": "5"}
SHARES = {"cache_write": "1.25", "cache_read": "0.1"}  # Of the input's price, for each model of Anthropic.


@dataclass(frozen=True, slots=True)
class Message:
    """What a model said. Without usage, nobody knows what it took."""

    text: str
    usage: Usage | None
    is_refused: bool = False
    is_cut: bool = False


def read_anthropic(answer: object) -> Message | None:
    """Return the message in an answer; None if there is none."""
    if not isinstance(answer, dict) or not isinstance(answer.get("content"), list):
        return None
    stop = answer.get("stop_reason")
    return Message(
        "\n".join(filter(None, map(_read_text, answer["content"]))),
        _anthropic_usage(answer.get("usage")),
        is_refused=stop == "refusal",
        is_cut=stop == "max_tokens",
    )


def read_openai(answer: object) -> Message | None:
    """Return the first choice of an answer; None if there is none."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not (isinstance(answer, dict) and isinstance(choice, dict) and isinstance(message, dict)):
        return None
    text, finish = message.get("content"), choice.get("finish_reason")
    return Message(
        text if isinstance(text, str) else "",
        _openai_usage(answer.get("usage")),
        is_refused=bool(message.get("refusal")) or finish == "content_filter",
        is_cut=finish == "length",
    )


def read_count(counts: object, name: str) -> int:
    """Return a number of tokens; 0 if it is not given or no such number."""
    count = counts.get(name) if isinstance(counts, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else 0


def anthropic_prices(model: str, prices: Mapping[str, object] | None, *, role: str) -> Prices:
    """Know the prices of one class of models; of the others a budget would be kept wrongly."""
    if prices is None and "haiku" not in model:
        raise _refuse_unknown(f"anthropic/{model}", role)
    return read_prices(HAIKU if prices is None else prices, **SHARES)


def openai_prices(
    model: str, base_url: str | None, prices: Mapping[str, object] | None, *, role: str
) -> Prices:
    """A server of one's own costs nothing unless it is said; of OpenAI's models the prices must be given."""
    if prices is not None:
        return read_prices(prices, cache_write="1", cache_read="1")
    if base_url is None:
        raise _refuse_unknown(f"openai/{model}", role)
    return Prices()


def _refuse_unknown(name: str, role: str) -> OptionRefused:
    return OptionRefused(
        f"{name}: its prices are not known here. Set prices in the {role}'s OPTIONS, in dollars per million "
        "tokens: {'input': …, 'output': …}."
    )


def _read_text(block: object) -> str:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else ""
    return text if isinstance(text, str) else ""


def _anthropic_usage(usage: object) -> Usage | None:
    """Return what was used; None if the answer does not say it."""
    if not isinstance(usage, dict) or not read_count(usage, "output_tokens"):
        return None
    return Usage(
        read_count(usage, "input_tokens"),
        read_count(usage, "cache_creation_input_tokens"),
        read_count(usage, "cache_read_input_tokens"),
        read_count(usage, "output_tokens"),
    )


def _openai_usage(usage: object) -> Usage | None:
    """Return what was used; None if the answer does not say it."""
    if not isinstance(usage, dict) or not read_count(usage, "prompt_tokens"):
        return None
    details = usage.get("prompt_tokens_details")
    read, written = read_count(details, "cached_tokens"), read_count(details, "cache_write_tokens")
    fresh = max(read_count(usage, "prompt_tokens") - read - written, 0)
    return Usage(fresh, written, read, read_count(usage, "completion_tokens"))
