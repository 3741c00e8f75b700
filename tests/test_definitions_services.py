"""Corrections take effect at once, hold for later versions, are on the record, and can be taken back."""

from __future__ import annotations

from typing import Any

import pytest

from definitions import services
from definitions.errors import DefinitionError, NotInText, OutOfDate
from definitions.models import (
    CrossReference,
    Definition,
    DefinitionCorrection,
    DocumentName,
    ReferenceCorrection,
)
from documents.errors import NothingToDo
from documents.models import Collection, Document, Version
from documents.services import correct_outline, delete_document
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.findings import HARBOUR, PILOT, add, links

LATER = HARBOUR.replace("Ships obey", "All ships obey")


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "acts")


@pytest.fixture
def version(acts: Collection) -> Version:
    return add(acts, "act.md", HARBOUR)


def definition(version: Version, key: str = "port") -> Definition:
    with tenant_scope(version.tenant_id):
        return Definition.objects.get(version=version, key=key)


def reference(version: Version, text: str) -> CrossReference:
    with tenant_scope(version.tenant_id):
        return CrossReference.objects.get(version=version, text=text)


def found(version: Version) -> list[dict[str, Any]]:
    """All that was found in a version, without ids."""
    with tenant_scope(version.tenant_id):
        rows = [*Definition.objects.filter(version=version), *CrossReference.objects.filter(version=version)]
    return [
        {name: value for name, value in vars(row).items() if name not in {"id", "_state"}} for row in rows
    ]


def defined(version: Version) -> list[tuple[str, str, str, str, bool]]:
    with tenant_scope(version.tenant_id):
        rows = Definition.objects.filter(version=version).with_text().with_places().order_by("position")
        return [
            (row.term, row.section.label, row.scope.label, row.meaning, row.is_corrected)  # type: ignore[attr-defined]
            for row in rows
        ]


def last_event(tenant: Tenant) -> tuple[str, str, dict[str, Any]]:
    with tenant_scope(tenant.pk):
        event = AuditEvent.objects.order_by("-at")[0]
        return event.action, event.target, event.detail


PORT = ("Port", "Section 1(a)", "Harbour Act", '"Port" means a place for ships.', False)


