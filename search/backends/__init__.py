"""The parts that can be exchanged, declared in `SEARCH_BACKENDS` as Django declares `STORAGES`."""

from search.backends.declared import (
    BackendError,
    answerer,
    contextualizer,
    embedder,
    embedder_of,
    keyword_index,
    next_embedder,
    reranker,
)

__all__ = [
    "BackendError",
    "answerer",
    "contextualizer",
    "embedder",
    "embedder_of",
    "keyword_index",
    "next_embedder",
    "reranker",
]
