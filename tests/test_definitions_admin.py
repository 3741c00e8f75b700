"""The administration of definitions and references, as staff use it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from definitions import services
from definitions.models import (
    CrossReference,
    Definition,
    DefinitionCorrection,
    DocumentName,
    ReferenceCorrection,
)
from documents.models import Collection, Version
from tenants import admin_lists
from tenants.models import AuditEvent, Tenant, User
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.factories import ACTOR
from tests.findings import HARBOUR, PILOT, add, links

DEFINITIONS, REFERENCES = "/admin/definitions/definition/", "/admin/definitions/crossreference/"
NAMES = "/admin/definitions/documentname/"


@pytest.fixture
def client(operator: User) -> Client:
    return client_of(operator)


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "acts")


@pytest.fixture
def version(acts: Collection) -> Version:
    return add(acts, "act.md", HARBOUR)


def body(response: Any) -> str:
    return str(response.content.decode())


def actions() -> list[str]:
    with platform_scope():
        return list(AuditEvent.objects.order_by("at").values_list("action", flat=True))


def count(client: Client, url: str, query: str) -> int:
    return int(client.get(f"{url}?{query}").context["cl"].result_count)


def definition(version: Version) -> Definition:
    with tenant_scope(version.tenant_id):
        return Definition.objects.get(version=version)


def reference(version: Version, text: str = "section 1(a)") -> CrossReference:
    with tenant_scope(version.tenant_id):
        return CrossReference.objects.get(version=version, text=text)


class TestDefinitions:
    FORM = {"term": "Port", "variants": "ports", "scope_label": ""}

    def form(self, row: Definition, **changes: str) -> dict[str, str]:
        with tenant_scope(row.tenant_id):
            text = Definition.objects.with_text().get(pk=row.pk).meaning  # type: ignore[attr-defined]
        return {**self.FORM, "meaning": " ".join(text.split()), **changes}

    def test_are_listed_with_place_scope_style_and_confidence(self, client: Client, version: Version) -> None:
        page = body(client.get(DEFINITIONS))
        for shown in ("Port", "act.md", "Section 1(a)", "the document", "95 %".replace(" ", "")):
            assert shown in page, shown

    def test_are_filtered(self, client: Client, acts: Collection, version: Version) -> None:
        add(acts, "act.md", HARBOUR + "\nMore.\n")
        other = factories.collection(acts.tenant, "other")
        style = definition(version).style
        for query, found in (
            ("", 1),
            ("versions=all", 2),
            (f"collection={acts.pk}", 1),
            (f"collection={other.pk}", 0),
            ("collection=x", 0),
            (f"style={style}", 1),
            ("style=x", 0),
            ("band=high", 1),
            ("band=low", 0),
            ("band=x", 1),
            ("is_corrected__exact=1", 0),
            ("q=port", 1),
            ("q=quay", 0),
        ):
            assert count(client, DEFINITIONS, query) == found, query

    def test_show_their_meaning(self, client: Client, version: Version) -> None:
        page = body(client.get(f"{DEFINITIONS}{definition(version).pk}/change/"))
        assert "means a place for ships." in page
        assert f"{definition(version).pk}/correct/" in page
        assert "_addanother" not in page

    def test_are_corrected(self, client: Client, version: Version) -> None:
        row = definition(version)
        url = f"{DEFINITIONS}{row.pk}/correct/"
        assert 'value="Port"' in body(client.get(url))
        form = self.form(row, variants="ports\nHaven\n", scope_label="Section 1")
        page = body(client.post(url, form, follow=True))
        assert "The correction holds now, and for the versions to come." in page
        with tenant_scope(version.tenant_id):
            found = Definition.objects.with_places().get(version=version)
            correction = DefinitionCorrection.objects.get()
        assert (found.variants, found.scope.label, found.is_corrected) == (
            ["ports", "haven"],
            "Section 1",
            True,
        )
        assert (correction.term, correction.meaning) == ("", "")
        assert actions()[-1] == "definition.corrected"

    def test_are_rejected(self, client: Client, version: Version) -> None:
        row = definition(version)
        client.post(f"{DEFINITIONS}{row.pk}/correct/", self.form(row, is_rejected="on"))
        with tenant_scope(version.tenant_id):
            assert not Definition.objects.exists()

    def test_that_do_not_differ_or_are_not_there_are_refused(self, client: Client, version: Version) -> None:
        row = definition(version)
        url, before = f"{DEFINITIONS}{row.pk}/correct/", everything_of(version.tenant)
        assert "Nothing is different yet." in body(client.post(url, self.form(row)))
        page = body(client.post(url, self.form(row, scope_label="Section 9")))
        assert "There is no “Section 9” in act.md." in page
        assert everything_of(version.tenant) == before

    @pytest.mark.parametrize("key", ["not-an-id", "00000000-0000-0000-0000-000000000000"])
    def test_that_do_not_exist_are_not_found(self, client: Client, key: str) -> None:
        for url in (DEFINITIONS, REFERENCES):
            assert client.get(f"{url}{key}/change/").status_code == 302
            assert client.get(f"{url}{key}/correct/").status_code == 404

    def test_are_added(self, client: Client, version: Version) -> None:
        assert "admin-autocomplete" in body(client.get(f"{DEFINITIONS}add/"))
        form = {"document": str(version.document_id), "label": "Section 2", "term": "Ships"}
        page = body(client.post(f"{DEFINITIONS}add/", form, follow=True))
        assert "The correction holds now" in page
        with tenant_scope(version.tenant_id):
            assert Definition.objects.get(key="ships").style == "given"
        before = everything_of(version.tenant)
        page = body(client.post(f"{DEFINITIONS}add/", {**form, "term": "Boats"}))
        assert "“Boats” does not stand in Section 2." in page
        assert everything_of(version.tenant) == before

    def test_cannot_be_typed_over_or_deleted(self, client: Client, version: Version) -> None:
        row = definition(version)
        assert client.post(f"{DEFINITIONS}{row.pk}/delete/").status_code == 403

    def test_are_not_for_staff_without_the_right(self, version: Version, db: None) -> None:
        staff = factories.user("staff")
        staff.is_staff = True
        staff.save()
        row, client = definition(version), client_of(staff)
        before = everything_of(version.tenant)
        for url in (DEFINITIONS, f"{DEFINITIONS}add/", f"{DEFINITIONS}{row.pk}/correct/"):
            assert client.post(url, self.FORM).status_code == 403
        assert everything_of(version.tenant) == before


class TestReferences:
    def test_are_listed_with_target_and_state(self, client: Client, version: Version) -> None:
        page = body(client.get(REFERENCES))
        for shown in ("section 1(a)", "act.md", "Section 2", "Section 1(a)", "Resolved"):
            assert shown in page, shown

    def test_are_filtered_by_state_and_kind(self, client: Client, acts: Collection, version: Version) -> None:
        with tenant_scope(acts.tenant_id):
            CrossReference.objects.filter(text="paragraph (a)").update(reason="It is not there.")
        for query, found in (
            ("", 3),
            ("state=resolved", 1),
            ("state=unresolved", 1),
            ("state=external", 1),
            ("kind__exact=internal", 2),
            (f"collection={acts.pk}", 3),
            ("q=paragraph", 1),
        ):
            assert count(client, REFERENCES, query) == found, query
        page = body(client.get(REFERENCES))
        assert "It is not there." in page
        assert "Law that is not here" in page

    def test_are_aimed_elsewhere(self, client: Client, acts: Collection, version: Version) -> None:
        pilot = add(acts, "pilot.md", PILOT).document
        url = f"{REFERENCES}{reference(version).pk}/correct/"
        assert 'value="Section 1(a)"' in body(client.get(url))
        form = {"target_document": str(pilot.pk), "target_label": "Section 3(b)"}
        assert "The correction holds now" in body(client.post(url, form, follow=True))
        assert ("section 1(a)", "document", "pilot.md", "Section 3(b)", "") in links(version)
        assert "pilot.md, Section 3(b)" in body(client.get(REFERENCES))

    def test_are_rejected(self, client: Client, version: Version) -> None:
        url = f"{REFERENCES}{reference(version).pk}/correct/"
        client.post(url, {"is_rejected": "on", "target_label": "Section 1(a)"})
        assert "section 1(a)" not in [link[0] for link in links(version)]
        assert actions()[-1] == "reference.rejected"

    def test_are_added(self, client: Client, version: Version) -> None:
        form = {
            "document": str(version.document_id),
            "label": "Section 2",
            "text": "obey",
            "occurrence": "1",
            "target_label": "Section 1",
        }
        client.post(f"{REFERENCES}add/", form)
        assert ("obey", "internal", "act.md", "Section 1", "") in links(version)

    def test_say_when_their_document_is_gone(self, client: Client, version: Version) -> None:
        with tenant_scope(version.tenant_id):
            CrossReference.objects.update(target_document=None, kind="document")
        assert "The document that was meant is gone." in body(client.get(REFERENCES))

    def test_show_one(self, client: Client, version: Version) -> None:
        assert "Section 1(a)" in body(client.get(f"{REFERENCES}{reference(version).pk}/change/"))


class TestNames:
    def test_heal_references_at_once(self, client: Client, acts: Collection, version: Version) -> None:
        rules = add(acts, "rules.md", "# Rules\n\n## Section 3. Pilots\n\nText.\n").document
        form = {"document": str(rules.pk), "name": "Pilot Act"}
        assert client.post(f"{NAMES}add/", form).status_code == 302
        assert ("section 3", "document", "rules.md", "Section 3", "") in links(version)
        assert actions()[-2:] == ["document.named", "admin.documentname_added"]
        with tenant_scope(acts.tenant_id):
            name = DocumentName.objects.get(key="pilot act")
        client.post(f"{NAMES}{name.pk}/delete/", {"post": "yes"})
        assert links(version)[2][2] is None
        assert "document.unnamed" in actions()

    def test_that_were_found_stay(self, client: Client, version: Version) -> None:
        with tenant_scope(version.tenant_id):
            name = DocumentName.objects.filter(document=version.document)[0]
        before = everything_of(version.tenant)
        assert client.post(f"{NAMES}{name.pk}/delete/", {"post": "yes"}).status_code == 403
        assert client.post(f"{NAMES}{name.pk}/change/", {"name": "X"}).status_code == 403
        page = body(client.post(f"{NAMES}add/", {"document": str(version.document_id), "name": " "}))
        assert "This field is required." in page
        page = body(client.post(f"{NAMES}add/", {"document": str(version.document_id), "name": "“”"}))
        assert "Type the name by which other documents mention it." in page
        assert everything_of(version.tenant) == before

    def test_are_taken_back_together(self, client: Client, version: Version) -> None:
        given = services.name_document(document=version.document, name="HA", actor=ACTOR)
        with tenant_scope(version.tenant_id):
            found = DocumentName.objects.filter(is_given=False)[0]
        before = everything_of(version.tenant)
        chosen = {"action": "delete_selected", "_selected_action": [given.pk, found.pk], "post": "yes"}
        assert client.post(NAMES, chosen).status_code == 403
        assert everything_of(version.tenant) == before
        client.post(NAMES, {**chosen, "_selected_action": [given.pk]})
        with tenant_scope(version.tenant_id):
            assert list(DocumentName.objects.filter(pk__in=[given.pk, found.pk])) == [found]


class TestCorrections:
    def test_are_listed_and_taken_back(self, client: Client, version: Version) -> None:
        before = links(version)
        one = services.reject_definition(definition=definition(version), actor=ACTOR)
        other = services.correct_reference(
            reference=reference(version), target_label="Section 1(b)", actor=ACTOR
        )
        listing = "/admin/definitions/definitioncorrection/"
        assert "Section 1(a)" in body(client.get(listing))
        assert "Section 1(b)" in body(client.get("/admin/definitions/referencecorrection/"))
        assert client.get(f"{listing}{one.pk}/change/").status_code == 200
        assert client.get(f"{listing}add/").status_code == 403
        client.post(f"{listing}{one.pk}/delete/", {"post": "yes"})
        chosen = {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"}
        client.post("/admin/definitions/referencecorrection/", chosen)
        assert links(version) == before
        assert definition(version).term == "Port"
        with tenant_scope(version.tenant_id):
            assert not DefinitionCorrection.objects.exists()
            assert not ReferenceCorrection.objects.exists()

    def test_of_a_document_without_a_version_say_why_they_stay(self, client: Client, harbour: Tenant) -> None:
        one = factories.definition_correction(harbour)
        url = f"/admin/definitions/definitioncorrection/{one.pk}/delete/"
        assert "has no text yet" in body(client.post(url, {"post": "yes"}, follow=True))
        with tenant_scope(harbour.pk):
            assert DefinitionCorrection.objects.count() == 1


@pytest.mark.parametrize(
    ("model", "queries"),
    [
        ("definition", 11),
        ("crossreference", 10),
        ("documentname", 9),
        ("definitioncorrection", 9),
        ("referencecorrection", 9),
    ],
)
@pytest.mark.parametrize("rows", [1, 15])
def test_lists_ask_the_database_as_often_for_many_rows_as_for_one(
    model: str,
    queries: int,
    rows: int,
    operator: User,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client, harbour = client_of(operator), factories.tenant("harbour")
    for _ in range(rows):
        factories.definition(harbour)
        factories.cross_reference(harbour)
        factories.document_name(harbour)
        factories.definition_correction(harbour)
        factories.reference_correction(harbour)
    with django_assert_num_queries(queries):
        assert client.get(f"/admin/definitions/{model}/").status_code == 200


def test_long_lists_are_counted_as_far_as_anybody_turns(
    client: Client, harbour: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = factories.section(harbour)
    for _ in range(3):
        factories.definition(harbour, place=place)
    assert count(client, DEFINITIONS, "") == 3
    monkeypatch.setattr(admin_lists, "MOST_COUNTED", 2)
    assert count(client, DEFINITIONS, "") == 2


def test_no_list_reads_the_text_of_a_version(client: Client, version: Version) -> None:
    for url in (DEFINITIONS, REFERENCES):
        with CaptureQueriesContext(connection) as captured:
            client.get(url)
        whole = '"documents_version"."text"'
        assert not [query for query in captured.captured_queries if whole in query["sql"]]


@pytest.mark.parametrize(
    ("sent", "kept"), [({"extract_definitions": "on"}, (True, False)), ({}, (False, False))]
)
def test_collections_say_what_is_extracted(
    client: Client, acts: Collection, sent: dict[str, str], kept: tuple[bool, bool]
) -> None:
    assert (acts.extract_definitions, acts.extract_cross_references) == (True, True)
    form = {
        "name": "acts",
        "description": "All.",
        "chunking_strategy": "structure",
        "max_chunk_tokens": "500",
        "chunk_overlap": "10",
        "search_mode": "hybrid",
        "top_k": "10",
        "semantic_weight": "0.5",
        "keyword_weight": "0.3",
        "exact_weight": "0.2",
        "fusion": "scores",
        "rrf_k": "60",
        "language": "english",
        "context_max_tokens": "100",
        "context_concurrency": "10",
        **sent,
    }
    assert client.post(f"/admin/documents/collection/{acts.pk}/change/", form).status_code == 302
    with tenant_scope(acts.tenant_id):
        acts.refresh_from_db()
    assert (acts.extract_definitions, acts.extract_cross_references) == kept