class TestDefinitions:
    def test_are_found_first(self, version: Version) -> None:
        (one,) = defined(version)
        assert (one[0], one[1], one[2], one[4]) == ("Port", "Section 1(a)", "Harbour Act", False)

    def test_are_changed_at_once_and_in_later_versions(self, acts: Collection, version: Version) -> None:
        services.correct_definition(
            definition=definition(version),
            actor=ACTOR,
            variants=["The Harbour", "port"],
            scope_label="Section 1",
            meaning="a  place\nfor ships",
        )
        expected = [("Port", "Section 1(a)", "Section 1", "a place for ships", True)]
        assert defined(version) == expected
        assert definition(version).variants == ["harbour"]
        assert last_event(acts.tenant) == (
            "definition.corrected",
            "act.md",
            {"term": "port", "label": "Section 1(a)"},
        )
        assert defined(add(acts, "act.md", LATER)) == expected

    def test_are_corrected_step_by_step(self, version: Version) -> None:
        services.correct_definition(definition=definition(version), actor=ACTOR, term="place")
        assert [row[0] for row in defined(version)] == ["place"]
        services.correct_definition(
            definition=definition(version, "place"), actor=ACTOR, scope_label="Section 1"
        )
        assert [row[:3] for row in defined(version)] == [("place", "Section 1(a)", "Section 1")]
        with tenant_scope(version.tenant_id):
            correction = DefinitionCorrection.objects.get()
        assert (correction.key, correction.term) == ("port", "place")

    def test_are_rejected_and_taken_back(self, acts: Collection, version: Version) -> None:
        before = found(version)
        correction = services.reject_definition(definition=definition(version), actor=ACTOR)
        assert defined(version) == []
        assert last_event(acts.tenant)[0] == "definition.rejected"
        later = add(acts, "act.md", LATER)
        assert defined(later) == []
        again = add(acts, "act.md", HARBOUR)
        services.remove_definition_correction(correction=correction, actor=ACTOR)
        assert last_event(acts.tenant) == (
            "definition.correction_removed",
            "act.md",
            {"term": "port", "label": "Section 1(a)"},
        )
        assert [row | {"version_id": 0, "section_id": 0, "scope_id": 0} for row in found(again)] == [
            row | {"version_id": 0, "section_id": 0, "scope_id": 0} for row in before
        ]
        assert defined(later) == []

    def test_are_added_by_their_words(self, acts: Collection, version: Version) -> None:
        services.add_definition(
            document=version.document,
            label="Section 2",
            term="Ships",
            variants=["vessel"],
            scope_label="Section 2",
            meaning="obey section 1(a)",
            actor=ACTOR,
        )
        expected = ("Ships", "Section 2", "Section 2", "obey section 1(a)", True)
        assert defined(version)[1] == expected
        row = definition(version, "ships")
        assert (row.style, row.confidence, row.variants) == ("given", 1.0, ["vessel"])
        assert defined(add(acts, "act.md", HARBOUR + "\nMore.\n"))[1] == expected

    def test_that_are_added_wait_for_their_words(self, acts: Collection, version: Version) -> None:
        services.add_definition(document=version.document, label="Section 2", term="Ships", actor=ACTOR)
        assert defined(version)[1][3] == "Ships obey section 1(a) and section 3 of the Pilot Act."
        without = HARBOUR.replace("Ships", "Boats")
        assert len(defined(add(acts, "act.md", without))) == 1
        assert len(defined(add(acts, "act.md", HARBOUR))) == 2

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"term": "Quay"}, r"“Quay” does not stand in Section 1\(a\). Copy the words"),
            ({"meaning": "a place for boats"}, "“a place for boats” does not stand in"),
            ({"scope_label": "Section 9"}, "There is no “Section 9” in act.md. `manage.py outline`"),
        ],
    )
    def test_refuse_what_is_not_there(self, version: Version, change: dict[str, str], reason: str) -> None:
        row, before = definition(version), everything_of(version.tenant)
        with pytest.raises(NotInText, match=reason):
            services.correct_definition(definition=row, actor=ACTOR, **change)
        assert everything_of(version.tenant) == before

    @pytest.mark.parametrize(
        ("words", "error", "reason"),
        [
            ({"label": "Section 9", "term": "Ships"}, NotInText, "There is no “Section 9”"),
            ({"label": "Section 2", "term": "Boats"}, NotInText, "“Boats” does not stand in Section 2"),
            ({"label": "Section 2", "term": " “” "}, DefinitionError, "Name the term"),
        ],
    )
    def test_are_not_added_where_they_are_not(
        self, version: Version, words: dict[str, str], error: type[Exception], reason: str
    ) -> None:
        before = everything_of(version.tenant)
        with pytest.raises(error, match=reason):
            services.add_definition(document=version.document, actor=ACTOR, **words)
        assert everything_of(version.tenant) == before

    def test_of_older_versions_and_those_found_anew_are_refused(
        self, acts: Collection, version: Version
    ) -> None:
        old = definition(version)
        correct_outline(document=version.document, opening="## Section 2. Ships", new_title="X", actor=ACTOR)
        add(acts, "act.md", LATER)
        before = everything_of(acts.tenant)
        with pytest.raises(OutOfDate, match=r"older version of act\.md. Correct it in the current one\."):
            services.reject_definition(definition=old, actor=ACTOR)
        assert everything_of(acts.tenant) == before
        with tenant_scope(acts.tenant_id):
            Definition.objects.all().delete()
        with pytest.raises(OutOfDate, match=r"“Port” was found anew meanwhile"):
            services.reject_definition(definition=old, actor=ACTOR)

    def test_of_a_document_without_text_are_refused(self, harbour: Tenant) -> None:
        document = factories.document(harbour)
        before = everything_of(harbour)
        with pytest.raises(NothingToDo, match=r"has no text yet. Correct it once it is ready."):
            services.add_definition(document=document, label="", term="Port", actor=ACTOR)
        assert everything_of(harbour) == before


