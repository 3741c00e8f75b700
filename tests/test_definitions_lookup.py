"""Which definition holds at a place: the nearest scope, the document, then the other documents."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from definitions.gather import Findings
from definitions.lookup import Answer, lookup_definition
from definitions.models import CrossReference, Definition
from definitions.terms import LONGEST_KEY, other_number, term_key
from documents import services
from documents.models import Collection, Section, Version
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR
from tests.findings import add, add_with, define, quiet_collection, refer, section

ACT = """# Act

## Section 1. Ports

(a) Port means a place.

(b) Port means a quay here.

## Section 2. Ships

Port means anything.

## Section 3. Given

Port has the meaning given in section 1.
"""
OTHER = "# Other\n\nPort means a wine.\n"
SAME = "# Same\n\nPort  means A PLACE\n"

PLACE = define(ACT, "Port", "Port means a place.", unit=2)
QUAY = define(ACT, "Port", "Port means a quay here.", unit=3, scope=1)
ANYTHING = define(ACT, "Port", "Port means anything.", unit=4, scope=4)
GIVEN_TEXT = "Port has the meaning given in section 1."
GIVEN_AT = ACT.index("section 1.", ACT.index("Port has"))
GIVEN = define(ACT, "Port", GIVEN_TEXT, unit=5, scope=5, given_in=(GIVEN_AT, GIVEN_AT + 9))
TO_FIRST = refer(ACT, "section 1.", "section 1", unit=5)


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return quiet_collection(harbour)


def lookup(tenant: Tenant, term: str = "port", at: Section | None = None) -> Answer:
    with tenant_scope(tenant.pk):
        return lookup_definition(term, at=at, versions=Version.objects.for_tenant(tenant).head())


def said(*definitions: Any) -> list[str | None]:
    return [one and " ".join(one.meaning.split()) for one in definitions]


class TestScopes:
    @pytest.fixture
    def act(self, acts: Collection) -> Version:
        return add_with(acts, "act.md", ACT, Findings((PLACE, QUAY, ANYTHING)))

    @pytest.mark.parametrize(
        ("label", "meaning"),
        [
            ("Section 1", "Port means a quay here."),
            ("Section 1(a)", "Port means a quay here."),
            ("Section 2", "Port means anything."),
            ("Section 3", "Port means a place."),
            ("Act", "Port means a place."),
        ],
    )
    def test_the_smallest_around_a_place_governs(self, act: Version, label: str, meaning: str) -> None:
        answer = lookup(act.tenant, at=section(act, label))
        assert said(answer.definition) == [meaning]
        assert len(answer.others) == 2
        assert not answer.is_conflicting

    def test_that_do_not_reach_the_place_govern_nothing(self, acts: Collection) -> None:
        act = add_with(acts, "act.md", ACT, Findings((ANYTHING,)))
        answer = lookup(acts.tenant, at=section(act, "Section 1"))
        assert (answer.definition, said(*answer.others)) == (None, ["Port means anything."])
        assert answer.meaning is None

    def test_without_a_place_those_of_whole_documents_come_first(self, act: Version) -> None:
        answer = lookup(act.tenant)
        assert said(answer.definition) == ["Port means a place."]
        assert len(answer.others) == 2

    def test_of_two_alike_the_closer_one_before_the_place_governs_and_they_conflict(
        self, acts: Collection
    ) -> None:
        both = (PLACE, define(ACT, "Port", "Port means anything.", unit=4))
        act = add_with(acts, "act.md", ACT, Findings(both))
        answer = lookup(acts.tenant, at=section(act, "Section 3"))
        assert said(answer.definition, *answer.others) == ["Port means anything.", "Port means a place."]
        assert answer.is_conflicting
        answer = lookup(acts.tenant, at=section(act, "Section 1"))
        assert said(answer.definition) == ["Port means a place."]

    def test_of_two_alike_behind_the_place_the_surer_one_governs(self, acts: Collection) -> None:
        both = (
            define(ACT, "Port", "Port means a quay here.", unit=3, confidence=0.5),
            define(ACT, "Port", "Port means anything.", unit=4, confidence=0.8),
        )
        act = add_with(acts, "act.md", ACT, Findings(both))
        answer = lookup(acts.tenant, at=section(act, "Section 1(a)"))
        assert said(answer.definition) == ["Port means anything."]


class TestOtherDocuments:
    def test_come_after_the_own_one_and_the_conflict_is_shown(self, acts: Collection) -> None:
        act = add_with(acts, "act.md", ACT, Findings((PLACE,)))
        add_with(acts, "other.md", OTHER, Findings((define(OTHER, "Port", "Port means a wine."),)))
        answer = lookup(acts.tenant, at=section(act, "Section 2"))
        assert said(answer.definition, *answer.others) == ["Port means a place.", "Port means a wine."]
        assert answer.is_conflicting

    def test_govern_where_the_own_one_says_nothing(self, acts: Collection) -> None:
        act = add_with(acts, "act.md", ACT, Findings())
        add_with(acts, "other.md", OTHER, Findings((define(OTHER, "Port", "Port means a wine."),)))
        answer = lookup(acts.tenant, at=section(act, "Section 2"))
        assert (said(answer.definition), answer.is_conflicting) == (["Port means a wine."], False)

    def test_that_say_the_same_do_not_conflict(self, acts: Collection) -> None:
        add_with(acts, "act.md", ACT, Findings((PLACE,)))
        add_with(acts, "same.md", SAME, Findings((define(SAME, "Port", "Port  means A PLACE"),)))
        answer = lookup(acts.tenant)
        assert (len(answer.others), answer.is_conflicting) == (1, False)

    def test_of_other_collections_and_older_versions_and_the_bin_do_not_count(self, acts: Collection) -> None:
        found = Findings((define(OTHER, "Port", "Port means a wine."),))
        act = add_with(acts, "act.md", ACT, Findings((PLACE,)))
        add_with(quiet_collection(acts.tenant, "wines"), "other.md", OTHER, found)
        add_with(acts, "old.md", OTHER, found)
        add(acts, "old.md", OTHER + "\nMore.\n")
        gone = add_with(acts, "gone.md", OTHER, found)
        services.delete_document(document=gone.document, actor=ACTOR)
        answer = lookup(acts.tenant, at=section(act, "Section 2"))
        assert (said(answer.definition), answer.others) == (["Port means a place."], ())
        assert len(lookup(acts.tenant).others) == 1

    def test_of_another_tenant_are_not_seen(self, acts: Collection, meridian: Tenant) -> None:
        add_with(acts, "act.md", ACT, Findings((PLACE,)))
        assert lookup(meridian) == Answer()


class TestMeaningsGivenElsewhere:
    def test_are_followed_to_the_definition_in_the_section(self, acts: Collection) -> None:
        act = add_with(acts, "act.md", ACT, Findings((PLACE, GIVEN), (TO_FIRST,)))
        answer = lookup(acts.tenant, at=section(act, "Section 3"))
        assert said(answer.definition, *answer.given) == [GIVEN_TEXT, "Port means a place."]
        assert said(answer.meaning) == ["Port means a place."]
        assert (answer.others, answer.is_conflicting) == ((), False)

    def test_do_not_conflict_with_what_only_points_there(self, acts: Collection) -> None:
        wide = define(ACT, "Port", GIVEN_TEXT, unit=5, given_in=(GIVEN_AT, GIVEN_AT + 9))
        act = add_with(acts, "act.md", ACT, Findings((PLACE, wide), (TO_FIRST,)))
        answer = lookup(acts.tenant, at=section(act, "Section 1"))
        assert said(answer.definition, *answer.others) == ["Port means a place.", GIVEN_TEXT]
        assert not answer.is_conflicting

    def test_are_followed_into_another_document(self, acts: Collection) -> None:
        add_with(
            acts,
            "other.md",
            OTHER,
            Findings((define(OTHER, "Port", "Port means a wine."),), names=("Other",)),
        )
        there = refer(ACT, "section 1.", document="other", unit=5)
        act = add_with(acts, "act.md", ACT, Findings((GIVEN,), (there,)))
        answer = lookup(acts.tenant, at=section(act, "Section 3"))
        assert said(answer.meaning) == ["Port means a wine."]

    def test_that_lead_nowhere_answer_with_what_there_is(self, acts: Collection) -> None:
        act = add_with(acts, "act.md", ACT, Findings((GIVEN,), (TO_FIRST,)))
        answer = lookup(acts.tenant, at=section(act, "Section 3"))
        assert (said(answer.meaning), answer.given) == ([GIVEN_TEXT], ())
        act = add_with(acts, "act2.md", ACT, Findings((GIVEN,)))
        assert lookup(acts.tenant, at=section(act, "Section 3")).given == ()

    def test_that_go_in_circles_end(self, acts: Collection) -> None:
        circle = (
            "# Act\n\n## Section 1. A\n\nPort as in section 2.\n\n## Section 2. B\n\nPort as in section 1.\n"
        )
        found = []
        for unit, body in ((1, "Port as in section 2."), (2, "Port as in section 1.")):
            at = circle.index(body) + 11
            found.append(define(circle, "Port", body, unit=unit, scope=unit, given_in=(at, at + 9)))
        references = (
            refer(circle, "section 2.", "section 2", unit=1),
            refer(circle, "section 1.", "section 1", unit=2),
        )
        act = add_with(acts, "act.md", circle, Findings(tuple(found), references))
        answer = lookup(acts.tenant, at=section(act, "Section 1"))
        assert said(answer.definition, *answer.given) == ["Port as in section 2.", "Port as in section 1."]


class TestQueries:
    @pytest.mark.parametrize("count", [1, 8])
    def test_are_few_however_many_define_a_term(
        self, acts: Collection, count: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        act = add_with(acts, "act.md", ACT, Findings((PLACE, QUAY)))
        for number in range(count):
            found = Findings((define(OTHER, "Port", "Port means a wine."),))
            add_with(acts, f"other{number}.md", OTHER, found)
        place = section(act, "Section 2")
        with tenant_scope(acts.tenant_id):
            versions = Version.objects.head()
            with django_assert_num_queries(2):
                answer = lookup_definition("port", at=place, versions=versions)
                said(answer.definition, *answer.others)
                assert [one.version.document.collection.name for one in answer.others].count("acts") > count
            with django_assert_num_queries(2):
                assert lookup_definition("haven", versions=versions) == Answer()

    def test_of_a_meaning_given_elsewhere_are_two_more(
        self, acts: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        act = add_with(acts, "act.md", ACT, Findings((PLACE, GIVEN), (TO_FIRST,)))
        place = section(act, "Section 3")
        with tenant_scope(acts.tenant_id), django_assert_num_queries(4):
            lookup_definition("port", at=place, versions=Version.objects.head())


class TestTerms:
    def test_are_found_by_variants_and_by_the_other_number(self, acts: Collection) -> None:
        body = "Port means a place."
        add_with(acts, "act.md", ACT, Findings((define(ACT, "Port", body, unit=2, variants=("Haven",)),)))
        for term in ("PORT", " the Port ", "“port”", "haven", "The Haven", "ports"):
            assert lookup(acts.tenant, term).definition is not None, term
        assert lookup(acts.tenant, "quay") == Answer()

    @pytest.mark.parametrize(
        ("term", "key"),
        [
            ("The  Data\nSubject", "data subject"),
            ("“third–party’s” ", "third-party's"),
            ("the", "the"),
            ("A bank", "bank"),
            ("theory", "theory"),
            ("**Act**", "act"),
            ("STRAẞE", "strasse"),
            ("x" * (LONGEST_KEY + 1), "x" * LONGEST_KEY),
            ("“”", ""),
        ],
    )
    def test_have_one_form_in_which_they_are_compared(self, term: str, key: str) -> None:
        assert term_key(term) == key

    @pytest.mark.parametrize(
        ("key", "others"),
        [
            ("parties", ("party",)),
            ("party", ("parties",)),
            ("boxes", ("box", "boxe")),
            ("ports", ("port",)),
            ("port", ("ports", "portes")),
            ("key", ("keys", "keyes")),
            ("business", ("businesss", "businesses")),
        ],
    )
    def test_have_another_number(self, key: str, others: tuple[str, ...]) -> None:
        assert other_number(key) == others


class TestQuerysets:
    def test_read_what_stands_in_a_unit(self, acts: Collection) -> None:
        act = add_with(acts, "act.md", ACT, Findings((PLACE, QUAY, ANYTHING), (TO_FIRST,)))
        first, third = section(act, "Section 1"), section(act, "Section 3")
        with tenant_scope(acts.tenant_id):
            rows = Definition.objects.for_tenant(acts.tenant)
            assert [row.start for row in rows.standing_in(first)] == [PLACE.start, QUAY.start]
            assert rows.of_keys([term_key(" The PORT")]).count() == 3
            references = CrossReference.objects.for_tenant(acts.tenant)
            assert references.made_in(third).count() == 1
            assert references.made_in(first).count() == 0

    def test_read_nothing_of_another_tenant(self, acts: Collection, meridian: Tenant) -> None:
        add_with(acts, "act.md", ACT, Findings((PLACE,), (TO_FIRST,)))
        with tenant_scope(acts.tenant_id):
            assert not Definition.objects.for_tenant(meridian).exists()
            assert not CrossReference.objects.for_tenant(meridian).exists()


def test_names_of_things_are_what_people_call_them(harbour: Tenant) -> None:
    assert [str(row) for row in (factories.definition(harbour), factories.term_form(harbour))] == [
        "Port",
        "port",
    ]
    assert str(factories.cross_reference(harbour)) == str(factories.document_name(harbour)) == "Rules"
    assert str(factories.definition_correction(harbour)) == "port in the document"
    assert str(factories.reference_correction(harbour)) == "Rules in the document"
