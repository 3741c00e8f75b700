"""What was found in a version is written with it, points where it means to, and heals."""

from __future__ import annotations

import threading
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from definitions.correct import Goal
from definitions.extract import Target
from definitions.gather import Findings
from definitions.link import Linker, Mention, hold_documents
from definitions.models import CrossReference, Definition, DocumentName, TermForm
from definitions.record import record_findings
from definitions.services import name_document
from documents import pipeline, services
from documents.models import Collection, Document, Section, Version
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.findings import (
    HARBOUR,
    PILOT,
    add,
    add_with,
    define,
    links,
    quiet_collection,
    record,
    refer,
    steps,
)

TO_PILOT = refer(HARBOUR, "section 3 of the Pilot Act", "section 3", unit=4, document="pilot act")
NAMED_PILOT = Findings(names=("Pilot Act",))


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return quiet_collection(harbour)


def names(version: Version) -> list[tuple[str, str, bool]]:
    with tenant_scope(version.tenant_id):
        rows = DocumentName.objects.filter(document=version.document_id).order_by("key")
        return list(rows.values_list("name", "key", "is_given"))


class TestDefinitions:
    def test_are_written_with_their_places_and_forms(self, acts: Collection) -> None:
        found = define(
            HARBOUR,
            "Port",
            '"Port" means a place for ships.',
            unit=2,
            scope=1,
            variants=("Ports", "the Port", "PORT"),
            exclusions=((90, 95),),
            given_in=(60, 70),
        )
        version = add_with(acts, "act.md", HARBOUR, Findings(definitions=(found,)))
        with tenant_scope(acts.tenant_id):
            row = Definition.objects.with_text().with_places().get()
            forms = sorted(TermForm.objects.values_list("key", flat=True))
        assert (row.term, row.key, row.variants, row.position) == ("Port", "port", ["ports"], 0)
        assert (row.section.label, row.scope.label) == ("Section 1(a)", "Section 1")
        assert version.text[row.start : row.end] == "Port"
        assert row.meaning == '"Port" means a place for ships.'  # type: ignore[attr-defined]
        assert (row.exclusions, row.given_start, row.given_end) == ([[90, 95]], 60, 70)
        assert (row.style, row.confidence, row.is_corrected) == ("means", 0.9, False)
        assert forms == ["port", "ports"]

    def test_without_a_word_in_the_term_are_left_out(self, acts: Collection) -> None:
        found = define(HARBOUR, '"', '"Port" means a place for ships.')
        add_with(acts, "act.md", HARBOUR, Findings(definitions=(found,)))
        with tenant_scope(acts.tenant_id):
            assert not Definition.objects.exists()


