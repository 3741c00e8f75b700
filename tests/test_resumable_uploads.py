"""Large files come in part by part: they break off and go on, and two who send at once spoil nothing."""

from __future__ import annotations

import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from documents import services, tasks
from documents.models import Collection, Document, Source, Upload, UploadPart, Version
from documents.services import upload as service
from documents.services.upload import NOTHING_TAKEN
from tenants.models import AuditEvent, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.problems import fields_of
from tests.programs import Program
from tests.test_uploads_api import ACT, zipped

PART = "application/offset+octet-stream"
DIGEST = sha256(ACT).hexdigest()
HALF = len(ACT) // 2
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


@pytest.fixture
def program(harbour: Tenant) -> Program:
    return Program(harbour)


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "acts")


def begin(program: Program, acts: Collection, content: bytes = ACT, **told: Any) -> Any:
    body = {"name": "act.md", "size": len(content), **told}
    return program.post(f"collections/{acts.pk}/uploads", body)


def send(program: Program, address: str, offset: int | str, content: bytes, **more: str) -> Any:
    headers = {"Upload-Offset": str(offset), **more}
    return program.send("patch", address, headers=headers, data=content, content_type=PART)


def offset_of(program: Program, address: str) -> int:
    return int(program.send("head", address)["Upload-Offset"])


def encoded(**told: str) -> str:
    return ",".join(f"{name} {b64encode(value.encode()).decode()}" for name, value in told.items())


