"""Words that stand side by side in a question and in a passage: "personal account transactions".

BM25 knows how often a passage has each word, and not where. For the few passages that are worth it, the pairs
of neighbouring words of the question are counted too, as if each were a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db import connection

from search.backends.keyword_indexes.bm25 import inverse_frequency
from search.backends.keyword_indexes.rows import clean
from search.lexemes import K1, KEY, LONGEST, MOST_CHARACTERS, PIVOT, B, own_lexeme
from search.models import TermStatistics

NEAR = 3  # Positions: "transfer of personal data" has "transfer" near "personal".
MOST_PAIRS = 100

PLACES = """
    SELECT lexeme, unnest(positions) AS place FROM unnest(to_tsvector(%s::regconfig, %s))
    ORDER BY place, lexeme
"""
# The length of each passage, and where it has some words.
READ = """
    SELECT id, sum(coalesce(cardinality(positions), 1)),
        json_object_agg(lexeme, positions) FILTER (WHERE lexeme = ANY(%(lexemes)s) AND positions IS NOT NULL)
    FROM search_passage, unnest(full_text)
    WHERE tenant_id = %(tenant)s AND language = %(language)s AND id = ANY(%(passages)s) GROUP BY id
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two words that stand near each other in a question, in their order."""

    first: str
    second: str
    weight: float


def score_pairs(
    tenant_id: UUID, question: str, *, language: str, passages: Sequence[UUID]
) -> dict[UUID, float]:
    """Return what pairs of words add to the BM25 scores of passages. In the tenant's scope."""
    pairs = read_pairs(tenant_id, question, language)
    if not pairs or not passages:
        return {}
    lexemes = {word: own_lexeme(tenant_id, word) for pair in pairs for word in (pair.first, pair.second)}
    parameters: dict[str, Any] = {
        "tenant": tenant_id,
        "language": language,
        "passages": list(passages),
        "lexemes": list(lexemes.values()),
    }
    with connection.cursor() as cursor:
        cursor.execute(READ, parameters)
        rows = cursor.fetchall()
    return {
        passage: sum_pairs(pairs, {lexeme[KEY:]: at for lexeme, at in (places or {}).items()}, int(length))
        for passage, length, places in rows
    }


def read_pairs(tenant_id: UUID, question: str, language: str) -> list[Pair]:
    """Return the pairs of neighbouring words that the tenant's passages know, each once."""
    with connection.cursor() as cursor:
        cursor.execute(PLACES, [language, clean(question)[:MOST_CHARACTERS]])
        placed = [(lexeme[:LONGEST], place) for lexeme, place in cursor.fetchall()]
    words = ["", *(lexeme for lexeme, _ in placed)]
    rows = TermStatistics.objects.filter(tenant=tenant_id, language=language, term__in=words)
    counts = dict(rows.values_list("term", "passage_count"))
    return list(weigh_pairs(placed, counts, counts.get("", 0)))[:MOST_PAIRS]


def weigh_pairs(placed: Sequence[tuple[str, int]], counts: Mapping[str, int], total: int) -> Iterator[Pair]:
    """Yield neighbours that are near enough; a pair weighs as much as its words on the average."""
    seen = set()
    for (first, before), (second, after) in pairwise(placed):
        is_new = first != second and (first, second) not in seen
        if is_new and after - before <= NEAR and first in counts and second in counts:
            seen.add((first, second))
            rarity = inverse_frequency(counts[first], total) + inverse_frequency(counts[second], total)
            yield Pair(first, second, rarity / 2)


def sum_pairs(pairs: Sequence[Pair], places: Mapping[str, Sequence[int]], length: int) -> float:
    """Score pairs as BM25 scores words, by how often the second stands close behind the first."""
    burden = K1 * (1 - B + B * length / PIVOT)
    total = 0.0
    for pair in pairs:
        times = count_near(places.get(pair.first, ()), places.get(pair.second, ()))
        total += pair.weight * times * (K1 + 1) / (times + burden)
    return total


def count_near(first: Sequence[int], second: Sequence[int]) -> int:
    """Count how often one of the second places is close behind one of the first."""
    behind = set(second)
    return sum(any(place + step in behind for step in range(1, NEAR + 1)) for place in first)