class TestReferences:
    def test_point_into_their_own_document(self, acts: Collection) -> None:
        near = refer(HARBOUR, "paragraph (a) of this section", "paragraph a", unit=3, base="section")
        far = refer(HARBOUR, "section 1(a)", "section 1", "a", unit=4)
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(near, far)))
        assert links(version) == [
            ("paragraph (a) of this section", "internal", "act.md", "Section 1(a)", ""),
            ("section 1(a)", "internal", "act.md", "Section 1(a)", ""),
        ]

    def test_keep_what_they_say(self, acts: Collection) -> None:
        found = refer(
            HARBOUR, "section 1(a)", "section 1", unit=4, through=Target(steps("section 2")), base="document"
        )
        add_with(acts, "act.md", HARBOUR, Findings(references=(found,)))
        with tenant_scope(acts.tenant_id):
            row = CrossReference.objects.get()
        assert (row.steps, row.through_steps, row.base) == (
            [["section", "1"]],
            [["section", "2"]],
            "document",
        )
        assert (row.target, row.target_label, row.through_label) == (
            "§ 1 of this document",
            "Section 1",
            "Section 2",
        )

    def test_that_point_nowhere_say_why(self, acts: Collection) -> None:
        found = refer(HARBOUR, "section 1(a)", "section 9", unit=4)
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(found,)))
        (link,) = links(version)
        assert link[:4] == ("section 1(a)", "internal", "act.md", "")
        assert "section 9" in link[4]

    def test_to_a_document_that_is_not_here_wait_for_it(self, acts: Collection) -> None:
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(TO_PILOT,)))
        reason = "No document here is called “pilot act”."
        assert links(version) == [("section 3 of the Pilot Act", "document", None, "", reason)]

    def test_say_which_document_lacks_the_unit(self, acts: Collection) -> None:
        add(acts, "pilot.md", PILOT.replace("Section 3", "Section 4"))
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(TO_PILOT,)))
        (link,) = links(version)
        assert link[2:] == ("pilot.md", "", "There is no section 3 in pilot.md.")

    def test_to_law_that_is_not_here_are_no_failure(self, acts: Collection) -> None:
        law = refer(HARBOUR, "section 3 of the Pilot Act", document="15 usc", is_external=True)
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(law,)))
        assert links(version) == [("section 3 of the Pilot Act", "external", None, "", "")]

    def test_by_one_of_its_own_names_are_internal(self, acts: Collection) -> None:
        own = refer(HARBOUR, "section 1(a)", "section 1", unit=4, document="harbour act")
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(own,), names=("Harbour Act",)))
        assert links(version) == [("section 1(a)", "internal", "act.md", "Section 1", "")]

    def test_to_a_whole_document_have_no_label(self, acts: Collection) -> None:
        add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        whole = refer(HARBOUR, "Pilot Act", document="pilot act")
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(whole,)))
        assert links(version) == [("Pilot Act", "document", "pilot.md", "", "")]
        with tenant_scope(acts.tenant_id):
            row: Any = CrossReference.objects.with_targets(Version.objects.head()).get()
            assert row.target_section == Section.objects.get(label="Pilot Act", position=0).pk

    def test_do_not_leave_their_collection(self, acts: Collection) -> None:
        add_with(quiet_collection(acts.tenant, "others"), "pilot.md", PILOT, NAMED_PILOT)
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(TO_PILOT,)))
        assert links(version)[0][2] is None

    def test_load_each_document_once(
        self, acts: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        version = add(acts, "act.md", HARBOUR)
        found = Findings(references=(TO_PILOT,) * 50)
        with tenant_scope(acts.tenant_id), django_assert_num_queries(14):
            record_findings(version.pk, version.text, found)


class TestHealing:
    @pytest.fixture
    def waiting(self, acts: Collection) -> Version:
        return add_with(acts, "act.md", HARBOUR, Findings(references=(TO_PILOT,)))

    def test_when_the_target_arrives(self, acts: Collection, waiting: Version) -> None:
        add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        assert links(waiting) == [("section 3 of the Pilot Act", "document", "pilot.md", "Section 3", "")]

    def test_of_law_that_arrives(self, acts: Collection) -> None:
        law = refer(HARBOUR, "Pilot Act", "section 3", document="15 usc", is_external=True)
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(law,)))
        add_with(acts, "pilot.md", PILOT, Findings(names=("15 USC",)))
        assert links(version) == [("Pilot Act", "document", "pilot.md", "Section 3", "")]

    def test_when_a_new_version_has_the_unit_or_lacks_it(self, acts: Collection, waiting: Version) -> None:
        add_with(acts, "pilot.md", PILOT.replace("Section 3", "Section 4"), NAMED_PILOT)
        (link,) = links(waiting)
        assert link[:4] == ("section 3 of the Pilot Act", "document", "pilot.md", "")
        assert link[4].startswith("There is no section 3")
        add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        assert links(waiting)[0][3:] == ("Section 3", "")
        add_with(acts, "pilot.md", PILOT.replace("Section 3", "Section 5"), NAMED_PILOT)
        assert links(waiting)[0][3] == ""

    def test_when_a_document_loses_its_name(self, acts: Collection, waiting: Version) -> None:
        pilot = add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        record(pilot, Findings())
        assert links(waiting)[0][2:] == (None, "", "No document here is called “pilot act”.")

    def test_needs_one_document_of_a_name(self, acts: Collection, waiting: Version) -> None:
        add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        add_with(acts, "other.md", PILOT, NAMED_PILOT)
        reason = "2 documents here are called “pilot act”: other.md, pilot.md."
        assert links(waiting)[0][2:] == (None, "", reason)

    def test_prefers_what_is_not_in_the_bin(self, acts: Collection, waiting: Version) -> None:
        old = add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        services.delete_document(document=old.document, actor=ACTOR)
        add_with(acts, "other.md", PILOT, NAMED_PILOT)
        assert links(waiting)[0][2] == "other.md"

    def test_reaches_into_the_bin(self, acts: Collection, waiting: Version) -> None:
        services.delete_document(document=waiting.document, actor=ACTOR)
        add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        services.restore_document(document=waiting.document, actor=ACTOR)
        assert links(waiting)[0][2] == "pilot.md"

    def test_waits_for_what_comes_out_of_the_bin(self, acts: Collection) -> None:
        pilot = add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        services.delete_document(document=pilot.document, actor=ACTOR)
        add_with(acts, "act.md", HARBOUR, Findings(references=(TO_PILOT,)))
        with tenant_scope(acts.tenant_id):
            targets: Any = CrossReference.objects.with_targets(Version.objects.head())
            assert targets.get().target_section is None
        services.restore_document(document=pilot.document, actor=ACTOR)
        with tenant_scope(acts.tenant_id):
            assert Section.objects.get(pk=targets.get().target_section).label == "Section 3"

    def test_leaves_older_versions_as_they_were(self, acts: Collection, waiting: Version) -> None:
        add_with(acts, "act.md", HARBOUR + "\nMore.\n", Findings())
        before = links(waiting)
        add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        assert links(waiting) == before

    def test_is_undone_when_the_target_is_deleted_for_good(self, acts: Collection, waiting: Version) -> None:
        pilot = add_with(acts, "pilot.md", PILOT, NAMED_PILOT)
        services.delete_document(document=pilot.document, actor=ACTOR)
        services.purge_document(document=pilot.document, actor=ACTOR)
        with tenant_scope(acts.tenant_id):
            connection.check_constraints()
            row = CrossReference.objects.waiting().get()
        assert (row.target_document_id, row.tenant_id, row.is_resolved) == (None, acts.tenant_id, False)
        add_with(acts, "pilot2.md", PILOT, NAMED_PILOT)
        assert links(waiting)[0][2:] == ("pilot2.md", "Section 3", "")

    def test_costs_the_same_for_one_and_for_many(
        self, acts: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(5):
            add_with(acts, f"act{number}.md", HARBOUR, Findings(references=(TO_PILOT,) * 3))
        pilot = add(acts, "pilot.md", PILOT)
        with tenant_scope(acts.tenant_id), django_assert_num_queries(13):
            record_findings(pilot.pk, pilot.text, NAMED_PILOT)
        with tenant_scope(acts.tenant_id):
            assert CrossReference.objects.resolved().count() == 15

    @pytest.mark.django_db(transaction=True, databases=["default", "owner"])
    def test_two_that_mention_each_other_do_not_miss_each_other(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        acts = factories.collection(factories.tenant("harbour"), "acts")
        texts = {"one.md": "# One Act\n\nSee the Two Act.\n", "two.md": "# Two Act\n\nSee the One Act.\n"}
        found = {
            text: Findings(references=(refer(text, other, document=other.casefold()),), names=(own,))
            for text, own, other in (
                (texts["one.md"], "One Act", "Two Act"),
                (texts["two.md"], "Two Act", "One Act"),
            )
        }
        barrier = threading.Barrier(2)

        def gather(text: str, units: object, **options: object) -> Findings:
            barrier.wait()
            return found[text]

        monkeypatch.setattr(pipeline, "gather_findings", gather)
        versions = [
            services.add_document(
                collection=acts, name=name, content=text.encode(), actor=ACTOR, is_queued=False
            )
            for name, text in texts.items()
        ]

        def ingest(version: Version) -> None:
            try:
                pipeline.ingest_version(version.pk, version.tenant_id)
            finally:
                connection.close()

        threads = [threading.Thread(target=ingest, args=[version]) for version in versions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [links(version)[0][2] for version in versions] == ["two.md", "one.md"]


class TestLinks:
    def test_to_a_document_that_is_not_read_yet_wait(self, acts: Collection) -> None:
        empty = factories.document(acts.tenant, place=acts)
        name_document(document=empty, name="Pilot Act", actor=ACTOR)
        version = add_with(acts, "act.md", HARBOUR, Findings(references=(TO_PILOT,)))
        reason = "The document that is meant is not read yet."
        assert links(version)[0][2:] == (empty.name, "", reason)

    def test_to_a_document_that_is_gone_meanwhile_say_so(self, acts: Collection) -> None:
        mention = Mention(uuid4(), 0, Target(), "it", goal=Goal(uuid4(), "Section 3"))
        with tenant_scope(acts.tenant_id):
            link = Linker(acts.pk, [mention], {}).link(mention)
        assert (link.document, link.label, link.reason) == (
            None,
            "Section 3",
            "The document that was meant is gone.",
        )

    def test_hold_no_document_of_another_tenant(self, acts: Collection, meridian: Tenant) -> None:
        document = factories.document(acts.tenant)
        with tenant_scope(meridian.pk):
            assert hold_documents([document.pk]) == set()
        with tenant_scope(acts.tenant_id):
            assert hold_documents([document.pk]) == {document.pk}


class TestNames:
    def test_are_renewed_with_each_version_and_kept_if_given(self, acts: Collection) -> None:
        version = add_with(acts, "act.md", HARBOUR, Findings(names=("Harbour Act", "HA 2026", " ")))
        with tenant_scope(acts.tenant_id):
            DocumentName.objects.create(
                tenant=acts.tenant, document=version.document, name="The HA", key="ha", is_given=True
            )
        record(version, Findings(names=("Harbour Act", "HA 2027", "the HA")))
        assert names(version) == [
            ("The HA", "ha", True),
            ("HA 2027", "ha 2027", False),
            ("Harbour Act", "harbour act", False),
        ]

    def test_of_a_version_that_was_overtaken_do_not_count(self, acts: Collection) -> None:
        first = add_with(acts, "act.md", HARBOUR, Findings(names=("Old Act",)))
        second = add_with(acts, "act.md", HARBOUR + "\nMore.\n", Findings(names=("New Act",)))
        record(first, Findings(names=("Old Act",)))
        assert names(second) == [("New Act", "new act", False)]


class TestThePipeline:
    def test_writes_findings_with_the_version(self, harbour: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
        seen: dict[str, Any] = {}

        def gather(text: str, units: object, **options: Any) -> Findings:
            seen.update(options)
            return Findings(references=(TO_PILOT,), names=("Harbour Act",))

        monkeypatch.setattr(pipeline, "gather_findings", gather)
        version = add(factories.collection(harbour), "act.md", HARBOUR)
        assert seen == {
            "title": "Harbour Act",
            "file_name": "act.md",
            "has_definitions": True,
            "has_references": True,
        }
        assert len(links(version)) == 1
        assert names(version) == [("Harbour Act", "harbour act", False)]

    def test_finds_only_what_the_collection_asks_for(self, acts: Collection) -> None:
        add(acts, "act.md", HARBOUR)
        with tenant_scope(acts.tenant_id):
            assert not Definition.objects.exists()
            assert not CrossReference.objects.exists()

    @pytest.mark.parametrize("step", ["gather_findings", "record_findings"])
    def test_publishes_nothing_if_finding_fails(
        self, acts: Collection, step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def break_down(*args: object, **options: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(pipeline, step, break_down)
        version = add(acts, "act.md", HARBOUR)
        assert (version.state, version.failure) == ("failed", f"act.md: {pipeline.FAULT}")
        with tenant_scope(acts.tenant_id):
            assert not Section.objects.exists()

    def test_deletes_findings_with_their_document(self, acts: Collection) -> None:
        before = everything_of(acts.tenant)
        found = define(HARBOUR, "Port", '"Port" means a place for ships.', unit=2)
        version = add_with(acts, "act.md", HARBOUR, Findings((found,), (TO_PILOT,), ("Harbour Act",)))
        services.delete_document(document=version.document, actor=ACTOR)
        services.purge_document(document=version.document, actor=ACTOR)
        after = everything_of(acts.tenant)
        for kept in ("tenants.AuditEvent", "search.EmbeddingSpace"):
            del before[kept], after[kept]
        assert after == before
        with tenant_scope(acts.tenant_id):
            assert not Document.objects.exists()
