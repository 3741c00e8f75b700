"""The words of a tenant's passages: stems in the statistics, and in the passages words as they are written.

To be called inside the tenant's scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models.functions import Left

from documents.models import VersionQuerySet
from search.lexemes import WORD, own_lexeme, quote_lexeme
from search.models import Placement
from search.planning import planner_settings

STEMS = "SELECT word, tsvector_to_array(to_tsvector(%s::regconfig, word)) FROM unnest(%s::text[]) AS word"
COUNTS = """
    SELECT term, passage_count FROM search_termstatistics
    WHERE tenant_id = %(tenant)s AND language = %(language)s AND term = ANY (%(stems)s)
"""
BEGINNING = """
    SELECT term, passage_count FROM unnest(%(first)s::text[], %(last)s::text[]) AS span(first, last)
    CROSS JOIN LATERAL (
        SELECT term, passage_count FROM search_termstatistics
        WHERE tenant_id = %(tenant)s AND language = %(language)s AND term >= first AND term < last
            AND length(term) BETWEEN %(shortest)s AND %(longest)s
        OFFSET 0  -- One look into the index for each; joined, all would be compared with all.
    ) AS found
    ORDER BY passage_count DESC, term LIMIT %(limit)s
"""
HAVING = """
    SELECT id FROM search_passage
    WHERE tenant_id = %(tenant)s AND language = %(language)s AND exact @@ %(words)s::tsquery LIMIT %(limit)s
"""
WRITTEN = """
    SELECT word FROM unnest(%(words)s::text[], %(asked)s::text[]) AS given(word, asked)
    CROSS JOIN LATERAL (
        SELECT FROM search_passage
        WHERE tenant_id = %(tenant)s AND language = %(language)s AND exact @@ asked::tsquery LIMIT 1
    ) AS found
"""
# The words of some passages that have a stem, as they are written there, those with its first letters.
FORMS = f"""
    SELECT DISTINCT {WORD} FROM unnest(%(asked)s::text[], %(first)s::text[]) AS stem(asked, first)
    CROSS JOIN LATERAL (
        SELECT exact FROM search_passage
        WHERE tenant_id = %(tenant)s AND language = %(language)s AND full_text @@ asked::tsquery
        LIMIT %(limit)s
    ) AS passage
    CROSS JOIN LATERAL unnest(passage.exact) AS word
    WHERE starts_with(lexeme, first)
"""  # noqa: S608
NO_SCAN = {"enable_seqscan": "off", "gin_fuzzy_search_limit": "2000"}
MOST_TERMS = 1_000  # That are compared with a word, the most frequent.
MOST_PASSAGES = 100  # That are looked at for one that may be read.
MOST_CHARACTERS = 5_000  # That are read of each.
FEW_PASSAGES = 10  # That are looked at for the forms of a stem.
FIRST_LETTERS = 3


def stems_of(words: Sequence[str], language: str) -> dict[str, list[str]]:
    """Return what a language makes of each word: nothing of those that say nothing."""
    return dict(_execute(STEMS, [language, list(words)]))


def count_stems(tenant_id: UUID, language: str, stems: Iterable[str]) -> dict[str, int]:
    """Return in how many passages those stems stand that are in some."""
    return dict(_execute(COUNTS, {"tenant": tenant_id, "language": language, "stems": list(stems)}))


def stems_beginning(
    tenant_id: UUID, language: str, beginnings: Iterable[str], *, shortest: int, longest: int
) -> dict[str, int]:
    """Return stems of some lengths that begin in one of some ways, and in how many passages they stand."""
    spans = [(first, last) for first in beginnings if (last := _behind(first))]
    return dict(
        _execute(
            BEGINNING,
            {
                "tenant": tenant_id,
                "language": language,
                "first": [first for first, _ in spans],
                "last": [last for _, last in spans],
                "shortest": shortest,
                "longest": longest,
                "limit": MOST_TERMS,
            },
        )
    )


def _behind(beginning: str) -> str:
    """Return what comes behind all words of a beginning, in the order of any collation: “rf” behind “rez”."""
    kept = beginning.rstrip("z")
    return kept[:-1] + chr(ord(kept[-1]) + 1) if kept else ""


def forms_of(tenant_id: UUID, language: str, stems: Sequence[str]) -> list[str]:
    """Return words that begin like one of some stems, in passages that have it."""
    owned = [own_lexeme(tenant_id, stem) for stem in stems]
    firsts = [own_lexeme(tenant_id, stem[:FIRST_LETTERS]) for stem in stems]
    parameters = {
        "tenant": tenant_id,
        "language": language,
        "asked": [quote_lexeme(lexeme) for lexeme in owned],
        "first": firsts,
        "limit": FEW_PASSAGES,
    }
    with planner_settings(NO_SCAN):
        return [word for (word,) in _execute(FORMS, parameters)]


def written(tenant_id: UUID, language: str, words: Sequence[str]) -> set[str]:
    """Return those of some words that a passage has as they are."""
    parameters = {
        "tenant": tenant_id,
        "language": language,
        "words": list(words),
        "asked": [quote_lexeme(own_lexeme(tenant_id, word)) for word in words],
    }
    with planner_settings(NO_SCAN):
        return {word for (word,) in _execute(WRITTEN, parameters)}


def texts_with(
    tenant_id: UUID, language: str, word: str, versions: VersionQuerySet, *, limit: int
) -> list[str]:
    """Return texts of some versions that have a word as it is written."""
    parameters = {
        "tenant": tenant_id,
        "language": language,
        "words": quote_lexeme(own_lexeme(tenant_id, word)),
        "limit": MOST_PASSAGES,
    }
    with planner_settings(NO_SCAN):
        having = [passage for (passage,) in _execute(HAVING, parameters)]
    placements = Placement.objects.filter(tenant=tenant_id, passage__in=having, version__in=versions)
    return list(placements.values_list(Left("passage__text", MOST_CHARACTERS), flat=True).order_by()[:limit])


def _execute(statement: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