class TestUpload:
    def test_comes_in_with_its_last_part(self, program: Program, acts: Collection) -> None:
        begun = begin(program, acts, sha256=DIGEST, effective_from="2026-01-01")
        address = begun["Location"]
        assert (begun.status_code, begun["Upload-Offset"], begun["Tus-Resumable"]) == (201, "0", "1.0.0")
        first = send(program, address, 0, ACT[:HALF])
        assert (first.status_code, first["Upload-Offset"], first.content) == (204, str(HALF), b"")
        assert first["Upload-Expires"].endswith("GMT")
        asked = program.send("head", address)
        assert (asked.status_code, asked["Cache-Control"]) == (200, "no-store")
        assert (asked["Upload-Offset"], asked["Upload-Length"]) == (str(HALF), str(len(ACT)))
        with tenant_scope(acts.tenant_id):
            assert not Document.objects.exists()
        last = send(program, address, HALF, ACT[HALF:])
        assert (last.status_code, last["Upload-Offset"]) == (204, str(len(ACT)))
        with tenant_scope(acts.tenant_id):
            version = Version.objects.select_related("document", "source").get()
            assert not UploadPart.objects.exists()
            assert AuditEvent.objects.get(action="document.added").actor == f"key {program.key.name}"
        assert (version.document.name, bytes(version.source.content)) == ("act.md", ACT)
        assert str(version.effective_from) == "2026-01-01"
        told = program.get(address).json()
        assert (told["state"], told["offset"], told["problem"]) == ("done", len(ACT), "")
        assert told["files"] == [
            {
                "name": "act.md",
                "outcome": "added",
                "problem": "",
                "document_id": str(version.document_id),
                "version_id": str(version.pk),
                "number": 1,
                "watch": f"/api/v1/versions/{version.pk}",
            }
        ]

    def test_is_announced_in_headers_as_clients_of_tus_do(self, program: Program, acts: Collection) -> None:
        headers = {
            "Tus-Resumable": "1.0.0",
            "Upload-Length": str(len(ACT)),
            "Upload-Metadata": encoded(filename="gesetze/straße.md", filetype="text/markdown", sha256=DIGEST),
        }
        begun = program.send("post", f"collections/{acts.pk}/uploads", headers=headers)
        assert (begun.status_code, begun.json()["name"]) == (201, "gesetze/straße.md")
        assert send(program, begun["Location"], 0, ACT, **{"Tus-Resumable": "1.0.0"}).status_code == 204
        with tenant_scope(acts.tenant_id):
            assert Document.objects.get().name == "gesetze/straße.md"

    def test_takes_no_notice_of_what_clients_say_besides(self, program: Program, acts: Collection) -> None:
        """These are what Uppy sends by itself."""
        told = {"relativePath": "null", "name": "act.md", "type": "", "filetype": "", "filename": "act.md"}
        headers = {"Upload-Length": str(len(ACT)), "Upload-Metadata": encoded(**told)}
        begun = program.send("post", f"collections/{acts.pk}/uploads", headers=headers)
        assert (begun.status_code, begun.json()["name"]) == (201, "act.md")

    def test_that_is_announced_again_is_answered_alike(self, program: Program, acts: Collection) -> None:
        body = {"name": "act.md", "size": len(ACT)}
        first, again = (
            program.post(f"collections/{acts.pk}/uploads", body, Idempotency_Key="one") for _ in range(2)
        )
        assert again["Idempotent-Replayed"] == "true"
        for name in ("Location", "Upload-Offset", "Upload-Length", "Upload-Expires", "Tus-Resumable"):
            assert again[name] == first[name]

    @pytest.mark.parametrize("key", [{}, {"Authorization": "Bearer nothing"}])
    def test_tells_anybody_what_is_spoken_here(self, acts: Collection, key: dict[str, str]) -> None:
        told = Client().options(f"/api/v1/collections/{acts.pk}/uploads", headers=key)
        assert told["Tus-Resumable"] == "1.0.0"
        assert (told.status_code, told["Tus-Version"], told["Tus-Max-Size"]) == (204, "1.0.0", "100000000")
        assert told["Tus-Extension"] == "creation,expiration,termination"

    def test_of_a_zip_brings_its_files(self, program: Program, acts: Collection) -> None:
        content = zipped(a_md=ACT, b_md=ACT + b"x")
        address = begin(program, acts, content, name="acts.zip")["Location"]
        assert send(program, address, 0, content).status_code == 204
        assert [one["name"] for one in program.get(address).json()["files"]] == ["a.md", "b.md"]

    def test_is_the_next_version_of_a_document(self, program: Program, acts: Collection) -> None:
        known = factories.version(acts.tenant, of=factories.document(acts.tenant, place=acts)).document
        address = begin(program, acts, document=str(known.pk))["Location"]
        send(program, address, 0, ACT)
        (taken,) = program.get(address).json()["files"]
        assert (taken["document_id"], taken["number"]) == (str(known.pk), 2)

    def test_says_why_a_file_was_not_taken(self, program: Program, acts: Collection) -> None:
        factories.document(acts.tenant, place=acts, name="act.md")
        with tenant_scope(acts.tenant_id):
            Document.objects.update(identity="known")
        address = begin(program, acts, identity="other")["Location"]
        refused = send(program, address, 0, ACT)
        assert (refused.status_code, refused["Upload-Offset"]) == (422, str(len(ACT)))
        told = program.get(address).json()
        assert (told["state"], told["problem"]) == ("failed", NOTHING_TAKEN)
        assert (refused.json()["detail"], refused.json()["files"]) == (told["problem"], told["files"])
        (file,) = told["files"]
        assert (file["outcome"], "known as “known”" in file["problem"]) == ("refused", True)

    def test_of_a_zip_of_which_nothing_is_taken_has_failed(self, program: Program, acts: Collection) -> None:
        content = zipped(inner_zip=b"PK")
        address = begin(program, acts, content, name="acts.zip")["Location"]
        assert send(program, address, 0, content).status_code == 422
        told = program.get(address).json()
        assert (told["state"], [one["name"] for one in told["files"]]) == ("failed", ["inner.zip"])

    def test_of_a_zip_of_which_something_is_taken_is_done(self, program: Program, acts: Collection) -> None:
        content = zipped(a_md=ACT, inner_zip=b"PK")
        address = begin(program, acts, content, name="acts.zip")["Location"]
        assert send(program, address, 0, content).status_code == 204
        told = program.get(address).json()
        assert (told["state"], told["problem"]) == ("done", "")
        assert [one["outcome"] for one in told["files"]] == ["added", "refused"]

    def test_that_is_given_up_leaves_nothing(self, program: Program, acts: Collection) -> None:
        before = everything_of(acts.tenant)
        address = begin(program, acts)["Location"]
        send(program, address, 0, ACT[:HALF])
        assert program.delete(address).status_code == 204
        assert everything_of(acts.tenant) == before
        assert program.send("head", address).status_code == 404


