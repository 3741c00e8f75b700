"""BM25 inside PostgreSQL: candidates by the full-text index, scores by sparse vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from search.backends.keyword_indexes.asked import any_group
from search.backends.keyword_indexes.base import Found, KeywordIndex, Matches, Passages
from search.backends.keyword_indexes.bm25 import (
    ENOUGH,
    Asked,
    Candidates,
    Term,
    best_possible,
    choose_candidates,
    inverse_frequency,
    rarest_first,
)
from search.backends.keyword_indexes.rows import lexemes_of, remember_words, rewrite_lexemes, words_of
from search.lexemes import LONGEST, WORD
from search.lock import lock_passages
from search.models import TermStatistics
from search.models.passage import DIMENSIONS
from search.planning import NO_SCAN, ask_planned
from search.round_trips import Asking, ask, spell_ids
from tenants.scope import tenant_scope, within_tenant

SMALL = 5_000  # Passages that are all scored: it takes no longer than to choose among them.
WIDER = 5  # Times the candidates where most of them may have to be passed by.
SOME = 100  # With fewer passages than that, common words are looked for too.
MOST = 50_000  # Passages that are scored for words that are all common, whichever they are.

PAST = " "  # What is no word either counts those that are past.
NOT_PAST = "AND NOT is_past"

# In how many of some passages each word stands; the empty word counts the passages.
COUNTED = f"""
    SELECT language, term, count(*) AS times
    FROM search_passage CROSS JOIN LATERAL
        (SELECT {WORD} FROM unnest(full_text) UNION ALL SELECT '' UNION ALL SELECT '{PAST}' WHERE is_past)
        AS words(term)
    WHERE {{condition}} GROUP BY language, term
"""  # noqa: S608
OF_SOME = COUNTED.format(condition="tenant_id = %(tenant)s AND id = ANY(%(passages)s)")
OF_ALL = COUNTED.format(condition="tenant_id = %(tenant)s")
OF_MARKED = f"""
    SELECT language, '{PAST}' AS term, count(*) AS times
    FROM search_passage WHERE tenant_id = %(tenant)s AND id = ANY(%(passages)s) GROUP BY language
"""  # noqa: S608
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
    DELETE FROM search_termstatistics AS old USING ({{counted}}) AS gone
    WHERE {MATCH} AND old.passage_count <= gone.times
"""  # noqa: S608
LOWER = f"""
    UPDATE search_termstatistics AS old SET passage_count = old.passage_count - gone.times
    FROM ({{counted}}) AS gone WHERE {MATCH}
"""  # noqa: S608
# The words of a question with their places, and what is known of each.
KNOWN = f"""
    SELECT asked.lexeme, asked.positions, search_dimension(asked.term), known.passage_count
    FROM (
        SELECT lexeme, left(lexeme, {LONGEST}) AS term, positions
        FROM unnest(to_tsvector(%s::regconfig, %s))
        UNION ALL SELECT word, word, NULL FROM unnest(ARRAY['', '{PAST}']) AS word
    ) AS asked
    LEFT JOIN search_termstatistics AS known
    ON known.tenant_id = %s AND known.language = %s AND known.term = asked.term
"""  # noqa: S608
SCORED = """
    SELECT id, -(weights <#> %s::sparsevec) AS score FROM (
        SELECT id, weights FROM search_passage WHERE tenant_id = %s AND language = %s {narrowed}
    ) AS candidate ORDER BY score DESC, id LIMIT %s
"""
SHARED = "AND weights <#> %s::sparsevec < 0"  # Any word at all.
# Of all indexes the full-text one alone says which rows have the words.
BY_WORDS = {**NO_SCAN, "enable_indexscan": "off"}


