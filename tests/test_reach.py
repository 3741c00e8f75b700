"""A search finds what may be read and passes the filters, with one chunk for each passage."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from documents.models import Chunk, Section, State, Version
from search.backends import embedder
from search.backends.keyword_indexes import postgres
from search.backends.keyword_indexes.base import Found, Matches
from search.models import Passage
from search.reach import Reach, reach_of
from search.request import Filters
from search.retrieve.dense import nearest_passages
from search.retrieve.keyword import join_matches, matching_passages
from search.spaces import ensure_space
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.passages import embed_all, everything, say

HARBOUR = "The harbour master keeps a register of berths."
PILOTS = "Pilots board vessels outside the harbour."
FEES = "The fee of a berth is due in March."
BELOW = ["Article 6", "Article 6(1)", "Article 6/2", "Article 6.3", "Article 6~2"]


def passages_of(tenant: Tenant) -> dict[str, UUID]:
    with tenant_scope(tenant.pk):
        return dict(Passage.objects.filter(tenant=tenant).values_list("text", "pk"))


def within(tenant: Tenant, reach: Reach) -> set[str]:
    """The texts within reach, by each of its ways."""
    ids = passages_of(tenant)
    with tenant_scope(tenant.pk):
        kept = reach.keep(list(ids.values()))
        said = set(reach.passages().values_list("pk", flat=True))
    assert set(kept) == said
    return {text for text, passage in ids.items() if passage in said}


def change(tenant: Tenant, version: Version, **fields: object) -> None:
    with tenant_scope(tenant.pk):
        Version.objects.filter(pk=version.pk).update(**fields)


def label(tenant: Tenant, version: Version, *labels: str) -> None:
    """Have each chunk of a version say what a section of its own says."""
    with tenant_scope(tenant.pk):
        for chunk, text in zip(Chunk.objects.filter(version=version), labels, strict=True):
            Section.objects.create(
                tenant=tenant, version=version, position=chunk.position + 1, kind="article", label=text,
                level=1, path=[], start=chunk.start, end=chunk.end,
            )  # fmt: skip


class TestVersions:
    def test_what_the_versions_say_is_within_reach(self, harbour: Tenant) -> None:
        say(harbour, HARBOUR, PILOTS)
        assert within(harbour, everything(harbour)) == {HARBOUR, PILOTS}

    def test_nothing_else_is(self, harbour: Tenant) -> None:
        version = say(harbour, HARBOUR)
        say(harbour, PILOTS)
        only = Version.objects.filter(pk=version.pk)
        assert within(harbour, reach_of(harbour, only, Filters())) == {HARBOUR}
        assert within(harbour, reach_of(harbour, Version.objects.none(), Filters())) == set()

    @pytest.mark.parametrize("state", [State.EMBEDDING, State.FAILED, State.CANCELLED])
    def test_a_version_that_is_not_ready_is_not_read_whoever_asks(
        self, harbour: Tenant, state: State
    ) -> None:
        version = say(harbour, HARBOUR)
        change(harbour, version, state=state, failure="It is broken.")
        assert within(harbour, reach_of(harbour, Version.objects.for_tenant(harbour), Filters())) == set()

    def test_another_tenant_is_out_of_reach_even_if_its_versions_are_named(
        self, harbour: Tenant, meridian: Tenant
    ) -> None:
        say(harbour, HARBOUR)
        say(meridian, HARBOUR, PILOTS)
        theirs = passages_of(meridian)
        reach = reach_of(harbour, Version.objects.all(), Filters())
        with tenant_scope(harbour.pk):
            assert reach.keep(list(theirs.values())) == {}
        assert within(harbour, reach) == {HARBOUR}


class TestFilters:
    def test_documents(self, harbour: Tenant) -> None:
        first, second = say(harbour, HARBOUR, PILOTS), say(harbour, PILOTS, FEES)
        assert within(harbour, everything(harbour, Filters(documents=(first.document_id,)))) == {
            HARBOUR,
            PILOTS,
        }
        both = Filters(documents=(first.document_id, second.document_id))
        assert within(harbour, everything(harbour, both)) == {HARBOUR, PILOTS, FEES}
        assert within(harbour, everything(harbour, Filters(documents=(uuid4(),)))) == set()

    @pytest.mark.parametrize(
        ("asked", "labels"),
        [
            ("Article 6", BELOW),
            (" Article 6 ", BELOW),
            ("Article 6(1)", ["Article 6(1)"]),
            ("Article", [*BELOW, "Article 60", "Article 6a"]),
            ("article 6", []),
            ("Article _", []),
            ("%", []),
        ],
    )
    def test_a_section_and_what_is_below_it(self, harbour: Tenant, asked: str, labels: list[str]) -> None:
        every = [*BELOW, "Article 60", "Article 6a", "Recital 6"]
        version = say(harbour, *(f"Says {text}." for text in every))
        label(harbour, version, *every)
        found = within(harbour, everything(harbour, Filters(section_label=asked)))
        assert found == {f"Says {text}." for text in labels}

    def test_sections_that_share_a_chunk_and_one_that_has_several(self, harbour: Tenant) -> None:
        version = say(harbour, HARBOUR, PILOTS, FEES)
        first, second = len(HARBOUR), len(HARBOUR + PILOTS)
        spans = {"Part I": (0, second), "Article 1": (0, 9), "Article 2": (9, first), "Part II": (second, 99)}
        with tenant_scope(harbour.pk):
            for number, (text, (start, end)) in enumerate(spans.items(), 1):
                Section.objects.create(
                    tenant=harbour, version=version, position=number, kind="article", label=text,
                    level=1, path=[], start=start, end=end,
                )  # fmt: skip
        for asked, texts in {
            "Part I": {HARBOUR, PILOTS},
            "Article 1": {HARBOUR},
            "Article 2": {HARBOUR},
            "Part II": {FEES},
        }.items():
            assert within(harbour, everything(harbour, Filters(section_label=asked))) == texts

    def test_chunk_types(self, harbour: Tenant) -> None:
        version = say(harbour, HARBOUR, PILOTS)
        with tenant_scope(harbour.pk):
            Chunk.objects.filter(version=version, position=1).update(type="definition")
        assert within(harbour, everything(harbour, Filters(chunk_types=("definition",)))) == {PILOTS}
        both = Filters(chunk_types=("definition", "content"))
        assert within(harbour, everything(harbour, both)) == {HARBOUR, PILOTS}

    def test_file_types(self, harbour: Tenant) -> None:
        change(harbour, say(harbour, HARBOUR), file_name="rules.PDF")
        change(harbour, say(harbour, PILOTS), file_name="pdf.docx")
        assert within(harbour, everything(harbour, Filters(file_types=("pdf",)))) == {HARBOUR}
        assert within(harbour, everything(harbour, Filters(file_types=("docx", ".pdf")))) == {HARBOUR, PILOTS}

    def test_languages_are_those_of_the_passages(self, harbour: Tenant) -> None:
        say(harbour, HARBOUR)
        say(harbour, PILOTS, language="simple")
        assert within(harbour, everything(harbour, Filters(languages=("simple",)))) == {PILOTS}
        assert within(harbour, everything(harbour, Filters(languages=("french",)))) == set()

    def test_days_of_recording_with_the_first_and_the_last(self, harbour: Tenant) -> None:
        for text, day in ((HARBOUR, 1), (PILOTS, 2), (FEES, 3)):
            change(harbour, say(harbour, text), recorded_at=datetime(2025, 3, day, 23, 59, tzinfo=UTC))
        second = date(2025, 3, 2)
        for filters, texts in (
            (Filters(recorded_from=second), {PILOTS, FEES}),
            (Filters(recorded_to=second), {HARBOUR, PILOTS}),
            (Filters(recorded_from=second, recorded_to=second), {PILOTS}),
        ):
            assert within(harbour, everything(harbour, filters)) == texts

    def test_all_filters_hold_together(self, harbour: Tenant) -> None:
        first = say(harbour, HARBOUR, PILOTS)
        say(harbour, FEES)
        filters = Filters(documents=(first.document_id,), file_types=("md",), section_label="Article 9")
        assert within(harbour, everything(harbour, filters)) == set()


class TestPlaces:
    def test_of_several_chunks_the_one_of_the_lowest_name_then_the_first(self, harbour: Tenant) -> None:
        collection = factories.collection(harbour)
        for name in ("b.md", "a.md"):
            document = factories.document(harbour, place=collection, name=name)
            say(harbour, PILOTS, HARBOUR, HARBOUR, of=document)
        passage = passages_of(harbour)[HARBOUR]
        with tenant_scope(harbour.pk):
            placed = everything(harbour).keep([passage])[passage]
            chunk = Chunk.objects.select_related("version__document").get(pk=placed.chunk)
        assert (chunk.version.document.name, chunk.position) == ("a.md", 1)
        assert (placed.document, placed.version) == (chunk.version.document_id, chunk.version_id)
        assert placed.position == chunk.position

    def test_what_was_asked_once_is_not_asked_again(self, harbour: Tenant) -> None:
        say(harbour, HARBOUR, PILOTS)
        ids = list(passages_of(harbour).values())
        reach = everything(harbour)
        with tenant_scope(harbour.pk), CaptureQueriesContext(connection) as queries:
            assert reach.keep([*ids, uuid4()]) == reach.keep(ids)
            assert reach.keep([]) == {}
        assert len(queries) == 1

    def test_what_is_expected_is_asked_with_the_next(self, harbour: Tenant) -> None:
        say(harbour, HARBOUR, PILOTS, FEES)
        ids = passages_of(harbour)
        reach = everything(harbour)
        with tenant_scope(harbour.pk), CaptureQueriesContext(connection) as queries:
            reach.expect([ids[PILOTS], ids[FEES], uuid4()])
            assert list(reach.keep([ids[HARBOUR]])) == [ids[HARBOUR]]
            assert list(reach.keep([ids[FEES], ids[PILOTS]])) == [ids[FEES], ids[PILOTS]]
        assert len(queries) == 1


class TestMatching:
    def test_words_are_weighed_by_all_passages_and_found_within_reach(self, harbour: Tenant) -> None:
        version = say(harbour, HARBOUR, PILOTS)
        say(harbour, FEES, "Another berth.")
        whole = matching_passages(everything(harbour), "berth", languages=["english"], limit=9)
        alone = everything(harbour, Filters(documents=(version.document_id,)))
        part = matching_passages(alone, "berth", languages=["english"], limit=9)
        (hit,) = part.found
        assert hit in whole.found
        assert hit.passage == passages_of(harbour)[HARBOUR]

    def test_one_document_among_many_is_searched_to_the_end(self, harbour: Tenant) -> None:
        say(harbour, *(f"berth berth {number}" for number in range(50)))
        version = say(harbour, HARBOUR, FEES, PILOTS)
        alone = everything(harbour, Filters(documents=(version.document_id,)))
        found = matching_passages(alone, "berth", languages=["english"], limit=3).found
        ids = passages_of(harbour)
        assert {hit.passage for hit in found} == {ids[HARBOUR], ids[FEES]}

    def test_every_language_is_asked(self, harbour: Tenant) -> None:
        say(harbour, "Der Hafenmeister führt das Register.", language="german")
        say(harbour, HARBOUR)
        matches = matching_passages(
            everything(harbour), "Registers of berths", languages=["english", "german"], limit=9
        )
        assert len(matches.found) == 2
        assert matches.unknown_words == []

    def test_without_languages_nothing_is_found(self, harbour: Tenant) -> None:
        assert matching_passages(everything(harbour), "berth", languages=[], limit=9) == Matches([])


def test_one_ranking_of_several_is_by_score_then_id_and_no_longer_than_asked() -> None:
    ids = sorted(uuid4() for _ in range(3))
    first = Matches([Found(ids[1], 2.0), Found(ids[2], 1.0)], 5.0, ["x", "y"])
    second = Matches([Found(ids[0], 2.0)], 7.0, ["z"])
    assert join_matches([first, second], 2) == Matches([Found(ids[0], 2.0), Found(ids[1], 2.0)], 7.0, ["z"])


class TestFewDocuments:
    """What is in a few documents is looked for there alone."""

    TEXTS = tuple(f"berth number {number} of the quay" for number in range(30))

    @pytest.fixture
    def chosen(self, harbour: Tenant) -> Version:
        embed_all(harbour, say(harbour, *(f"berth {number}" for number in range(60))))
        version = say(harbour, *self.TEXTS, "the master is informed")
        embed_all(harbour, version)
        return version

    def found(self, reach: Reach, tenant: Tenant) -> list[list[Found]]:
        vector = embedder().embed_query("berth number 7")
        space = ensure_space(tenant.pk)
        with tenant_scope(tenant.pk):
            near = nearest_passages(reach, vector, space=space, limit=5)
            words = matching_passages(reach, "berth number 7", languages=["english"], limit=5)
        return [near, list(words.found)]

    @pytest.mark.parametrize("small", [5_000, 3])
    def test_it_is_what_would_be_found_among_all(
        self, harbour: Tenant, chosen: Version, small: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgres, "SMALL", small)
        filters = Filters(documents=(chosen.document_id,))
        narrow = everything(harbour, filters)
        wide = replace(everything(harbour, filters), is_narrow=False)
        assert narrow.is_narrow
        assert self.found(narrow, harbour) == self.found(wide, harbour)
        assert [len(leg) for leg in self.found(narrow, harbour)] == [5, 5]

    def test_what_is_listed_is_what_is_within_reach(
        self, harbour: Tenant, chosen: Version, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for most in (31, 30):
            monkeypatch.setattr("search.reach.MOST_LISTED", most)
            reach = everything(harbour, Filters(documents=(chosen.document_id,)))
            with tenant_scope(harbour.pk):
                assert isinstance(reach.listed, list) == (most == 31)
                ids = {getattr(one, "pk", one) for one in reach.listed}
                assert ids == set(reach.passages().values_list("pk", flat=True))

    @pytest.mark.parametrize(("count", "is_narrow"), [(0, False), (1, True), (10, True), (11, False)])
    def test_it_is_for_a_few(self, harbour: Tenant, count: int, is_narrow: bool) -> None:
        filters = Filters(documents=tuple(uuid4() for _ in range(count)))
        assert everything(harbour, filters).is_narrow == is_narrow
