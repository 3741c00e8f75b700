"""How things are, over REST: jobs, versions, the bin, chunks, files and texts, the index and measurements."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from documents.models import Chunk, Collection, Document, Source, State, Version, WebhookDelivery
from documents.services import create_baseline, delete_document
from search.models import EmbeddingSpace, EvaluationRun, Passage, SpaceState
from search.read.cursor import write_cursor
from tenants.models import AuditEvent, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.problems import fields_of
from tests.programs import Program
from tests.searching import ACT, add, fill

NAME = "harbour-safety-act.md"


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def program(harbour: Tenant) -> Program:
    return Program(harbour)


@pytest.fixture
def act(acts: Collection) -> Version:
    with tenant_scope(acts.tenant_id):
        return Version.objects.select_related("tenant", "document", "source").get(document__name=NAME)


def pages(program: Program, path: str, name: str, **asked: Any) -> list[Any]:
    """Read a list to its end, a page at a time."""
    found: list[Any] = []
    after: dict[str, Any] = {}
    while True:
        answer = program.get(path, **asked, **after).json()
        found += answer[name]
        if answer["next"] is None:
            return found
        after = {"after": answer["next"]}


class TestJobs:
    def test_tell_what_runs_and_what_waits(self, program: Program, harbour: Tenant, meridian: Tenant) -> None:
        factories.version(meridian, state=State.QUEUED)
        factories.version(harbour, state=State.READY)
        waiting = factories.version(harbour, state=State.QUEUED)
        running = factories.version(harbour, state=State.EMBEDDING)
        now = timezone.now()
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=running.pk).update(
                step_done=1,
                step_total=2,
                queued_at=now - timedelta(hours=1),
                touched_at=now + timedelta(days=1),
                step_began_at=now,
            )
        answer = program.get("jobs").json()
        first, second = answer["jobs"]
        assert (answer["next"], first["id"], second["id"]) == (None, str(running.pk), str(waiting.pk))
        assert (first["kind"], first["state"], first["progress"]) == ("version", "embedding", 69)
        assert (first["done"], first["total"], first["failure"]) == (1, 2, "")
        assert first["estimated_seconds_left"] >= 86_400
        assert first["document"]["name"] == running.document.name
        assert (first["watch"], first["cancel"], first["retry"]) == (
            f"/api/v1/versions/{running.pk}",
            f"/api/v1/versions/{running.pk}/cancel",
            None,
        )
        assert (second["state"], second["progress"], second["estimated_seconds_left"]) == ("queued", 0, None)

    def test_tell_what_failed_and_the_cure(self, program: Program, harbour: Tenant) -> None:
        failed = factories.version(harbour, state=State.FAILED)
        followed = factories.version(harbour, state=State.FAILED)
        factories.version(harbour, of=followed.document, number=2)
        binned = factories.version(harbour, state=State.FAILED)
        delete_document(document=binned.document, actor=ACTOR)
        (job,) = program.get("jobs", state="failed").json()["jobs"]
        assert (job["id"], job["failure"]) == (str(failed.pk), "It is broken. Mend it.")
        assert (job["cancel"], job["retry"]) == (None, f"/api/v1/versions/{failed.pk}/retry")
        assert program.post(job["retry"]).status_code == 200
        assert program.get("jobs", state="failed").json()["jobs"] == []
        assert program.get(f"jobs/{failed.pk}").json()["state"] == "queued"

    def test_tell_of_a_space_that_is_filled(self, program: Program, harbour: Tenant) -> None:
        embedded = factories.embedding(harbour)
        factories.passage(harbour)
        with tenant_scope(harbour.pk):
            EmbeddingSpace.objects.update(state=SpaceState.BUILDING)
            assert Passage.objects.count() == 2
        (job,) = program.get("jobs").json()["jobs"]
        assert (job["id"], job["kind"], job["state"]) == (str(embedded.space_id), "space", "building")
        assert (job["done"], job["total"], job["progress"]) == (1, 2, 50)
        assert program.get(job["watch"]).json() == job

    def test_of_an_empty_space_are_done(self, program: Program, harbour: Tenant) -> None:
        space = factories.embedding_space(harbour)
        job = program.get(f"jobs/{space.pk}").json()
        assert (job["total"], job["progress"], job["state"]) == (0, 100, "retired")

    def test_are_read_page_by_page(self, program: Program, harbour: Tenant) -> None:
        place = factories.collection(harbour)
        moment = timezone.now()
        made = set()
        for number in range(5):
            document = factories.document(harbour, place=place)
            made.add(str(factories.version(harbour, of=document, state=State.QUEUED).pk))
            with tenant_scope(harbour.pk):  # Some began to wait at the same moment.
                Version.objects.filter(document=document).update(queued_at=moment + timedelta(0, number // 2))
        found = [job["id"] for job in pages(program, "jobs", "jobs", limit=2)]
        assert (len(found), set(found)) == (5, made)

    def test_say_how_far_a_version_is_that_is_ready(self, program: Program, act: Version) -> None:
        job = program.get(f"jobs/{act.pk}").json()
        assert (job["state"], job["progress"], job["cancel"], job["retry"]) == ("ready", 100, None, None)
        assert program.get(job["watch"]).json()["job"] == f"/api/v1/jobs/{act.pk}"

    @pytest.mark.parametrize(
        ("asked", "field"),
        [({"state": "x"}, "state"), ({"after": "x"}, "after"), ({"limit": 201}, "limit"), ({"x": 1}, "x")],
    )
    def test_refuse_what_cannot_be_asked(self, program: Program, asked: Any, field: str) -> None:
        refused = program.get("jobs", **asked)
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])

    @pytest.mark.parametrize("after", ["WzFd", "WyIyMDI2LTAxLTAxIiwieCJd", "W10"])
    def test_refuse_a_cursor_of_another_list(self, program: Program, after: str) -> None:
        assert program.get("jobs", after=after).status_code == 400

    @pytest.mark.parametrize("address", ["jobs", "evaluations"])
    @pytest.mark.parametrize(
        ("moment", "status"),
        [
            ("2020-01-01T00:00:00+23:59:59", 200),
            ("2020-01-01T00:00:00-23:59", 200),
            ("0001-01-01T00:00:00+14:00", 400),
            ("9999-12-31T23:59:59-14:00", 400),
        ],
    )
    def test_take_a_cursor_of_any_zone_if_it_is_a_moment(
        self, program: Program, address: str, moment: str, status: int
    ) -> None:
        assert program.get(address, after=write_cursor(moment, uuid4())).status_code == status

    def test_take_as_many_queries_for_many_as_for_one(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for _ in range(5):
            factories.version(harbour, state=State.QUEUED)
        with django_assert_num_queries(QUERIES + 1):
            program.get("jobs")


class TestVersions:
    def test_are_listed_the_newest_first(self, program: Program, acts: Collection, act: Version) -> None:
        add(acts, NAME, ACT.replace("six knots", "nine knots"))
        factories.version(acts.tenant, of=act.document, state=State.FAILED, number=3)
        answer = program.get(f"documents/{act.document_id}/versions").json()
        assert (answer["document"]["name"], answer["deleted_at"], answer["next"]) == (NAME, None, None)
        assert [
            (one["version"]["number"], one["state"], one["failure"], one["version"]["is_current"])
            for one in answer["versions"]
        ] == [(3, "failed", "It is broken. Mend it.", False), (2, "ready", "", True), (1, "ready", "", False)]
        assert answer["versions"][2]["watch"] == f"/api/v1/versions/{act.pk}"
        listed = pages(program, f"documents/{act.document_id}/versions", "versions", limit=1)
        assert listed == answer["versions"]

    def test_take_as_many_queries_for_many_as_for_one(
        self, program: Program, act: Version, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in (2, 3, 4):
            factories.version(act.tenant, of=act.document, state=State.QUEUED, number=number)
        with django_assert_num_queries(QUERIES + 1):
            program.get(f"documents/{act.document_id}/versions")


class TestBin:
    def test_takes_a_document_and_gives_it_back(self, program: Program, act: Version) -> None:
        address = f"documents/{act.document_id}"
        gone = program.delete(address)
        assert (gone.status_code, gone.json()["deleted_at"] is None) == (200, False)
        assert program.get(address).status_code == 404
        assert program.delete(address).json() == gone.json()
        (binned,) = program.get("bin").json()["documents"]
        assert (binned["document"]["id"], binned["deleted_at"]) == (
            str(act.document_id),
            gone.json()["deleted_at"],
        )
        assert program.get(f"{address}/versions").json()["deleted_at"] == gone.json()["deleted_at"]
        back = program.post(f"{address}/restore")
        assert (back.status_code, back.json()) == (
            200,
            {
                "id": str(act.document_id),
                "name": NAME,
                "collection_id": str(act.document.collection_id),
                "deleted_at": None,
            },
        )
        assert program.get("bin").json() == {"documents": [], "next": None}
        with tenant_scope(act.tenant_id):
            actions = AuditEvent.objects.filter(actor=f"key {program.key.name}").order_by("at")
            assert list(actions.values_list("action", flat=True)) == ["document.deleted", "document.restored"]

    def test_is_emptied_for_good(self, program: Program, act: Version) -> None:
        before = everything_of(act.tenant)
        refused = program.post(f"documents/{act.document_id}/purge")
        assert (refused.status_code, refused.json()["detail"]) == (
            409,
            f"{NAME} is not in the bin. Delete it first.",
        )
        assert everything_of(act.tenant) == before
        program.delete(f"documents/{act.document_id}")
        assert program.post(f"documents/{act.document_id}/purge").status_code == 204
        with tenant_scope(act.tenant_id):
            assert not Document.objects.filter(pk=act.document_id).exists()
            assert not Source.objects.filter(pk=act.source_id).exists()

    def test_keeps_what_a_baseline_holds(self, program: Program, acts: Collection, act: Version) -> None:
        create_baseline(collection=acts, name="one", actor=ACTOR)
        program.delete(f"documents/{act.document_id}")
        before = everything_of(act.tenant)
        assert program.post(f"documents/{act.document_id}/purge").status_code == 409
        assert everything_of(act.tenant) == before

    def test_gives_nothing_back_whose_name_is_taken(
        self, program: Program, acts: Collection, act: Version
    ) -> None:
        program.delete(f"documents/{act.document_id}")
        factories.document(acts.tenant, place=acts, name=NAME)
        before = everything_of(act.tenant)
        assert program.post(f"documents/{act.document_id}/restore").status_code == 409
        assert everything_of(act.tenant) == before

    def test_is_read_page_by_page(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for name in ("c", "a", "b", "a"):
            delete_document(document=factories.document(harbour, name=name), actor=ACTOR)
        found = pages(program, "bin", "documents", limit=1)
        assert [one["document"]["name"] for one in found] == ["a", "a", "b", "c"]
        with django_assert_num_queries(QUERIES):
            program.get("bin")

    @pytest.mark.parametrize(
        ("method", "path", "needed"), [("delete", "", Scope.WRITE), ("post", "/purge", Scope.MANAGE)]
    )
    def test_needs_the_scope_for_it(self, act: Version, method: str, path: str, needed: Scope) -> None:
        others = Program(act.tenant, *(scope for scope in Scope if scope != needed))
        before = everything_of(act.tenant)
        refused = others.send(method, f"documents/{act.document_id}{path}")
        assert (refused.status_code, refused.json()["detail"]) == (
            403,
            f"This key lacks the scope '{needed}'.",
        )
        assert everything_of(act.tenant) == before


def lay_down(tenant: Tenant, count: int) -> Collection:
    """A collection of documents, each in a version that is ready."""
    place = factories.collection(tenant)
    for number in range(count):
        document = factories.document(tenant, place=place, name=f"act{number:03}.md")
        factories.version(tenant, of=document)
    return place


class TestBaselines:
    def test_are_listed_the_newest_first_page_by_page(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        place = lay_down(harbour, 1)
        for number in range(51):
            create_baseline(collection=place, name=f"b{number}", actor=ACTOR)
        path = f"collections/{place.pk}/baselines"
        with django_assert_num_queries(QUERIES + 2):
            first = program.get(path).json()
        assert [one["name"] for one in first["baselines"]] == [f"b{number}" for number in range(50, 0, -1)]
        with django_assert_num_queries(QUERIES + 2):
            last = program.get(path, after=first["next"]).json()
        assert ([one["name"] for one in last["baselines"]], last["next"]) == (["b0"], None)
        whole = program.get(path, limit=51).json()
        assert (len(whole["baselines"]), whole["next"]) == (51, None)
        assert pages(program, path, "baselines", limit=17) == whole["baselines"]
        held = program.get(f"baselines/{whole['baselines'][0]['id']}").json()
        assert (held["name"], len(held["versions"]), held["next"]) == ("b50", 1, None)

    def test_made_at_the_same_moment_are_each_listed_once(self, program: Program, harbour: Tenant) -> None:
        place = lay_down(harbour, 1)
        moment = timezone.now()
        with patch("django.utils.timezone.now", return_value=moment):
            made = {str(create_baseline(collection=place, name=name, actor=ACTOR).pk) for name in "abc"}
        listed = pages(program, f"collections/{place.pk}/baselines", "baselines", limit=1)
        assert ([one["id"] for one in listed], len({one["created_at"] for one in listed})) == (
            sorted(made),
            1,
        )

    def test_hold_versions_page_by_page(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        made = create_baseline(collection=lay_down(harbour, 51), name="one", actor=ACTOR)
        path = f"baselines/{made.pk}"
        with django_assert_num_queries(QUERIES + 2):
            first = program.get(path).json()
        assert (first["size"], len(first["versions"])) == (51, 50)
        with django_assert_num_queries(QUERIES + 2):
            last = program.get(path, after=first["next"]).json()
        assert (last["size"], len(last["versions"]), last["next"]) == (51, 1, None)
        held = [*first["versions"], *last["versions"]]
        names = [one["document"]["name"] for one in held]
        assert (names, len({*names})) == (sorted(names), 51)
        assert pages(program, path, "versions", limit=17) == held
        assert program.get(path, limit=51).json()["versions"] == held

    def test_are_compared_page_by_page(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        place = lay_down(harbour, 30)
        old = create_baseline(collection=place, name="old", actor=ACTOR)
        with tenant_scope(harbour.pk):
            documents = list(Document.objects.filter(collection=place).order_by("name"))
            Version.objects.update(superseded_at=timezone.now())
        for document in documents[:25]:  # Five are the same in both.
            factories.version(harbour, of=document, number=2)
        with tenant_scope(harbour.pk):
            Version.objects.filter(document__in=documents[25:]).update(superseded_at=None)
        delete_document(document=documents[0], actor=ACTOR)
        factories.version(harbour, of=factories.document(harbour, place=place, name="zz.md"))
        new = create_baseline(collection=place, name="new", actor=ACTOR)
        path = f"baselines/{new.pk}/compare"
        asked: dict[str, Any] = {"with": str(old.pk)}
        whole = program.get(path, **asked).json()
        kinds = [one["kind"] for one in whole["documents"]]
        assert kinds == ["removed", *["changed"] * 24, *["unchanged"] * 5, "added"]
        names = [one["name"] for one in whole["documents"]]
        assert (names, whole["next"]) == ([*(one.name for one in documents), "zz.md"], None)
        assert [number for number, one in enumerate(whole["documents"]) if "units" in one] == [*range(1, 21)]
        found = pages(program, path, "documents", limit=20, **asked)
        assert [one["name"] for one in found] == names
        assert sum("units" in one for one in found) == 24  # Of each page the first twenty.
        for limit in (1, 2):
            with django_assert_num_queries(QUERIES + (4 if limit == 1 else 7)):
                program.get(path, **asked, limit=limit)


class TestDeliveries:
    def test_are_listed_the_newest_first_page_by_page(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        webhook = factories.webhook(harbour)
        now = timezone.now()
        with tenant_scope(harbour.pk):
            WebhookDelivery.objects.bulk_create(
                WebhookDelivery(
                    tenant=harbour,
                    webhook=webhook,
                    event="ping",
                    payload=json.dumps({"number": number}),
                    created_at=now - timedelta(seconds=number // 2),  # Some at the same moment.
                    next_attempt_at=now,
                )
                for number in range(201)
            )
        path = f"webhooks/{webhook.pk}/deliveries"
        sizes: list[tuple[dict[str, Any], int]] = [({}, 50), ({"limit": 1}, 1), ({"limit": 200}, 200)]
        for asked, count in sizes:
            with django_assert_num_queries(QUERIES + 1):
                answer = program.get(path, **asked).json()
            assert (len(answer["deliveries"]), answer["next"] is None) == (count, False)
        found = pages(program, path, "deliveries", limit=100)
        times = [one["created_at"] for one in found]
        assert times == sorted(times, reverse=True)
        assert sorted(one["payload"]["number"] for one in found) == [*range(201)]


@pytest.mark.parametrize(
    ("asked", "field"),
    [({"limit": 0}, "limit"), ({"limit": 201}, "limit"), ({"after": "x"}, "after"), ({"x": 1}, "x")],
)
@pytest.mark.parametrize("kind", ["baselines", "versions", "compared", "deliveries"])
def test_pages_that_cannot_be_are_refused(
    program: Program, harbour: Tenant, kind: str, asked: Any, field: str
) -> None:
    if kind == "deliveries":
        path = f"webhooks/{factories.webhook(harbour).pk}/deliveries"
    else:
        made = factories.baseline(harbour)
        path = {
            "baselines": f"collections/{made.collection_id}/baselines",
            "versions": f"baselines/{made.pk}",
            "compared": f"baselines/{made.pk}/compare",
        }[kind]
        asked = asked | ({"with": str(made.pk)} if kind == "compared" else {})
    refused = program.get(path, **asked)
    assert (refused.status_code, fields_of(refused.json())) == (400, [field])


class TestChunks:
    def test_tile_the_text_and_tell_where_they_stand(self, program: Program, act: Version) -> None:
        answer = program.get(f"versions/{act.pk}/chunks").json()
        chunks = answer["chunks"]
        assert (answer["version_id"], answer["state"], answer["next"]) == (str(act.pk), "ready", None)
        assert "".join(chunk["text"] for chunk in chunks) == act.text
        assert [chunk["position"] for chunk in chunks] == list(range(len(chunks)))
        for chunk in chunks:
            start, end = chunk["span"]
            assert chunk["text"] == act.text[start:end]
            assert chunk["content_hash"] == sha256(chunk["text"].encode()).hexdigest()
        speed = next(chunk for chunk in chunks if "six knots" in chunk["text"])
        assert (speed["section_label"], speed["type"]) == ("Section 2", "requirement")
        assert speed["path"] == []  # Nothing stands above it but the document.
        assert "Harbour Safety Act" in speed["context"]
        assert speed["tokens"] > 10
        assert program.get(f"chunks/{speed['id']}").json() == speed

    def test_are_read_page_by_page(self, program: Program, act: Version) -> None:
        path = f"versions/{act.pk}/chunks"
        whole = program.get(path).json()["chunks"]
        assert len(whole) > 2
        assert pages(program, path, "chunks", limit=1) == whole
        assert pages(program, path, "chunks", limit=2) == whole

    def test_are_none_before_a_version_is_ready(self, program: Program, harbour: Tenant) -> None:
        waiting = factories.version(harbour, state=State.QUEUED)
        answer = program.get(f"versions/{waiting.pk}/chunks").json()
        assert (answer["state"], answer["chunks"], answer["next"]) == ("queued", [], None)

    def test_are_not_sent_twice(self, program: Program, act: Version) -> None:
        path = f"versions/{act.pk}/chunks"
        etag = program.get(path)["ETag"]
        assert program.get(path, headers={"If-None-Match": etag}).status_code == 304
        assert program.get(path, headers={"If-None-Match": etag}, limit=1).status_code == 200

    def test_take_as_many_queries_for_many_as_for_one(
        self, program: Program, act: Version, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for limit in (1, 50):
            with django_assert_num_queries(QUERIES + 3):
                program.get(f"versions/{act.pk}/chunks", limit=limit)
        with tenant_scope(act.tenant_id):
            chunk = Chunk.objects.filter(version=act)[0]
        with django_assert_num_queries(QUERIES + 2):
            program.get(f"chunks/{chunk.pk}")


QUERIES = 10


class TestFiles:
    def test_come_back_as_they_came(self, program: Program, act: Version) -> None:
        answer = program.get(f"versions/{act.pk}/source")
        assert (answer.status_code, answer.content) == (200, ACT.encode())
        assert answer["Content-Disposition"] == f'attachment; filename="{NAME}"'
        assert answer["Content-Type"] == "application/octet-stream"

    def test_can_do_no_harm_in_a_browser(self, program: Program, acts: Collection) -> None:
        evil = add(acts, 'law/a"b\u00e4.html', "<h1>Act</h1><script>alert(1)</script><p>Text of it.</p>")
        for part in ("source", "text"):
            answer = program.get(f"versions/{evil.pk}/{part}")
            assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
            assert answer["X-Content-Type-Options"] == "nosniff"
            assert "html" not in answer["Content-Type"]
        disposition = program.get(f"versions/{evil.pk}/source")["Content-Disposition"]
        assert disposition == "attachment; filename*=utf-8''a%22b%C3%A4.html"

    def test_are_answered_whatever_is_accepted(self, program: Program, act: Version) -> None:
        accept = {"Accept": "application/pdf"}
        assert program.get(f"versions/{act.pk}/source", headers=accept).status_code == 200
        missing = program.get(f"versions/{uuid4()}/source", headers=accept)
        assert (missing.status_code, missing["Content-Type"]) == (404, "application/problem+json")

    def test_have_a_text_that_spans_count_in(self, program: Program, act: Version) -> None:
        answer = program.get(f"versions/{act.pk}/text")
        assert (answer.content.decode(), answer["Content-Type"]) == (act.text, "text/markdown; charset=utf-8")

    def test_have_no_text_before_they_are_ready(self, program: Program, harbour: Tenant) -> None:
        waiting = factories.version(harbour, state=State.QUEUED)
        refused = program.get(f"versions/{waiting.pk}/text")
        assert (refused.status_code, refused.json()["detail"]) == (
            404,
            "This version is not ready: there is no text of it yet.",
        )
        assert program.get(f"versions/{waiting.pk}/source").status_code == 200

    @pytest.mark.parametrize("part", ["source", "text"])
    def test_are_kept_by_whoever_may_read_them(self, program: Program, act: Version, part: str) -> None:
        first = program.get(f"versions/{act.pk}/{part}")
        assert set(first["Cache-Control"].split(", ")) == {"private", "max-age=86400", "immutable"}
        assert {"Authorization", "Cookie", "X-Pandect-Tenant"} <= set(first["Vary"].split(", "))
        again = program.get(f"versions/{act.pk}/{part}", headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")

    def test_of_others_are_not_there(self, program: Program, meridian: Tenant) -> None:
        foreign = factories.version(meridian)
        etag = Program(meridian).get(f"versions/{foreign.pk}/source")["ETag"]
        refused = program.get(f"versions/{foreign.pk}/source", headers={"If-None-Match": etag})
        assert refused.status_code == 404


class TestEtags:
    @pytest.mark.parametrize(
        "path",
        [
            "documents",
            "documents/{document}",
            "documents/{document}/outline",
            "sections?document={document}",
            "versions/{version}",
        ],
    )
    def test_hold_for_as_long_as_an_answer_says_the_same(
        self, program: Program, acts: Collection, act: Version, path: str
    ) -> None:
        address = path.format(document=act.document_id, version=act.pk)
        first = program.get(address)
        assert (first["ETag"][:3], first["Cache-Control"]) == ('W/"', "private, no-cache")
        known = {"If-None-Match": first["ETag"]}
        assert (program.get(address, headers=known).status_code) == 304
        assert Program(acts.tenant).get(address, headers=known).status_code == 304
        add(acts, NAME, ACT.replace("six knots", "nine knots"))
        is_fixed = path == "versions/{version}"
        assert program.get(address, headers=known).status_code == (304 if is_fixed else 200)

    def test_change_with_the_state_of_a_version(self, program: Program, harbour: Tenant) -> None:
        waiting = factories.version(harbour, state=State.QUEUED)
        known = {"If-None-Match": program.get(f"versions/{waiting.pk}")["ETag"]}
        assert program.get(f"versions/{waiting.pk}", headers=known).status_code == 304
        with tenant_scope(harbour.pk):
            Version.objects.update(state=State.CONVERTING)
        assert program.get(f"versions/{waiting.pk}", headers=known).status_code == 200


class TestEvaluations:
    def test_are_listed_the_newest_first(self, program: Program, harbour: Tenant, meridian: Tenant) -> None:
        factories.evaluation_run(meridian)
        made = [factories.evaluation_run(harbour) for _ in range(3)]
        with tenant_scope(harbour.pk):
            EvaluationRun.objects.filter(pk=made[0].pk).update(name="large", collection="rules")
        found = pages(program, "evaluations", "evaluations", limit=1)
        assert [one["id"] for one in found] == [str(run.pk) for run in reversed(made)]
        assert found[0] == {
            "id": str(made[2].pk),
            "name": "small",
            "collection": "acts",
            "question_count": 2,
            "measures": [{"way": "hybrid", "figures": {"ndcg_at_10": 0.5}}],
            "latency": {"total": {"p50": 4.0, "p95": 9.0}},
            "settings": {"top_k": 20},
            "code": "abc",
            "created_at": made[2].created_at.isoformat().replace("+00:00", "Z"),
        }
        assert program.get(f"evaluations/{made[2].pk}").json() == found[0]
        for path in ("evaluations?name=large", "evaluations?collection=rules"):
            assert [one["id"] for one in program.get(path).json()["evaluations"]] == [str(made[0].pk)]

    def test_take_as_many_queries_for_many_as_for_one(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for _ in range(3):
            factories.evaluation_run(harbour)
        with django_assert_num_queries(QUERIES):
            program.get("evaluations")


class TestIndex:
    def test_tells_how_it_is(self, program: Program, acts: Collection) -> None:
        answer = program.get("index")
        assert answer.status_code == 200
        shown = answer.json()
        assert (shown["status"], shown["sentences"], shown["documents"]) == ("healthy", [], 2)
        assert shown["versions"] == {"ready": 2}
        assert shown["spaces"][0]["coverage"] == 1

    def test_is_made_anew_once(
        self, program: Program, acts: Collection, act: Version, django_capture_on_commit_callbacks: Any
    ) -> None:
        with django_capture_on_commit_callbacks() as told:
            for _ in range(2):
                answer = program.post("index/rebuild", {}, Idempotency_Key="one")
                assert (answer.status_code, answer.json()) == (
                    202,
                    {"collection": "", "document": "", "versions": 2},
                )
        assert len(told) == 1
        part = program.post("index/rebuild", {"collection": "acts", "document": str(act.document_id)})
        assert part.json() == {"collection": "acts", "document": NAME, "versions": 1}
        with tenant_scope(acts.tenant_id):
            events = AuditEvent.objects.filter(action="index.rebuilt", actor=f"key {program.key.name}")
            assert sorted(events.values_list("target", flat=True)) == ["Harbour", NAME]

    def test_is_not_made_anew_where_there_is_nothing(self, program: Program, harbour: Tenant) -> None:
        before = everything_of(harbour)
        answer = program.post("index/rebuild", {})
        assert (answer.status_code, answer.json()["versions"]) == (200, 0)
        assert everything_of(harbour) == before

    @pytest.mark.parametrize(
        ("told", "field"),
        [
            ({"collection": "nowhere"}, "collection"),
            ({"document": str(uuid4())}, "document"),
            ({"x": 1}, "x"),
        ],
    )
    def test_of_what_is_not_here_is_not_made_anew(
        self, program: Program, acts: Collection, told: Any, field: str
    ) -> None:
        before = everything_of(acts.tenant)
        refused = program.post("index/rebuild", told)
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])
        assert everything_of(acts.tenant) == before


@pytest.mark.parametrize(
    "path",
    ["jobs/{pk}", "documents/{pk}/versions", "versions/{pk}/chunks", "chunks/{pk}", "evaluations/{pk}"],
)
def test_what_is_unknown_or_of_another_is_not_found(program: Program, meridian: Tenant, path: str) -> None:
    foreign: list[UUID] = [row.pk for row in factories.one_of_each(meridian)]
    for pk in (uuid4(), *foreign):
        assert program.get(path.format(pk=pk)).status_code == 404