class PostgresKeywordIndex(KeywordIndex):
    """Counts words per tenant, so that no tenant's texts show in the scores of another."""

    name = "postgres"

    def add(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        with tenant_scope(tenant_id):
            _execute(ADD.format(counted=OF_SOME), parameters_of(tenant_id, passages))

    def forget(self, tenant_id: UUID, passages: Sequence[UUID]) -> None:
        with tenant_scope(tenant_id):
            for statement in (DELETE, LOWER):
                _execute(statement.format(counted=OF_SOME), parameters_of(tenant_id, passages))

    def mark(self, tenant_id: UUID, passages: Sequence[UUID], *, is_past: bool) -> None:
        for statement in (ADD,) if is_past else (DELETE, LOWER):
            _execute(statement.format(counted=OF_MARKED), parameters_of(tenant_id, passages))

    def rebuild(self, tenant_id: UUID) -> None:
        rewrite_lexemes(tenant_id)
        with tenant_scope(tenant_id):
            lock_passages(tenant_id)
            TermStatistics.objects.filter(tenant=tenant_id).delete()
            _execute(ADD.format(counted=OF_ALL), {"tenant": tenant_id})

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
            asked = asked or ask(_ask(tenant_id, question, language))
            found = _find(asked, passages, limit, is_head=is_head) if asked.terms else []
        best = best_possible(asked.terms, asked.unknown, asked.total)
        return Matches(found, best, asked.unknown, {language: asked})

    def score(
        self,
        tenant_id: UUID,
        question: str,
        passages: Sequence[UUID],
        *,
        language: str,
        asked: Asked | None = None,
    ) -> Asking[dict[UUID, float]]:
        asked = asked or (yield from _ask(tenant_id, question, language))
        if not asked.terms:
            return {}
        given = [asked.weights, tenant_id, language, list(passages), asked.weights, len(passages)]
        (rows,) = yield [(SCORED.format(narrowed=f"AND id = ANY(%s) {SHARED}"), given)]
        return dict(rows)


def parameters_of(tenant_id: UUID, passages: Sequence[UUID]) -> dict[str, Any]:
    return {"tenant": tenant_id, "passages": list(passages)}


def _ask(tenant_id: UUID, question: str, language: str) -> Asking[Asked]:
    text = words_of(question)
    (rows,) = yield [(KNOWN, [language, text, tenant_id, language])]
    remember_words(language, text, [(lexeme, places) for lexeme, places, *_ in rows if places is not None])
    known = {lexeme[:LONGEST]: (dimension, count or 0) for lexeme, _, dimension, count in rows}
    (_, total), (_, past) = known.pop(""), known.pop(PAST)
    words = lexemes_of(question, language=language)
    counts = {word: known[word][1] for word in words if known[word][1] and total}
    terms = rarest_first([Term(word, count) for word, count in counts.items()])
    unknown = [word for word in words if not known[word][1]]
    weights = _sparse(terms, {word: dimension for word, (dimension, _) in known.items()}, total)
    return Asked(tenant_id, language, counts, terms, unknown, total, past, weights)


def _sparse(terms: Sequence[Term], dimensions: dict[str, int], total: int) -> str:
    """Return the inverse frequencies as a sparse vector; words that share a dimension are one."""
    weights: dict[int, float] = {}
    for term in terms:
        dimension = dimensions[term.lexeme]
        weights[dimension] = weights.get(dimension, 0.0) + inverse_frequency(term.passage_count, total)
    inside = ",".join(f"{dimension}:{weight:.9g}" for dimension, weight in sorted(weights.items()))
    return f"{{{inside}}}/{DIMENSIONS}"


def _find(asked: Asked, passages: Passages | None, limit: int, *, is_head: bool) -> list[Found]:
    if passages is None:
        among, narrowed = (asked.at_head(), NOT_PAST) if is_head else (asked, "")
        return (_all if among.total <= SMALL else _by_words)(among, limit, narrowed)
    if not isinstance(passages, QuerySet):
        return _listed(asked, limit, passages)
    few = list(passages.order_by().values_list("pk", flat=True)[: SMALL + 1])
    if len(few) <= SMALL:
        return _listed(asked, limit, few)
    inside, parameters = passages.order_by().values("pk").query.sql_with_params()
    return _by_words(asked, limit, f"AND id IN ({inside})", *parameters, enough=WIDER * ENOUGH)


def _listed(asked: Asked, limit: int, passages: Sequence[UUID]) -> list[Found]:
    narrowed, ids = "AND id = ANY(%s)", spell_ids(passages)
    if len(passages) <= SMALL:
        return _all(asked, limit, narrowed, ids)
    return _by_words(asked, limit, narrowed, ids, enough=WIDER * ENOUGH)


def _all(asked: Asked, limit: int, narrowed: str = "", *parameters: object) -> list[Found]:
    """Score all passages, or all of some."""
    return _score(asked, limit, NO_SCAN, f"{narrowed} {SHARED}", *parameters, asked.weights)


def _by_words(
    asked: Asked, limit: int, narrowed: str = "", *parameters: object, enough: int = ENOUGH
) -> list[Found]:
    """Score the passages that have enough of the words; if these are few, some with the common ones too."""
    chosen = choose_candidates(asked.terms, asked.total, enough=enough)
    found = _having(asked, limit, chosen, narrowed, *parameters)
    rest = [term for term in asked.terms if (term,) not in chosen.groups]
    if len(found) >= min(limit, SOME) or not rest:
        return found
    more = choose_candidates(rest, asked.total, enough=enough)
    found += _having(asked, limit, more, narrowed, *parameters)
    return sorted(set(found), key=lambda one: (-one.score, one.passage))[:limit]


def _having(
    asked: Asked,
    limit: int,
    chosen: Candidates,
    narrowed: str,
    *parameters: object,
) -> list[Found]:
    settings = NO_SCAN if parameters else BY_WORDS
    words = any_group(asked.tenant_id, [[term.lexeme for term in group] for group in chosen.groups])
    narrowed = f"{narrowed} AND full_text @@ %s::tsquery"
    if chosen.expected > MOST:
        return _score(asked, limit, settings, f"{narrowed} LIMIT %s", *parameters, words, MOST)
    return _score(asked, limit, settings, narrowed, *parameters, words)


def _score(
    asked: Asked, limit: int, settings: Mapping[str, str], narrowed: str, *parameters: object
) -> list[Found]:
    given = [asked.weights, asked.tenant_id, asked.language, *parameters, limit]
    return [Found(*row) for row in ask_planned(settings, SCORED.format(narrowed=narrowed), given)]


def _execute(statement: str, parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []
