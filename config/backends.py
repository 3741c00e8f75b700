"""`SEARCH_BACKENDS` from the environment: who writes contexts, makes vectors, finds words, reranks, answers.

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
HTTP_RERANKER = "search.backends.rerankers.http.HttpReranker"
OPENAI_RERANKER = "search.backends.rerankers.openai.OpenAIReranker"
ANTHROPIC_RERANKER = "search.backends.rerankers.anthropic.AnthropicReranker"
CROSS_ENCODER = "search.backends.rerankers.cross_encoder.CrossEncoderReranker"
OVERLAP = "search.backends.rerankers.overlap.OverlapReranker"
OPENAI_ANSWERER = "search.backends.answerers.openai.OpenAIAnswerer"
ANTHROPIC_ANSWERER = "search.backends.answerers.anthropic.AnthropicAnswerer"
EXTRACTS = "search.backends.answerers.extracts.ExtractingAnswerer"
POSTGRES_KEYWORDS = "search.backends.keyword_indexes.postgres.PostgresKeywordIndex"

CONTEXT_VARIABLES = (
    "PANDECT_CONTEXT_MODEL",
    "PANDECT_CONTEXT_URL",
    "PANDECT_CONTEXT_PRICES",
    "PANDECT_CONTEXT_BATCH_FROM",
)
EMBEDDING_VARIABLES = ("MODEL", "DIMENSIONS", "URL", "MAX_TOKENS", "PRICE")
# Which of the variables each reranker reads; the others would do nothing.
RERANKERS: dict[str, tuple[str, ...]] = {
    "none": (),
    "http": ("URL", "MODEL", "STYLE", "KEY", "PRICES"),
    "openai": ("URL", "MODEL", "PRICES"),
    "anthropic": ("URL", "MODEL", "PRICES"),
    "cross-encoder": ("PATH",),
    "overlap": (),
}
RERANKER_VARIABLES = ("URL", "MODEL", "STYLE", "KEY", "PRICES", "PATH")
ANSWERER_VARIABLES = ("PANDECT_ANSWERER_MODEL", "PANDECT_ANSWERER_URL", "PANDECT_ANSWERER_PRICES")
RERANKER_STYLES = ("cohere", "tei")
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
    if reranker := declare_reranker(env):
        declared["reranker"] = reranker
    if answerer := declare_answerer(env):
        declared["answerer"] = answerer
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
        "prices": read_prices(env, "PANDECT_CONTEXT_PRICES", is_needed=bool(model) and "haiku" not in model),
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
        "prices": read_prices(env, "PANDECT_CONTEXT_PRICES", is_needed=not url),
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


def declare_reranker(env: Environment) -> Declaration | None:
    kind = env.choice("PANDECT_RERANKER", list(RERANKERS), "none")
    unread = [f"PANDECT_RERANKER_{name}" for name in RERANKER_VARIABLES if name not in RERANKERS[kind]]
    why = f"PANDECT_RERANKER={kind} does not read it. Set PANDECT_RERANKER to one that does"
    refuse_set(env, unread, why)
    match kind:
        case "http":
            return declare_http_reranker(env)
        case "openai" | "anthropic":
            return declare_llm_reranker(env, kind)
        case "cross-encoder":
            cure = (
                "Name the folder with the model.onnx of a cross-encoder and its tokenizer.json or vocab.txt."
            )
            return {
                "BACKEND": CROSS_ENCODER,
                "OPTIONS": {"path": env.required("PANDECT_RERANKER_PATH", cure)},
            }
        case "overlap":
            return {"BACKEND": OVERLAP}
    return None


def declare_http_reranker(env: Environment) -> Declaration:
    env.required(
        "PANDECT_RERANKER_URL", "Give the whole address, such as `https://api.cohere.com/v2/rerank`."
    )
    options = {
        "base_url": read_url(env, "PANDECT_RERANKER_URL"),
        "model": env.text("PANDECT_RERANKER_MODEL"),
        "style": env.choice("PANDECT_RERANKER_STYLE", RERANKER_STYLES, RERANKER_STYLES[0]),
        "api_key": read_key(env, "PANDECT_RERANKER_KEY", is_optional=True),
        "prices": read_service_prices(env, "PANDECT_RERANKER_PRICES"),
    }
    return {"BACKEND": HTTP_RERANKER, "OPTIONS": given(options)}


def declare_llm_reranker(env: Environment, provider: str) -> Declaration:
    backend = OPENAI_RERANKER if provider == "openai" else ANTHROPIC_RERANKER
    return {"BACKEND": backend, "OPTIONS": chat_options(env, "PANDECT_RERANKER", provider)}


def declare_answerer(env: Environment) -> Declaration | None:
    kind = env.choice("PANDECT_ANSWERER", ["none", "openai", "anthropic", "extracts"], "none")
    if kind in {"openai", "anthropic"}:
        backend = OPENAI_ANSWERER if kind == "openai" else ANTHROPIC_ANSWERER
        return {"BACKEND": backend, "OPTIONS": chat_options(env, "PANDECT_ANSWERER", kind)}
    why = f"PANDECT_ANSWERER={kind} asks nobody. Set PANDECT_ANSWERER to anthropic or openai"
    refuse_set(env, ANSWERER_VARIABLES, why)
    return {"BACKEND": EXTRACTS} if kind == "extracts" else None


def chat_options(env: Environment, prefix: str, provider: str) -> dict[str, Any]:
    """Read the variables of a chat model: as those of the contextualizer, and apart from them."""
    model, url = env.text(f"{prefix}_MODEL"), read_url(env, f"{prefix}_URL")
    is_openai = provider == "openai"
    if is_openai:
        env.required(f"{prefix}_MODEL", f"Name a model that {prefix}=openai asks.")
    is_priced = not url if is_openai else bool(model) and "haiku" not in model
    options = {
        "model": model,
        "base_url": url,
        "api_key": read_key(
            env, "OPENAI_API_KEY" if is_openai else "ANTHROPIC_API_KEY", is_optional=is_openai and bool(url)
        ),
        "prices": read_prices(env, f"{prefix}_PRICES", is_needed=is_priced),
    }
    return given(options)


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


def read_prices(env: Environment, name: str, *, is_needed: bool) -> dict[str, Decimal] | None:
    """Read "input=1 output=5": US dollars for a million tokens, without which no budget could be kept."""
    words = env.words(name)
    if not words and not is_needed:
        return None
    prices = read_amounts(name, words)
    if set(prices) - set(PRICES) or {"input", "output"} - set(prices) or len(prices) < len(words):
        raise ImproperlyConfigured(
            f"{name}: say what a million tokens cost in US dollars, as in `input=1 output=5`. Besides these, "
            "cache_write, cache_read and batch (the share of the price that a batch costs) can be given."
        )
    return prices


def read_service_prices(env: Environment, name: str) -> dict[str, Decimal] | None:
    """Read "search=2", US dollars for a thousand searches, or "input=0.02", for a million tokens."""
    words = env.words(name)
    prices = read_amounts(name, words)
    if set(prices) - {"search", "input"} or len(prices) < len(words):
        raise ImproperlyConfigured(
            f"{name}: say what a thousand searches cost in US dollars, as in `search=2`, or what a million "
            "tokens do, as in `input=0.02`."
        )
    return prices or None


def read_amounts(name: str, words: Iterable[str]) -> dict[str, Decimal]:
    return {kind: to_dollars(name, amount) for kind, _, amount in (word.partition("=") for word in words)}


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