class TestReferences:
    @pytest.fixture
    def pilot(self, acts: Collection) -> Document:
        return add(acts, "pilot.md", PILOT).document

    def test_are_aimed_at_another_unit(self, acts: Collection, version: Version) -> None:
        row = reference(version, "section 1(a)")
        services.correct_reference(reference=row, target_label="Section 1(b)", actor=ACTOR)
        expected = ("section 1(a)", "internal", "act.md", "Section 1(b)", "")
        assert expected in links(version)
        assert reference(version, "section 1(a)").is_corrected
        assert last_event(acts.tenant) == (
            "reference.corrected",
            "act.md",
            {"text": "section 1(a)", "label": "Section 2", "goal": "Section 1(b)"},
        )
        assert expected in links(add(acts, "act.md", LATER))

    def test_are_aimed_at_another_document(self, acts: Collection, version: Version, pilot: Document) -> None:
        row = reference(version, "section 1(a)")
        services.correct_reference(
            reference=row, target_document=pilot, target_label="Section 3(b)", actor=ACTOR
        )
        assert ("section 1(a)", "document", "pilot.md", "Section 3(b)", "") in links(version)
        add(acts, "pilot.md", PILOT.replace('(b) "Port"', '"Port"'))
        reason = "There is no Section 3(b) in the version that is current."
        assert ("section 1(a)", "document", "pilot.md", "Section 3(b)", reason) in links(version)
        add(acts, "pilot.md", PILOT)
        assert ("section 1(a)", "document", "pilot.md", "Section 3(b)", "") in links(version)

    def test_are_rejected_and_taken_back(self, acts: Collection, version: Version) -> None:
        before = found(version)
        row = reference(version, "section 1(a)")
        correction = services.reject_reference(reference=row, actor=ACTOR)
        assert "section 1(a)" not in [link[0] for link in links(version)]
        services.remove_reference_correction(correction=correction, actor=ACTOR)
        assert found(version) == before
        assert last_event(acts.tenant)[0] == "reference.correction_removed"

    def test_are_taken_back_once(self, acts: Collection, version: Version) -> None:
        row = reference(version, "section 1(a)")
        correction = services.reject_reference(reference=row, actor=ACTOR)
        services.remove_reference_correction(correction=correction, actor=ACTOR)
        before = everything_of(acts.tenant)
        correction.pk = row.pk
        services.remove_reference_correction(correction=correction, actor=ACTOR)
        assert everything_of(acts.tenant) == before

    def test_are_added_by_their_words(self, acts: Collection, version: Version, pilot: Document) -> None:
        services.add_reference(
            document=version.document,
            label="Section 1(a)",
            text="a place for  ships",
            target_document=pilot,
            target_label="",
            actor=ACTOR,
        )
        expected = ("a place for ships", "document", "pilot.md", "", "")
        assert expected in links(version)
        row = reference(version, "a place for ships")
        with tenant_scope(acts.tenant_id):
            assert (row.form, row.is_corrected, row.section.label) == ("given", True, "Section 1(a)")
        assert expected in links(add(acts, "act.md", LATER))

    def test_are_told_apart_by_their_number_in_the_unit(self, acts: Collection) -> None:
        text = "# Act\n\n## Section 1. A\n\nSee section 2, and again section 2.\n\n## Section 2. B\n\nText.\n"
        version = add(acts, "twice.md", text)
        with tenant_scope(acts.tenant_id):
            rows = list(CrossReference.objects.filter(version=version).order_by("start"))
        assert [row.text for row in rows] == ["section 2", "section 2"]
        correction = services.reject_reference(reference=rows[1], actor=ACTOR)
        assert correction.occurrence == 2
        with tenant_scope(acts.tenant_id):
            assert CrossReference.objects.get(version=version).start == rows[0].start

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            ({"text": "boats", "target_label": ""}, "“boats” does not stand at all in Section 2."),
            ({"text": "obey", "occurrence": 2, "target_label": ""}, "“obey” does not stand 2 times in"),
            ({"text": "obey", "target_label": "Section 9"}, "There is no “Section 9” in act.md."),
            ({"text": " ", "target_label": ""}, "Name the words of the reference"),
        ],
    )
    def test_are_not_added_where_they_are_not(
        self, version: Version, words: dict[str, Any], reason: str
    ) -> None:
        before = everything_of(version.tenant)
        with pytest.raises(DefinitionError, match=reason):
            services.add_reference(document=version.document, label="Section 2", actor=ACTOR, **words)
        assert everything_of(version.tenant) == before

    def test_stay_within_their_collection(self, version: Version) -> None:
        other = add(factories.collection(version.tenant, "other"), "pilot.md", PILOT).document
        row, before = reference(version, "section 1(a)"), everything_of(version.tenant)
        with pytest.raises(DefinitionError, match=r"pilot\.md is not in acts\. References stay within"):
            services.correct_reference(reference=row, target_document=other, target_label="", actor=ACTOR)
        assert everything_of(version.tenant) == before

    def test_do_not_point_to_the_bin_or_to_what_has_no_text(
        self, acts: Collection, version: Version, pilot: Document
    ) -> None:
        delete_document(document=pilot, actor=ACTOR)
        empty = factories.document(acts.tenant, place=acts)
        row, before = reference(version, "section 1(a)"), everything_of(acts.tenant)
        for target, error in ((pilot, DefinitionError), (empty, NothingToDo)):
            with pytest.raises(error):
                services.correct_reference(
                    reference=row, target_document=target, target_label="", actor=ACTOR
                )
        assert everything_of(acts.tenant) == before

    def test_that_are_no_whole_words_are_refused(self, acts: Collection, version: Version) -> None:
        row = reference(version, "section 1(a)")
        with tenant_scope(acts.tenant_id):
            CrossReference.objects.filter(pk=row.pk).update(start=row.start + 1)
        before = everything_of(acts.tenant)
        with pytest.raises(NotInText, match=r"cannot be told from the words around it. Add the reference"):
            services.reject_reference(reference=row, actor=ACTOR)
        assert everything_of(acts.tenant) == before

    def test_that_are_gone_are_refused(self, acts: Collection, version: Version) -> None:
        row = reference(version, "section 1(a)")
        services.reject_reference(reference=row, actor=ACTOR)
        before = everything_of(acts.tenant)
        with pytest.raises(OutOfDate, match="was found anew meanwhile"):
            services.reject_reference(reference=row, actor=ACTOR)
        assert everything_of(acts.tenant) == before

    def test_forget_a_correction_to_a_document_that_is_gone(
        self, acts: Collection, version: Version, pilot: Document
    ) -> None:
        from documents.services import purge_document

        row = reference(version, "section 1(a)")
        services.correct_reference(reference=row, target_document=pilot, target_label="", actor=ACTOR)
        delete_document(document=pilot, actor=ACTOR)
        purge_document(document=pilot, actor=ACTOR)
        with tenant_scope(acts.tenant_id):
            assert not ReferenceCorrection.objects.exists()
            assert reference(version, "section 1(a)") in CrossReference.objects.waiting()
        assert ("section 1(a)", "internal", "act.md", "Section 1(a)", "") in links(add(acts, "act.md", LATER))