class TestGoingOn:
    def test_is_possible_from_where_it_broke_off(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts, sha256=DIGEST)["Location"]
        sent = 0
        while sent < len(ACT):
            send(program, address, sent, ACT[sent : sent + 7])  # The answer is lost, and asked for.
            sent = offset_of(program, address)
        assert program.get(address).json()["state"] == "done"

    @pytest.mark.parametrize("offset", [0, HALF - 1, HALF + 1, len(ACT), 10**18 - 1])
    def test_from_elsewhere_is_refused_with_the_right_place(
        self, program: Program, acts: Collection, offset: int
    ) -> None:
        address = begin(program, acts)["Location"]
        send(program, address, 0, ACT[:HALF])
        before = everything_of(acts.tenant)
        refused = send(program, address, offset, ACT[HALF:])
        assert (refused.status_code, refused["Upload-Offset"]) == (409, str(HALF))
        assert (refused["Content-Type"], refused.json()["offset"]) == ("application/problem+json", HALF)
        assert everything_of(acts.tenant) == before

    def test_after_the_end_changes_nothing(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts)["Location"]
        send(program, address, 0, ACT)
        before = everything_of(acts.tenant)
        assert send(program, address, 0, ACT).status_code == 409
        assert send(program, address, len(ACT), b"x").status_code == 400
        assert send(program, address, len(ACT), b"").status_code == 204
        assert everything_of(acts.tenant) == before

    def test_with_nothing_is_no_part(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts)["Location"]
        assert send(program, address, 0, b"")["Upload-Offset"] == "0"
        with tenant_scope(acts.tenant_id):
            assert not UploadPart.objects.exists()

    def test_with_more_than_was_announced_is_refused(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts)["Location"]
        before = everything_of(acts.tenant)
        refused = send(program, address, 0, ACT + b"x")
        assert (refused.status_code, fields_of(refused.json())) == (400, ["size"])
        assert everything_of(acts.tenant) == before

    @pytest.mark.parametrize("offset", ["", "-1", "x", "1.0", "٣"])
    def test_from_no_number_is_refused(self, program: Program, acts: Collection, offset: str) -> None:
        address = begin(program, acts)["Location"]
        headers: dict[str, Any] = {} if not offset else {"HTTP_UPLOAD_OFFSET": offset}
        refused = program.send("patch", address, data=ACT, content_type=PART, **headers)
        assert (refused.status_code, fields_of(refused.json())) == (400, ["Upload-Offset"])

    def test_needs_its_own_kind_of_content(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts)["Location"]
        headers = {"Upload-Offset": "0"}
        refused = program.send("patch", address, headers=headers, data=ACT, content_type="text/plain")
        assert refused.status_code == 415

    def test_by_another_protocol_is_refused(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts)["Location"]
        assert send(program, address, 0, ACT, **{"Tus-Resumable": "0.2.2"}).status_code == 412
        assert offset_of(program, address) == 0


