"""Searches find what is asked for, inside what may be read, and say why and what is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from documents.models import Collection, Document, Version
from documents.services import delete_document
from search.answer import Answer, Confidence
from search.ask import ask, count
from search.backends.embedders.base import EmbedderError
from search.backends.embedders.hashed import HashedEmbedder
from search.backends.keyword_indexes import rows
from search.backends.payment import Purse
from search.backends.rerankers.overlap import OverlapReranker
from search.errors import NoSuchCollection, QueryRefused
from search.pipeline import search
from search.request import MOST_CHARACTERS, Filters, Mode, SearchRequest
from search.retrieve import exact, legs
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.database import everything_of
from tests.passages import backends
from tests.searching import ACT, ACTOR, add, fill, found, labels, make_collection


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


def asked(collection: Collection, query: str, **more: Any) -> Answer:
    return ask(tenant=collection.tenant, query=query, **more)


class RerankerNobodyAsks(OverlapReranker):
    def rate(self, question: str, passages: Sequence[str], purse: Purse | None) -> list[float]:
        raise AssertionError("A reranker was asked.")


class TestCitations:
    @pytest.mark.parametrize(
        "query",
        [
            "Section 2(a) of the Harbour Safety Act",
            "harbour safety act s. 2(a)",
            "Harbour Safety Act § 2 (a)",
        ],
    )
    def test_the_unit_itself_comes_first(self, acts: Collection, query: str) -> None:
        hit = asked(acts, query).hits[0]
        assert (hit.section_label, hit.document_name) == ("Section 2(a)", "harbour-safety-act.md")
        assert hit.content.strip() == (
            "(a) The master of a vessel shall not exceed six knots in the inner harbour."
        )
        assert (hit.exact_match, hit.why, hit.score, hit.ranks) == (True, "citation", 1.0, {"exact": 1})
        assert ACT[slice(*hit.span)] == hit.content

    def test_one_that_several_documents_have_finds_all_of_them(self, acts: Collection) -> None:
        hits = asked(acts, "section 2(a)").hits
        assert [(hit.document_name, hit.section_label) for hit in hits[:2]] == [
            ("harbour-safety-act.md", "Section 2(a)"),
            ("pilotage-rules.md", "Section 2(a)"),
        ]

    def test_one_that_does_not_exist_is_answered_as_such_and_with_nothing_else(
        self, acts: Collection
    ) -> None:
        answer = asked(acts, "section 2(d) of the Harbour Safety Act")
        assert answer.hits == ()
        assert answer.confidence == Confidence.NONE
        (missing,) = answer.not_found
        assert missing.document == "harbour-safety-act.md"
        assert "Section 2" in missing.reason
        assert missing.existing == ("Section 2(a)", "Section 2(b)")

    def test_what_exists_and_what_does_not_are_both_answered(self, acts: Collection) -> None:
        answer = asked(acts, "sections 1(b) and 9 of the Harbour Safety Act")
        assert labels(answer)[0] == "Section 1(b)"
        assert len(answer.not_found) == 1

    def test_beside_other_words_the_unit_is_first_and_passages_follow(self, acts: Collection) -> None:
        answer = asked(acts, "speed of a vessel in section 2(a) of the Harbour Safety Act")
        assert answer.hits[0].why == "citation"
        assert len(answer.hits) > 1

    def test_who_refers_to_a_unit_can_be_asked(self, acts: Collection) -> None:
        answer = asked(acts, "Which provisions refer to section 3 of the Harbour Safety Act?")
        assert [(hit.section_label, hit.why) for hit in answer.hits] == [("Section 2(b)", "reference")]

    def test_a_semantic_search_looks_nothing_up(self, acts: Collection) -> None:
        answer = asked(acts, "section 2(d) of the Harbour Safety Act", mode="semantic")
        assert answer.not_found == ()
        assert answer.hits
        assert all(set(hit.ranks) == {"semantic"} for hit in answer.hits)


class TestPhrases:
    def test_not_is_a_word_like_any_other(self, acts: Collection) -> None:
        answer = asked(acts, '"shall not disclose"')
        assert [hit.why for hit in answer.hits].count("phrase") == 1
        assert "shall not disclose" in answer.hits[0].content
        assert answer.confidence == Confidence.EXACT
        assert found(acts.tenant, '"shall promptly not disclose"', mode="exact") == []

    def test_letters_in_brackets_are_words(self, acts: Collection) -> None:
        assert found(acts.tenant, '"(b) the authority"', mode="exact") == ["Section 3"]
        assert found(acts.tenant, '"(a) the authority"', mode="exact") == []

    def test_words_that_only_the_context_has_are_no_quotation(self, acts: Collection) -> None:
        answer = asked(acts, '"Harbour Safety Act"')
        quoting = {hit.section_label for hit in answer.hits if hit.why == "phrase"}
        assert quoting == {hit.section_label for hit in answer.hits if "Harbour Safety Act" in hit.content}
        assert all(hit.exact_match == ("Harbour Safety Act" in hit.content) for hit in answer.hits)

    def test_without_quotation_marks_an_exact_search_takes_the_whole_as_a_phrase(
        self, acts: Collection
    ) -> None:
        assert found(acts.tenant, "six knots", mode="exact") == ["Section 2"]
        assert found(acts.tenant, "knots six", mode="exact") == []

    def test_identifiers_are_found_as_they_are_written(self, acts: Collection) -> None:
        (hit,) = asked(acts, "AC-2(3)", mode="exact").hits
        assert "Form AC-2(3) is filled in" in hit.content
        assert found(acts.tenant, "AC-2(4)", mode="exact") == []

    def test_a_phrase_is_found_where_nothing_parts_words(self, acts: Collection) -> None:
        add(acts, "law.md", "# 個人情報保護法\n\n## 第十三条\n\n個人データの開示を請求できる。\n")
        (hit,) = asked(acts, "「データの開示」", mode="exact").hits
        assert hit.document_name == "law.md"
        assert asked(acts, "「開示のデータ」", mode="exact").hits == ()

    def test_passages_with_all_phrases_come_before_those_with_some(self, acts: Collection) -> None:
        answer = asked(acts, '"master" "harbour" rescue')
        assert all(word in answer.hits[0].content.lower() for word in ("master", "harbour"))


class TestDefinitions:
    def test_a_question_for_a_meaning_is_answered_by_the_definition_first(self, acts: Collection) -> None:
        answer = asked(acts, "What does “master” mean under the Harbour Safety Act?")
        assert (answer.hits[0].section_label, answer.hits[0].why) == ("Section 1(b)", "definition")

    def test_conflicting_definitions_are_all_shown(self, acts: Collection) -> None:
        hits = asked(acts, "definition of vessel").hits
        assert {(hit.document_name, hit.section_label) for hit in hits if hit.why == "definition"} == {
            ("harbour-safety-act.md", "Section 1(a)"),
            ("pilotage-rules.md", "Section 2(b)"),
        }

    def test_results_bring_the_definitions_in_force_and_the_references(self, acts: Collection) -> None:
        hit = asked(acts, "Section 2(b) of the Harbour Safety Act").hits[0]
        assert [one.section_label for one in hit.definitions if one.term == "vessel"] == ["Section 1(a)"]
        assert [(one.text, one.target_label) for one in hit.references] == [("section 3", "Section 3")]


class TestLegs:
    def test_each_mode_looks_in_its_own_way(self, acts: Collection) -> None:
        for mode, leg in (("semantic", "semantic"), ("keyword", "keyword")):
            hits = asked(acts, "rescue of the crew", mode=mode).hits
            assert hits
            assert all(set(hit.ranks) == {leg} for hit in hits)

    def test_hybrid_results_say_what_each_leg_thought(self, acts: Collection) -> None:
        hit = asked(acts, "who discloses a rescue to the authority?").hits[0]
        assert hit.section_label == "Section 3"
        assert hit.ranks["keyword"] == 1
        assert hit.keyword_score is not None
        assert hit.semantic_score is not None
        assert 0 < hit.score <= 1

    def test_reciprocal_ranks_can_be_asked_for(self, acts: Collection) -> None:
        hits = asked(acts, "rescue authority", fusion="rrf").hits
        assert hits[0].score == pytest.approx(1)

    def test_without_the_embedder_the_others_answer_and_the_answer_says_so(
        self, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise EmbedderError("No connection.")

        monkeypatch.setattr(HashedEmbedder, "embed_query", fail)
        legs.vector_of.cache_clear()
        answer = asked(acts, "rescue of nobody in particular")
        assert set(answer.degraded) == {"semantic"}
        assert labels(answer)[0] == "Section 3"

    def test_a_leg_that_takes_too_long_is_left_out(
        self, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def sleep(*_: object, **__: object) -> None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(60)")

        monkeypatch.setattr(legs, "matching_passages", sleep)
        answer = asked(acts, "rescue")
        assert answer.degraded == {"keyword": "It took too long."}
        assert answer.hits
        assert answer.took_ms["keyword"] < 30_000

    def test_a_leg_that_breaks_a_query_leaves_the_transaction_whole(
        self, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")

        monkeypatch.setattr(legs, "matching_passages", fail)
        with tenant_scope(acts.tenant_id):
            answer = asked(acts, "rescue")
            assert set(answer.degraded) == {"keyword"}
            assert Document.objects.count() == 2

    def test_several_legs_may_fail_one_after_the_other(
        self, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")

        for leg in ("nearest_passages", "find_exact"):
            monkeypatch.setattr(legs, leg, fail)
        with tenant_scope(acts.tenant_id):
            answer = asked(acts, 'rescue "shall not disclose"')
            assert set(answer.degraded) == {"semantic", "exact"}
            assert labels(answer)[0] == "Section 3"
            assert all(hit.semantic_score is None for hit in answer.hits)
            assert Document.objects.count() == 2

    def test_a_reranker_that_is_not_there_is_missed_and_nothing_else(self, acts: Collection) -> None:
        answer = asked(acts, "rescue", rerank=True)
        assert set(answer.degraded) == {"rerank"}
        assert answer.hits

    def test_a_reranker_changes_the_order_and_shows_its_scores(self, acts: Collection) -> None:
        with backends(reranker=("search.backends.rerankers.overlap.OverlapReranker", {})):
            answer = asked(acts, "rescue of the crew", rerank=True)
        assert answer.degraded == {}
        assert all(hit.rerank_score is not None for hit in answer.hits)

    @pytest.mark.parametrize(
        "index",
        [
            "search.backends.keyword_indexes.memory.MemoryKeywordIndex",
            "search.backends.keyword_indexes.ranked.RankedKeywordIndex",
        ],
    )
    def test_any_keyword_index_will_do(self, acts: Collection, index: str) -> None:
        with backends(keyword_index=(index, {})):
            assert found(acts.tenant, "who discloses a rescue?", mode="keyword")[0] == "Section 3"
            assert found(acts.tenant, "who discloses a rescue?")[0] == "Section 3"


class TestReach:
    def test_only_what_documents_say_now_is_found(self, acts: Collection) -> None:
        add(acts, "harbour-safety-act.md", ACT.replace("six knots", "eight knots"))
        assert found(acts.tenant, "six knots", mode="exact") == []
        assert found(acts.tenant, "eight knots", mode="exact") == ["Section 2"]
        assert all("six" not in hit.content for hit in asked(acts, "six knots").hits)

    def test_an_older_version_is_searched_if_it_is_the_one_to_be_read(self, acts: Collection) -> None:
        add(acts, "harbour-safety-act.md", ACT.replace("six knots", "eight knots"))
        with tenant_scope(acts.tenant_id):
            old = Version.objects.for_tenant(acts.tenant).filter(number=1)
            answer = search(SearchRequest(query="knots"), old, tenant=acts.tenant)
            assert "six knots" in answer.hits[0].content
            exact = search(SearchRequest(query="eight knots", mode=Mode.EXACT), old, tenant=acts.tenant)
            assert exact.hits == ()

    def test_what_is_in_the_bin_is_not_found(self, acts: Collection) -> None:
        with tenant_scope(acts.tenant_id):
            document = Document.objects.get(name="harbour-safety-act.md")
        delete_document(document=document, actor=ACTOR)
        answer = asked(acts, "section 3 rescue disclose")
        assert {hit.document_name for hit in answer.hits} == {"pilotage-rules.md"}

    def test_another_tenant_finds_nothing_of_it(self, acts: Collection, meridian: Tenant) -> None:
        other = make_collection(meridian)
        add(other, "notes.md", "# Notes\n\nA note on knots.\n")
        before = everything_of(acts.tenant)
        with tenant_scope(acts.tenant_id):
            document = Document.objects.first()
            versions = Version.objects.head()
            assert document is not None
        for query in ("six knots", '"six knots"', "Section 2(a)", "definition of vessel", "AC-2(3)"):
            for answer in (
                asked(other, query),
                asked(other, query, filters={"documents": [document.pk]}),
                search(SearchRequest(query=query), versions, tenant=meridian),
            ):
                assert {hit.document_name for hit in answer.hits} <= {"notes.md"}
                assert "Harbour" not in str(answer)
        assert everything_of(acts.tenant) == before

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"section_label": "Section 3"}, {"Section 3"}),
            ({"chunk_types": ["definition"]}, {""}),
            ({"file_types": ["pdf"]}, set()),
            ({"languages": ["german"]}, set()),
            ({"recorded_from": "2100-01-01"}, set()),
            ({"recorded_to": "2000-01-01"}, set()),
        ],
    )
    def test_filters_narrow_every_leg(
        self, acts: Collection, filters: dict[str, Any], expected: set[str]
    ) -> None:
        for query in ("vessel master disclose", '"vessel"'):
            for mode in Mode:
                assert set(found(acts.tenant, query, filters=filters, mode=mode)) <= expected

    @pytest.mark.parametrize("size", [100, 800])
    @pytest.mark.parametrize(
        ("label", "found"),
        [
            ("Section 2", ["Section 2(a)"]),
            ("Section 2(a)", ["Section 2(a)"]),
            ("Section 2(b)", []),
            ("Section 3", []),
        ],
    )
    def test_a_unit_is_found_by_its_citation_where_it_is_and_nowhere_else(
        self, harbour: Tenant, size: int, label: str, found: list[str]
    ) -> None:
        acts = make_collection(harbour, max_chunk_tokens=size)
        add(acts, "harbour-safety-act.md", ACT)
        answer = asked(acts, "Section 2(a)", filters={"section_label": label})
        assert [hit.section_label for hit in answer.hits if hit.why == "citation"] == found

    @pytest.mark.parametrize("label", ["Section 2", "Section 2(b)", "Section 3(a)"])
    @pytest.mark.parametrize("mode", ["semantic", "keyword", "hybrid"])
    def test_a_section_that_shares_its_chunk_is_searched_too(
        self, harbour: Tenant, label: str, mode: str
    ) -> None:
        acts = make_collection(harbour, max_chunk_tokens=800)
        add(acts, "harbour-safety-act.md", ACT)
        (hit,) = asked(acts, "speed of vessels", mode=mode, filters={"section_label": label}).hits
        assert "shall not exceed six knots" in hit.content
        assert asked(acts, "speed of vessels", mode=mode, filters={"section_label": "Section 4"}).hits == ()

    def test_a_phrase_that_many_say_is_found_in_the_one_place_that_is_asked_for(
        self, acts: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(exact, "MOST", 1)
        for label in ("Section 2", "Section 3"):
            filters = {"section_label": label}
            assert found(acts.tenant, "shall not", mode="exact", filters=filters) == [label]

    def test_collections_narrow_and_unknown_ones_are_refused(self, acts: Collection) -> None:
        add(make_collection(acts.tenant, "notes"), "note.md", "# Note\n\nOn knots.\n")
        names = {hit.document_name for hit in asked(acts, "knots", collections=["notes"]).hits}
        assert names == {"note.md"}
        with pytest.raises(NoSuchCollection, match="no collection “nots”"):
            asked(acts, "knots", collections=["nots"])

    def test_an_empty_tenant_has_no_results(self, harbour: Tenant) -> None:
        answer = ask(tenant=harbour, query="anything at all")
        assert (answer.hits, answer.confidence, answer.degraded) == ((), Confidence.NONE, {})


class TestShaping:
    def test_no_more_results_than_asked_for(self, acts: Collection) -> None:
        assert [len(asked(acts, "vessel", top_k=top_k).hits) for top_k in (1, 2, 100)] == [1, 2, 4]

    def test_a_collection_says_how_it_is_searched(self, harbour: Tenant) -> None:
        collection = make_collection(harbour, top_k=1, search_mode="keyword")
        add(collection, "act.md", ACT)
        hits = asked(collection, "vessel").hits
        assert len(hits) == 1
        assert set(hits[0].ranks) == {"keyword"}
        assert len(asked(collection, "vessel", top_k=2, mode="hybrid").hits) == 2

    def test_results_below_a_score_are_left_out(self, acts: Collection) -> None:
        scores = [hit.score for hit in asked(acts, "rescue").hits]
        assert len(scores) > 1
        kept = asked(acts, "rescue", min_score=scores[0]).hits
        assert [hit.score for hit in kept] == [scores[0]]

    def test_results_of_one_document_stand_side_by_side_if_asked(self, acts: Collection) -> None:
        hits = asked(acts, "vessel pilot", per_document=1).hits
        assert len({hit.document_id for hit in hits}) == len(hits) == 2
        names = [hit.document_name for hit in asked(acts, "vessel pilot", per_document=3).hits]
        assert sorted(names) in (names, names[::-1])

    def test_neighbours_and_parents_come_on_request(self, acts: Collection) -> None:
        query = "Section 2 of the Harbour Safety Act"
        hit = asked(acts, query).hits[0]
        assert hit.neighbours == ()
        assert [parent.text for parent in hit.parent_chain] == [""]
        full = asked(acts, query, neighbours=1, parents=True).hits[0]
        assert [one.distance for one in full.neighbours] == [-1, 1]
        assert full.parent_chain[0].text.startswith("## Section 2. Speed")

    @pytest.mark.parametrize(
        "more",
        [
            {},
            {"mode": "exact"},
            {"mode": "semantic", "fusion": "rrf"},
            {"filters": {"file_types": ["md"], "chunk_types": ["content"]}},
            {"collections": ["acts"], "min_score": 0.9, "rerank": True},
        ],
    )
    def test_counting_alone_gives_the_facets_of_the_search(
        self, acts: Collection, more: dict[str, Any]
    ) -> None:
        add(make_collection(acts.tenant, "copies"), "copy.md", ACT)
        for query in (
            "vessel",
            "How fast may a vessel be?",
            '"shall not disclose"',
            "AC-2(3)",
            "Section 2(a) of the Harbour Safety Act",
            "section 2(d) of the Harbour Safety Act",
            "What does “master” mean?",
            "what refers to section 2 of the Harbour Safety Act",
            "zebra",
        ):
            answer = asked(acts, query, facets=True, top_k=1, **more)
            counted = count(tenant=acts.tenant, query=query, top_k=1, **more)
            assert (counted.facets, counted.facets_of) == (answer.facets, answer.facets_of), query

    def test_counting_asks_no_reranker(self, acts: Collection, settings: Any) -> None:
        settings.SEARCH_BACKENDS = {
            **settings.SEARCH_BACKENDS,
            "reranker": {"BACKEND": "tests.test_search.RerankerNobodyAsks"},
        }
        assert count(tenant=acts.tenant, query="vessel", rerank=True).facets_of == 4

    def test_the_same_words_elsewhere_are_counted(self, acts: Collection) -> None:
        question = "exceed six knots in the inner harbour"
        assert {hit.also_in for hit in asked(acts, question).hits} == {0}
        other = make_collection(acts.tenant, "other")
        copies = [add(other, name, ACT) for name in ("copy.md", "copy-2.md")]
        first = asked(acts, question).hits[0]
        assert first.also_in == 2
        act = first.document_id
        assert asked(acts, question, filters={"documents": [act]}).hits[0].also_in == 2
        assert asked(acts, question, collections=["acts"]).hits[0].also_in == 0
        with tenant_scope(acts.tenant_id):
            gone = Document.objects.get(pk=copies[0].document_id)
        delete_document(document=gone, actor=ACTOR)
        assert asked(acts, question).hits[0].also_in == 1

    def test_facets_count_the_candidates(self, acts: Collection) -> None:
        answer = asked(acts, "vessel", facets=True, top_k=1)
        counts = {facet.label: facet.count for facet in answer.facets["document"]}
        assert counts == {"harbour-safety-act.md": 3, "pilotage-rules.md": 1}
        assert answer.facets_of == 4
        assert asked(acts, "vessel").facets == {}

    def test_highlights_mark_the_words_of_the_question(self, acts: Collection) -> None:
        (first, *_) = asked(acts, "rescues disclosed").hits[0].highlights
        marked = {first.text[start:end] for start, end in first.marks}
        assert {"disclose", "rescue"} <= marked

    def test_an_explanation_says_how_it_was_understood(self, acts: Collection) -> None:
        explanation = asked(acts, '"six knots" AC-2(3)', explain=True).explanation
        assert explanation is not None
        assert explanation["phrases"] == ["six knots"]
        assert explanation["identifiers"] == ["AC-2(3)"]
        assert asked(acts, "knots").explanation is None

    def test_a_misspelt_word_has_a_suggestion(self, acts: Collection) -> None:
        assert asked(acts, "brekwater").suggestion == "breakwater"
        assert asked(acts, "breakwater").suggestion is None

    def test_a_citation_has_the_hash_of_its_words(self, acts: Collection) -> None:
        for query in ("Section 2(a) of the Harbour Safety Act", "rescue"):
            hit = asked(acts, query).hits[0]
            start, end = hit.citation.span
            with tenant_scope(acts.tenant_id):
                text = Version.objects.get(pk=hit.citation.version_id).text
            assert text[start:end] == hit.content
            assert hit.citation.content_hash == hashlib.sha256(text[start:end].encode()).hexdigest()
            assert hit.citation.read_context == {"selector": "head"}

    def test_the_same_question_has_the_same_answer(self, acts: Collection) -> None:
        first, second = (asked(acts, "vessel master pilot").hits for _ in range(2))
        assert first == second

    def test_more_results_take_no_more_queries(self, acts: Collection) -> None:
        asked(acts, "vessel")  # What is remembered is remembered.
        counts = []
        for top_k in (2, 100):
            with CaptureQueriesContext(
                connection,
            ) as queries:
                asked(acts, "vessel", top_k=top_k)
            counts.append(len(queries))
        assert counts[0] == counts[1]

    @pytest.mark.parametrize(
        ("query", "asked_for", "count"),
        [
            ("vessel", {}, 19),
            ("vessel", {"mode": "keyword"}, 17),
            ("vessel", {"mode": "semantic"}, 17),
            ("vessel", {"neighbours": 1, "parents": True, "facets": True}, 20),
            ("Section 2(a) of the Harbour Safety Act", {}, 25),
        ],
    )
    def test_a_search_takes_so_many_queries(
        self,
        acts: Collection,
        query: str,
        asked_for: dict[str, Any],
        count: int,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        asked(acts, query, **asked_for)
        rows._remembered.clear()  # Those of a new question are read once, however many need them.
        with django_assert_num_queries(count):
            asked(acts, query, **asked_for)


class TestRefusals:
    @pytest.mark.parametrize("query", ["", "   \n", "\0", "\u200b".strip("\u200b")])
    def test_a_blank_query_is_refused(self, acts: Collection, query: str) -> None:
        with pytest.raises(QueryRefused, match="blank"):
            asked(acts, query)

    def test_a_query_may_be_long_and_not_too_long(self, acts: Collection) -> None:
        assert asked(acts, "vessel " * (MOST_CHARACTERS // 7)).hits
        with pytest.raises(QueryRefused, match="longer than 10,000 characters"):
            asked(acts, "x" * (MOST_CHARACTERS + 1))

    def test_a_search_changes_nothing(self, acts: Collection) -> None:
        before = everything_of(acts.tenant)
        asked(acts, "Section 2(a) vessel", facets=True, explain=True, neighbours=2, parents=True)
        assert everything_of(acts.tenant) == before


def test_filters_let_everything_through_by_default() -> None:
    assert Filters() == SearchRequest(query="x").filters
    assert uuid4() not in Filters().documents
