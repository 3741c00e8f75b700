"""BM25 worked out in Python from the rows of passages: for tests, and for sets that are small."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from search.backends.keyword_indexes.base import Found, KeywordIndex
from search.backends.keyword_indexes.bm25 import inverse_frequency
from search.backends.keyword_indexes.rows import lexemes_of, rewrite_lexemes
from search.lexemes import K1, PIVOT, B
from tenants.scope import tenant_scope

READ = """
    SELECT id,
        (SELECT json_object_agg(lexeme, coalesce(cardinality(positions), 1)) FROM unnest(full_text))::text
    FROM search_passage WHERE tenant_id = %s AND language = %s
"""


class MemoryKeywordIndex(KeywordIndex):
    """Keeps nothing between questions, so there is nothing that could be out of date."""

    name = "in-memory"

    def add(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        """The rows are the index."""

    def forget(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        """The rows are the index."""

    def rebuild(self, tenant_id: UUID) -> None:
        rewrite_lexemes(tenant_id)

    def find(self, tenant_id: UUID, question: str, *, language: str, limit: int) -> list[Found]:
        with tenant_scope(tenant_id):
            asked = lexemes_of(question, language=language)
            passages = _read(tenant_id, language)
        counts = Counter(word for words in passages.values() for word in words)
        weights = {word: inverse_frequency(counts[word], len(passages)) for word in asked if counts[word]}
        found = [
            Found(passage, score_words(words, weights))
            for passage, words in passages.items()
            if not weights.keys().isdisjoint(words)
        ]
        return sorted(found, key=lambda one: (-one.score, one.passage))[:limit]


def score_words(words: dict[str, int], weights: dict[str, float]) -> float:
    """Return the BM25 score of a passage, given how often it has each word."""
    burden = K1 * (1 - B + B * sum(words.values()) / PIVOT)
    return sum(
        weight * words[word] * (K1 + 1) / (words[word] + burden)
        for word, weight in weights.items()
        if word in words
    )


def _read(tenant_id: UUID, language: str) -> dict[UUID, dict[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute(READ, [tenant_id, language])
        return {passage: json.loads(words or "{}") for passage, words in cursor.fetchall()}
