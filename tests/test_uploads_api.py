"""Files come in over REST: as a form, as a body, and as the next version of what is there."""

from __future__ import annotations

from datetime import date
from io import BytesIO
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.models import Collection, Document, Source, Version
from documents.services import delete_document
from tenants.models import AuditEvent, Role, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.problems import fields_of
from tests.programs import Program

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n"


@pytest.fixture
def program(harbour: Tenant) -> Program:
    return Program(harbour)


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "acts")


def form(program: Program, acts: Collection, *files: SimpleUploadedFile, **fields: Any) -> Any:
    return program.send("post", f"collections/{acts.pk}/documents", data={"files": files, **fields})


def body(program: Program, acts: Collection, query: str, content: bytes = ACT, kind: str = "") -> Any:
    kind = kind or "application/octet-stream"
    address = f"collections/{acts.pk}/documents{query}"
    return program.send("post", address, data=content, content_type=kind)


def file(name: str, content: bytes = ACT) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def zipped(**members: bytes) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return packed.getvalue()


def versions_of(tenant: Tenant) -> list[Version]:
    with tenant_scope(tenant.pk):
        rows = Version.objects.for_tenant(tenant).select_related("document", "source")
        return list(rows.order_by("document__name", "number"))


class TestForm:
    def test_tells_what_became_of_each_file_and_where_to_watch_it(
        self, program: Program, acts: Collection
    ) -> None:
        answer = form(program, acts, file("b.md"), file("a.txt", b"More text."))
        first, second = versions_of(acts.tenant)
        assert answer.status_code == 202
        assert answer.json() == {
            "files": [
                {
                    "name": version.document.name,
                    "outcome": "added",
                    "problem": "",
                    "document_id": str(version.document_id),
                    "version_id": str(version.pk),
                    "number": 1,
                    "watch": f"/api/v1/versions/{version.pk}",
                }
                for version in (first, second)
            ]
        }
        assert (first.document.name, bytes(first.source.content)) == ("a.txt", b"More text.")
        assert program.get(answer.json()["files"][0]["watch"]).json()["state"] == "queued"
        with tenant_scope(acts.tenant_id):
            actors = set(AuditEvent.objects.filter(action="document.added").values_list("actor", flat=True))
        assert actors == {f"key {program.key.name}"}

    def test_unpacks_a_zip(self, program: Program, acts: Collection) -> None:
        answer = form(program, acts, file("acts.zip", zipped(law__a_md=ACT, b_txt=b"Text.")))
        assert [(one["name"], one["outcome"]) for one in answer.json()["files"]] == [
            ("b.txt", "added"),
            ("law/a.md", "added"),
        ]

    def test_says_what_is_unchanged_and_what_is_new(self, program: Program, acts: Collection) -> None:
        form(program, acts, file("a.md"))
        same = form(program, acts, file("a.md")).json()["files"][0]
        other = form(program, acts, file("a.md", ACT + b"\nMore.\n")).json()["files"][0]
        assert (same["outcome"], same["number"]) == ("unchanged", 1)
        assert (other["outcome"], other["number"]) == ("replaced", 2)

    def test_dates_a_version(self, program: Program, acts: Collection) -> None:
        form(program, acts, file("a.md"), effective_from="2026-01-01", effective_to="2026-12-31")
        (version,) = versions_of(acts.tenant)
        assert (version.effective_from, version.effective_to) == (date(2026, 1, 1), date(2026, 12, 31))

    def test_dates_a_version_that_is_there(self, program: Program, acts: Collection) -> None:
        form(program, acts, file("a.md"), effective_to="2026-12-31")
        again = form(program, acts, file("a.md"), effective_from="2026-01-01").json()["files"][0]
        (version,) = versions_of(acts.tenant)
        assert (again["outcome"], again["version_id"], again["problem"]) == ("dated", str(version.pk), "")
        assert (version.effective_from, version.effective_to) == (date(2026, 1, 1), date(2026, 12, 31))
        refused = form(program, acts, file("a.md"), effective_from="2027-01-01")
        problem = "The last day on which it applies, 2026-12-31, is before the first, 2027-01-01."
        assert (refused.status_code, refused.json()["files"][0]["problem"]) == (422, problem)
        assert versions_of(acts.tenant)[0].effective_from == date(2026, 1, 1)

    def test_adds_the_next_version_of_a_document(self, program: Program, acts: Collection) -> None:
        known = form(program, acts, file("a.md")).json()["files"][0]["document_id"]
        taken = form(program, acts, file("other.md", b"# Other\n\nText.\n"), document=known).json()["files"][
            0
        ]
        assert (taken["document_id"], taken["outcome"], taken["number"]) == (known, "replaced", 2)

    def test_knows_a_document_by_its_identity(self, program: Program, acts: Collection) -> None:
        first = form(program, acts, file("a.md"), identity="12 CFR 1003").json()["files"][0]
        second = form(program, acts, file("b.md", b"Other."), identity="12 CFR 1003").json()["files"][0]
        assert (first["document_id"], second["number"]) == (second["document_id"], 2)

    def test_takes_what_it_can_and_says_what_it_cannot(
        self, program: Program, acts: Collection, settings: Any
    ) -> None:
        settings.MAX_FILE_MB = 1
        answer = form(program, acts, file("a.md"), file("large.md", b"x" * 1_000_001))
        assert answer.status_code == 202
        small, large = answer.json()["files"]
        assert (small["outcome"], large["outcome"], large["watch"]) == ("added", "refused", None)
        assert large["problem"].startswith("The file has 1.0 MB, and 1 MB is the most.")

    def test_of_which_nothing_is_taken_is_refused(
        self, program: Program, acts: Collection, settings: Any
    ) -> None:
        settings.MAX_FILE_MB = 1
        before = everything_of(acts.tenant)
        answer = form(program, acts, file("large.md", b"x" * 1_000_001))
        assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
        assert answer.json()["detail"] == "No file was taken: see `files`."
        assert [one["outcome"] for one in answer.json()["files"]] == ["refused"]
        assert everything_of(acts.tenant) == before
        assert form(program, acts, file("small.md", b"x" * 1_000_000)).status_code == 202

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"effective_from": "soon"}, "effective_from"),
            ({"effective_from": "2026-02-01", "effective_to": "2026-01-31"}, "effective_to"),
            ({"dokument": "x"}, "dokument"),
            ({"document": "x"}, "document"),
            ({"document": str(uuid4())}, "document"),
            ({"document": str(uuid4()), "identity": "x"}, "identity"),
        ],
    )
    def test_refuses_what_is_wrong_and_takes_nothing(
        self, program: Program, acts: Collection, fields: dict[str, str], field: str
    ) -> None:
        before = everything_of(acts.tenant)
        refused = form(program, acts, file("a.md"), **fields)
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])
        assert everything_of(acts.tenant) == before

    def test_takes_no_document_of_elsewhere(
        self, program: Program, acts: Collection, meridian: Tenant
    ) -> None:
        binned = factories.document(acts.tenant, place=acts)
        delete_document(document=binned, actor=ACTOR)
        elsewhere = factories.document(acts.tenant)
        before = everything_of(acts.tenant), everything_of(meridian)
        for pk in (factories.document(meridian).pk, elsewhere.pk, binned.pk):
            assert fields_of(form(program, acts, file("a.md"), document=str(pk)).json()) == ["document"]
        assert everything_of(acts.tenant) == before[0]

    def test_without_a_file_or_with_one_of_another_name_is_refused(
        self, program: Program, acts: Collection
    ) -> None:
        before = everything_of(acts.tenant)
        address = f"collections/{acts.pk}/documents"
        assert fields_of(program.send("post", address, data={"identity": "x"}).json()) == ["files"]
        assert fields_of(program.send("post", address, data={"file": file("a.md")}).json()) == ["file"]
        assert everything_of(acts.tenant) == before


