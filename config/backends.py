"""`SEARCH_BACKENDS` from the environment: who writes contexts, who makes vectors, what finds words.

Only what is set is handed on, so that each backend keeps its own defaults. `manage.py check` builds them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.environment import Environment

Declaration = dict[str, Any]

STRUCTURAL = "search.backends.contextualizers.structural.StructuralContextualizer"
ANTHROPIC = "search.backends.contextualizers.anthropic.AnthropicContextualizer"
OPENAI = "search.backends.contextualizers.openai.OpenAIContextualizer"
GRANITE = "search.backends.embedders.granite.GraniteEmbedder"
OPENAI_EMBEDDER = "search.backends.embedders.openai.OpenAIEmbedder"
POSTGRES_KEYWORDS = "search.backends.keyword_indexes.postgres.PostgresKeywordIndex"

CONTEXT_VARIABLES = (
    "PANDECT_CONTEXT_MODEL",
    "PANDECT_CONTEXT_URL",
    "PANDECT_CONTEXT_PRICES",
    "PANDECT_CONTEXT_BATCH_FROM",
)
EMBEDDING_VARIABLES = ("MODEL", "DIMENSIONS", "URL", "MAX_TOKENS", "PRICE")
PRICES = ("input", "cache_write", "cache_read", "output", "batch")
WHERE_KEYS_ARE = {
    "ANTHROPIC_API_KEY": "https://console.anthropic.com",
    "OPENAI_API_KEY": "https://platform.openai.com",
}


class Secret(str):
    """A text that is not shown where settings are: in their repr, or in a traceback's variables."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'…'"


def search_backends(env: Environment) -> dict[str, Declaration]:
    """Declare a backend for each role that there has to be, and those that were asked for."""
    declared = {
        "contextualizer": declare_contextualizer(env),
        "embedder": declare_embedder(env, "PANDECT"),
        "keyword_index": {"BACKEND": POSTGRES_KEYWORDS},
    }
    if env.text("PANDECT_NEXT_EMBEDDER"):
        declared["next_embedder"] = declare_embedder(env, "PANDECT_NEXT")
    else:
        refuse_set(env, embedding_variables("PANDECT_NEXT"), "PANDECT_NEXT_EMBEDDER is not. Set that too")
    return declared


def declare_contextualizer(env: Environment) -> Declaration:
    match env.choice("PANDECT_CONTEXTUALIZER", ["structural", "anthropic", "openai"], "structural"):
        case "anthropic":
            return declare_anthropic(env)
        case "openai":
            return declare_openai(env)
    why = "PANDECT_CONTEXTUALIZER=structural asks nobody. Set PANDECT_CONTEXTUALIZER to anthropic or openai"
    refuse_set(env, CONTEXT_VARIABLES, why)
    return {"BACKEND": STRUCTURAL}


def declare_anthropic(env: Environment) -> Declaration:
    model = env.text("PANDECT_CONTEXT_MODEL")
    options = {
        "model": model,
        "base_url": read_url(env, "PANDECT_CONTEXT_URL"),
        "api_key": read_key(env, "ANTHROPIC_API_KEY"),
        "prices": read_prices(env, is_needed=bool(model) and "haiku" not in model),
        "batch_from": env.number("PANDECT_CONTEXT_BATCH_FROM", 0) or None,
    }
    return {"BACKEND": ANTHROPIC, "OPTIONS": given(options)}


def declare_openai(env: Environment) -> Declaration:
    """Read the variables of OpenAI, or of a server that speaks as it does: that may need no key."""
    why = "PANDECT_CONTEXTUALIZER=openai hands in no batches. Set PANDECT_CONTEXTUALIZER to anthropic"
    refuse_set(env, ["PANDECT_CONTEXT_BATCH_FROM"], why)
    url = read_url(env, "PANDECT_CONTEXT_URL")
    options = {
        "model": env.required(
            "PANDECT_CONTEXT_MODEL", "Name a model that PANDECT_CONTEXTUALIZER=openai asks."
        ),
        "base_url": url,
        "api_key": read_key(env, "OPENAI_API_KEY", is_optional=bool(url)),
        "prices": read_prices(env, is_needed=not url),
    }
    return {"BACKEND": OPENAI, "OPTIONS": given(options)}


