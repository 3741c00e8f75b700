"""Looking up terms and references from the command line."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from definitions.models import CrossReference, Definition, DocumentName
from documents.models import Collection
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.findings import HARBOUR, PILOT, add


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    acts = factories.collection(harbour, "acts")
    add(acts, "act.md", HARBOUR)
    return acts


def run(*arguments: str) -> list[str]:
    said = StringIO()
    call_command(*arguments, "--tenant", "harbour", stdout=said)
    return said.getvalue().splitlines()


def refuse(*arguments: str) -> str:
    with pytest.raises(CommandError) as failed:
        run(*arguments)
    return str(failed.value)


class TestDefine:
    def test_prints_the_definition_with_its_place(self, acts: Collection) -> None:
        (line,) = run("define", "ports")
        assert line.startswith("act.md, Section 1(a): ")
        assert line.endswith("means a place for ships.")

    def test_prints_the_others_and_the_conflict(self, acts: Collection) -> None:
        add(acts, "pilot.md", PILOT)
        lines = run("define", "port", "--collection", "acts", "--document", "act.md", "--at", "Section 2")
        assert lines[0].startswith("act.md, Section 1(a): ")
        assert lines[1] == "Others say something else:"
        assert lines[2].startswith("  pilot.md, Section 3(b): ")

    def test_says_what_is_not_there(self, acts: Collection) -> None:
        assert refuse("define", "quay") == "Nothing defines 'quay'."
        assert refuse("define", "port", "--at", "Section 1").startswith("--at names a unit of a document.")
        said = refuse("define", "port", "--document", "act.md", "--at", "Section 9")
        assert said == (
            "act.md has no 'Section 9'. There are: Section 1, Section 1(a), Section 1(b), Section 2."
        )
        assert "No collection 'x' in harbour" in refuse("define", "port", "--collection", "x")

    def test_goes_where_the_meaning_is_given(self, acts: Collection) -> None:
        text = (
            "# Bill\n\n## Section 1. A\n\n“Quay” has the meaning given in section 2.\n\n## Section 2. B\n\n"
        )
        add(acts, "bill.md", text + "“Quay” means a wall" + " of stone" * 60 + ".\n")
        lines = run("define", "quay", "--document", "bill.md", "--at", "Section 1")
        assert lines[0] == "bill.md, Section 1: “Quay” has the meaning given in section 2."
        assert lines[1].startswith("  given in bill.md, Section 2: “Quay” means a wall of stone")
        assert (lines[1][-1], len(lines)) == ("…", 2)

    def test_says_what_does_not_hold_here(self, acts: Collection) -> None:
        text = (
            "# Bill\n\n## Section 1. A\n\nFor purposes of this section, “quay” means a wall.\n\n"
            "## Section 2. B\n\nText.\n"
        )
        add(acts, "bill.md", text)
        lines = run("define", "quay", "--document", "bill.md", "--at", "Section 2")
        assert lines[:2] == ["Nothing that defines it holds here.", "Elsewhere:"]
        assert lines[2].startswith("  bill.md, Section 1 (for Section 1): ")


class TestReferences:
    def test_prints_what_a_unit_refers_to(self, acts: Collection) -> None:
        assert run("references", "Section 2", "--document", "act.md") == [
            "→ act.md, Section 1(a): “section 1(a)”",
            "? “section 3”: of a document that is not here, pilot act.",
        ]

    def test_prints_what_refers_to_a_unit(self, acts: Collection) -> None:
        lines = run("references", "Section 1(a)", "--document", "act.md", "--incoming")
        assert sorted(lines) == [
            "← act.md, Section 1(b): “paragraph (a)”",
            "← act.md, Section 2: “section 1(a)”",
        ]

    def test_goes_as_deep_as_it_is_asked_to(self, acts: Collection) -> None:
        add(acts, "pilot.md", PILOT.replace("the port", "the port of section 2 of the Harbour Act"))
        lines = run("references", "Section 3", "--document", "pilot.md", "--depth", "2")
        assert lines[:2] == [
            "→ act.md, Section 2: “section 2”",
            "→→ act.md, Section 1(a): “section 1(a)”",
        ]
        for depth in ("0", "6"):
            assert "give a number from 1 to 5" in refuse(
                "references", "", "--document", "act.md", "--depth", depth
            )

    def test_says_that_there_is_more(self, acts: Collection) -> None:
        text = "# Code\n\n" + "".join(f"## Section {n}. X\n\nSee section {n + 1}.\n\n" for n in range(1, 71))
        add(acts, "code.md", text)
        lines = run("references", "", "--document", "code.md")
        assert (len(lines), lines[59]) == (61, "… and more.")
        assert lines[60].startswith("? “section 71”: ")

    def test_says_so_if_there_is_none(self, acts: Collection) -> None:
        assert run("references", "Section 1(a)", "--document", "act.md") == ["None."]

    def test_of_what_is_not_read_says_so(self, acts: Collection) -> None:
        add(acts, "empty.md", "")
        assert refuse("references", "", "--document", "empty.md").startswith("empty.md: ")


class TestPlaces:
    @pytest.mark.parametrize(
        "words", ["Section 1(a)", "section 1(a)", "§ 1(a)", "sec. 1 (a)", "paragraph (a) of § 1"]
    )
    def test_are_found_however_they_are_cited(self, acts: Collection, words: str) -> None:
        lines = run("references", words, "--document", "act.md", "--incoming")
        assert lines[0].startswith("← act.md, Section ")

    @pytest.mark.parametrize("words", ["section 9", "section 1(z)", "1(a)?", "section 1 of the Pilot Act"])
    def test_that_are_not_there_are_refused(self, acts: Collection, words: str) -> None:
        assert f"act.md has no {words!r}. There are: " in refuse("references", words, "--document", "act.md")


class TestRefreshFindings:
    def test_finds_again_what_is_lost(self, acts: Collection) -> None:
        with tenant_scope(acts.tenant_id):
            Definition.objects.all().delete()
            CrossReference.objects.all().delete()
            DocumentName.objects.all().delete()
        assert run("refresh_findings") == ["act.md"]
        with tenant_scope(acts.tenant_id):
            assert [one.term for one in Definition.objects.all()] == ["Port"]
            assert CrossReference.objects.resolved().count() == 2
            assert "Harbour Act" in DocumentName.objects.values_list("name", flat=True)

    def test_twice_changes_nothing_that_anybody_sees(self, acts: Collection) -> None:
        before = findings_of(acts)
        run("refresh_findings", "--collection", "acts")
        run("refresh_findings", "--document", "act.md")
        assert findings_of(acts) == before

    def test_heals_what_mentions_it(self, acts: Collection) -> None:
        add(acts, "pilot.md", PILOT)
        with tenant_scope(acts.tenant_id):
            CrossReference.objects.filter(kind="document").update(target_document=None, target_label="")
        assert run("refresh_findings", "--document", "pilot.md") == ["pilot.md"]
        with tenant_scope(acts.tenant_id):
            (healed,) = CrossReference.objects.filter(kind="document", target_label="Section 3")
            assert healed.text == "section 3"

    def test_names_what_is_not_there(self, acts: Collection) -> None:
        assert "No document 'x.md'" in refuse("refresh_findings", "--document", "x.md")
        assert "No collection 'laws'" in refuse("refresh_findings", "--collection", "laws")


def findings_of(acts: Collection) -> list[tuple[object, ...]]:
    with tenant_scope(acts.tenant_id):
        references = CrossReference.objects.values_list("text", "start", "kind", "target_label", "reason")
        return [*Definition.objects.values_list("term", "start", "scope__label"), *references]