class TestBody:
    @pytest.mark.parametrize(
        "kind",
        ["application/octet-stream", "application/x-www-form-urlencoded", "application/json", "text/html"],
    )
    def test_is_a_file_whatever_it_is_said_to_be(self, program: Program, acts: Collection, kind: str) -> None:
        answer = body(program, acts, "?name=law/act.md&effective_from=2026-01-01", kind=kind)
        assert answer.status_code == 202
        (version,) = versions_of(acts.tenant)
        assert (version.document.name, bytes(version.source.content)) == ("law/act.md", ACT)
        assert version.effective_from == date(2026, 1, 1)

    def test_larger_than_what_is_kept_in_memory_is_taken(self, program: Program, acts: Collection) -> None:
        content = b"# Act\n\n" + b"Word. " * 500_000
        assert body(program, acts, "?name=a.md", content).status_code == 202
        with tenant_scope(acts.tenant_id):
            assert bytes(Source.objects.get().content) == content

    def test_is_unpacked_if_it_is_a_zip(self, program: Program, acts: Collection) -> None:
        answer = body(program, acts, "?name=acts.zip", zipped(a_md=ACT, b_md=ACT + b"x"))
        assert [one["name"] for one in answer.json()["files"]] == ["a.md", "b.md"]

    @pytest.mark.parametrize(
        ("query", "content", "field"),
        [
            ("", ACT, "name"),
            ("?name=", ACT, "name"),
            ("?name=a.md&x=1", ACT, "x"),
            ("?name=a.md", b"", "files"),
        ],
    )
    def test_without_a_name_or_content_is_refused(
        self, program: Program, acts: Collection, query: str, content: bytes, field: str
    ) -> None:
        before = everything_of(acts.tenant)
        refused = body(program, acts, query, content)
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])
        assert everything_of(acts.tenant) == before

    @pytest.mark.parametrize("name", ["..", "../a.md", "a%00.md", "%E2%80%AEa.md"])
    def test_of_a_name_that_cannot_be_is_refused(self, program: Program, acts: Collection, name: str) -> None:
        before = everything_of(acts.tenant)
        assert body(program, acts, f"?name={name}").status_code in {400, 422}
        assert everything_of(acts.tenant) == before


