"""What comes with results: definitions in force, references both ways, parents and neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from definitions.readable import Readable
from documents.models import Chunk, Collection, Section, Version, VersionQuerySet
from documents.services import delete_document
from search.enrich import Enrichment, Place, enrich_chunks, neighbours_of, parents_of, stem_words, stems
from search.enrich.enrich import MOST_CHARACTERS
from search.enrich.found import LONGEST_MEANING, MOST_DEFINITIONS, MOST_REFERENCES, MOST_REFERRING
from search.enrich.texts import read_texts
from search.models import Passage
from search.round_trips import ask
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR
from tests.findings import add

ACT = """# Harbour Act

## Section 1. Definitions

In this Act:

(a) “Berth” means a place at a quay.

(b) “Vessel” means a ship or a boat.

(c) “Keel” has the meaning given in section 2 of the Pilot Act.

## Section 2. Berths

Every berth is numbered under section 3. Berths are for vessels; see section 9 of the Pilot Act.

## Section 3. Moorings

For purposes of this section, “berth” means a mooring buoy.

A vessel at a berth shows a light, and its keel is clean. See Section 2 and the Tax Act.
"""
PILOT = """# Pilot Act

## Section 1. Berths

“Berth” means a bed.

## Section 2. Keels

“Keel” means the lowest beam.

## Section 3. Knowledge

Pilots know section 2 of the Harbour Act.
"""
CONTRACT = """# Agreement

## 1. Definitions

“Business Day” means a day when banks are open.

“Company” means Harbour Limited.

“Effective Date” means the first of May.

## 2. Duties

