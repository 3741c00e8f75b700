"""Collections over REST: made, read, changed without losing anybody's change, and deleted on purpose."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from documents.configuration import KEYS, STORED, Place
from documents.models import Collection, State
from documents.services import create_baseline, delete_document
from tenants.models import AuditEvent, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.database import everything_of
from tests.factories import ACTOR
from tests.problems import fields_of, messages_of
from tests.programs import Program

TOLD = {"name": "acts", "description": "Acts of the harbour."}


@pytest.fixture
def program(harbour: Tenant) -> Program:
    return Program(harbour)


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return factories.collection(harbour, "acts")


def reload(collection: Collection) -> Collection:
    with tenant_scope(collection.tenant_id):
        return Collection.objects.get(pk=collection.pk)


class TestMaking:
    def test_takes_the_keys_of_a_file_with_their_defaults(self, program: Program, harbour: Tenant) -> None:
        made = program.post("collections", {**TOLD, "top_k": 7, "min_score": None})
        assert made.status_code == 201
        with tenant_scope(harbour.pk):
            (row,) = Collection.objects.for_tenant(harbour)
            event = AuditEvent.objects.get(action="collection.created")
        shown = made.json()
        assert made["Location"] == f"/api/v1/collections/{row.pk}"
        assert set(shown) == {"id", "configuration", "warnings", "created_at"}
        assert (shown["id"], shown["warnings"]) == (str(row.pk), [])
        defaults = {key.name: key.default for key in KEYS if key.name in STORED}
        assert shown["configuration"] == {**defaults, **TOLD, "top_k": 7}
        assert event.actor == f"key {program.key.name}"
        again = program.get(made["Location"])
        assert (again.json(), again["ETag"]) == (shown, made["ETag"])

    def test_warns_of_weights_that_do_not_sum_to_one(self, program: Program) -> None:
        made = program.post("collections", {**TOLD, "exact_weight": 0.5})
        assert made.status_code == 201
        (said,) = made.json()["warnings"]
        assert said.startswith("The weights sum to 1.3, not to 1: 0.5 + 0.3 + 0.5.")

    @pytest.mark.parametrize(
        ("told", "field"),
        [
            ({"name": "acts of"}, "name"),
            ({"name": "a" * 101}, "name"),
            ({"description": " "}, "description"),
            ({"topk": 5}, "topk"),
            ({"source": "/etc"}, "source"),
            ({"top_k": 0}, "top_k"),
            ({"top_k": 101}, "top_k"),
            ({"max_chunk_tokens": 99}, "max_chunk_tokens"),
            ({"max_chunk_tokens": 2001}, "max_chunk_tokens"),
            ({"top_k": None}, "top_k"),
            ({"min_score": 1.01}, "min_score"),
            ({"search_mode": "fuzzy"}, "search_mode"),
            ({"language": "klingon"}, "language"),
            ({"enable_reranking": True}, "reranker_model"),
            ({"reranker_model": "nobody/nothing"}, "reranker_model"),
            ({"embedding_model": "nobody"}, "embedding_model"),
            ({"context_model": {"provider": "nobody"}}, "context_model"),
            ({"context_model": {"provider": "structural", "size": 4}}, "context_model"),
            ({"keyword_index": "in-memory"}, "keyword_index"),
            ({"keyword_index": "nothing"}, "keyword_index"),
        ],
    )
    def test_refuses_what_a_file_could_not_say(
        self, program: Program, harbour: Tenant, told: dict[str, Any], field: str
    ) -> None:
        before = everything_of(harbour)
        refused = program.post("collections", {**TOLD, **told})
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])
        assert everything_of(harbour) == before

    @pytest.mark.parametrize("told", [{"name": "acts"}, {"description": "Acts."}, {}, []])
    def test_needs_a_name_and_a_description(self, program: Program, harbour: Tenant, told: Any) -> None:
        before = everything_of(harbour)
        assert program.post("collections", told).status_code == 400
        assert everything_of(harbour) == before

    @pytest.mark.parametrize("told", [{"top_k": 1}, {"top_k": 100}, {"keyword_index": "postgres"}])
    def test_takes_what_is_at_the_limits(self, program: Program, told: dict[str, Any]) -> None:
        assert program.post("collections", {**TOLD, **told}).status_code == 201

    def test_refuses_a_name_that_is_taken(self, program: Program, acts: Collection) -> None:
        before = everything_of(acts.tenant)
        refused = program.post("collections", TOLD)
        assert (refused.status_code, refused.json()["detail"]) == (
            409,
            "There is a collection 'acts'. Choose another name.",
        )
        assert everything_of(acts.tenant) == before

    def test_knows_every_key_but_the_one_for_commands(self) -> None:
        from documents.api.configuration import CollectionSerializer

        assert list(CollectionSerializer().fields) == [key.name for key in KEYS if key.place != Place.COMMAND]


class TestListing:
    def test_tells_what_is_in_each(self, program: Program, acts: Collection, meridian: Tenant) -> None:
        factories.collection(meridian, "foreign")
        for state in (State.READY, State.QUEUED, State.FAILED):
            place = factories.document(acts.tenant, place=acts)
            factories.version(acts.tenant, of=place, state=state)
        binned = factories.document(acts.tenant, place=acts)
        delete_document(document=binned, actor=ACTOR)
        assert program.get("collections").json() == {
            "collections": [
                {
                    "id": str(acts.pk),
                    "name": "acts",
                    "description": "For tests.",
                    "documents": 3,
                    "being_read": 1,
                    "failed": 1,
                    "created_at": acts.created_at.isoformat().replace("+00:00", "Z"),
                }
            ],
            "next": None,
        }

    def test_goes_on_where_it_ended(self, program: Program, harbour: Tenant) -> None:
        for name in ("c", "a", "b"):
            factories.collection(harbour, name)
        first = program.get("collections", limit=2).json()
        assert [one["name"] for one in first["collections"]] == ["a", "b"]
        rest = program.get("collections", limit=2, after=first["next"]).json()
        assert ([one["name"] for one in rest["collections"]], rest["next"]) == (["c"], None)
        named = program.get("collections", name="B").json()
        assert [one["name"] for one in named["collections"]] == ["b"]

    @pytest.mark.parametrize(
        ("asked", "field"), [({"after": "x"}, "after"), ({"limit": 0}, "limit"), ({"limit": 201}, "limit")]
    )
    def test_refuses_what_cannot_be_asked(self, program: Program, asked: Any, field: str) -> None:
        refused = program.get("collections", **asked)
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])

    def test_takes_as_many_queries_for_many_as_for_one(
        self, program: Program, harbour: Tenant, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for _ in range(4):
            factories.document(harbour)
        with django_assert_num_queries(QUERIES):
            program.get("collections")


QUERIES = 10


class TestChanging:
    def test_changes_what_is_told_and_nothing_else(self, program: Program, acts: Collection) -> None:
        changed = program.patch(f"collections/{acts.pk}", {"top_k": 5, "semantic_weight": 0.2})
        assert changed.status_code == 200
        assert changed.json()["configuration"] == {**acts.configuration, "top_k": 5, "semantic_weight": 0.2}
        assert changed.json()["warnings"][0].startswith("The weights sum to 0.7, not to 1")
        assert (reload(acts).top_k, reload(acts).semantic_weight) == (5, 0.2)
        assert program.get(f"collections/{acts.pk}")["ETag"] == changed["ETag"]

    def test_loses_nobodys_change(self, program: Program, acts: Collection) -> None:
        address = f"collections/{acts.pk}"
        read = program.get(address)["ETag"]
        assert program.patch(address, {"top_k": 5}, If_Match=read).status_code == 200
        before = everything_of(acts.tenant)
        late = program.patch(address, {"top_k": 6}, If_Match=read)
        assert (late.status_code, late.json()["detail"]) == (
            412,
            "It has been changed since you read it. Read it again, and change that.",
        )
        assert everything_of(acts.tenant) == before
        current = program.get(address)["ETag"]
        listed = f'"other", {current}'
        assert program.patch(address, {"top_k": 6}, If_Match=listed).status_code == 200
        assert program.patch(address, {"top_k": 7}, If_Match="*").status_code == 200
        assert program.patch(address, {"top_k": 8}, If_Match=f"W/{current}").status_code == 412
        assert reload(acts).top_k == 7

    def test_is_not_hindered_by_documents_that_come_in(self, program: Program, acts: Collection) -> None:
        read = program.get(f"collections/{acts.pk}")["ETag"]
        factories.version(acts.tenant, of=factories.document(acts.tenant, place=acts))
        assert program.patch(f"collections/{acts.pk}", {"top_k": 5}, If_Match=read).status_code == 200

    @pytest.mark.parametrize(
        ("told", "field"), [({"top_k": 101}, "top_k"), ({"x": 1}, "x"), ({"language": "x1"}, "language")]
    )
    def test_refuses_as_making_does(self, program: Program, acts: Collection, told: Any, field: str) -> None:
        before = everything_of(acts.tenant)
        refused = program.patch(f"collections/{acts.pk}", told)
        assert (refused.status_code, fields_of(refused.json())) == (400, [field])
        assert everything_of(acts.tenant) == before

    def test_can_be_done_where_an_older_setting_has_gone(self, program: Program, acts: Collection) -> None:
        """A reranker that is declared no more keeps nobody from changing the rest."""
        with tenant_scope(acts.tenant_id):
            Collection.objects.update(reranker_model="gone/model")
        assert program.patch(f"collections/{acts.pk}", {"top_k": 5}).status_code == 200

    def test_refuses_a_name_that_is_taken(self, program: Program, acts: Collection) -> None:
        factories.collection(acts.tenant, "rules")
        before = everything_of(acts.tenant)
        assert program.patch(f"collections/{acts.pk}", {"name": "rules"}).status_code == 409
        assert everything_of(acts.tenant) == before


class TestReading:
    def test_is_not_sent_twice(self, program: Program, acts: Collection) -> None:
        address = f"collections/{acts.pk}"
        first = program.get(address)
        assert first["Cache-Control"] == "private, no-cache"
        assert {"Authorization", "Cookie", "X-Pandect-Tenant"} <= set(first["Vary"].split(", "))
        again = program.get(address, headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        program.patch(address, {"top_k": 5})
        assert program.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200

    def test_is_not_answered_from_what_another_may_read(self, acts: Collection, meridian: Tenant) -> None:
        etag = Program(acts.tenant).get(f"collections/{acts.pk}")["ETag"]
        asked = Program(meridian).get(f"collections/{acts.pk}", headers={"If-None-Match": etag})
        assert asked.status_code == 404


class TestDeleting:
    def test_takes_an_empty_one_at_once(self, program: Program, acts: Collection) -> None:
        assert program.delete(f"collections/{acts.pk}").status_code == 204
        with tenant_scope(acts.tenant_id):
            assert not Collection.objects.exists()
            assert AuditEvent.objects.filter(action="collection.deleted", target="acts").count() == 1

    @pytest.mark.parametrize("said", ["", "?confirm=", "?confirm=act", "?confirm=ACTS"])
    def test_takes_one_with_documents_by_its_name_alone(
        self, program: Program, acts: Collection, said: str
    ) -> None:
        factories.version(acts.tenant, of=factories.document(acts.tenant, place=acts))
        before = everything_of(acts.tenant)
        refused = program.delete(f"collections/{acts.pk}{said}")
        assert (refused.status_code, fields_of(refused.json())) == (400, ["confirm"])
        assert everything_of(acts.tenant) == before
        assert program.delete(f"collections/{acts.pk}?confirm=acts").status_code == 204

    def test_counts_what_is_in_the_bin(self, program: Program, acts: Collection) -> None:
        place = factories.document(acts.tenant, place=acts)
        delete_document(document=place, actor=ACTOR)
        refused = program.delete(f"collections/{acts.pk}")
        (said,) = messages_of(refused.json())
        assert said.startswith("acts has 1 document, counting those in the bin. To delete them for good,")

    def test_keeps_what_baselines_hold(self, program: Program, acts: Collection) -> None:
        factories.version(acts.tenant, of=factories.document(acts.tenant, place=acts))
        create_baseline(collection=acts, name="one", actor=ACTOR)
        before = everything_of(acts.tenant)
        assert program.delete(f"collections/{acts.pk}?confirm=acts").status_code == 409
        assert everything_of(acts.tenant) == before

    def test_of_what_has_changed_is_refused(self, program: Program, acts: Collection) -> None:
        before = everything_of(acts.tenant)
        refused = program.delete(f"collections/{acts.pk}", headers={"If-Match": '"old"'})
        assert refused.status_code == 412
        assert everything_of(acts.tenant) == before


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_changing_and_deleting_are_for_managers(acts: Collection, method: str) -> None:
    others = Program(acts.tenant, Scope.READ, Scope.WRITE)
    before = everything_of(acts.tenant)
    refused = others.write(method, f"collections/{acts.pk}", {"top_k": 5})
    assert (refused.status_code, refused.json()["detail"]) == (403, "This key lacks the scope 'manage'.")
    assert others.post("collections", TOLD).status_code == 403
    assert everything_of(acts.tenant) == before


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_of_several_who_change_what_they_read_at_once_one_does(harbour: Tenant) -> None:
    program, acts = Program(harbour), factories.collection(harbour, "acts")
    read, start = program.get(f"collections/{acts.pk}")["ETag"], Barrier(4)

    def change(top_k: int) -> int:
        try:
            start.wait()
            return int(program.patch(f"collections/{acts.pk}", {"top_k": top_k}, If_Match=read).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(change, range(1, 5)))
    assert sorted(answers) == [200, 412, 412, 412]
    assert reload(acts).top_k == answers.index(200) + 1
