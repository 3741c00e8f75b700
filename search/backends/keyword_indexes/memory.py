"""BM25 worked out in Python from the rows of passages: for tests, and for sets that are small."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from search.backends.keyword_indexes.base import Found, KeywordIndex, Matches, Passages
from search.backends.keyword_indexes.bm25 import Asked, Term, best_possible, inverse_frequency
from search.backends.keyword_indexes.rows import lexemes_of, rewrite_lexemes
from search.lexemes import K1, PIVOT, WORD, B
from tenants.scope import within_tenant

READ = f"""
    SELECT id,
        (SELECT json_object_agg({WORD}, coalesce(cardinality(positions), 1)) FROM unnest(full_text))::text
    FROM search_passage WHERE tenant_id = %s AND language = %s
"""  # noqa: S608


class MemoryKeywordIndex(KeywordIndex):
    """Keeps nothing between questions, so there is nothing that could be out of date."""

    name = "in-memory"

    def add(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        """The rows are the index."""

    def forget(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        """The rows are the index."""

    def rebuild(self, tenant_id: UUID) -> None:
        rewrite_lexemes(tenant_id)

    def find(
        self,
        tenant_id: UUID,
        question: str,
        *,
        language: str,
        limit: int,
        passages: Passages | None = None,
        is_head: bool = False,
        asked: Asked | None = None,
    ) -> Matches:
        with within_tenant(tenant_id):
            words = lexemes_of(question, language=language)
            read = _read(tenant_id, language)
            allowed = read.keys() if passages is None else chosen(passages)
        counts = Counter(word for words in read.values() for word in words)
        terms = [Term(word, counts[word]) for word in words if counts[word]]
        weights = {term.lexeme: inverse_frequency(term.passage_count, len(read)) for term in terms}
        found = [
            Found(passage, score_words(words, weights))
            for passage, words in read.items()
            if passage in allowed and not weights.keys().isdisjoint(words)
        ]
        best = sorted(found, key=lambda one: (-one.score, one.passage))[:limit]
        unknown = [word for word in words if not counts[word]]
        return Matches(best, best_possible(terms, unknown, len(read)), unknown)


def chosen(passages: Passages) -> set[UUID]:
    return set(passages.values_list("pk", flat=True) if isinstance(passages, QuerySet) else passages)


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
