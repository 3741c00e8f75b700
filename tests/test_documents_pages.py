"""What readers and editors see of documents, what they can do, and what it costs."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries, Settings

from documents import services
from documents.models import Collection, Document, State, Version
from documents.pipeline import ingest_version
from tenants.models import Membership, Role
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n"


@pytest.fixture
def editor(reader: Membership) -> Membership:
    return factories.membership(reader.tenant, Role.EDITOR)


@pytest.fixture
def rules(editor: Membership) -> Collection:
    return factories.collection(editor.tenant, "rules")


@pytest.fixture
def client(editor: Membership) -> Client:
    return client_of(editor)


def body(response: Any) -> str:
    return str(response.content.decode())


def url(collection: Collection, path: str = "") -> str:
    return f"/t/harbour/collections/{collection.pk}/{path}"


def file(name: str, content: bytes = ACT) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def names(collection: Collection) -> list[str]:
    with tenant_scope(collection.tenant_id):
        return list(Document.objects.present().values_list("name", flat=True))


def version(collection: Collection, *, state: State = State.READY, name: str = "") -> Version:
    place = factories.document(collection.tenant, place=collection, name=name)
    return factories.version(collection.tenant, of=place, state=state)


class TestUpload:
    def test_takes_many_files_at_once(self, client: Client, rules: Collection) -> None:
        form = {"documents": [file("a.md"), file("b.md", b"B"), file("c.md", b"C")]}
        page = body(client.post(url(rules, "upload/"), form, follow=True))
        assert "3 documents added." in page
        assert names(rules) == ["a.md", "b.md", "c.md"]

    def test_unpacks_a_zip(self, client: Client, rules: Collection) -> None:
        made = BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr("acts/a.md", ACT)
            archive.writestr("../up.md", ACT)
        page = body(
            client.post(url(rules, "upload/"), {"documents": file("x.zip", made.getvalue())}, follow=True)
        )
        assert "1 document added." in page
        assert escape("../up.md: Its path leads out of the archive.") in page
        assert names(rules) == ["acts/a.md"]

    def test_keeps_the_paths_of_a_folder(self, client: Client, rules: Collection) -> None:
        form = {
            "folder": [file("a.md"), file("a.md", b"Other")],
            "paths": json.dumps(["corpus/a.md", "corpus/sub/a.md"]),
        }
        client.post(url(rules, "upload/"), form)
        assert names(rules) == ["a.md", "sub/a.md"]

    @pytest.mark.parametrize("paths", ["", "no json", "{}", '["only one"]'])
    def test_without_paths_takes_one_file_of_a_name(
        self, client: Client, rules: Collection, paths: str
    ) -> None:
        form = {"folder": [file("a.md"), file("a.md", b"Other")], "paths": paths}
        page = body(client.post(url(rules, "upload/"), form, follow=True))
        assert "1 document added." in page
        assert "a.md: Another file of this upload has the same name" in page

    def test_says_what_became_of_each(self, client: Client, rules: Collection) -> None:
        first = {"documents": [file("a.md"), file("b.md", b"B")]}
        client.post(url(rules, "upload/"), first)
        second = {"documents": [file("a.md"), file("b.md", b"B2"), file("c.md", b"C")]}
        page = body(client.post(url(rules, "upload/"), second, follow=True))
        assert "1 document added, 1 new version added, 1 file unchanged." in page

    def test_names_a_few_problems_and_counts_the_rest(
        self, client: Client, rules: Collection, settings: Settings
    ) -> None:
        settings.MAX_FILE_MB = 1
        form = {"documents": [file(f"{n:02}.md", b"x" * 1_000_001) for n in range(12)]}
        page = body(client.post(url(rules, "upload/"), form, follow=True))
        assert page.count("and 1 MB is the most") == 10
        assert "2 more files were not taken." in page
        assert names(rules) == []

    def test_of_nothing_is_refused(self, client: Client, rules: Collection) -> None:
        before = everything_of(rules.tenant)
        response = client.post(url(rules, "upload/"), {})
        assert response.status_code == 422
        assert "Choose at least one file." in body(response)
        assert everything_of(rules.tenant) == before

    def test_never_trusts_a_name(self, client: Client, rules: Collection) -> None:
        name = "<img src=x onerror=alert(1)>.md"
        client.post(url(rules, "upload/"), {"documents": file(name)})
        page = body(client.get(url(rules)))
        assert escape(name) in page
        assert "<img src=x" not in page


QUERIES = {"documents/": 17, "collections/{collection}/": 21, "documents/{document}/": 19}


class TestLists:
    def test_show_state_progress_and_failure(self, client: Client, rules: Collection) -> None:
        version(rules, name="good.md")
        failed = version(rules, state=State.FAILED, name="bad.md")
        version(rules, state=State.PARSING, name="slow.md")
        page = body(client.get(url(rules)))
        assert "It is broken. Mend it." in page
        assert f"/documents/{failed.document_id}/retry/" in page
        assert '<progress max="100" value="60"' in page
        assert 'data-live="on"' in page
        overview = body(client.get("/t/harbour/documents/"))
        assert '<td data-label="Documents">3</td>' in overview
        assert "1 being read" in overview
        assert "1 failed" in overview

    def test_count_the_last_version_of_what_is_there(self, client: Client, rules: Collection) -> None:
        document = version(rules, state=State.FAILED).document
        with tenant_scope(rules.tenant_id):
            first = Version.objects.get()
            Version.objects.create(
                tenant=rules.tenant,
                document=document,
                number=2,
                source=first.source,
                file_name="x",
                state=State.QUEUED,
            )
        gone = version(rules, state=State.FAILED).document
        services.delete_document(document=gone, actor=factories.ACTOR)
        with tenant_scope(rules.tenant_id):
            found: Any = Collection.objects.with_counts().get()
        assert (found.document_count, found.open_count, found.failed_count) == (1, 1, 0)

    @pytest.mark.parametrize(
        ("show", "expected"), [("", ["bad.md", "good.md"]), ("failed", ["bad.md"]), ("bin", ["gone.md"])]
    )
    def test_show_what_was_chosen(
        self, client: Client, rules: Collection, show: str, expected: list[str]
    ) -> None:
        version(rules, name="good.md")
        version(rules, state=State.FAILED, name="bad.md")
        gone = version(rules, name="gone.md").document
        services.delete_document(document=gone, actor=factories.ACTOR)
        response = client.get(url(rules), {"show": show})
        assert [document.name for document in response.context["page"]] == expected

    def test_offer_nothing_to_do_to_readers(self, reader: Membership, rules: Collection) -> None:
        version(rules, state=State.FAILED, name="bad.md")
        page = body(client_of(reader).get(url(rules)))
        assert "bad.md" in page
        for word in ("Upload", "Try again", "Delete"):
            assert f">{word}" not in page

    def test_have_pages(self, client: Client, rules: Collection) -> None:
        for number in range(51):
            factories.document(rules.tenant, place=rules, name=f"{number:02}.md")
        assert "Page 1 of 2" in body(client.get(url(rules)))
        assert "50.md" in body(client.get(url(rules), {"page": 2}))

    @pytest.mark.parametrize("rows", [1, 20])
    @pytest.mark.parametrize("path", QUERIES)
    def test_ask_the_database_as_often_for_many_rows_as_for_one(
        self,
        rows: int,
        path: str,
        client: Client,
        rules: Collection,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        for _ in range(rows):
            one = version(rules)
            factories.collection(rules.tenant)
        factories.section(rules.tenant, of=one)
        address = path.format(collection=rules.pk, document=one.document_id)
        with django_assert_num_queries(QUERIES[path]):
            assert client.get(f"/t/harbour/{address}").status_code == 200

    def test_never_fetch_the_text(self, client: Client, rules: Collection) -> None:
        version(rules)
        with CaptureQueriesContext(connection) as captured:
            client.get(url(rules))
        assert not [query for query in captured.captured_queries if '"text"' in query["sql"]]


class TestDocument:
    def test_shows_versions_and_outline(self, client: Client, rules: Collection) -> None:
        added = services.add_document(
            collection=rules, name="act.md", content=ACT, actor=factories.ACTOR, is_queued=False
        )
        ingest_version(added.pk, added.tenant_id)
        page = body(client.get(f"/t/harbour/documents/{added.document_id}/"))
        assert "Section 1(a)" in page
        assert "Ports" in page
        assert ">current<" in page

    def test_says_when_there_is_no_structure(self, client: Client, rules: Collection) -> None:
        one = version(rules)
        factories.section(rules.tenant, of=one)
        assert "it is read as flat text" in body(client.get(f"/t/harbour/documents/{one.document_id}/"))


class TestActions:
    def act(self, client: Client, one: Version, action: str) -> str:
        return body(client.post(f"/t/harbour/documents/{one.document_id}/{action}/", follow=True))

    def test_delete_and_restore(self, client: Client, rules: Collection) -> None:
        one = version(rules, name="act.md")
        assert "act.md is in the bin." in self.act(client, one, "delete")
        assert names(rules) == []
        assert "act.md is back." in self.act(client, one, "restore")
        assert names(rules) == ["act.md"]

    def test_restore_says_why_not(self, client: Client, rules: Collection) -> None:
        one = version(rules, name="act.md")
        self.act(client, one, "delete")
        version(rules, name="act.md")
        assert "There is another act.md in rules by now." in self.act(client, one, "restore")

    def test_try_again(self, client: Client, rules: Collection) -> None:
        one = version(rules, state=State.FAILED, name="act.md")
        assert "act.md is read again." in self.act(client, one, "retry")
        assert "has not failed" in self.act(client, one, "retry")

    def test_try_again_what_has_no_version(self, client: Client, rules: Collection) -> None:
        place = factories.document(rules.tenant, place=rules)
        response = client.post(f"/t/harbour/documents/{place.pk}/retry/")
        assert (response.status_code, response["Location"]) == (302, url(rules))


class TestCreatingACollection:
    def test_leads_to_it(self, admin: Membership) -> None:
        form = {"name": "rules", "description": "All rules."}
        response = client_of(admin).post("/t/harbour/collections/create/", form, follow=True)
        assert "All rules." in body(response)

    @pytest.mark.parametrize(
        ("name", "description", "reason"),
        [
            ("har bour", "x", "Use letters, digits, “_” and “-”."),
            ("", "x", "This field is required."),
            ("x", " ", "This field is required."),
            ("rules", "x", "There is a collection &#x27;rules&#x27;. Choose another name."),
        ],
    )
    def test_says_why_not(
        self, admin: Membership, rules: Collection, name: str, description: str, reason: str
    ) -> None:
        before = everything_of(rules.tenant)
        form = {"name": name, "description": description}
        response = client_of(admin).post("/t/harbour/collections/create/", form)
        assert response.status_code == 422
        assert reason in body(response)
        assert everything_of(rules.tenant) == before
