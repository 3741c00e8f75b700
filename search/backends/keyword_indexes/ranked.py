"""PostgreSQL's own ranking of passages that have any word of a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, SearchQueryField, SearchRank
from django.db.models import F, Func, Value

from search.backends.keyword_indexes.asked import any_word
from search.backends.keyword_indexes.base import Found, KeywordIndex, Matches, Passages, ids_of
from search.backends.keyword_indexes.bm25 import Asked
from search.backends.keyword_indexes.rows import lexemes_of, rewrite_lexemes
from search.models import Passage
from search.planning import NO_SCAN, planner_settings
from tenants.scope import within_tenant

EVEN = [1.0, 1.0, 1.0, 1.0]  # No word is a title. With these, no rank is higher than 1.
MOST_WORDS = 1_000


class RankedKeywordIndex(KeywordIndex):
    """Knows no word to be rare, and scores every passage that has one: for what others are compared with."""

    name = "postgres-rank"

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
        rows = Passage.objects.filter(tenant=tenant_id, language=language)
        if passages is not None:
            rows = rows.filter(pk__in=ids_of(passages))
        elif is_head:
            rows = rows.filter(is_past=False)
        with within_tenant(tenant_id), planner_settings(NO_SCAN):
            lexemes = lexemes_of(question, language=language)[:MOST_WORDS]
            if not lexemes:
                return Matches()
            words = OwnWords(any_word(tenant_id, lexemes))
            ranked = rows.filter(full_text=words).annotate(
                rank=SearchRank(F("full_text"), words, weights=EVEN)
            )
            best = ranked.order_by("-rank", "pk").values_list("pk", "rank")[:limit]
            return Matches([Found(passage, rank) for passage, rank in best], best_possible=1.0)


class OwnWords(SearchQuery):
    """A query whose words are lexemes already: parsing them again would take them apart."""

    template = "%(expressions)s::tsquery"

    def __init__(self, words: str) -> None:
        Func.__init__(self, Value(words), output_field=SearchQueryField())
        self.invert = False

    def as_sql(self, *arguments: Any, **options: Any) -> Any:
        return Func.as_sql(self, *arguments, **options)
