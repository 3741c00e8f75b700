"""What became of documents between versions and between baselines, and the history of a unit."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from documents import differences, history, services
from documents.compare import Kind
from documents.differences import Fate, compare_baselines, compare_versions
from documents.history import section_history
from documents.models import Collection, Document, Version
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR
from tests.versions import FEES, LIGHTS, PILOTS, WASTE, act, add_version, add_versions, collection

POINTS = "Points\n\nThese are the signals that a barge may give:\n\n(a) a bell;\n\n(b) a horn;\n\n"


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return collection(harbour)


class TestVersions:
    def test_are_compared_unit_by_unit(
        self, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        _, (old, new) = add_versions(
            rules, act(PILOTS, FEES), act(WASTE, PILOTS, FEES.replace("board", "state"))
        )
        with tenant_scope(rules.tenant_id), django_assert_num_queries(2):
            found = compare_versions(old, new)
        assert [(str(one.kind), one.unit.label) for one in found.changes] == [
            ("unchanged", "Harbour Act"),
            ("added", "Section 1"),
            ("moved", "Section 2"),
            ("moved_and_changed", "Section 3"),
        ]
        assert {str(kind): count for kind, count in found.counts.items() if count} == {
            "unchanged": 1,
            "added": 1,
            "moved": 1,
            "moved_and_changed": 1,
        }
        assert [one.unit.label for one in found.loud] == ["Section 1", "Section 3"]
        assert not found.is_coarse

    def test_can_be_one_and_the_same(self, rules: Collection) -> None:
        _, (only,) = add_versions(rules, act(PILOTS))
        with tenant_scope(rules.tenant_id):
            assert [one.kind for one in compare_versions(only, only).changes] == [Kind.UNCHANGED] * 2

    def test_without_units_are_compared_as_a_whole(self, harbour: Tenant) -> None:
        document = factories.document(harbour)
        old = factories.version(harbour, of=document)
        with tenant_scope(harbour.pk):
            Version.objects.update(superseded_at=old.recorded_at)
        new = factories.version(harbour, of=document, number=2)
        with tenant_scope(harbour.pk):
            (only,) = compare_versions(old, new).changes
        assert (only.kind, only.unit.own) == (Kind.CHANGED, new.text)

    def test_with_too_many_units_are_compared_as_deep_as_can_be(
        self, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, (old, new) = add_versions(rules, act(POINTS), act(POINTS.replace("horn", "light")))
        with tenant_scope(rules.tenant_id):
            assert [one.unit.label for one in compare_versions(old, new).loud] == ["Section 1(b)"]
            monkeypatch.setattr(differences, "MOST_UNITS", 3)
            coarse = compare_versions(old, new)
            assert [one.unit.label for one in coarse.loud] == ["Section 1"]
            assert coarse.is_coarse


def steps(document: Document, label: str) -> list[tuple[int, str, str, str]]:
    """Return number, kind and labels of each step of a unit."""
    with tenant_scope(document.tenant_id):
        found = section_history(document, label).steps
    return [(one.version.number, str(one.kind), one.old_label, one.label) for one in found]


class TestHistory:
    def test_names_the_versions_in_which_a_unit_became_another(self, rules: Collection) -> None:
        later = FEES.replace("board", "state")
        document, _ = add_versions(
            rules, act(PILOTS, FEES), act(PILOTS, FEES, LIGHTS), act(PILOTS, later), act(WASTE, later)
        )
        assert steps(document, "Section 2") == [
            (3, "changed", "Section 2", "Section 2"),
            (1, "added", "", "Section 2"),
        ]

    def test_follows_a_unit_through_its_numbers(self, rules: Collection) -> None:
        later = FEES.replace("board", "state")
        document, _ = add_versions(
            rules,
            act(PILOTS),
            act(PILOTS, FEES),
            act(WASTE, PILOTS, FEES),
            act(WASTE, LIGHTS, PILOTS, later),
        )
        assert steps(document, "Section 4") == [
            (4, "moved_and_changed", "Section 3", "Section 4"),
            (3, "moved", "Section 2", "Section 3"),
            (2, "added", "", "Section 2"),
        ]

    def test_of_a_unit_that_is_gone_says_when_it_went(self, rules: Collection) -> None:
        document, _ = add_versions(rules, act(PILOTS, FEES), act(WASTE, PILOTS, FEES), act(WASTE, PILOTS))
        assert steps(document, "Section 3") == [
            (3, "removed", "Section 3", "Section 3"),
            (2, "moved", "Section 2", "Section 3"),
            (1, "added", "", "Section 2"),
        ]

    def test_by_an_old_number_finds_what_it_is_called_now(self, rules: Collection) -> None:
        document, _ = add_versions(rules, act(PILOTS, FEES, LIGHTS), act(FEES, LIGHTS))
        assert steps(document, "Section 3") == [
            (2, "moved", "Section 3", "Section 2"),
            (1, "added", "", "Section 3"),
        ]

    def test_counts_what_is_below_a_unit_as_its_own(self, rules: Collection) -> None:
        document, _ = add_versions(rules, act(POINTS), act(POINTS.replace("horn", "light")))
        assert steps(document, "Section 1")[0] == (2, "changed", "Section 1", "Section 1")
        with tenant_scope(rules.tenant_id):
            step = section_history(document, "Section 1").steps[0]
        assert (step.old_text.count("horn"), step.text.count("light")) == (1, 1)

    def test_says_nothing_of_blanks(self, rules: Collection) -> None:
        document, _ = add_versions(rules, act(PILOTS), act(PILOTS.replace("vessel of", "vessel  of")))
        assert steps(document, "Section 1") == [(1, "added", "", "Section 1")]

    def test_of_no_unit_is_empty(self, rules: Collection) -> None:
        document, _ = add_versions(rules, act(PILOTS))
        assert steps(document, "Section 9") == []

    def test_can_be_of_some_versions(self, rules: Collection) -> None:
        document, _ = add_versions(rules, *(act(f"Fee\n\nIt is {fee} euros a day.\n\n") for fee in (1, 2, 3)))
        with tenant_scope(rules.tenant_id):
            some = section_history(document, "Section 1", Version.objects.filter(number__lte=2))
        assert [one.version.number for one in some.steps] == [2, 1]

    def test_reads_only_what_changed_and_each_text_once(
        self, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        fees = [FEES, FEES, FEES.replace("day", "week"), FEES.replace("day", "night")]
        others = [PILOTS, PILOTS.replace("fifty", "sixty"), PILOTS, PILOTS]
        document, _ = add_versions(rules, *(act(*pair) for pair in zip(others, fees, strict=True)))
        with tenant_scope(rules.tenant_id), django_assert_num_queries(2 + 2 * 2 + 1):
            found = section_history(document, "Section 2")
        assert [one.version.number for one in found.steps] == [4, 3, 1]

    def test_ends_early_if_there_is_too_much_and_says_so(
        self, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(history, "MOST_COMPARED", 1)
        document, _ = add_versions(rules, *(act(f"Fee\n\nIt is {fee} euros a day.\n\n") for fee in (1, 2, 3)))
        with tenant_scope(rules.tenant_id):
            found = section_history(document, "Section 1")
        assert ([one.version.number for one in found.steps], found.is_complete) == ([3], False)


class TestBaselines:
    def test_are_compared_document_by_document(
        self,
        rules: Collection,
        django_assert_num_queries: DjangoAssertNumQueries,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        document, _ = add_versions(rules, act(PILOTS), name="b.md")
        for name in ("a.md", "c.md", "d.md"):
            add_version(rules, act(PILOTS, name), name)
        old = services.create_baseline(collection=rules, name="old", actor=ACTOR)
        for name in ("b.md", "c.md"):
            add_version(rules, act(PILOTS, FEES, name), name)
        add_version(rules, act(LIGHTS), "e.md")
        with tenant_scope(rules.tenant_id):
            gone = Document.objects.get(name="d.md")
        services.delete_document(document=gone, actor=ACTOR)
        new = services.create_baseline(collection=rules, name="new", actor=ACTOR)
        with tenant_scope(rules.tenant_id), django_assert_num_queries(5):
            found = compare_baselines(old, new)
        assert [(one.name, str(one.fate)) for one in found.documents] == [
            ("a.md", "unchanged"),
            ("b.md", "changed"),
            ("c.md", "changed"),
            ("d.md", "removed"),
            ("e.md", "added"),
        ]
        (changed, _) = found.of(Fate.CHANGED)
        assert changed.old is not None
        assert changed.new is not None
        assert (changed.old.number, changed.new.number) == (1, 2)
        assert [one.unit.label for one in found.units[document.pk].loud] == ["Section 2", "Section 3"]
        assert len(found.units) == 2
        for name, most in (("MOST_DOCUMENTS", 1), ("MOST_CHARACTERS", 400)):
            with monkeypatch.context() as patch, tenant_scope(rules.tenant_id):
                patch.setattr(differences, name, most)
                assert list(compare_baselines(old, new).units) == [document.pk]

    def test_that_are_the_same_need_no_texts(
        self, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        add_version(rules, act(PILOTS))
        both = [services.create_baseline(collection=rules, name=name, actor=ACTOR) for name in "ab"]
        with tenant_scope(rules.tenant_id), django_assert_num_queries(2):
            found = compare_baselines(*both)
        assert [one.fate for one in found.documents] == [Fate.UNCHANGED]
        assert found.units == {}
