"""Say how a search was understood and what counted, for whoever asks why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from search.request import SearchRequest
from search.retrieve.legs import Legs
from search.understand.query import Understood


def explain_search(
    understood: Understood, legs: Legs, request: SearchRequest, languages: Sequence[str]
) -> dict[str, Any]:
    return {
        "kind": understood.kind,
        "mode": request.mode,
        "text": understood.text,
        "citations": [one.text for one in understood.cited],
        "phrases": list(understood.phrases),
        "identifiers": list(understood.identifiers),
        "definition_of": None if understood.definition is None else understood.definition.term,
        "languages": list(languages),
        "unknown_words": list(legs.keyword.unknown_words),
        "candidates": {leg: len(passages) for leg, passages in legs.ranks().items()},
        "weights": asdict(request.weights),
        "rrf_k": request.rrf_k,
    }
