"""Keyword indexes find passages by their words, rank as BM25 does, and take any question."""

from __future__ import annotations

import math
import random
from uuid import UUID

import pytest
from django.db import connection, connections

from search.backends import keyword_index
from search.backends.keyword_indexes import postgres
from search.backends.keyword_indexes.asked import any_group
from search.backends.keyword_indexes.base import KeywordIndex
from search.backends.keyword_indexes.bm25 import (
    SCANNED,
    Term,
    choose_candidates,
    inverse_frequency,
    rarest_first,
)
from search.backends.keyword_indexes.memory import MemoryKeywordIndex
from search.backends.keyword_indexes.postgres import PostgresKeywordIndex
from search.backends.keyword_indexes.ranked import RankedKeywordIndex
from search.models import Passage, TermStatistics
from search.place import Situated
from search.sweep import sweep_passages
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.passages import backends, counted_statistics, place, plans_of, statistics_of

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
        hits = self.index.find(tenant.pk, question, language=language, limit=limit).found
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

    def test_no_score_is_higher_than_the_best_possible(self, harbour: Tenant) -> None:
        place(harbour, "berth " * 200, *TEXTS)
        matches = self.index.find(harbour.pk, "berth", language="english", limit=10)
        assert 0.9 * matches.best_possible < matches.found[0].score <= matches.best_possible

    def test_only_passages_of_the_queryset_are_found(self, harbour: Tenant) -> None:
        place(harbour, *TEXTS)
        with tenant_scope(harbour.pk):
            some = Passage.objects.filter(text__in=[TEXTS[0], TEXTS[3]])
        matches = self.index.find(harbour.pk, "berth fee", language="english", limit=10, passages=some)
        assert [text_of(harbour, hit.passage) for hit in matches.found] == [TEXTS[0]]

    def test_what_a_word_weighs_does_not_depend_on_where_it_is_looked_for(self, harbour: Tenant) -> None:
        place(harbour, *TEXTS)
        whole = self.index.find(harbour.pk, "berth fee", language="english", limit=10)
        with tenant_scope(harbour.pk):
            some = Passage.objects.filter(text=TEXTS[2])
        part = self.index.find(harbour.pk, "berth fee", language="english", limit=10, passages=some)
        assert part.found == [whole.found[0]]
        assert part.best_possible == whole.best_possible

    def test_no_passages_are_none(self, harbour: Tenant) -> None:
        place(harbour, *TEXTS)
        none = Passage.objects.none()
        assert not self.index.find(harbour.pk, "berth", language="english", limit=9, passages=none).found

    def test_passages_of_another_tenant_are_none(self, harbour: Tenant, meridian: Tenant) -> None:
        place(harbour, *TEXTS)
        place(meridian, *TEXTS)
        theirs = Passage.objects.filter(tenant=meridian)
        assert not self.index.find(harbour.pk, "berth", language="english", limit=9, passages=theirs).found

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
        hits = self.index.find(harbour.pk, "berth", language="english", limit=5).found
        with tenant_scope(harbour.pk):
            ids = sorted(Passage.objects.values_list("pk", flat=True))
        assert [hit.passage for hit in hits] == ids[:5]
        assert len(self.index.find(harbour.pk, "berth", language="english", limit=8).found) == 7

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


class BM25Contract(KeywordIndexContract):
    """What every keyword index must do that ranks as BM25 does."""

    def test_a_score_is_that_of_bm25(self, harbour: Tenant) -> None:
        place(harbour, "berth berth quay", "pilot")
        matches = self.index.find(harbour.pk, "berth", language="english", limit=10)
        (hit,) = matches.found
        rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
        assert hit.score == pytest.approx(rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 100)), rel=1e-5)
        assert matches.best_possible == pytest.approx(rarity * 2.2)

    def test_words_that_no_passage_has_are_named(self, harbour: Tenant) -> None:
        place(harbour, *TEXTS)
        matches = self.index.find(harbour.pk, "the berhts of submarines", language="english", limit=10)
        assert sorted(matches.unknown_words) == ["berht", "submarin"]

    def test_a_word_without_end_is_found_by_its_beginning(self, harbour: Tenant) -> None:
        place(harbour, "z" * 1_000, "z" * 400)
        assert self.found(harbour, "z" * 1_000) == ["z" * 1_000]


@pytest.mark.django_db
class TestPostgres(BM25Contract):
    index = PostgresKeywordIndex()

    @pytest.mark.parametrize("small", [0, 5_000], ids=["by words", "all"])
    def test_the_top_ten_are_those_of_exact_bm25(
        self, harbour: Tenant, monkeypatch: pytest.MonkeyPatch, small: int
    ) -> None:
        monkeypatch.setattr(postgres, "SMALL", small)
        place(harbour, *corpus(400))
        exact, chance = MemoryKeywordIndex(), random.Random(3)
        for _ in range(25):
            question = " ".join(f"word{chance.randrange(300)}" for _ in range(chance.randint(1, 8)))
            ours, theirs = (
                index.find(harbour.pk, question, language="english", limit=10).found
                for index in (self.index, exact)
            )
            assert [hit.passage for hit in ours] == [hit.passage for hit in theirs]
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs], rel=1e-5)

    @pytest.mark.parametrize("small", [0, 5_000], ids=["by words", "all"])
    def test_narrowed_the_best_are_those_of_exact_bm25(
        self, harbour: Tenant, monkeypatch: pytest.MonkeyPatch, small: int
    ) -> None:
        monkeypatch.setattr(postgres, "SMALL", small)
        few = place(harbour, *corpus(400)[::7])
        place(harbour, *corpus(400))
        for question in ("word3 word40", "word7 word150 word2", "word1"):
            ours, theirs = (
                index.find(
                    harbour.pk,
                    question,
                    language="english",
                    limit=10,
                    passages=Passage.objects.of_version(few.pk),
                ).found
                for index in (self.index, MemoryKeywordIndex())
            )
            assert [hit.passage for hit in ours] == [hit.passage for hit in theirs]

    def test_words_that_are_rare_at_home_and_common_next_door_find_what_is_at_home(
        self, harbour: Tenant, meridian: Tenant
    ) -> None:
        place(harbour, *TEXTS, *(f"quay{number}" for number in range(50)))
        place(meridian, *(f"berth register fee {number}" for number in range(300)))
        assert self.found(harbour, "berth register fee") == [TEXTS[2], TEXTS[0]]

    def test_a_common_word_is_looked_for_where_rare_ones_find_little(
        self, harbour: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgres, "SMALL", 0)
        monkeypatch.setattr(postgres, "ENOUGH", 5)
        place(harbour, "berth rare", *(f"berth {number}" for number in range(30)))
        found = self.found(harbour, "rare berth", limit=20)
        assert found[0] == "berth rare"
        assert len(found) == 20

    def test_of_a_word_that_is_everywhere_some_passages_are_scored(
        self, harbour: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgres, "SMALL", 0)
        monkeypatch.setattr(postgres, "MOST", 12)
        place(harbour, *(f"berth {number}" for number in range(30)))
        assert len(self.found(harbour, "berth", limit=20)) == 12

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
class TestPlans:
    """Below the wall, as the application sees the tables."""

    @pytest.fixture
    def tenant(self) -> Tenant:
        tenant, other = factories.tenant("harbour"), factories.tenant("meridian")
        place(tenant, *(f"{text} unique{number}" for number, text in enumerate(corpus(800))))
        place(other, *corpus(400))
        with connections["owner"].cursor() as cursor:
            cursor.execute("VACUUM ANALYZE search_passage")
        return tenant

    @pytest.mark.parametrize("question", ["unique7 unique9", "word40 word50 word60", "word1"])
    def test_candidates_come_from_the_full_text_index(
        self, tenant: Tenant, question: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgres, "SMALL", 0)
        with plans_of("<#>") as plans:
            assert PostgresKeywordIndex().find(tenant.pk, question, language="english", limit=5).found
        assert "Bitmap Index Scan on passages_by_words" in plans[0]
        assert "passage_is_kept_once" not in plans[0]
        assert "Seq Scan" not in plans[0]

    def test_a_small_tenant_is_read_whole_and_nothing_else(self, tenant: Tenant) -> None:
        with plans_of("<#>") as plans:
            assert PostgresKeywordIndex().find(tenant.pk, "word1", language="english", limit=5).found
        assert f"Index Cond: (tenant_id = '{tenant.pk}'::uuid)" in plans[0]
        assert "@@" not in plans[0]

    def test_weights_lie_in_the_row_and_texts_outside(self, tenant: Tenant) -> None:
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT attname, attstorage::text FROM pg_attribute"
                " WHERE attrelid = 'search_passage'::regclass AND attname IN ('weights', 'full_text')"
            )
            assert dict(cursor.fetchall()) == {"weights": "m", "full_text": "x"}


