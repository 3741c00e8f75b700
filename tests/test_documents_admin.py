"""The administration of documents, as staff use it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from documents import services
from documents.admin import version as version_admin
from documents.models import Collection, Document, OutlineCorrection, State, Version
from documents.pipeline import ingest_version
from search.models import Call
from tenants.models import AuditEvent, Tenant, User
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.factories import ACTOR

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n\n(b) A quay too.\n"


@pytest.fixture
def client(operator: User) -> Client:
    return client_of(operator)


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "rules")


def body(response: Any) -> str:
    return str(response.content.decode())


def add(collection: Collection, name: str = "act.md", content: bytes = ACT) -> Version:
    version = services.add_document(
        collection=collection, name=name, content=content, actor=ACTOR, is_queued=False
    )
    ingest_version(version.pk, version.tenant_id)
    return version


def act(client: Client, model: str, action: str, *rows: Any) -> str:
    form = {"action": action, "_selected_action": [str(row.pk) for row in rows]}
    return body(client.post(f"/admin/documents/{model}/", form, follow=True))


def actions() -> list[str]:
    with platform_scope():
        return list(AuditEvent.objects.order_by("at").values_list("action", flat=True))


class TestCollections:
    FORM = {
        "name": "rules",
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
    }

    def test_are_added_on_the_record(self, client: Client, harbour: Tenant) -> None:
        form = {**self.FORM, "tenant": str(harbour.pk)}
        assert client.post("/admin/documents/collection/add/", form).status_code == 302
        with tenant_scope(harbour.pk):
            assert Collection.objects.get().max_chunk_tokens == 500
        assert actions()[-2:] == ["collection.created", "admin.collection_added"]

    def test_are_changed_and_stay_in_their_tenant(
        self, client: Client, rules: Collection, meridian: Tenant
    ) -> None:
        form = {**self.FORM, "tenant": str(meridian.pk), "name": "laws"}
        assert client.post(f"/admin/documents/collection/{rules.pk}/change/", form).status_code == 302
        with tenant_scope(rules.tenant_id):
            found = Collection.objects.get()
        assert (found.name, found.tenant_id, found.chunk_overlap) == ("laws", rules.tenant_id, 10)

    @pytest.mark.parametrize("is_new", [True, False])
    def test_keep_names_apart(self, client: Client, rules: Collection, is_new: bool) -> None:
        other = factories.collection(rules.tenant, "other")
        before = everything_of(rules.tenant)
        path = "add" if is_new else f"{other.pk}/change"
        form = {**self.FORM, "tenant": str(rules.tenant_id)}
        response = client.post(f"/admin/documents/collection/{path}/", form)
        assert "There is a collection of this name." in body(response)
        assert everything_of(rules.tenant) == before

    def test_are_deleted_with_a_count_of_what_goes(self, client: Client, rules: Collection) -> None:
        add(rules)
        url = f"/admin/documents/collection/{rules.pk}/delete/"
        assert "rules: 1 documents with all their versions" in body(client.get(url))
        client.post(url, {"post": "yes"})
        with tenant_scope(rules.tenant_id):
            assert not Document.objects.exists()
        assert "collection.deleted" in actions()

    def test_are_deleted_together(self, client: Client, rules: Collection) -> None:
        other = factories.collection(rules.tenant)
        form = {"action": "delete_selected", "_selected_action": [rules.pk, other.pk], "post": "yes"}
        client.post("/admin/documents/collection/", form)
        assert actions().count("collection.deleted") == 2

    def test_take_documents(self, client: Client, rules: Collection) -> None:
        url = f"/admin/documents/collection/{rules.pk}/upload/"
        assert "webkitdirectory" in body(client.get(url))
        files = [SimpleUploadedFile(name, name.encode()) for name in ("a.md", "b.md")]
        page = body(client.post(url, {"documents": files}, follow=True))
        assert "2 documents added." in page
        assert "Choose at least one file." in body(client.post(url, {}))
        assert client.get(f"/admin/documents/collection/{rules.tenant_id}/upload/").status_code == 404


class TestDocuments:
    def test_are_read_again_moved_restored_and_deleted_for_good(
        self, client: Client, rules: Collection
    ) -> None:
        good = add(rules).document
        bad = add(rules, "empty.md", b"").document
        assert "1 document read again." in act(client, "document", "retry", good, bad)
        assert "1 document read anew." in act(client, "document", "reread", good)
        assert "2 documents in the bin." in act(client, "document", "move_to_bin", good, bad)
        assert "1 document out of the bin." in act(client, "document", "restore", good)
        page = act(client, "document", "purge", good, bad)
        assert "1 document deleted for good." in page
        assert "md is not in the bin. Delete it first." in page
        with tenant_scope(rules.tenant_id):
            assert list(Document.objects.values_list("name", flat=True)) == ["act.md"]

    def test_are_filtered_by_state_and_bin(self, client: Client, rules: Collection) -> None:
        add(rules)
        add(rules, "empty.md", b"")
        services.delete_document(document=add(rules, "gone.md").document, actor=ACTOR)
        for query, count in (
            ("state=ready", 2),
            ("state=failed", 1),
            ("state=queued", 0),
            ("state=x", 3),
            ("bin=in", 1),
            ("bin=out", 2),
        ):
            response = client.get(f"/admin/documents/document/?{query}")
            assert response.context["cl"].result_count == count, query

    def test_show_their_versions_and_cannot_be_typed_over(self, client: Client, rules: Collection) -> None:
        version = add(rules)
        url = f"/admin/documents/document/{version.document_id}/change/"
        assert f"/admin/documents/version/{version.pk}/change/" in body(client.get(url))
        assert client.get("/admin/documents/document/add/").status_code == 403
        assert client.post(f"/admin/documents/document/{version.document_id}/delete/").status_code == 403

    def test_show_the_last_versions_only(self, client: Client, rules: Collection) -> None:
        document = factories.document(rules.tenant, place=rules)
        for number in range(1, 53):
            factories.version(rules.tenant, of=document, state=State.FAILED, number=number)
        page = body(client.get(f"/admin/documents/document/{document.pk}/change/"))
        assert page.count("It is broken. Mend it.") == 50
        assert ">52</a>" in page
        assert ">2</a>" not in page


class TestVersions:
    def test_show_state_outline_and_text(self, client: Client, rules: Collection) -> None:
        version = add(rules)
        page = body(client.get(f"/admin/documents/version/{version.pk}/change/"))
        assert "<strong>Section 1(a)</strong>" in page
        assert "A port must be kept clear." in page
        assert "100 %" in page

    def test_show_the_beginning_of_long_ones(
        self, client: Client, rules: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(version_admin, "MOST_UNITS", 10)
        text = "# Long\n\n" + "".join(f"## Section {n}. X\n\nText of it.\n\n" for n in range(1, 301))
        version = add(rules, "long.md", text.encode())
        with CaptureQueriesContext(connection) as captured:
            page = body(client.get(f"/admin/documents/version/{version.pk}/change/"))
        assert "The first 10 of 300 units." in page
        assert "Section 300" not in page
        whole = '"documents_version"."text", "documents_version"'
        assert not [query for query in captured.captured_queries if whole in query["sql"]]

    @pytest.mark.parametrize("key", ["not-an-id", "00000000-0000-0000-0000-000000000000"])
    def test_that_do_not_exist_are_not_found(self, client: Client, key: str) -> None:
        assert client.get(f"/admin/documents/version/{key}/change/").status_code == 302
        assert client.get(f"/admin/documents/version/{key}/correct/?unit=1").status_code == 404

    def test_are_cancelled_and_tried_again(self, client: Client, rules: Collection) -> None:
        ready = add(rules)
        waiting = factories.version(rules.tenant, state=State.EMBEDDING)
        page = act(client, "version", "cancel", ready, waiting)
        assert "1 version cancelled." in page
        assert "Act.md v1 is not being read: it is ready." in page
        assert "1 version read again." in act(client, "version", "retry", waiting)
        act(client, "version", "cancel", waiting)
        assert "1 document read again." in act(client, "document", "retry", ready.document, waiting.document)

    def test_show_how_far_they_are_and_what_they_cost(self, client: Client, rules: Collection) -> None:
        version = factories.version(rules.tenant, state=State.EMBEDDING)
        with tenant_scope(rules.tenant_id):
            Version.objects.update(step_done=1200, step_total=4000)
            Call.objects.create(
                tenant=rules.tenant, version=version, role="x", backend="y", cost=Decimal("1.25")
            )
        page = body(client.get(f"/admin/documents/version/{version.pk}/change/"))
        assert "1,200 of 4,000" in page
        assert "$1.2500" in page

    def test_are_retried_brought_back_and_read_anew(self, client: Client, rules: Collection) -> None:
        first = add(rules)
        second = add(rules, content=ACT + b"\nMore.\n")
        assert "1 version brought back." in act(client, "version", "make_current", first, second)
        assert "1 version read anew." in act(client, "version", "reread", first)
        assert "0 versions read again." in act(client, "version", "retry", first)


class TestCorrections:
    def test_begin_at_a_unit(self, client: Client, rules: Collection) -> None:
        version = add(rules)
        with tenant_scope(rules.tenant_id):
            unit = version.sections.get(marker="(b)")
        url = f"/admin/documents/version/{version.pk}/correct/?unit={unit.position}"
        assert 'value="Section 1(b)"' in body(client.get(url))
        form = {"is_unit": "on", "level": unit.level, "new_label": unit.label, "new_title": "Quays"}
        page = body(client.post(url, form, follow=True))
        assert "The corrected outline makes a new version of act.md." in page
        with tenant_scope(rules.tenant_id):
            correction = OutlineCorrection.objects.get()
            waiting = Version.objects.get(number=2)
        assert (correction.opening, correction.label) == ("(b) A quay too.", "Section 1(b)")
        assert (correction.new_title, correction.new_label, correction.level) == ("Quays", "", None)
        ingest_version(waiting.pk, waiting.tenant_id)
        with tenant_scope(rules.tenant_id):
            assert waiting.sections.get(marker="(b)").title == "Quays"

    def test_of_no_unit_drop_it(self, client: Client, rules: Collection) -> None:
        version = add(rules)
        with tenant_scope(rules.tenant_id):
            unit = version.sections.get(marker="(b)")
        url = f"/admin/documents/version/{version.pk}/correct/?unit={unit.position}"
        client.post(url, {"level": unit.level, "new_label": unit.label, "new_title": unit.title})
        with tenant_scope(rules.tenant_id):
            waiting = Version.objects.get(number=2)
        ingest_version(waiting.pk, waiting.tenant_id)
        with tenant_scope(rules.tenant_id):
            assert not waiting.sections.filter(marker="(b)").exists()

    def test_that_change_nothing_are_refused(self, client: Client, rules: Collection) -> None:
        version = add(rules)
        before = everything_of(rules.tenant)
        with tenant_scope(rules.tenant_id):
            unit = version.sections.get(marker="(b)")
        url = f"/admin/documents/version/{version.pk}/correct/?unit={unit.position}"
        form = {"is_unit": "on", "level": unit.level, "new_label": unit.label, "new_title": unit.title}
        assert "Nothing is different yet." in body(client.post(url, form))
        assert everything_of(rules.tenant) == before

    @pytest.mark.parametrize("unit", ["", "0", "999", "x", "-1"])
    def test_of_units_that_do_not_exist_are_not_found(
        self, client: Client, rules: Collection, unit: str
    ) -> None:
        version = add(rules)
        url = f"/admin/documents/version/{version.pk}/correct/"
        assert client.get(url, {"unit": unit}).status_code == 404

    def test_are_changed_and_taken_back(self, client: Client, rules: Collection) -> None:
        version = add(rules)
        one, other = (
            services.correct_outline(document=version.document, opening=text, level=2, actor=ACTOR)
            for text in ("(a) A port must be kept clear.", "(b) A quay too.")
        )
        url = f"/admin/documents/outlinecorrection/{one.pk}/"
        form = {"is_unit": "on", "level": "3", "new_label": "", "new_title": "Ports"}
        assert client.post(f"{url}change/", form).status_code == 302
        with tenant_scope(rules.tenant_id):
            found = OutlineCorrection.objects.get(pk=one.pk)
        assert (found.level, found.new_title) == (3, "Ports")
        client.post(f"{url}delete/", {"post": "yes"})
        chosen = {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"}
        client.post("/admin/documents/outlinecorrection/", chosen)
        with tenant_scope(rules.tenant_id):
            assert not OutlineCorrection.objects.exists()
        assert actions().count("outline.correction_removed") == 2
        assert client.get("/admin/documents/outlinecorrection/add/").status_code == 403


@pytest.mark.parametrize(
    ("model", "queries"), [("collection", 9), ("document", 10), ("version", 9), ("outlinecorrection", 9)]
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
        factories.version(harbour)
        factories.outline_correction(harbour)
    with django_assert_num_queries(queries):
        assert client.get(f"/admin/documents/{model}/").status_code == 200


def test_a_tenant_is_deleted_without_a_list_of_all_it_had(client: Client, rules: Collection) -> None:
    add(rules)
    url = f"/admin/tenants/tenant/{rules.tenant_id}/delete/"
    with CaptureQueriesContext(connection) as captured:
        page = body(client.get(url))
    assert "rules" in page
    tables = ("documents_version", "documents_section", "documents_chunk", "documents_source")
    assert not [query for query in captured.captured_queries if f'FROM "{tables[0]}"' in query["sql"]]
    assert not [q for q in captured.captured_queries for table in tables[1:] if f'"{table}"' in q["sql"]]
    client.post(url, {"post": "yes"})
    with platform_scope():
        assert not Version.objects.exists()
        assert not Tenant.objects.exists()


class TestBaselines:
    def test_are_listed_and_shown_and_stay_as_they_are(
        self, client: Client, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        version = factories.version(rules.tenant, of=factories.document(rules.tenant, place=rules))
        made = services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
        other = services.create_baseline(collection=rules, name="Summer", actor=ACTOR)
        services.publish_baseline(baseline=made, actor=ACTOR)
        before = everything_of(rules.tenant)
        client.get("/admin/documents/baseline/")  # What the administration asks once is asked now.
        with django_assert_num_queries(9):
            page = body(client.get("/admin/documents/baseline/"))
        assert page.count('alt="True"') == 1
        assert page.count('alt="False"') == 1
        page = body(client.get(f"/admin/documents/baseline/{made.pk}/change/"))
        assert str(version) in page
        assert 'name="_save"' not in page
        assert client.get("/admin/documents/baseline/add/").status_code == 403
        for url in (f"{made.pk}/delete/", f"{other.pk}/delete/"):
            assert client.post(f"/admin/documents/baseline/{url}", {"post": "yes"}).status_code == 403
        changed = client.post(f"/admin/documents/baseline/{made.pk}/change/", {"name": "Autumn"})
        assert changed.status_code == 403
        assert everything_of(rules.tenant) == before

    def test_are_listed_with_each_move_of_the_pointer(self, client: Client, rules: Collection) -> None:
        factories.version(rules.tenant, of=factories.document(rules.tenant, place=rules))
        made = services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
        moved = services.publish_baseline(baseline=made, actor=ACTOR)
        assert "Spring" in body(client.get("/admin/documents/publication/"))
        assert "Spring" in body(client.get(f"/admin/documents/publication/{moved.pk}/change/"))
        assert client.get("/admin/documents/publication/add/").status_code == 403


def test_versions_are_withdrawn_on_the_record(client: Client, rules: Collection) -> None:
    version = factories.version(rules.tenant, of=factories.document(rules.tenant, place=rules))
    assert "1 version withdrawn." in act(client, "version", "withdraw", version)
    assert "withdrawn already" in act(client, "version", "withdraw", version)
    assert actions()[-1] == "version.withdrawn"
    page = body(client.get(f"/admin/documents/version/{version.pk}/change/"))
    assert "Withdrawn at" in page
    assert "Effective from" in page
