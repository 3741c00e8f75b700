"""Versions and baselines, for programs: compared, brought back, withdrawn, dated, made, published."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from documents import services
from documents.models import Collection, Publication, State, Version
from tenants.models import AuditEvent, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.problems import fields_of
from tests.test_documents_api import Program
from tests.versions import FEES, LIGHTS, PILOTS, WASTE, act, add_version, add_versions, collection

JSON = "application/json"


@pytest.fixture
def program(harbour: Tenant) -> Program:
    """One that has used its key before: the first use is written down."""
    made = Program(harbour, *Scope)
    made.get("tenant")
    return made


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    return collection(harbour)


@pytest.fixture
def versions(rules: Collection) -> list[Version]:
    """Of one document: one more section, then another in front of it."""
    later = FEES.replace("board", "state")
    return add_versions(rules, act(PILOTS), act(PILOTS, FEES), act(PILOTS, WASTE, later))[1]


def post(program: Program, path: str, data: Any = None) -> tuple[int, Any]:
    return program.post(path, data=data or {}, content_type=JSON)


class TestCompare:
    def test_tells_what_became_of_each_unit_and_its_words(
        self, program: Program, versions: list[Version], django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(13):
            status, told = program.get(f"versions/{versions[2].pk}/compare?with={versions[1].pk}")
        assert status == 200
        assert (told["old"]["number"], told["new"]["number"]) == (2, 3)
        assert told["counts"] == {
            "unchanged": 2,
            "changed": 0,
            "moved": 0,
            "moved_and_changed": 1,
            "added": 1,
            "removed": 0,
        }
        assert [(one["kind"], one["old"] and one["old"]["label"]) for one in told["changes"]] == [
            ("added", None),
            ("moved_and_changed", "Section 2"),
        ]
        assert {"kind": "removed", "text": "board"} in told["changes"][1]["words"]
        assert told["changes"][0]["new"]["title"] == "Waste"
        assert (told["is_coarse"], told["next_offset"]) == (False, None)

    def test_tells_all_or_a_part(self, program: Program, versions: list[Version]) -> None:
        path = f"versions/{versions[2].pk}/compare?with={versions[1].pk}"
        _, told = program.get(f"{path}&all=true")
        assert [one["kind"] for one in told["changes"]] == [
            "unchanged",
            "unchanged",
            "added",
            "moved_and_changed",
        ]
        assert "words" not in told["changes"][0]
        _, first = program.get(f"{path}&limit=1")
        assert ([one["kind"] for one in first["changes"]], first["next_offset"]) == (["added"], 1)
        _, second = program.get(f"{path}&limit=1&offset=1")
        assert ([one["kind"] for one in second["changes"]], second["next_offset"]) == (
            ["moved_and_changed"],
            None,
        )

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("", "with"),
            ("?with=x", "with"),
            ("?with={}&limit=0", "limit"),
            ("?with={}&limit=1001", "limit"),
            ("?with={}&offset=-1", "offset"),
            ("?with={}&depth=1", "depth"),
        ],
    )
    def test_refuses_what_it_does_not_understand(
        self, program: Program, versions: list[Version], query: str, field: str
    ) -> None:
        status, told = program.get(f"versions/{versions[0].pk}/compare{query.format(versions[1].pk)}")
        assert (status, fields_of(told)) == (400, [field])

    def test_refuses_versions_of_another_document(
        self, program: Program, versions: list[Version], rules: Collection
    ) -> None:
        other = add_version(rules, act(WASTE), "other.md")
        status, told = program.get(f"versions/{versions[0].pk}/compare?with={other.pk}")
        assert (status, fields_of(told)) == (400, ["with"])
        assert told["detail"] == "It is a version of another document."

    def test_finds_nothing_that_is_not_ready_or_of_others(
        self, program: Program, versions: list[Version], meridian: Tenant
    ) -> None:
        waiting = factories.version(
            versions[0].document.tenant, of=versions[0].document, number=9, state=State.QUEUED
        )
        for other in (factories.version(meridian).pk, waiting.pk, uuid4()):
            assert program.get(f"versions/{versions[0].pk}/compare?with={other}")[0] == 404
            assert program.get(f"versions/{other}/compare?with={versions[0].pk}")[0] == 404


class TestHistory:
    def test_tells_each_step(self, program: Program, versions: list[Version]) -> None:
        document = versions[0].document
        status, told = program.get(f"documents/{document.pk}/history?label=Section 3")
        assert (status, told["document"]["name"], told["is_complete"]) == (200, "act.md", True)
        steps = [(one["version"]["number"], one["kind"], one["label"]) for one in told["steps"]]
        assert steps == [(3, "moved_and_changed", "Section 3"), (2, "added", "Section 2")]
        assert {"kind": "added", "text": "state"} in told["steps"][0]["words"]

    def test_of_no_unit_is_not_found(self, program: Program, versions: list[Version]) -> None:
        path = f"documents/{versions[0].document_id}/history"
        status, told = program.get(f"{path}?label=Section 9")
        assert (status, told["detail"]) == (404, "No version has a unit “Section 9”.")
        assert program.get(path)[0] == 400
        assert program.get(f"{path}?label=a%00b")[0] == 400


class TestBaselines:
    def test_are_made_listed_and_told(
        self, program: Program, versions: list[Version], rules: Collection
    ) -> None:
        path = f"collections/{rules.pk}/baselines"
        status, made = post(program, path, {"name": "Spring", "description": "Agreed."})
        assert status == 201
        facts = {name: made[name] for name in ("name", "description", "size", "created_by", "is_published")}
        assert facts == {
            "name": "Spring",
            "description": "Agreed.",
            "size": 1,
            "created_by": f"key {program.key.name}",
            "is_published": False,
        }
        assert program.get(path) == (200, {"baselines": [made], "next": None})
        status, told = program.get(f"baselines/{made['id']}")
        assert status == 200
        (held,) = told["versions"]
        assert (held["id"], held["number"]) == (str(versions[2].pk), 3)
        assert held["document"] == {"id": str(versions[2].document_id), "name": "act.md"}

    def test_are_made_as_of_a_day_or_of_versions(
        self, program: Program, versions: list[Version], rules: Collection
    ) -> None:
        path = f"collections/{rules.pk}/baselines"
        moment = versions[1].recorded_at
        assert moment is not None
        status, _ = post(program, path, {"name": "a", "read_context": {"as_of": moment.isoformat()}})
        assert status == 201
        status, _ = post(program, path, {"name": "b", "versions": [str(versions[0].pk)]})
        assert status == 201
        with tenant_scope(rules.tenant_id):
            held = Version.objects.filter(baselines__isnull=False).order_by("baselines__baseline__name")
            assert list(held.values_list("number", flat=True)) == [2, 1]

    @pytest.mark.parametrize(
        ("data", "status", "field"),
        [
            ({}, 400, "name"),
            ({"name": " "}, 400, "name"),
            ({"name": "a", "size": 1}, 400, "size"),
            ({"name": "a", "versions": []}, 400, "versions"),
            ({"name": "a", "versions": ["x"]}, 400, "versions"),
            ({"name": "a", "read_context": {}, "versions": [str(uuid4())]}, 400, "versions"),
            ({"name": "a", "read_context": {"as_of": "soon"}}, 400, "read_context"),
            ({"name": "a", "versions": [str(uuid4())]}, 409, "detail"),
            ({"name": "a", "read_context": {"as_of": "2001-01-01"}}, 409, "detail"),
            ({"name": "Taken"}, 409, "detail"),
        ],
    )
    @pytest.mark.usefixtures("versions")
    def test_that_cannot_be_made_say_why(
        self, program: Program, rules: Collection, data: Any, status: int, field: str
    ) -> None:
        services.create_baseline(collection=rules, name="Taken", actor=ACTOR)
        before = everything_of(rules.tenant)
        answer, told = post(program, f"collections/{rules.pk}/baselines", data)
        assert answer == told["status"] == status
        assert field == "detail" or fields_of(told) == [field]
        assert everything_of(rules.tenant) == before

    def test_need_a_key_that_may_write(self, versions: list[Version], rules: Collection) -> None:
        reader = Program(rules.tenant, Scope.READ, Scope.MANAGE)
        path = f"collections/{rules.pk}/baselines"
        assert reader.get(path) == (200, {"baselines": [], "next": None})
        before = everything_of(rules.tenant)
        status, told = post(reader, path, {"name": "a"})
        assert (status, told["detail"]) == (403, "This key lacks the scope 'write'.")
        assert everything_of(rules.tenant) == before

    def test_are_published_and_unpublished(
        self, program: Program, versions: list[Version], rules: Collection
    ) -> None:
        made = services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
        status, told = program.post(f"baselines/{made.pk}/publish")
        assert (status, told["baseline"], told["number"]) == (200, str(made.pk), 1)
        assert program.get(f"baselines/{made.pk}")[1]["is_published"]
        status, told = program.post(f"baselines/{made.pk}/publish")
        assert (status, told["detail"]) == (409, "Spring is published already.")
        status, told = program.post(f"collections/{rules.pk}/unpublish")
        assert (status, told["baseline"], told["number"]) == (200, None, 2)
        status, told = program.post(f"collections/{rules.pk}/unpublish")
        assert (status, told["detail"]) == (409, "Nothing is published.")
        with tenant_scope(rules.tenant_id):
            assert Publication.objects.count() == 2

    def test_are_compared(
        self, program: Program, rules: Collection, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        document, _ = add_versions(rules, act(PILOTS))
        old = services.create_baseline(collection=rules, name="old", actor=ACTOR)
        add_version(rules, act(PILOTS, FEES))
        add_version(rules, act(LIGHTS), "new.md")
        new = services.create_baseline(collection=rules, name="new", actor=ACTOR)
        with django_assert_num_queries(17):
            status, told = program.get(f"baselines/{new.pk}/compare?with={old.pk}")
        assert (status, told["old"]["name"], told["new"]["name"]) == (200, "old", "new")
        changed, added = told["documents"]
        assert (changed["id"], changed["kind"], changed["old"]["number"]) == (str(document.pk), "changed", 1)
        assert changed["units"] == [{"kind": "added", "old": None, "new": "Section 2"}]
        assert changed["counts"]["added"] == 1
        assert (added["name"], added["kind"], added["old"]) == ("new.md", "added", None)

    def test_are_compared_within_their_collection(
        self, program: Program, versions: list[Version], rules: Collection, meridian: Tenant
    ) -> None:
        made = services.create_baseline(collection=rules, name="Spring", actor=ACTOR)
        path = f"baselines/{made.pk}/compare"
        assert program.get(path)[0] == 400
        elsewhere = factories.baseline(rules.tenant)
        status, told = program.get(f"{path}?with={elsewhere.pk}")
        assert (status, told["detail"]) == (400, "It is a baseline of another collection.")
        for other in (factories.baseline(meridian).pk, uuid4()):
            assert program.get(f"{path}?with={other}")[0] == 404


class TestOneVersion:
    def test_is_brought_back(self, program: Program, versions: list[Version]) -> None:
        status, told = program.post(f"versions/{versions[0].pk}/restore")
        assert (status, told["number"], told["state"]) == (200, 4, "queued")
        before = everything_of(versions[0].document.tenant)
        status, told = program.post(f"versions/{versions[2].pk}/restore")
        assert (status, told["detail"]) == (409, "act.md v3 is the current version.")
        assert everything_of(versions[0].document.tenant) == before

    def test_is_withdrawn(self, program: Program, versions: list[Version]) -> None:
        status, told = program.post(f"versions/{versions[2].pk}/withdraw")
        assert status == 200
        assert told["withdrawn_at"] is not None
        status, told = program.post(f"versions/{versions[2].pk}/withdraw")
        assert (status, told["detail"]) == (409, "act.md v3 is withdrawn already.")

    def test_is_dated(self, program: Program, versions: list[Version]) -> None:
        path = f"versions/{versions[2].pk}/dates"
        data = {"effective_from": "2020-01-02", "effective_to": None}
        status, told = post(program, path, data)
        assert (status, told["effective_from"], told["effective_to"]) == (200, "2020-01-02", None)
        before = everything_of(versions[0].document.tenant)
        for wrong, field in (
            ({"effective_from": "2020-01-02"}, "effective_to"),
            ({"effective_from": "soon", "effective_to": None}, "effective_from"),
            ({"effective_from": "2020-01-02", "effective_to": "2019-01-01"}, "effective_to"),
            ({**data, "until": None}, "until"),
        ):
            status, told = post(program, path, wrong)
            assert (status, fields_of(told)) == (400, [field])
        assert everything_of(versions[0].document.tenant) == before

    def test_is_changed_on_the_record(self, program: Program, versions: list[Version]) -> None:
        program.post(f"versions/{versions[2].pk}/withdraw")
        with tenant_scope(versions[0].tenant_id):
            event = AuditEvent.objects.order_by("-at")[0]
        assert (event.action, event.actor) == ("version.withdrawn", f"key {program.key.name}")
