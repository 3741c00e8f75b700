"""Keyword indexes find passages by their words, rank as BM25 does, and take any question."""

from __future__ import annotations

import math
import random
from uuid import UUID

import pytest
from django.db import connection, connections

from search.backends import keyword_index
from search.backends.keyword_indexes.base import KeywordIndex
from search.backends.keyword_indexes.bm25 import (
    ENOUGH,
    SOME,
    Term,
    choose_rare,
    inverse_frequency,
    rarest_first,
)
from search.backends.keyword_indexes.memory import MemoryKeywordIndex
from search.backends.keyword_indexes.postgres import PostgresKeywordIndex
from search.models import Passage, TermStatistics
from search.place import Situated
from search.sweep import sweep_passages
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.passages import counted_statistics, place, plans_of, statistics_of

TEXTS = (
    "The harbour master keeps a register of berths.",
    "A pilot boards each vessel outside the harbour.",
    "Berths are let by the year; the fee of a berth is due in March.",
    "Nothing in this Part applies to warships.",
)
QUESTIONS = ["berth fee", "who keeps the register?", "pilot harbour vessel berth", "warships", "HARBOUR"]


def text_of(tenant: Tenant, passage: UUID) -> str:
    with tenant_scope(tenant.pk):
        return Passage.objects.get(pk=passage).text


def corpus(size: int) -> list[str]:
    """Texts of words that are as unevenly frequent as in a language."""
    chance = random.Random(7)
    words = [f"word{number}" for number in range(300)]
    weights = [1 / (rank + 1) for rank in range(300)]
    return [" ".join(chance.choices(words, weights, k=chance.randint(5, 120))) for _ in range(size)]


class KeywordIndexContract:
    """What every keyword index must do."""

    index: KeywordIndex

    def found(self, tenant: Tenant, question: str, limit: int = 10, language: str = "english") -> list[str]:
        hits = self.index.find(tenant.pk, question, language=language, limit=limit)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        return [text_of(tenant, hit.passage) for hit in hits]

    @pytest.mark.parametrize(
        ("question", "texts"),
        [
            ("berth", [TEXTS[2], TEXTS[0]]),
            ("Who keeps registers?", [TEXTS[0]]),
            ("the harbour's pilots", [TEXTS[1], TEXTS[0]]),
            ("warship", [TEXTS[3]]),
            ("submarine", []),
            ("submarine warships", [TEXTS[3]]),
            ("the of and", []),
        ],
    )
    def test_the_best_passage_is_first_and_others_are_left_out(
        self, harbour: Tenant, question: str, texts: list[str]
    ) -> None:
        place(harbour, *TEXTS)
        assert self.found(harbour, question) == texts

    def test_a_score_is_that_of_bm25(self, harbour: Tenant) -> None:
        place(harbour, "berth berth quay", "pilot")
        (hit,) = self.index.find(harbour.pk, "berth", language="english", limit=10)
        rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
        assert hit.score == pytest.approx(rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 100)), rel=1e-5)

    def test_words_of_the_context_count(self, harbour: Tenant) -> None:
        place(harbour, Situated("The fee is due.", context="Harbour Act"), "The fee is small.")
        assert self.found(harbour, "harbour act fee") == ["The fee is due.", "The fee is small."]

    def test_parts_of_identifiers_find_them_and_the_other_way_round(self, harbour: Tenant) -> None:
        place(harbour, "call parseHTTPHeader first", "the header of a letter")
        assert self.found(harbour, "http header")[0] == "call parseHTTPHeader first"
        assert self.found(harbour, "parseHTTPHeader") == [
            "call parseHTTPHeader first",
            "the header of a letter",
        ]

    @pytest.mark.parametrize("question", ["", " ", "?!", "\0", "''", "\ud800", "\x1f"])
    def test_a_question_without_words_finds_nothing(self, harbour: Tenant, question: str) -> None:
        place(harbour, *TEXTS)
        assert self.found(harbour, question) == []

    @pytest.mark.parametrize(
        "question",
        [
            "berth & !fee | (pilot <-> 'x",
            "berth':*",
            "be\0rth berth\0fee",
            "%s %(tenant)s {0} berth",
            "\\ berth \\\\'",
            "berth \ud800",
            "berth " + "x" * 1_000_000,
            "berth " + " ".join(str(number) for number in range(200_000)),
            "'; DROP TABLE search_passage; -- berth",
        ],
        ids=["operators", "prefix", "nul", "places", "backslashes", "half", "endless", "megabyte", "quotes"],
    )
    def test_any_text_is_a_question(self, harbour: Tenant, question: str) -> None:
        place(harbour, *TEXTS)
        before = everything_of(harbour)
        assert set(self.found(harbour, question)) >= {TEXTS[2], TEXTS[0]}
        assert everything_of(harbour) == before

    def test_lexemes_with_signs_are_found(self, harbour: Tenant) -> None:
        place(harbour, "see http://example.org/a'b\\c?d=e now", "elsewhere")
        assert len(self.found(harbour, "http://example.org/a'b\\c?d=e")) == 1

    def test_no_more_than_the_limit_and_alike_ones_in_the_order_of_their_ids(self, harbour: Tenant) -> None:
        place(harbour, *(f"berth number{number}" for number in range(7)))
        hits = self.index.find(harbour.pk, "berth", language="english", limit=5)
        with tenant_scope(harbour.pk):
            ids = sorted(Passage.objects.values_list("pk", flat=True))
        assert [hit.passage for hit in hits] == ids[:5]
        assert len(self.index.find(harbour.pk, "berth", language="english", limit=8)) == 7

    def test_another_tenant_is_neither_found_nor_counted(self, harbour: Tenant, meridian: Tenant) -> None:
        place(harbour, *TEXTS)
        before = self.index.find(harbour.pk, "berth fee", language="english", limit=10)
        place(meridian, *TEXTS, *(f"berth {number}" for number in range(20)))
        assert self.index.find(harbour.pk, "berth fee", language="english", limit=10) == before

    def test_another_language_is_not_found(self, harbour: Tenant) -> None:
        place(harbour, "berths", language="simple")
        assert self.found(harbour, "berths") == []
        assert self.found(harbour, "berths", language="simple") == ["berths"]
        assert self.found(harbour, "berth", language="simple") == []

    def test_passages_that_are_swept_are_not_found(self, harbour: Tenant) -> None:
        version = place(harbour, *TEXTS)
        place(harbour, *TEXTS[:2], of=version)
        sweep_passages(harbour.pk)
        assert self.found(harbour, "berth warships") == [TEXTS[0]]

    def test_rebuilding_changes_no_answer_and_no_row_that_is_right(self, harbour: Tenant) -> None:
        place(harbour, *corpus(60))
        before = everything_of(harbour)["search.Passage"], self.found(harbour, "word40 word7 word150")
        self.index.rebuild(harbour.pk)
        assert (
            everything_of(harbour)["search.Passage"],
            self.found(harbour, "word40 word7 word150"),
        ) == before

    def test_rebuilding_mends_rows_that_are_wrong(self, harbour: Tenant, meridian: Tenant) -> None:
        for tenant in (harbour, meridian):
            place(tenant, *TEXTS)
        answers = [
            self.index.find(harbour.pk, question, language="english", limit=9) for question in QUESTIONS
        ]
        other = everything_of(meridian)
        with tenant_scope(harbour.pk), connection.cursor() as cursor:
            cursor.execute("UPDATE search_passage SET full_text = '', exact = '', weights = '{}/1000000000'")
            TermStatistics.objects.all().delete()
        assert self.found(harbour, "berth") == []
        self.index.rebuild(harbour.pk)
        assert answers == [
            self.index.find(harbour.pk, question, language="english", limit=9) for question in QUESTIONS
        ]
        assert everything_of(meridian) == other


