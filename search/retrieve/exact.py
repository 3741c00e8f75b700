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
from django.db.models import QuerySet

from search.backends import keyword_index
from search.backends.keyword_indexes.base import Passages
from search.backends.keyword_indexes.rows import clean
from search.lexemes import own_lexeme, quote_lexeme
from search.planning import NO_SCAN, ask_planned
from search.reach import Reach
from search.words import pairs_of

MOST = 1_000  # Of passages with a phrase; more say that it is no phrase, but a word of the trade.
LONGEST = 2_000  # Characters of a phrase.
POSITIONS = "SELECT lexeme, unnest(positions) AS place FROM unnest(to_tsvector('simple', %s)) ORDER BY place"
SAYS = "exact @@ %s::tsquery"
# Where nothing parts words: passages that have all its pairs of characters, and then itself.
SAYS_UNBROKEN = "full_text @@ %s::tsquery AND position(%s in lower({where})) > 0"
IN_TEXT, ANYWHERE = "text", "context || ' ' || text"
FIND = "SELECT id FROM search_passage WHERE tenant_id = %s AND {says} {narrowed} LIMIT %s"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that must stand side by side, as PostgreSQL asks for them; without any, they match nothing."""

    says: str
    asked: tuple[str, ...] = ()


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
    """Find phrases and identifiers in all passages within reach, and whatever of them others have found.

    What is quoted must be in the text; a name may be in the context too, as that of a control is in what
    stands below it.
    """

    def look(text: str, *, is_quoted: bool) -> frozenset[UUID]:
        phrase = read_phrase(reach.tenant_id, text, is_quoted=is_quoted)
        return having(reach, phrase, candidates, limit=limit)

    quoted = [look(phrase, is_quoted=True) for phrase in phrases]
    named = [look(name, is_quoted=False) for name in identifiers]
    counts = Counter(passage for found in (*quoted, *named) for passage in found)
    whole = frozenset.intersection(*quoted) or frozenset.union(*quoted) if quoted else frozenset()
    ranked = rank_matches(reach, counts, question, languages=languages)
    return Exact(tuple(ranked[:limit]), whole)


def having(reach: Reach, phrase: Phrase, candidates: Collection[UUID] = (), *, limit: int) -> frozenset[UUID]:
    """Return passages within reach that have some words; if there are very many, some and the candidates."""
    if not phrase.asked:
        return frozenset()
    found = find(reach, phrase)
    kept = reach.keep(found)
    if len(found) < MOST:
        return frozenset(kept)
    if len(kept) < limit:  # Most of those that have it cannot be read here.
        return frozenset(reach.keep(find(reach, phrase, reach.passages())))
    others = set(candidates).difference(found)
    return frozenset(kept).union(find(reach, phrase, sorted(others)) if others else ())


def find(reach: Reach, phrase: Phrase, passages: Passages | None = None) -> list[UUID]:
    """Return passages that have a phrase, of all or of some."""
    narrowed, parameters = narrow(passages, is_head=reach.is_head)
    statement = FIND.format(says=phrase.says, narrowed=narrowed)
    asked = [reach.tenant_id, *phrase.asked, *parameters, MOST]
    return [row[0] for row in ask_planned(NO_SCAN, statement, asked)]


def narrow(passages: Passages | None, *, is_head: bool) -> tuple[str, Sequence[Any]]:
    if passages is None:
        return "AND NOT is_past" if is_head else "", []
    if not isinstance(passages, QuerySet):
        return "AND id = ANY(%s)", [list(passages)]
    inside, parameters = passages.order_by().values("pk").query.sql_with_params()
    return f"AND id IN ({inside})", parameters


def read_phrase(tenant_id: UUID, text: str, *, is_quoted: bool) -> Phrase:
    """Part a phrase into words as the texts were. To be called inside the tenant's scope."""
    if pairs := list(dict.fromkeys(pairs_of(text[:LONGEST]))):
        quoted = [quote_lexeme(own_lexeme(tenant_id, pair)) for pair in pairs]
        says = SAYS_UNBROKEN.format(where=IN_TEXT if is_quoted else ANYWHERE)
        return Phrase(says, (" & ".join(quoted), clean(text).lower()))
    with connection.cursor() as cursor:
        cursor.execute(POSITIONS, [clean(text)[:LONGEST]])
        words = cursor.fetchall()
    if not words:
        return Phrase(SAYS)
    weight = ":A" if is_quoted else ""
    quoted = [quote_lexeme(own_lexeme(tenant_id, lexeme)) + weight for lexeme, _ in words]
    gaps = [after - before for (_, before), (_, after) in pairwise(words)]
    steps = (f"<{gap}> {word}" for gap, word in zip(gaps, quoted[1:], strict=True))
    return Phrase(SAYS, (" ".join([quoted[0], *steps]),))


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