@pytest.mark.django_db
class TestMemory(BM25Contract):
    index = MemoryKeywordIndex()

    @pytest.fixture(autouse=True)
    def declared(self) -> None:
        """Passages are placed for the declared index; what this one reads is in the rows."""
        assert keyword_index().name == "postgres"


@pytest.mark.django_db
class TestRanked(KeywordIndexContract):
    index = RankedKeywordIndex()

    def test_it_can_be_declared(self, harbour: Tenant) -> None:
        path = "search.backends.keyword_indexes.ranked.RankedKeywordIndex"
        with backends(keyword_index=(path, {})):
            place(harbour, *TEXTS)
            found = keyword_index().find(harbour.pk, "warships", language="english", limit=3).found
            assert [text_of(harbour, hit.passage) for hit in found] == [TEXTS[3]]
            assert statistics_of(harbour) == {}


def terms(*counts: int) -> list[Term]:
    return rarest_first([Term(f"w{number}", count) for number, count in enumerate(counts)])


def names(groups: tuple[tuple[Term, ...], ...]) -> set[str]:
    return {"".join(term.lexeme[1:] for term in group) for group in groups}


@pytest.mark.parametrize(
    ("counts", "chosen"),
    [
        ([50_000], {"0"}),
        ([100, 200, 300], {"0", "1", "2"}),
        ([100, 20_000, 30_000], {"0"}),
        ([100, 2_000, 3_000], {"0", "1"}),
        ([4_000, 5_000, 6_000], {"01", "02", "12"}),
        ([30_000, 40_000, 50_000], {"012"}),
    ],
    ids=["one word", "all rare", "one rare", "rare enough", "pairs", "three"],
)
def test_passages_are_candidates_that_have_words_which_are_rare_together(
    counts: list[int], chosen: set[str]
) -> None:
    assert names(choose_candidates(terms(*counts), 100_000, enough=2_500).groups) == chosen


def test_there_are_about_as_many_candidates_as_are_wanted_whatever_the_words_and_the_size() -> None:
    chance = random.Random(11)
    for total in (10_000, 100_000, 1_000_000):
        for _ in range(50):
            counts = [max(1, int(total * chance.paretovariate(0.7) / 1e4)) for _ in range(8)]
            asked = terms(*(min(total, count) for count in counts))
            chosen = choose_candidates(asked, total, enough=2_500)
            assert chosen.expected <= 2_500 or len(chosen.groups) == 1


def test_the_index_is_not_read_from_end_to_end_for_words_that_go_together() -> None:
    asked = terms(SCANNED - 1, SCANNED, SCANNED + 1)
    chosen = choose_candidates(asked, 20 * SCANNED, enough=SCANNED // 10)
    assert {group[0] for group in chosen.groups} == {asked[0]}


def test_no_group_is_a_part_of_another() -> None:
    groups = [set(group) for group in choose_candidates(terms(*range(500, 6_500, 500)), 50_000).groups]
    assert not any(one < other for one in groups for other in groups)


def test_groups_are_spelled_as_postgresql_asks_for_them() -> None:
    tenant = UUID("abcdef12-0000-4000-8000-000000000000")
    groups = [["a"], ["b", "c"], ["b", "d", "e"], ["it's"]]
    assert any_group(tenant, groups) == (
        "'abcdefa' | 'abcdefb' & ('abcdefc' | 'abcdefd' & ('abcdefe')) | 'abcdefit''s'"
    )


def test_a_question_has_a_thousand_words_at_most_the_rarest() -> None:
    terms = [Term(f"w{number:04}", 1 + number) for number in range(1001)]
    assert rarest_first(terms[::-1]) == terms[:1000]


def test_a_rare_word_says_more_than_a_common_one_and_none_says_less_than_nothing() -> None:
    assert inverse_frequency(1, 100) > inverse_frequency(50, 100) > inverse_frequency(100, 100) > 0
