"""Build each declared backend once, and say which declaration is wrong."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from django.conf import settings
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from search.backends.answerers.base import Answerer
from search.backends.contextualizers.base import Contextualizer
from search.backends.embedders.base import Embedder
from search.backends.keyword_indexes.base import KeywordIndex
from search.backends.rerankers.base import Reranker

# What each role must be; those of the second row may be left out.
REQUIRED: dict[str, type[Any]] = {
    "contextualizer": Contextualizer,
    "embedder": Embedder,
    "keyword_index": KeywordIndex,
}
OPTIONAL: dict[str, type[Any]] = {
    "next_embedder": Embedder,
    "reranker": Reranker,
    "answerer": Answerer,
}


class BackendError(Exception):
    """A declaration in `SEARCH_BACKENDS` that cannot be built. Its message names the role and the cure."""


def contextualizer() -> Contextualizer:
    return cast("Contextualizer", _build("contextualizer"))


def embedder() -> Embedder:
    return cast("Embedder", _build("embedder"))


def next_embedder() -> Embedder | None:
    """The one whose vectors are to replace those of `embedder`, while they are being made."""
    return cast("Embedder | None", _build("next_embedder"))


def keyword_index() -> KeywordIndex:
    return cast("KeywordIndex", _build("keyword_index"))


def reranker() -> Reranker | None:
    return cast("Reranker | None", _build("reranker"))


def answerer() -> Answerer | None:
    return cast("Answerer | None", _build("answerer"))


def embedder_of(provider: str, model: str, dimensions: int) -> Embedder:
    """Return the declared embedder whose vectors a space holds."""
    for one in (embedder(), next_embedder()):
        if one is not None and (one.provider, one.model, one.dimensions) == (provider, model, dimensions):
            return one
    raise BackendError(
        f"SEARCH_BACKENDS: no embedder makes vectors of {provider}/{model} ({dimensions} dimensions), which "
        "searches need until another space has taken over. Declare it as 'embedder', and the new one as "
        "'next_embedder'; then run `manage.py change_embedder`."
    )


def declared_roles() -> list[str]:
    """Return the roles that are declared or have to be, and whatever else is declared."""
    return [*REQUIRED, *sorted(set(settings.SEARCH_BACKENDS) - set(REQUIRED))]


def build_backend(role: str) -> object | None:
    """Build what is declared for a role; nothing for an optional one that is not."""
    base = REQUIRED.get(role) or OPTIONAL.get(role)
    if base is None:
        known = ", ".join([*REQUIRED, *OPTIONAL])
        raise BackendError(f"SEARCH_BACKENDS[{role!r}]: there is no such role. Known are {known}.")
    declaration = settings.SEARCH_BACKENDS.get(role)
    if declaration is None:
        if role in OPTIONAL:
            return None
        raise BackendError(f"SEARCH_BACKENDS[{role!r}] is missing. Declare its BACKEND.")
    return _construct(role, declaration, base)


def _construct(role: str, declaration: Any, base: type[Any]) -> object:
    place = f"SEARCH_BACKENDS[{role!r}]"
    if not isinstance(declaration, dict) or set(declaration) - {"BACKEND", "OPTIONS"}:
        raise BackendError(f"{place}: expected a dictionary with BACKEND and, if need be, OPTIONS.")
    path = declaration.get("BACKEND", "")
    try:
        made = import_string(path)(**declaration.get("OPTIONS", {}))
    except ImportError as error:
        raise BackendError(f"{place}: {error}.") from error
    except (TypeError, ValueError) as error:
        raise BackendError(f"{place}: {path} refuses its OPTIONS: {error}.") from error
    if not isinstance(made, base):
        raise BackendError(f"{place}: {path} is no {base.__name__}.")
    return made


@cache
def _build(role: str) -> object | None:
    return build_backend(role)


def _forget(*, setting: str, **_: object) -> None:
    if setting == "SEARCH_BACKENDS":
        _build.cache_clear()


setting_changed.connect(_forget, dispatch_uid="search.backends")