def test_into_a_collection_of_another_is_not_found(program: Program, meridian: Tenant) -> None:
    foreign = factories.collection(meridian)
    before = everything_of(meridian)
    assert form(program, foreign, file("a.md")).status_code == 404
    assert body(program, foreign, "?name=a.md").status_code == 404
    assert everything_of(meridian) == before


def test_uploading_needs_the_scope_to_write(acts: Collection) -> None:
    readers = Program(acts.tenant, Scope.READ, Scope.MANAGE)
    before = everything_of(acts.tenant)
    assert form(readers, acts, file("a.md")).status_code == 403
    assert everything_of(acts.tenant) == before
    with tenant_scope(acts.tenant_id):
        assert not Document.objects.exists()


@pytest.mark.parametrize("kind", ["form", "body"])
def test_a_person_uploads_in_their_session(harbour: Tenant, acts: Collection, kind: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(factories.membership(harbour, Role.EDITOR).user)
    client.cookies["csrftoken"] = token = "t" * 32
    sent: dict[str, Any] = {"data": {"files": [file("a.md")]}}
    address = f"/api/v1/collections/{acts.pk}/documents"
    if kind == "body":
        address, sent = f"{address}?name=a.md", {"data": ACT, "content_type": "text/markdown"}
    assert client.post(address, **sent).status_code == 403
    assert client.post(address, **sent, headers={"X-CSRFToken": token}).status_code == 202
    assert [version.document.name for version in versions_of(harbour)] == ["a.md"]