def declare_embedder(env: Environment, prefix: str) -> Declaration:
    """Read the variables of the embedder, or those of the one that is to follow it."""
    role = f"{prefix}_EMBEDDER"
    if env.choice(role, ["embedded", "openai"], "embedded") == "embedded":
        refuse_set(env, embedding_variables(prefix), f"{role}=embedded has one model. Set {role} to openai")
        return {"BACKEND": GRANITE}
    url = read_url(env, f"{prefix}_EMBEDDING_URL")
    options = {
        "model": env.text(f"{prefix}_EMBEDDING_MODEL"),
        "dimensions": env.number(f"{prefix}_EMBEDDING_DIMENSIONS", 0) or None,
        "base_url": url,
        "api_key": read_key(env, "OPENAI_API_KEY", is_optional=bool(url)),
        "max_tokens": env.number(f"{prefix}_EMBEDDING_MAX_TOKENS", 0) or None,
        "price": read_price(env, f"{prefix}_EMBEDDING_PRICE"),
    }
    return {"BACKEND": OPENAI_EMBEDDER, "OPTIONS": given(options)}


def embedding_variables(prefix: str) -> list[str]:
    return [f"{prefix}_EMBEDDING_{name}" for name in EMBEDDING_VARIABLES]


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is not set."""
    return {name: value for name, value in options.items() if value not in ("", None)}


def refuse_set(env: Environment, names: Iterable[str], why: str) -> None:
    """Refuse variables that would do nothing: whoever set them believes otherwise."""
    for name in names:
        if env.text(name):
            raise ImproperlyConfigured(f"{name} is set, but {why}, or leave {name} out.")


def read_key(env: Environment, name: str, *, is_optional: bool = False) -> Secret:
    """Read a key; what is wrong with one is said without showing it."""
    key = env.text(name)
    if not key and not is_optional:
        raise ImproperlyConfigured(
            f"{name} is not set. Make a key at {WHERE_KEYS_ARE[name]} and set it, or a file with it as "
            f"{name}_FILE."
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ImproperlyConfigured(f"{name} holds a character that no key has. Copy the key again.")
    return Secret(key)


def read_url(env: Environment, name: str) -> str:
    url = env.text(name)
    if url and not url.startswith(("http://", "https://")):  # Not shown: it may hold a password.
        raise ImproperlyConfigured(f"{name}: expected an address that begins with https:// or http://.")
    return url


def read_prices(env: Environment, *, is_needed: bool) -> dict[str, Decimal] | None:
    """Read "input=1 output=5": US dollars for a million tokens, without which no budget could be kept."""
    name = "PANDECT_CONTEXT_PRICES"
    words = env.words(name)
    if not words and not is_needed:
        return None
    prices = {kind: to_dollars(name, amount) for kind, _, amount in (word.partition("=") for word in words)}
    if set(prices) - set(PRICES) or {"input", "output"} - set(prices) or len(prices) < len(words):
        raise ImproperlyConfigured(
            f"{name}: say what a million tokens cost in US dollars, as in `input=1 output=5`. Besides these, "
            "cache_write, cache_read and batch (the share of the price that a batch costs) can be given."
        )
    return prices


def read_price(env: Environment, name: str) -> Decimal | None:
    amount = env.text(name)
    return to_dollars(name, amount) if amount else None


def monthly_budget(env: Environment) -> Decimal:
    """Read what a tenant may spend on providers in a month, unless it has a budget of its own."""
    return to_dollars("PANDECT_MONTHLY_BUDGET", env.text("PANDECT_MONTHLY_BUDGET", "20"))


def to_dollars(name: str, amount: str) -> Decimal:
    try:
        dollars = Decimal(amount)
    except InvalidOperation:
        dollars = Decimal("NaN")
    if not dollars.is_finite() or dollars < 0:
        raise ImproperlyConfigured(f"{name}: {amount!r} is no amount. Give US dollars, such as 0.8.")
    return dollars
