"""Passages that say something word for word: "shall not disclose", "AC-2(3)".

By the second full-text vector, in which no word is dropped and none is stemmed: the language's own would find
"shall promptly disclose" too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db import connection

from search.backends import keyword_index
from search.backends.keyword_indexes.rows import clean
from search.lexemes import own_lexeme, quote_lexeme
from search.planning import NO_SCAN, ask_planned
from search.reach import Reach
from search.words import pairs_of

MOST = 1_000  # Of passages with a phrase; more say that it is no phrase, but a word of the trade.
LONGEST = 2_000  # Characters of a phrase.
POSITIONS = "SELECT lexeme, unnest(positions) AS place FROM unnest(to_tsvector('simple', %s)) ORDER BY place"
SAYS = "exact @@ %(phrase)s::tsquery"
# Where nothing parts words: passages that have all its pairs of characters, and then itself.
SAYS_UNBROKEN = "full_text @@ %(phrase)s::tsquery AND position(%(text)s in lower(context || ' ' || text)) > 0"
FIND = "SELECT id FROM search_passage WHERE tenant_id = %(tenant)s AND {says} LIMIT %(limit)s"
AMONG = "SELECT id FROM search_passage WHERE tenant_id = %(tenant)s AND id = ANY(%(passages)s) AND {says}"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that must stand side by side, as PostgreSQL asks for them; without any, they match nothing."""

    text: str
    asked: str = ""
    says: str = SAYS


@dataclass(frozen=True, slots=True)
class Exact:
    """Passages that have what was wanted, the best first, and those that have all that was quoted."""

    passages: tuple[UUID, ...] = ()
    whole: frozenset[UUID] = frozenset()


def find_exact(
    reach: Reach,
    *,
    phrases: Sequence[str],
    identifiers: Sequence[str],
    question: str,
    languages: Sequence[str],
    candidates: Collection[UUID],
    limit: int,
) -> Exact:
    """Find phrases and identifiers in all passages within reach, and whatever of them others have found."""
    quoted = [having(reach, phrase, candidates) for phrase in phrases]
    named = [having(reach, name, candidates) for name in identifiers]
    counts = Counter(passage for found in (*quoted, *named) for passage in found)
    whole = frozenset.intersection(*quoted) or frozenset.union(*quoted) if quoted else frozenset()
    ranked = rank_matches(reach, counts, question, languages=languages)
    return Exact(tuple(ranked[:limit]), whole)


def having(reach: Reach, text: str, candidates: Collection[UUID]) -> frozenset[UUID]:
    """Return passages within reach that have some words: some of them if there are very many."""
    phrase = read_phrase(reach.tenant_id, text)
    found, is_all = with_phrase(reach, phrase)
    if is_all:
        return frozenset(found)
    return frozenset(found) | among(reach, phrase, sorted(set(candidates) - set(found)))


def read_phrase(tenant_id: UUID, text: str) -> Phrase:
    """Part a phrase into words as the texts were. To be called inside the tenant's scope."""
    if pairs := list(dict.fromkeys(pairs_of(text[:LONGEST]))):
        quoted = [quote_lexeme(own_lexeme(tenant_id, pair)) for pair in pairs]
        return Phrase(clean(text).lower(), " & ".join(quoted), SAYS_UNBROKEN)
    with connection.cursor() as cursor:
        cursor.execute(POSITIONS, [clean(text)[:LONGEST]])
        words = cursor.fetchall()
    if not words:
        return Phrase(text)
    quoted = [quote_lexeme(own_lexeme(tenant_id, lexeme)) for lexeme, _ in words]
    gaps = [after - before for (_, before), (_, after) in pairwise(words)]
    steps = (f"<{gap}> {word}" for gap, word in zip(gaps, quoted[1:], strict=True))
    return Phrase(text, " ".join([quoted[0], *steps]))


def with_phrase(reach: Reach, phrase: Phrase) -> tuple[list[UUID], bool]:
    """Return passages that have a phrase, and whether these are all."""
    if not phrase.asked:
        return [], True
    found = _ids(FIND, phrase, tenant=reach.tenant_id, limit=MOST)
    is_all = len(found) < MOST
    kept = reach.keep(found)
    return sorted(one for one in found if one in kept), is_all


def among(reach: Reach, phrase: Phrase, passages: Sequence[UUID]) -> set[UUID]:
    """Return those of some passages that have a phrase."""
    if not phrase.asked or not passages:
        return set()
    return set(_ids(AMONG, phrase, tenant=reach.tenant_id, passages=list(passages)))


def rank_matches(
    reach: Reach, counts: Mapping[UUID, int], question: str, *, languages: Sequence[str]
) -> list[UUID]:
    """Put passages with more of the phrases first, and of these the ones that fit the whole question best."""
    if not counts:
        return []
    scores: dict[UUID, float] = {}
    for language in languages:
        found = keyword_index().find(
            reach.tenant_id, question, language=language, limit=len(counts), passages=list(counts)
        )
        scores |= {one.passage: one.score for one in found.found}
    return sorted(counts, key=lambda one: (-counts[one], -scores.get(one, 0.0), one))


def _ids(statement: str, phrase: Phrase, **parameters: Any) -> list[UUID]:
    parameters |= {"phrase": phrase.asked, "text": phrase.text}
    return [row[0] for row in ask_planned(NO_SCAN, statement.format(says=phrase.says), parameters)]
