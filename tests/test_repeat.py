"""A request that is sent again with its key is done once, and answered alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone

from documents import tasks
from documents.models import (
    AnsweredRequest,
    Baseline,
    Collection,
    Publication,
    Upload,
    Version,
    Webhook,
    WebhookDelivery,
)
from documents.services import rotate_secret
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.problems import fields_of
from tests.programs import Program

KEY = {"Idempotency-Key": "5f0c2a7e"}
ACTS = {"name": "acts", "description": "Acts."}
RULES = {"name": "rules", "description": "Rules."}
HOOK = {"url": "https://example.org/hook", "events": ["version.ready"]}


@pytest.fixture
def program(harbour: Tenant) -> Program:
    return Program(harbour)


def count(tenant: Tenant, model: Any) -> int:
    with tenant_scope(tenant.pk):
        return int(model.objects.count())


class TestTheSameRequest:
    def test_is_answered_alike_and_done_once(self, program: Program, harbour: Tenant) -> None:
        first = program.post("collections", ACTS, Idempotency_Key="one")
        before = everything_of(harbour)
        again = program.post("collections", ACTS, Idempotency_Key="one")
        assert (first.status_code, again.status_code) == (201, 201)
        assert again.json() == first.json()
        assert (again["Location"], again["ETag"]) == (first["Location"], first["ETag"])
        assert ("Idempotent-Replayed" in first, again["Idempotent-Replayed"]) == (False, "true")
        assert everything_of(harbour) == before

    def test_may_be_written_otherwise(self, program: Program, harbour: Tenant) -> None:
        program.post("collections", ACTS, Idempotency_Key="one")
        turned = dict(reversed(ACTS.items()))
        assert program.post("collections", turned, Idempotency_Key="one").status_code == 201
        assert count(harbour, Collection) == 1

    def test_of_a_form_is_known_by_its_fields_and_files(self, program: Program, harbour: Tenant) -> None:
        acts = factories.collection(harbour)

        def send(content: bytes, boundary: str, **fields: str) -> Any:
            parts = [
                f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
                for name, value in fields.items()
            ]
            head = 'Content-Disposition: form-data; name="files"; filename="a.md"'
            parts += [f"--{boundary}\r\n{head}\r\n\r\n".encode(), content, f"\r\n--{boundary}--\r\n".encode()]
            kind = f"multipart/form-data; boundary={boundary}"
            address = f"collections/{acts.pk}/documents"
            return program.send("post", address, headers=KEY, data=b"".join(parts), content_type=kind)

        first = send(b"Text.", "one", identity="x")
        again = send(b"Text.", "two", identity="x")
        assert (again.json(), again["Idempotent-Replayed"]) == (first.json(), "true")
        assert send(b"Other.", "three", identity="x").status_code == 422
        assert send(b"Text.", "four", identity="y").status_code == 422
        assert count(harbour, Version) == 1

    def test_of_a_body_that_is_a_file_is_known_by_it(self, program: Program, harbour: Tenant) -> None:
        acts = factories.collection(harbour)
        address = f"collections/{acts.pk}/documents?name=a.md"
        kind = "application/octet-stream"
        first = program.send("post", address, headers=KEY, data=b"Text.", content_type=kind)
        again = program.send("post", address, headers=KEY, data=b"Text.", content_type=kind)
        other = program.send("post", address, headers=KEY, data=b"Other.", content_type=kind)
        assert (again.json(), other.status_code) == (first.json(), 422)
        assert first.json()["files"][0]["outcome"] == again.json()["files"][0]["outcome"] == "added"

    def test_of_an_upload_in_headers_is_known_by_them(self, program: Program, harbour: Tenant) -> None:
        address = f"collections/{factories.collection(harbour).pk}/uploads"
        told = {**KEY, "Upload-Length": "5", "Upload-Metadata": "filename YS5tZA=="}
        empty = {"data": b"", "content_type": "application/octet-stream"}
        first = program.send("post", address, headers=told, **empty)
        again = program.send("post", address, headers=told, **empty)
        assert (again.status_code, again["Location"]) == (201, first["Location"])
        other = program.send("post", address, headers={**told, "Upload-Length": "6"}, **empty)
        assert other.status_code == 422
        assert count(harbour, Upload) == 1

    @pytest.mark.parametrize("what", ["baseline", "webhook", "test", "restore", "publish", "upload"])
    def test_is_done_once_whatever_it_makes(self, program: Program, harbour: Tenant, what: str) -> None:
        address, body, model = PREPARED[what](harbour)
        made = count(harbour, model)
        first = program.post(address, body, Idempotency_Key="one")
        again = program.post(address, body, Idempotency_Key="one")
        assert first.status_code in {200, 201, 202}
        assert (again.status_code, again.json()) == (first.status_code, first.json())
        assert count(harbour, model) == made + 1


def prepare_baseline(tenant: Tenant) -> tuple[str, Any, Any]:
    place = factories.version(tenant).document.collection
    return f"collections/{place.pk}/baselines", {"name": "one"}, Baseline


def prepare_restore(tenant: Tenant) -> tuple[str, Any, Any]:
    old = factories.version(tenant)
    with tenant_scope(tenant.pk):
        Version.objects.filter(pk=old.pk).update(superseded_at=timezone.now())
    factories.version(tenant, of=old.document, number=2)
    return f"versions/{old.pk}/restore", {}, Version


PREPARED: dict[str, Any] = {
    "baseline": prepare_baseline,
    "webhook": lambda tenant: ("webhooks", HOOK, Webhook),
    "test": lambda tenant: (f"webhooks/{factories.webhook(tenant).pk}/test", {}, WebhookDelivery),
    "restore": prepare_restore,
    "publish": lambda tenant: (f"baselines/{factories.baseline(tenant).pk}/publish", {}, Publication),
    "upload": lambda tenant: (
        f"collections/{factories.collection(tenant).pk}/uploads",
        {"name": "a.md", "size": 5},
        Upload,
    ),
}


class TestAnotherRequest:
    def test_with_the_same_key_is_refused(self, program: Program, harbour: Tenant) -> None:
        program.post("collections", ACTS, Idempotency_Key="one")
        before = everything_of(harbour)
        refused = program.post("collections", RULES, Idempotency_Key="one")
        assert (refused.status_code, refused.json()["detail"]) == (
            422,
            "This key was sent with another request. Make a new key for each request.",
        )
        assert program.post("webhooks", HOOK, Idempotency_Key="one").status_code == 422
        assert everything_of(harbour) == before

    def test_with_another_key_is_another(self, program: Program, harbour: Tenant) -> None:
        program.post("collections", ACTS, Idempotency_Key="one")
        assert program.post("collections", RULES, Idempotency_Key="two").status_code == 201
        assert program.post("collections", ACTS, Idempotency_Key="three").status_code == 409
        assert program.post("collections", ACTS).status_code == 409
        assert count(harbour, Collection) == 2

    def test_of_another_program_or_tenant_is_another(
        self, program: Program, harbour: Tenant, meridian: Tenant
    ) -> None:
        program.post("collections", ACTS, Idempotency_Key="one")
        other, stranger = Program(harbour), Program(meridian)
        assert other.post("collections", RULES, Idempotency_Key="one").status_code == 201
        made = stranger.post("collections", ACTS, Idempotency_Key="one")
        assert (made.status_code, "Idempotent-Replayed" in made) == (201, False)
        assert (count(harbour, Collection), count(meridian, Collection)) == (2, 1)


class TestWhatWasRefused:
    def test_may_be_tried_again(self, program: Program, harbour: Tenant) -> None:
        before = everything_of(harbour)
        assert program.post("collections", {"name": "acts"}, Idempotency_Key="one").status_code == 400
        assert everything_of(harbour) == before
        assert program.post("collections", ACTS, Idempotency_Key="one").status_code == 201

    @pytest.mark.parametrize("key", ["", " ", "x" * 256, "ä", "a\x07b"])
    def test_for_its_key_says_so(self, program: Program, harbour: Tenant, key: str) -> None:
        before = everything_of(harbour)
        refused = program.post("collections", ACTS, Idempotency_Key=key)
        assert (refused.status_code, fields_of(refused.json())) == (400, ["Idempotency-Key"])
        assert everything_of(harbour) == before

    def test_is_not_a_key_of_the_greatest_length(self, program: Program) -> None:
        assert program.post("collections", ACTS, Idempotency_Key="x" * 255).status_code == 201


class TestTime:
    def test_ends_a_key_after_a_day(self, program: Program, harbour: Tenant) -> None:
        program.post("collections", ACTS, Idempotency_Key="one")
        with tenant_scope(harbour.pk):
            AnsweredRequest.objects.update(created_at=timezone.now() - timedelta(days=1))
        assert program.post("collections", RULES, Idempotency_Key="one").status_code == 201
        again = program.post("collections", RULES, Idempotency_Key="one")
        assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")

    def test_sweeps_what_is_old_and_nothing_else(self, program: Program, harbour: Tenant) -> None:
        for key in ("one", "two"):
            program.post("collections", {**ACTS, "name": key}, Idempotency_Key=key)
        with tenant_scope(harbour.pk):
            old = AnsweredRequest.objects.filter(key="one")
            old.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
        tasks.sweep_index()
        with tenant_scope(harbour.pk):
            assert list(AnsweredRequest.objects.values_list("key", flat=True)) == ["two"]


class TestSecrets:
    def test_are_told_again_and_stored_nowhere(self, program: Program, harbour: Tenant) -> None:
        first = program.post("webhooks", HOOK, Idempotency_Key="one").json()
        again = program.post("webhooks", HOOK, Idempotency_Key="one").json()
        assert first["secret"].startswith("whsec_")
        assert again == first
        assert first["secret"] not in str(everything_of(harbour))

    def test_that_were_replaced_are_told_for_as_long_as_they_sign(
        self, program: Program, harbour: Tenant
    ) -> None:
        first = program.post("webhooks", HOOK, Idempotency_Key="one").json()
        with tenant_scope(harbour.pk):
            webhook = Webhook.objects.select_related("tenant").get()
        rotate_secret(webhook=webhook, actor=ACTOR)
        assert program.post("webhooks", HOOK, Idempotency_Key="one").json()["secret"] == first["secret"]
        rotate_secret(webhook=webhook, actor=ACTOR)
        assert program.post("webhooks", HOOK, Idempotency_Key="one").json()["secret"] is None

    def test_are_rotated_once(self, program: Program, harbour: Tenant) -> None:
        webhook = factories.webhook(harbour)
        address = f"webhooks/{webhook.pk}/rotate"
        first = program.post(address, Idempotency_Key="one").json()["secret"]
        assert program.post(address, Idempotency_Key="one").json()["secret"] == first
        assert webhook.secret != first


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_of_several_at_once_one_is_answered_and_the_others_wait(harbour: Tenant) -> None:
    program, start = Program(harbour), Barrier(4)

    def send(_: int) -> tuple[int, bool]:
        try:
            start.wait()
            answer = program.post("collections", ACTS, Idempotency_Key="one")
            return answer.status_code, "Idempotent-Replayed" in answer
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(send, range(4)))
    assert answers.count((201, False)) == 1
    assert set(answers) <= {(201, False), (201, True), (409, False)}
    assert count(harbour, Collection) == 1
    assert count(harbour, AnsweredRequest) == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_what_is_being_answered_is_a_conflict(harbour: Tenant) -> None:
    """Another connection holds the key, as a request that is under way does."""
    from documents.services import find_answer

    program = Program(harbour)
    given: dict[str, Any] = {
        "tenant": harbour,
        "program_id": program.key.pk,
        "key": "one",
        "request_hash": "0" * 64,
    }

    def ask() -> Any:
        try:
            return program.post("collections", ACTS, Idempotency_Key="one")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads, tenant_scope(harbour.pk):
        assert find_answer(**given) is None
        refused = threads.submit(ask).result()
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "The same request is being answered at this moment. Ask again in a second.",
    )
    assert count(harbour, Collection) == 0
    assert ask().status_code == 201


def test_files_are_still_there_after_they_were_hashed(program: Program, harbour: Tenant) -> None:
    acts = factories.collection(harbour)
    large = SimpleUploadedFile("a.md", b"# Act\n\n" + b"Word. " * 500_000)
    address = f"collections/{acts.pk}/documents"
    assert program.send("post", address, headers=KEY, data={"files": large}).status_code == 202
    with tenant_scope(harbour.pk):
        assert Version.objects.select_related("source").get().source.size == 3_000_007