The Company pays on a Business Day. No other company pays on any business day.
"""


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return factories.collection(harbour)


@pytest.fixture
def act(acts: Collection) -> Version:
    return add(acts, "harbour.md", ACT)


def head(tenant: Tenant) -> VersionQuerySet:
    return Version.objects.for_tenant(tenant).head()


def place(version: Version, label: str, *, text: str = "") -> Place:
    with tenant_scope(version.tenant_id):
        section = Section.objects.get(version=version, label=label)
    return Place(version.pk, section.pk, section.start, section.end, text)


def enrich(tenant: Tenant, *places: Place) -> list[Enrichment]:
    with tenant_scope(tenant.pk):
        return ask(enrich_chunks(places, Readable.of(head(tenant))))


def used(version: Version, enriched: Enrichment) -> list[tuple[str, str, list[str]]]:
    """Return terms, the units that say what they mean, and the words that use them."""
    return [
        (one.term, one.section_label, [version.text[start:end] for start, end in one.uses])
        for one in enriched.definitions
    ]


class TestDefinitions:
    def test_are_those_that_the_words_use(self, act: Version, harbour: Tenant) -> None:
        (found,) = enrich(harbour, place(act, "Section 2"))
        assert used(act, found) == [
            ("Berth", "Section 1(a)", ["berth", "Berths"]),
            ("Vessel", "Section 1(b)", ["vessels"]),
        ]
        first = found.definitions[0]
        assert first.meaning == "(a) “Berth” means a place at a quay."
        assert (first.document_name, first.version_id) == ("harbour.md", act.pk)
        assert act.text[slice(*first.span)] == "Berth"
        assert (first.is_cut, first.is_conflicting, first.given) == (False, False, ())

    def test_of_the_nearest_scope_govern(self, act: Version, harbour: Tenant) -> None:
        (found,) = enrich(harbour, place(act, "Section 3"))
        assert [(term, label) for term, label, _ in used(act, found)] == [
            ("Vessel", "Section 1(b)"),
            ("berth", "Section 3"),
            ("Keel", "Section 1(c)"),
        ]

    def test_are_not_shown_where_they_stand(self, act: Version, harbour: Tenant) -> None:
        assert enrich(harbour, place(act, "Section 1(b)"))[0].definitions == ()

    def test_are_found_in_words_that_are_given(self, act: Version, harbour: Tenant) -> None:
        place_of = place(act, "Section 2")
        given = act.text[place_of.start : place_of.end]
        assert enrich(harbour, place(act, "Section 2", text=given)) == enrich(harbour, place_of)

    def test_given_elsewhere_are_followed(self, acts: Collection, act: Version, harbour: Tenant) -> None:
        pilot = add(acts, "pilot.md", PILOT)
        (found,) = enrich(harbour, place(act, "Section 3"))
        keel = next(one for one in found.definitions if one.term == "Keel")
        assert (keel.version_id, keel.section_label, keel.given) == (pilot.pk, "Section 2", ("Section 1(c)",))
        assert keel.meaning == "“Keel” means the lowest beam."

    def test_that_other_documents_contradict_say_so(
        self, acts: Collection, act: Version, harbour: Tenant
    ) -> None:
        pilot = add(acts, "pilot.md", PILOT)
        conflicts = {
            one.term: one.is_conflicting for one in enrich(harbour, place(act, "Section 2"))[0].definitions
        }
        assert conflicts == {"Berth": True, "Vessel": False}
        with tenant_scope(harbour.pk):
            document = pilot.document
        delete_document(document=document, actor=ACTOR)
        assert not any(one.is_conflicting for one in enrich(harbour, place(act, "Section 2"))[0].definitions)

    def test_that_others_repeat_or_that_hold_elsewhere_do_not_conflict(
        self, acts: Collection, act: Version, harbour: Tenant
    ) -> None:
        add(acts, "same.md", "# Same Act\n\n## Section 1. Words\n\n(a) “Berth”  means a place at a quay\n")
        add(factories.collection(harbour), "pilot.md", PILOT)
        assert not any(one.is_conflicting for one in enrich(harbour, place(act, "Section 2"))[0].definitions)

    def test_written_like_names_are_met_with_capitals_only(self, acts: Collection, harbour: Tenant) -> None:
        contract = add(acts, "contract.md", CONTRACT)
        (found,) = enrich(harbour, place(contract, "2"))
        assert used(contract, found) == [
            ("Company", "1", ["Company"]),
            ("Business Day", "1", ["Business Day"]),
        ]

    def test_that_are_long_are_cut_behind_a_word(self, acts: Collection, harbour: Tenant) -> None:
        long = add(
            acts,
            "long.md",
            f"# Act\n\n## Section 1. Words\n\n“Berth” means {'a place ' * 100}.\n\n"
            "## Section 2. Use\n\nA berth.\n",
        )
        (found,) = enrich(harbour, place(long, "Section 2"))
        assert found.definitions[0].is_cut
        assert LONGEST_MEANING - 10 < len(found.definitions[0].meaning) <= LONGEST_MEANING
        assert found.definitions[0].meaning.endswith(("a", "place"))

    def test_are_bounded(self, acts: Collection, harbour: Tenant) -> None:
        words = [f"term{chr(97 + number)}" for number in range(MOST_DEFINITIONS + 1)]
        said = "\n\n".join(f"“{word}” means number {word[-1]}." for word in words)
        many = add(
            acts,
            "many.md",
            f"# Act\n\n## Section 1. Definitions\n\n{said}\n\n## Section 2. Use\n\n{' '.join(words)}\n",
        )
        (found,) = enrich(harbour, place(many, "Section 2"))
        assert [one.term for one in found.definitions] == words[:MOST_DEFINITIONS]


class TestReferences:
    def test_made_come_with_their_targets(self, acts: Collection, act: Version, harbour: Tenant) -> None:
        pilot = add(acts, "pilot.md", PILOT)
        (found,) = enrich(harbour, place(act, "Section 2"))
        assert [
            (one.text, one.kind, one.target_document_name, one.target_label, one.reason)
            for one in found.references
        ] == [
            ("section 3", "internal", "harbour.md", "Section 3", ""),
            ("section 9", "document", "pilot.md", "", "There is no section 9 in pilot.md."),
        ]
        first, second = found.references
        assert first.target_section_id == place(act, "Section 3").section_id
        assert (second.target_section_id, second.target_document_id) == (None, pilot.document_id)
        assert act.text[slice(*first.span)] == "section 3"
        assert (first.section_label, first.document_name) == ("Section 2", "harbour.md")

    def test_into_another_document_lead_into_the_version_that_is_read(
        self, acts: Collection, act: Version, harbour: Tenant
    ) -> None:
        pilot = add(acts, "pilot.md", PILOT)
        (found,) = enrich(harbour, place(pilot, "Section 3"))
        (one,) = found.references
        assert one.target_section_id == place(act, "Section 2").section_id
        newer = add(acts, "harbour.md", ACT.replace("numbered", "counted"))
        (found,) = enrich(harbour, place(pilot, "Section 3"))
        assert found.references[0].target_section_id == place(newer, "Section 2").section_id
        with tenant_scope(harbour.pk):
            document = newer.document
        delete_document(document=document, actor=ACTOR)
        (found,) = enrich(harbour, place(pilot, "Section 3"))
        assert found.references[0].target_section_id is None

    def test_to_a_unit_are_counted_and_the_first_are_shown(
        self, acts: Collection, act: Version, harbour: Tenant
    ) -> None:
        add(acts, "pilot.md", PILOT)
        (found,) = enrich(harbour, place(act, "Section 2"))
        assert found.referenced_by_count == 2
        assert sorted((one.document_name, one.section_label, one.text) for one in found.referenced_by) == [
            ("harbour.md", "Section 3", "Section 2"),
            ("pilot.md", "Section 3", "section 2"),
        ]
        assert {one.target_section_id for one in found.referenced_by} == {place(act, "Section 2").section_id}

    def test_from_inside_do_not_count(self, acts: Collection, harbour: Tenant) -> None:
        own = add(acts, "own.md", "# Act\n\n## Section 1. Ships\n\n(a) See section 1(b).\n\n(b) A ship.\n")
        whole, part = enrich(harbour, place(own, "Section 1"), place(own, "Section 1(b)"))
        assert (whole.referenced_by_count, part.referenced_by_count) == (0, 1)

    def test_are_bounded(self, acts: Collection, harbour: Tenant) -> None:
        text = "# Act\n\n## Section 1. Ships\n\nA ship.\n\n## Section 2. Many\n\n" + "See section 1. " * 60
        many = add(acts, "many.md", text)
        target, source = enrich(harbour, place(many, "Section 1"), place(many, "Section 2"))
        assert len(source.references) == MOST_REFERENCES
        assert (len(target.referenced_by), target.referenced_by_count) == (MOST_REFERRING, 60)


def test_a_document_as_a_whole_is_enriched_at_its_beginning(acts: Collection, harbour: Tenant) -> None:
    body = "A berth is free. " * 2000
    long = add(
        acts,
        "long.md",
        f"# Act\n\n## Section 1. Words\n\n“Berth” means a quay.\n\n## Section 2. Use\n\n{body}",
    )
    with tenant_scope(harbour.pk):
        whole = Section.objects.get(version=long, position=0)
    (found,) = enrich(harbour, Place(long.pk, whole.pk, whole.start, whole.end))
    (berth,) = found.definitions
    assert berth.uses[-1][1] <= MOST_CHARACTERS < whole.end


def test_no_places_and_places_that_are_gone_have_nothing(
    act: Version, harbour: Tenant, meridian: Tenant
) -> None:
    assert enrich(harbour) == []
    assert enrich(meridian, place(act, "Section 2")) == [Enrichment()]
    gone = Place(harbour.pk, harbour.pk, 0, 5)
    assert enrich(harbour, gone, place(act, "Section 1(b)"), gone)[::2] == [Enrichment(), Enrichment()]


def test_flat_text_has_nothing_and_does_not_fail(acts: Collection, harbour: Tenant) -> None:
    flat = add(acts, "flat.txt", "High water is at noon.\n")
    with tenant_scope(harbour.pk):
        whole = Section.objects.get(version=flat)
    assert enrich(harbour, Place(flat.pk, whole.pk, whole.start, whole.end)) == [Enrichment()]


def queries(tenant: Tenant, places: Sequence[Place]) -> int:
    with tenant_scope(tenant.pk), CaptureQueriesContext(connection) as captured:
        ask(enrich_chunks(places, Readable.of(head(tenant))))
    return len(captured)


def test_it_takes_seven_queries_for_one_result_and_for_a_hundred(
    acts: Collection, act: Version, harbour: Tenant
) -> None:
    add(acts, "pilot.md", PILOT)
    assert queries(harbour, [place(act, "Section 2")]) == 7
    assert queries(harbour, [place(act, "Section 2")] * 100) == 7
    assert queries(harbour, [place(act, "Section 2", text="Every berth is numbered.")] * 100) == 6


def test_a_meaning_given_elsewhere_takes_six_more(acts: Collection, act: Version, harbour: Tenant) -> None:
    add(acts, "pilot.md", PILOT)
    assert queries(harbour, [place(act, "Section 3")] * 50) == 13


class TestAround:
    def test_parents_lead_from_the_outermost_to_the_unit(self, act: Version, harbour: Tenant) -> None:
        with tenant_scope(harbour.pk):
            unit = Section.objects.get(version=act, label="Section 1(a)")
            root = Section.objects.get(version=act, position=0)
            chain, empty = ask(parents_of([unit.pk, root.pk]))
        assert [(one.label, one.marker, one.title) for one in chain] == [
            ("Section 1", "Section 1", "Definitions"),
            ("Section 1(a)", "(a)", ""),
        ]
        assert (chain[-1].section_id, chain[-1].text) == (unit.pk, "")
        assert empty == ()

    def test_parents_come_with_their_first_words_on_request(
        self, act: Version, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with tenant_scope(harbour.pk):
            unit = Section.objects.get(version=act, label="Section 1(a)")
            with django_assert_num_queries(2):
                (chain,) = ask(parents_of([unit.pk], characters=12))
        assert [one.text for one in chain] == ["## Section 1", "(a) “Berth” "]

    def test_neighbours_are_the_chunks_before_and_behind(
        self, acts: Collection, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        body = "\n\n".join(f"## Section {number}. Part\n\n{'Word ' * 500}" for number in range(1, 6))
        long = add(acts, "long.md", f"# Act\n\n{body}\n")
        with tenant_scope(harbour.pk):
            chunks = list(Chunk.objects.filter(version=long).order_by("position"))
            asked = [(long.pk, chunks[0].position), (long.pk, chunks[2].position)]
            with django_assert_num_queries(1):
                first, middle = ask(neighbours_of(asked, count=2))
            assert ask(neighbours_of(asked, count=0)) == [(), ()]
            assert ask(neighbours_of([], count=1)) == []
        assert [one.distance for one in first] == [1, 2]
        assert [one.distance for one in middle] == [-2, -1, 1, 2]
        assert [one.chunk_id for one in middle] == [chunks[place].pk for place in (0, 1, 3, 4)]
        assert all(one.text == long.text[slice(*one.span)] for one in (*first, *middle))

    def test_nothing_of_another_tenant_is_seen(self, act: Version, meridian: Tenant) -> None:
        section = place(act, "Section 2").section_id
        with tenant_scope(meridian.pk):
            assert ask(parents_of([section])) == [()]
            assert ask(neighbours_of([(act.pk, 0)], count=3)) == [()]
            assert ask(read_texts([(act.pk, 0, 100)])) == [""]


def test_texts_are_those_of_the_version_wherever_chunks_begin(acts: Collection, harbour: Tenant) -> None:
    body = "\n\n".join(f"## Section {number}. Ä部\n\n{'Wörter 東京 ' * 300}" for number in range(1, 5))
    long = add(acts, "long.md", f"# Act\n\n{body}\n")
    spans = [(start, start + 700) for start in range(0, len(long.text) - 700, 997)]
    with tenant_scope(harbour.pk):
        assert Passage.objects.count() > 3
        assert ask(read_texts([(long.pk, *span) for span in spans])) == [
            long.text[slice(*span)] for span in spans
        ]


class TestStems:
    @pytest.fixture(autouse=True)
    def forget(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stems, "_kept", {})

    def test_are_those_of_the_language(self, db: None) -> None:
        words = ["berths", "the", "cross-borders", "1013.2", "\0\ud800"]
        assert ask(stem_words(words, language="english")) == {
            "berths": "berth",
            "the": "",
            "cross-borders": "cross-bord",
            "1013.2": "1013.2",
            " ?": "",
        }
        assert ask(stem_words(["häuser", "the"], language="german")) == {"häuser": "haus", "the": "the"}

    def test_are_asked_for_once(self, db: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(1):
            first = ask(stem_words(["berths", "ships"], language="english"))
        with django_assert_num_queries(0):
            assert ask(stem_words(["berths", "ships"], language="english")) == first
        with django_assert_num_queries(1):
            ask(stem_words(["berths"], language="german"))

    def test_that_are_kept_do_not_grow_without_end(self, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stems, "MOST_KEPT", 3)
        ask(stem_words(["a", "b", "c"], language="simple"))
        assert ask(stem_words(["c", "d"], language="simple")) == {"c": "c", "d": "d"}
        assert len(stems._kept) == 1
