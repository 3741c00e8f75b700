"""BM25 inside PostgreSQL: candidates by the full-text index, scores by sparse vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from search.backends.keyword_indexes.base import Found, KeywordIndex
from search.backends.keyword_indexes.bm25 import Term, choose_rare, inverse_frequency, rarest_first
from search.backends.keyword_indexes.rows import lexemes_of, rewrite_lexemes
from search.lock import lock_passages
from search.models import TermStatistics
from search.models.passage import DIMENSIONS
from search.planning import planner_settings
from tenants.scope import tenant_scope

# In how many of some passages each word stands; the empty word counts the passages.
COUNTED = """
    SELECT language, term, count(*) AS times
    FROM search_passage CROSS JOIN LATERAL
        (SELECT lexeme FROM unnest(full_text) UNION ALL SELECT '') AS words(term)
    WHERE {condition} GROUP BY language, term
"""
SOME = COUNTED.format(condition="tenant_id = %(tenant)s AND id = ANY(%(passages)s)")
ALL = COUNTED.format(condition="tenant_id = %(tenant)s")
# In the order of the terms, as everybody does: nobody waits for somebody who waits for them.
ADD = """
    INSERT INTO search_termstatistics AS old (id, tenant_id, language, term, passage_count)
    SELECT gen_random_uuid(), %(tenant)s, language, term, times FROM ({counted}) AS counted
    ORDER BY language, term
    ON CONFLICT (tenant_id, language, term)
    DO UPDATE SET passage_count = old.passage_count + excluded.passage_count
"""
MATCH = "old.tenant_id = %(tenant)s AND old.language = gone.language AND old.term = gone.term"
DELETE = f"""
    DELETE FROM search_termstatistics AS old USING ({SOME}) AS gone
    WHERE {MATCH} AND old.passage_count <= gone.times
"""  # noqa: S608
LOWER = f"""
    UPDATE search_termstatistics AS old SET passage_count = old.passage_count - gone.times
    FROM ({SOME}) AS gone WHERE {MATCH}
"""  # noqa: S608
FIND = """
    SELECT id, -(weights <#> %(weights)s::sparsevec) AS score FROM search_passage
    WHERE tenant_id = %(tenant)s AND language = %(language)s AND full_text @@ %(words)s::tsquery
    ORDER BY score DESC, id LIMIT %(limit)s
"""

# The planner thinks that reading the words of every row is cheap. They lie outside of the table.
NO_SCAN = {"enable_seqscan": "off"}
DIMENSIONS_OF = "SELECT search_dimension(lexeme) FROM unnest(%(lexemes)s::text[]) AS lexeme"


class PostgresKeywordIndex(KeywordIndex):
    """Counts words per tenant, so that no tenant's texts show in the scores of another."""

    name = "postgres"

    def add(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        with tenant_scope(tenant_id):
            _execute(ADD.format(counted=SOME), tenant=tenant_id, passages=list(passages))

    def forget(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        with tenant_scope(tenant_id):
            for statement in (DELETE, LOWER):
                _execute(statement, tenant=tenant_id, passages=list(passages))

    def rebuild(self, tenant_id: UUID) -> None:
        rewrite_lexemes(tenant_id)
        with tenant_scope(tenant_id):
            lock_passages(tenant_id)
            TermStatistics.objects.filter(tenant=tenant_id).delete()
            _execute(ADD.format(counted=ALL), tenant=tenant_id)

    def find(self, tenant_id: UUID, question: str, *, language: str, limit: int) -> list[Found]:
        with tenant_scope(tenant_id):
            counts = _counts(tenant_id, language, lexemes_of(question, language=language))
            total = counts.pop("", 0)
            terms = rarest_first([Term(*item) for item in counts.items()])
            if not terms:
                return []
            weights = _sparse(terms, total)
            with planner_settings(NO_SCAN):
                found = _execute(
                    FIND,
                    tenant=tenant_id,
                    language=language,
                    words=" | ".join(_quote(term.lexeme) for term in choose_rare(terms)),
                    weights=weights,
                    limit=limit,
                )
        return [Found(passage, score) for passage, score in found]


def _counts(tenant_id: UUID, language: str, lexemes: Sequence[str]) -> dict[str, int]:
    """Return the counts of the words that the tenant's passages have, and that of the empty word."""
    rows = TermStatistics.objects.filter(tenant=tenant_id, language=language, term__in=["", *lexemes])
    return dict(rows.values_list("term", "passage_count"))


def _quote(lexeme: str) -> str:
    """Return a lexeme as a tsquery spells it."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def _sparse(terms: Sequence[Term], total: int) -> str:
    """Return the inverse frequencies as a sparse vector; words that share a dimension are one."""
    found = _execute(DIMENSIONS_OF, lexemes=[term.lexeme for term in terms])
    weights: dict[int, float] = {}
    for (dimension,), term in zip(found, terms, strict=True):
        weights[dimension] = weights.get(dimension, 0.0) + inverse_frequency(term.passage_count, total)
    inside = ",".join(f"{dimension}:{weight:.9g}" for dimension, weight in sorted(weights.items()))
    return f"{{{inside}}}/{DIMENSIONS}"


def _execute(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []
