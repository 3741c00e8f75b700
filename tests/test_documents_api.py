"""The REST API of ingestion: watched, stopped, tried again, and what it costs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from documents.models import Collection, Source, State, Version
from documents.quote import quote_files
from documents.unpack import Incoming
from search.models import Budget, Call, CallState
from tenants.models import AuditEvent, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of

ACT = b"# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n"


class Program:
    """A program with a key."""

    def __init__(self, tenant: Tenant, *scopes: Scope) -> None:
        self.key, self.token = factories.api_key(tenant, *scopes)

    def send(self, method: str, path: str, **more: Any) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}"}
        response = getattr(Client(), method)(f"/api/v1/{path}", headers=headers, **more)
        return response.status_code, response.json()

    def get(self, path: str) -> tuple[int, Any]:
        return self.send("get", path)

    def post(self, path: str, **more: Any) -> tuple[int, Any]:
        return self.send("post", path, **more)


@pytest.fixture
def program(harbour: Tenant) -> Program:
    """One that has used its key before: the first use is written down."""
    made = Program(harbour, *Scope)
    made.get("tenant")
    return made


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "rules")


def version(rules: Collection, state: State = State.READY, **fields: Any) -> Version:
    place = factories.document(rules.tenant, place=rules, name="act.md")
    made = factories.version(rules.tenant, of=place, state=state)
    with tenant_scope(rules.tenant_id):
        Version.objects.filter(pk=made.pk).update(**({"step_done": 0} | fields))
    return made


def pay(one: Version, cost: str, **more: Any) -> None:
    with tenant_scope(one.tenant_id):
        fields = {"role": "contextualizer", "backend": "anthropic/haiku", "state": CallState.DONE} | more
        Call.objects.create(tenant_id=one.tenant_id, version=one, cost=Decimal(cost), **fields)


def state_of(one: Version) -> str:
    with tenant_scope(one.tenant_id):
        return Version.objects.get(pk=one.pk).state


class TestVersion:
    def test_tells_how_far_it_is(self, program: Program, rules: Collection) -> None:
        one = version(rules, State.EMBEDDING, step_done=1, step_total=2, warnings=["Odd."])
        pay(one, "0.012")
        pay(one, "0.0004")
        assert program.get(f"versions/{one.pk}") == (
            200,
            {
                "id": str(one.pk),
                "document": {"id": str(one.document_id), "name": "act.md"},
                "collection": {"id": str(rules.pk), "name": "rules"},
                "number": 1,
                "state": "embedding",
                "progress": 69,
                "step_done": 1,
                "step_total": 2,
                "failure": "",
                "warnings": ["Odd."],
                "cost": "0.012400",
                "estimated_seconds_left": 0,
                "job": f"/api/v1/jobs/{one.pk}",
            },
        )

    def test_guesses_how_long_it_takes(self, program: Program, rules: Collection) -> None:
        now = timezone.now() + timedelta(days=1)  # A clock that went back does not make it negative.
        begun = now - timedelta(hours=1)
        one = version(rules, State.EMBEDDING, step_done=1, step_total=3, touched_at=now, step_began_at=begun)
        assert program.get(f"versions/{one.pk}")[1]["estimated_seconds_left"] >= 7200

    @pytest.mark.parametrize(
        ("state", "progress"), [(State.READY, 100), (State.FAILED, 100), (State.QUEUED, 0)]
    )
    def test_has_no_guess_where_there_is_none(
        self, program: Program, rules: Collection, state: State, progress: int
    ) -> None:
        found = program.get(f"versions/{version(rules, state).pk}")[1]
        assert (found["progress"], found["cost"], found["estimated_seconds_left"]) == (progress, "0", None)
        assert found["failure"] == ("It is broken. Mend it." if state == State.FAILED else "")

    @pytest.mark.parametrize("path", ["", "/cancel", "/retry"])
    def test_that_is_unknown_or_of_another_is_not_found(
        self, program: Program, meridian: Tenant, path: str
    ) -> None:
        foreign = factories.version(meridian, state=State.QUEUED)
        before = everything_of(meridian)
        for pk in (uuid4(), foreign.pk):
            method = program.post if path else program.get
            assert method(f"versions/{pk}{path}")[0] == 404
        assert everything_of(meridian) == before

    def test_costs_few_queries(
        self, program: Program, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        one = version(rules)
        for _ in range(20):
            pay(one, "0.1")
        with django_assert_num_queries(12):
            program.get(f"versions/{one.pk}")


class TestCancelling:
    def test_stops_a_version_on_the_record(self, program: Program, rules: Collection) -> None:
        one = version(rules, State.EMBEDDING)
        status, found = program.post(f"versions/{one.pk}/cancel")
        assert (status, found["state"]) == (200, "cancelled")
        assert state_of(one) == State.CANCELLED
        with tenant_scope(rules.tenant_id):
            event = AuditEvent.objects.get(action="version.cancelled")
        assert (event.actor, event.actor_id) == (f"key {program.key.name}", program.key.pk)

    @pytest.mark.parametrize("state", [State.READY, State.FAILED, State.CANCELLED])
    def test_of_what_is_not_read_is_a_conflict(
        self, program: Program, rules: Collection, state: State
    ) -> None:
        one = version(rules, state)
        before = everything_of(rules.tenant)
        status, answer = program.post(f"versions/{one.pk}/cancel")
        assert (status, answer["detail"]) == (
            409,
            f"act.md v1 is not being read: it is {state.label.lower()}.",
        )
        assert everything_of(rules.tenant) == before


class TestTryingAgain:
    @pytest.mark.parametrize("state", [State.FAILED, State.CANCELLED])
    def test_queues_a_version(self, program: Program, rules: Collection, state: State) -> None:
        one = version(rules, state)
        status, found = program.post(f"versions/{one.pk}/retry")
        assert (status, found["state"], found["failure"]) == (200, "queued", "")
        assert state_of(one) == State.QUEUED

    @pytest.mark.parametrize("state", [State.READY, State.EMBEDDING])
    def test_of_what_has_not_failed_is_a_conflict(
        self, program: Program, rules: Collection, state: State
    ) -> None:
        one = version(rules, state)
        before = everything_of(rules.tenant)
        status, answer = program.post(f"versions/{one.pk}/retry")
        assert status == 409
        assert "act.md v1" in answer["detail"]
        assert everything_of(rules.tenant) == before


class TestEstimate:
    def test_quotes_files_and_keeps_none(self, program: Program, rules: Collection) -> None:
        files = [SimpleUploadedFile("a.md", ACT), SimpleUploadedFile("b.txt", b"More text.")]
        status, found = program.post(f"collections/{rules.pk}/estimate", data={"files": files})
        with tenant_scope(rules.tenant_id):
            expected = quote_files(rules, [Incoming("a.md", ACT), Incoming("b.txt", b"More text.")])
            assert not Source.objects.exists()
        assert status == 200
        assert found["sentence"] == expected.sentence
        assert found["chunks"] == expected.chunks
        assert found["likely_cost"] == str(expected.likely_cost)

    def test_of_no_file_is_refused(self, program: Program, rules: Collection) -> None:
        before = everything_of(rules.tenant)
        status, answer = program.post(f"collections/{rules.pk}/estimate", data={})
        assert status == 400
        said = "Send at least one file, as a part of the form named files."
        assert answer["errors"] == [{"field": "files", "message": said}]
        status, answer = program.post(f"collections/{rules.pk}/estimate", data={"file": "x"})
        unknown = "There is no such field. Known are files."
        assert (status, answer["errors"]) == (400, [{"field": "file", "message": unknown}])
        assert everything_of(rules.tenant) == before

    def test_of_something_else_than_a_form_is_refused(self, program: Program, rules: Collection) -> None:
        status, answer = program.post(
            f"collections/{rules.pk}/estimate", data="{}", content_type="application/json"
        )
        assert status == 415
        assert "application/json" in answer["detail"]

    def test_in_a_collection_of_another_is_not_found(self, program: Program, meridian: Tenant) -> None:
        foreign = factories.collection(meridian)
        for pk in (uuid4(), foreign.pk):
            data = {"files": SimpleUploadedFile("a.md", ACT)}
            assert program.post(f"collections/{pk}/estimate", data=data)[0] == 404


class TestUsage:
    def test_without_any_is_nothing(self, program: Program) -> None:
        status, found = program.get("usage")
        assert status == 200
        assert (found["spent"], found["monthly_limit"], found["backends"]) == ("0", "20", [])
        begin = datetime.fromisoformat(found["since"])
        assert (begin.day, begin.hour, begin.minute) == (1, 0, 0)

    def test_is_that_of_this_month_by_backend(
        self, program: Program, rules: Collection, meridian: Tenant
    ) -> None:
        one = version(rules)
        pay(one, "0.5", input_tokens=7, texts=2)
        pay(one, "0.25", state=CallState.UNKNOWN)
        pay(one, "3", backend="openai/x", role="embedder", texts=9)
        pay(factories.version(meridian), "100")
        with tenant_scope(rules.tenant_id):
            Call.objects.filter(backend="openai/x").update(at=datetime(2020, 1, 1, tzinfo=UTC))
            Budget.objects.create(
                tenant=rules.tenant,
                month=timezone.now().date(),
                spent=Decimal("0.75"),
                monthly_limit=Decimal(5),
            )
        _, found = program.get("usage")
        assert (found["spent"], found["monthly_limit"]) == ("0.750000", "5.000000")
        assert found["backends"] == [
            {
                "backend": "anthropic/haiku",
                "role": "contextualizer",
                "calls": 2,
                "unanswered": 1,
                "texts": 3,
                "input_tokens": 7,
                "cache_write_tokens": 0,
                "cache_read_tokens": 0,
                "output_tokens": 0,
                "cost": "0.750000",
            }
        ]


@pytest.mark.parametrize(
    ("method", "path", "needed"),
    [
        ("get", "versions/{version}", Scope.READ),
        ("post", "versions/{version}/cancel", Scope.WRITE),
        ("post", "versions/{version}/retry", Scope.WRITE),
        ("post", "collections/{collection}/estimate", Scope.WRITE),
        ("get", "usage", Scope.MANAGE),
    ],
)
def test_each_needs_its_scope(rules: Collection, method: str, path: str, needed: Scope) -> None:
    one = version(rules, State.QUEUED)
    others = Program(rules.tenant, *(scope for scope in Scope if scope != needed))
    others.send("get", "tenant")
    before = everything_of(rules.tenant)
    status, answer = others.send(method, path.format(version=one.pk, collection=rules.pk))
    assert (status, answer["detail"]) == (403, f"This key lacks the scope '{needed}'.")
    assert everything_of(rules.tenant) == before