class TestLimits:
    @pytest.mark.parametrize(("size", "status"), [(20_000_000, 204), (20_000_001, 413)])
    def test_of_a_part(self, program: Program, acts: Collection, size: int, status: int) -> None:
        address = begin(program, acts, name="act.txt", size=20_000_002)["Location"]
        assert send(program, address, 0, b"x" * size).status_code == status
        assert offset_of(program, address) == (size if status == 204 else 0)

    @pytest.mark.parametrize(("size", "status"), [(1_000_000, 201), (1_000_001, 400), (0, 400), (-1, 400)])
    def test_of_a_file(
        self, program: Program, acts: Collection, settings: Any, size: int, status: int
    ) -> None:
        settings.MAX_FILE_MB = 1
        answer = begin(program, acts, size=size)
        assert answer.status_code == status
        if status == 400:
            assert fields_of(answer.json()) == ["size"]

    def test_of_parts(self, program: Program, acts: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "MOST_PARTS", 2)
        address = begin(program, acts)["Location"]
        for offset in (0, 1):
            assert send(program, address, offset, ACT[offset : offset + 1]).status_code == 204
        before = everything_of(acts.tenant)
        assert send(program, address, 2, ACT[2:3]).status_code == 409
        assert everything_of(acts.tenant) == before

    def test_of_open_uploads_is_that_of_the_tenant(
        self, program: Program, acts: Collection, meridian: Tenant, settings: Any
    ) -> None:
        settings.OPEN_UPLOADS = 2
        first = begin(program, acts)["Location"]
        assert begin(program, acts).status_code == 201
        before = everything_of(acts.tenant)
        refused = begin(program, acts)
        assert (refused.status_code, "PANDECT_OPEN_UPLOADS" in refused.json()["detail"]) == (409, True)
        assert everything_of(acts.tenant) == before
        assert begin(Program(meridian), factories.collection(meridian)).status_code == 201
        send(program, first, 0, ACT)
        assert begin(program, acts).status_code == 201

    @pytest.mark.parametrize(
        ("told", "field"),
        [
            ({"name": ""}, "name"),
            ({"name": "../act.md"}, "name"),
            ({"name": "x" * 301}, "name"),
            ({"sha256": "abc"}, "sha256"),
            ({"sha256": DIGEST.upper()}, "sha256"),
            ({"length": 3}, "length"),
            ({"document": str(uuid4())}, "document"),
            ({"effective_from": "2026-02-01", "effective_to": "2026-01-01"}, "effective_to"),
        ],
    )
    def test_of_what_can_be_announced(
        self, program: Program, acts: Collection, told: dict[str, Any], field: str
    ) -> None:
        before = everything_of(acts.tenant)
        refused = begin(program, acts, **told)
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])
        assert everything_of(acts.tenant) == before

    def test_of_metadata(self, program: Program, acts: Collection) -> None:
        headers = {"Upload-Length": "5", "Upload-Metadata": "filename !!!"}
        refused = program.send("post", f"collections/{acts.pk}/uploads", headers=headers)
        assert (refused.status_code, fields_of(refused.json())) == (400, ["Upload-Metadata"])


class TestDigest:
    def test_that_differs_refuses_the_file_for_good(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts, sha256="0" * 64)["Location"]
        refused = send(program, address, 0, ACT)
        assert (refused.status_code, refused["Content-Type"]) == (422, "application/problem+json")
        assert refused.json()["detail"].startswith("What arrived is not what was announced: its SHA-256 is")
        told = program.get(address).json()
        assert (told["state"], told["problem"], told["files"]) == ("failed", refused.json()["detail"], [])
        with tenant_scope(acts.tenant_id):
            assert not Source.objects.exists()
            assert not UploadPart.objects.exists()
            assert not Document.objects.exists()