@pytest.mark.django_db
class TestPostgres(KeywordIndexContract):
    index = PostgresKeywordIndex()

    def test_the_top_ten_are_those_of_exact_bm25(self, harbour: Tenant) -> None:
        place(harbour, *corpus(400))
        exact, chance = MemoryKeywordIndex(), random.Random(3)
        for _ in range(25):
            question = " ".join(f"word{chance.randrange(300)}" for _ in range(chance.randint(1, 8)))
            ours, theirs = (
                index.find(harbour.pk, question, language="english", limit=10)
                for index in (self.index, exact)
            )
            assert [hit.passage for hit in ours] == [hit.passage for hit in theirs]
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs], rel=1e-5)

    def test_rebuilding_counts_words_anew(self, harbour: Tenant) -> None:
        place(harbour, *TEXTS)
        with tenant_scope(harbour.pk):
            TermStatistics.objects.filter(term="berth").update(passage_count=77)
            TermStatistics.objects.create(tenant=harbour, language="english", term="ghost", passage_count=1)
        self.index.rebuild(harbour.pk)
        assert statistics_of(harbour) == counted_statistics(harbour)

    def test_forgetting_more_than_was_counted_goes_no_lower_than_nothing(self, harbour: Tenant) -> None:
        place(harbour, *TEXTS)
        with tenant_scope(harbour.pk):
            passages = list(Passage.objects.values_list("pk", flat=True))
            TermStatistics.objects.filter(term="berth").update(passage_count=1)
        self.index.forget(harbour.pk, passages)
        assert statistics_of(harbour) == {}


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_candidates_come_from_the_full_text_index_below_the_wall() -> None:
    tenant, other = factories.tenant("harbour"), factories.tenant("meridian")
    place(tenant, *(f"{text} unique{number}" for number, text in enumerate(corpus(800))))
    place(other, *corpus(400))
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE search_passage")
    with plans_of("<#>") as plans:
        assert PostgresKeywordIndex().find(tenant.pk, "unique7 unique9", language="english", limit=5)
    assert "passages_by_words" in plans[0]


@pytest.mark.django_db
class TestMemory(KeywordIndexContract):
    index = MemoryKeywordIndex()

    @pytest.fixture(autouse=True)
    def declared(self) -> None:
        """Passages are placed for the declared index; what this one reads is in the rows."""
        assert keyword_index().name == "postgres"


@pytest.mark.parametrize(
    ("counts", "chosen"),
    [
        ([ENOUGH], 1),
        ([1, ENOUGH - 1, ENOUGH], 2),
        ([1, ENOUGH - 2, ENOUGH, ENOUGH], 3),
        ([SOME, ENOUGH], 2),
        ([SOME, ENOUGH + 1], 1),
        ([SOME - 1, ENOUGH + 1], 2),
        ([2 * ENOUGH, 3 * ENOUGH], 1),
    ],
)
def test_rare_words_are_taken_until_they_stand_in_enough_passages(counts: list[int], chosen: int) -> None:
    terms = rarest_first([Term(f"w{number}", count) for number, count in enumerate(counts)])
    assert choose_rare(terms) == terms[:chosen]


def test_a_question_has_a_thousand_words_at_most_the_rarest() -> None:
    terms = [Term(f"w{number:04}", 1 + number) for number in range(1001)]
    assert rarest_first(terms[::-1]) == terms[:1000]


def test_a_rare_word_says_more_than_a_common_one_and_none_says_less_than_nothing() -> None:
    assert inverse_frequency(1, 100) > inverse_frequency(50, 100) > inverse_frequency(100, 100) > 0