class TestNames:
    @pytest.fixture
    def rules(self, acts: Collection) -> Document:
        return add(acts, "rules.md", "# Rules\n\n## Section 3. Pilots\n\nText.\n").document

    def test_heal_references_at_once(self, acts: Collection, version: Version, rules: Document) -> None:
        assert links(version)[2][2] is None
        name = services.name_document(document=rules, name=" The  Pilot Act ", actor=ACTOR)
        assert (name.name, name.key, name.is_given) == ("The Pilot Act", "pilot act", True)
        assert links(version)[2] == ("section 3", "document", "rules.md", "Section 3", "")
        assert last_event(acts.tenant) == ("document.named", "rules.md", {"name": "The Pilot Act"})
        services.remove_name(name=name, actor=ACTOR)
        assert links(version)[2][2] is None
        assert last_event(acts.tenant) == ("document.unnamed", "rules.md", {"name": "The Pilot Act"})

    def test_win_over_those_that_were_found(
        self, acts: Collection, version: Version, rules: Document
    ) -> None:
        add(acts, "pilot.md", PILOT)
        assert links(version)[2][2] == "pilot.md"
        services.name_document(document=rules, name="Pilot Act", actor=ACTOR)
        assert links(version)[2][2] == "rules.md"

    def test_are_kept_when_a_version_comes(self, acts: Collection, version: Version, rules: Document) -> None:
        services.name_document(document=rules, name="Pilot Act", actor=ACTOR)
        add(acts, "rules.md", "# Rules\n\n## Section 3. Pilots\n\nNew text.\n")
        assert links(version)[2][2] == "rules.md"

    def test_of_ones_own_make_references_internal(self, acts: Collection, version: Version) -> None:
        services.name_document(document=version.document, name="Pilot Act", actor=ACTOR)
        assert links(version)[2][1:3] == ("internal", "act.md")

    def test_are_given_and_taken_back_once(self, acts: Collection, rules: Document) -> None:
        name = services.name_document(document=rules, name="Pilot Act", actor=ACTOR)
        before = everything_of(acts.tenant)
        assert services.name_document(document=rules, name="PILOT ACT", actor=ACTOR).pk == name.pk
        assert everything_of(acts.tenant) == before
        services.remove_name(name=name, actor=ACTOR)
        before = everything_of(acts.tenant)
        services.remove_name(name=name, actor=ACTOR)
        assert everything_of(acts.tenant) == before

    def test_that_were_found_are_not_taken_back(self, acts: Collection, version: Version) -> None:
        with tenant_scope(acts.tenant_id):
            name = DocumentName.objects.filter(document=version.document)[0]
        before = everything_of(acts.tenant)
        with pytest.raises(DefinitionError, match=r"was found in act\.md and would come back"):
            services.remove_name(name=name, actor=ACTOR)
        assert everything_of(acts.tenant) == before

    @pytest.mark.parametrize("name", ["", " ", "\n"])
    def test_have_words(self, acts: Collection, rules: Document, name: str) -> None:
        before = everything_of(acts.tenant)
        with pytest.raises(DefinitionError, match="Type the name"):
            services.name_document(document=rules, name=name, actor=ACTOR)
        assert everything_of(acts.tenant) == before