class TestTime:
    def test_ends_an_upload_that_nobody_went_on_with(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts)["Location"]
        send(program, address, 0, ACT[:HALF])
        with tenant_scope(acts.tenant_id):
            upload = Upload.objects.get()
            assert timedelta(hours=23) < upload.expires_at - timezone.now() <= timedelta(days=1)
            Upload.objects.update(expires_at=timezone.now())
        assert program.send("head", address).status_code == 404
        assert send(program, address, HALF, ACT[HALF:]).status_code == 404
        tasks.sweep_index()
        with tenant_scope(acts.tenant_id):
            assert not Upload.objects.exists()
            assert not UploadPart.objects.exists()

    def test_keeps_what_is_still_on_its_way(self, program: Program, acts: Collection) -> None:
        address = begin(program, acts)["Location"]
        send(program, address, 0, ACT[:HALF])
        tasks.sweep_index()
        assert offset_of(program, address) == HALF

    def test_makes_room_for_others(self, program: Program, acts: Collection, settings: Any) -> None:
        settings.OPEN_UPLOADS = 1
        begin(program, acts)
        assert begin(program, acts).status_code == 409
        with tenant_scope(acts.tenant_id):
            Upload.objects.update(expires_at=timezone.now())
        assert begin(program, acts).status_code == 201
        with tenant_scope(acts.tenant_id):
            assert Upload.objects.count() == 1


class TestWalls:
    def test_hide_the_uploads_of_others(self, program: Program, meridian: Tenant) -> None:
        foreign = factories.upload(meridian)
        before = everything_of(meridian)
        address = f"uploads/{foreign.pk}"
        assert program.send("head", address).status_code == 404
        assert send(program, address, 4, b"t").status_code == 404
        assert program.delete(address).status_code == 404
        assert everything_of(meridian) == before

    def test_need_the_scope_to_write(self, acts: Collection) -> None:
        others = Program(acts.tenant, Scope.READ, Scope.MANAGE)
        own = factories.upload(acts.tenant)
        before = everything_of(acts.tenant)
        for method in ("get", "head", "patch", "delete"):
            assert others.send(method, f"uploads/{own.pk}").status_code == 403
        assert everything_of(acts.tenant) == before


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_two_who_send_the_same_part_at_once_spoil_nothing(harbour: Tenant) -> None:
    program, acts = Program(harbour), factories.collection(harbour, "acts")
    content = b"# Act\n\n" + b"Word. " * 200_000
    address = begin(program, acts, content, sha256=sha256(content).hexdigest())["Location"]

    def sent(offset: int) -> tuple[int, str]:
        try:
            answer = send(program, address, offset, content[offset : offset + 400_000])
            return answer.status_code, answer["Upload-Offset"]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        for offset in range(0, len(content), 400_000):
            reached = str(min(offset + 400_000, len(content)))
            answers = list(threads.map(sent, [offset] * 4))
            assert sorted(answers) == [(204, reached), *[(409, reached)] * 3]
    with tenant_scope(harbour.pk):
        assert bytes(Source.objects.get().content) == content
        assert Version.objects.count() == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize("is_replacing", [False, True])
def test_who_deletes_what_a_file_comes_into_and_who_sends_it_do_not_wait_for_each_other(
    harbour: Tenant, *, is_replacing: bool
) -> None:
    program, acts = Program(harbour), factories.collection(harbour, "acts")
    document = factories.document(harbour, place=acts)
    told: dict[str, Any] = {"document": str(document.pk)} if is_replacing else {}
    address = begin(program, acts, **told)["Location"]
    services.delete_document(document=document, actor=factories.ACTOR)

    def sent() -> int:
        try:
            return int(send(program, address, 0, ACT).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        with tenant_scope(harbour.pk):
            if is_replacing:
                Document.objects.select_for_update(no_key=True).get(pk=document.pk)
            else:
                Collection.objects.select_for_update().get(pk=acts.pk)
            answer = threads.submit(sent)
            await_waiting()
            if is_replacing:
                services.purge_document(document=document, actor=factories.ACTOR)
            else:
                services.delete_collection(collection=acts, actor=factories.ACTOR)
        assert answer.result(60) == 409
    with tenant_scope(harbour.pk):
        assert not Upload.objects.exists()
        assert not Source.objects.exists()


def await_waiting() -> None:
    """Wait until somebody waits for us."""
    deadline = time.monotonic() + 30
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
            time.sleep(0.02)
    raise AssertionError("Nobody waits.")
