"""The REST API of reading and of contexts: what is asked, what is answered, and what is refused."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from documents.models import Collection, Document
from tenants.models import Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.hostile_queries import hostile_queries
from tests.problems import fields_of
from tests.searching import ACT, add, fill

NAME = "harbour-safety-act.md"
CITED = "Section 2(a) of the Harbour Safety Act"


class Program:
    """A program with a key that reads."""

    def __init__(self, tenant: Tenant, *scopes: Scope) -> None:
        self.headers = {"Authorization": f"Bearer {factories.api_key(tenant, *scopes)[1]}"}
        self.client = Client(raise_request_exception=False)

    def get(self, path: str, *pairs: tuple[str, object], **asked: object) -> tuple[int, Any]:
        query = urlencode([*pairs, *asked.items()])
        response = self.client.get(f"/api/v1/{path}?{query}", headers=self.headers)
        return response.status_code, None if response.status_code == 500 else response.json()

    def ask(self, **asked: object) -> tuple[int, Any]:
        response = self.client.post(
            "/api/v1/context", json.dumps(asked), content_type="application/json", headers=self.headers
        )
        return response.status_code, None if response.status_code == 500 else response.json()


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def program(acts: Collection) -> Program:
    return Program(acts.tenant, Scope.READ)


@pytest.fixture
def act(acts: Collection) -> Document:
    with tenant_scope(acts.tenant_id):
        return Document.objects.get(name=NAME)


@pytest.fixture
def before(acts: Collection) -> datetime:
    """When the act still said six knots."""
    moment = timezone.now()
    add(acts, NAME, ACT.replace("six knots", "nine knots"))
    return moment


class TestContext:
    def test_is_given_with_its_sources(self, program: Program) -> None:
        status, got = program.ask(query=CITED, max_tokens=500)
        assert (status, set(got)) == (
            200,
            {
                "context", "sources", "tokens", "read_context", "read_at", "confidence", "not_found",
                "suggestion", "degraded",
            },
        )  # fmt: skip
        assert set(got["sources"][0]) == {
            "mark", "role", "relevance", "document", "title", "path", "section_label", "is_cut", "citation",
            "permalink",
        }  # fmt: skip
        assert set(got["sources"][0]["citation"]) == {
            "tenant", "collection_id", "document_id", "version_id", "section_label", "span", "content_hash",
            "read_context",
        }  # fmt: skip
        assert (got["tokens"] <= 500, got["read_context"]) == (True, {"selector": "head"})

    def test_has_permalinks_that_name_the_words(self, program: Program) -> None:
        _, got = program.ask(query=CITED, max_tokens=500)
        for source in got["sources"]:
            cited, (start, end) = source["citation"], source["citation"]["span"]
            place = f"{cited['version_id']}/{start}-{end}/{cited['content_hash'][:16]}/"
            assert source["permalink"].endswith(f"/cite/{place}")

    def test_is_given_as_of_then(self, program: Program, before: datetime) -> None:
        _, got = program.ask(query="knots", read_context={"as_of": before.isoformat()})
        assert ("six knots" in got["context"], "nine knots" in got["context"]) == (True, False)

    @pytest.mark.parametrize(
        ("asked", "field"),
        [
            ({}, "query"),
            ({"query": " "}, "query"),
            ({"query": "x", "max_tokens": 99}, "max_tokens"),
            ({"query": "x", "max_tokens": 32_001}, "max_tokens"),
            ({"query": "x", "top_k": 101}, "top_k"),
            ({"query": "x", "tokens": 5}, "tokens"),
            ({"query": "x", "collections": ["nowhere"]}, "collections"),
            ({"query": "x", "read_context": {"selector": "published"}}, "read_context"),
            ({"query": "x", "filters": {"nothing": 1}}, "filters"),
        ],
    )
    def test_refuses_what_cannot_be_asked(self, program: Program, asked: dict[str, Any], field: str) -> None:
        status, got = program.ask(**asked)
        assert (status, fields_of(got)) == (400, [field])

    def test_survives_hostile_queries(self, program: Program) -> None:
        for query in hostile_queries(60):
            status, got = program.ask(query=query, max_tokens=400)
            assert status in {200, 400}, query
            assert status == 400 or got["tokens"] <= 400


class TestSections:
    def test_are_read_by_label_and_by_citation(self, program: Program, act: Document) -> None:
        by_label = program.get("sections", document=act.pk, label="Section 2(a)")
        by_words = program.get("sections", citation=CITED)
        assert (by_label[0], by_words[0]) == (200, 200)
        assert by_label[1]["id"] == by_words[1]["id"]
        assert set(by_label[1]) == {
            "id", "label", "marker", "title", "kind", "level", "path", "pages", "document", "version",
            "length", "offset", "text", "is_cut", "next_offset", "parents", "children", "has_more_children",
            "previous", "next", "definitions", "references", "referenced_by", "referenced_by_count",
            "citation", "read_context", "read_at",
        }  # fmt: skip

    def test_can_be_without_text_children_and_parents(self, program: Program) -> None:
        plain = {"with_text": "false", "with_children": "0", "with_parents": "False"}
        status, got = program.get("sections", citation="Section 3", **plain)
        assert (status, got["text"], got["children"], got["parents"]) == (200, "", [], [])

    def test_that_do_not_exist_are_answered_with_those_that_do(self, program: Program) -> None:
        status, got = program.get("sections", citation="Section 2(d) of the Harbour Safety Act")
        assert (status, got["existing"], got["document"]) == (404, ["Section 2(a)", "Section 2(b)"], NAME)

    def test_that_are_several_are_answered_with_all(self, program: Program) -> None:
        status, got = program.get("sections", citation="Section 2")
        assert status == 400
        assert {one["document"] for one in got["candidates"]} == {NAME, "pilotage-rules.md"}

    @pytest.mark.parametrize(
        ("asked", "status", "field"),
        [
            ({}, 400, "document"),
            ({"document": NAME, "limit": 20_001}, 400, "limit"),
            ({"document": NAME, "limit": 0}, 400, "limit"),
            ({"document": NAME, "offset": -1}, 400, "offset"),
            ({"document": NAME, "offset": 10**9}, 400, "document"),
            ({"document": NAME, "offset": 10**30}, 400, None),
            ({"document": NAME, "with_text": "perhaps"}, 400, "with_text"),
            ({"document": NAME, "labels": "x"}, 400, "labels"),
            ({"document": "x" * 301}, 400, "document"),
            ({"document": "\x00"}, 400, "document"),
            ({"document": "nowhere.md"}, 404, "detail"),
            ({"document": NAME, "collection": "nowhere"}, 400, "collections"),
            ({"document": NAME, "read_context": "tomorrow"}, 400, "read_context"),
            ({"document": NAME, "read_context": "published"}, 400, "read_context"),
            ({"document": NAME, "read_context": "baseline:x"}, 400, "read_context"),
            ({"document": NAME, "read_context": "2999-01-01"}, 400, "read_context"),
        ],
    )
    def test_refuse_what_cannot_be_asked(
        self, program: Program, asked: dict[str, object], status: int, field: str | None
    ) -> None:
        got = program.get("sections", **asked)
        assert got[0] == status
        assert field is None or field in {"detail", *fields_of(got[1])}

    def test_survive_hostile_words(self, program: Program) -> None:
        for words in hostile_queries(60):
            plain = words.encode(errors="replace").decode()
            for asked in ({"citation": plain}, {"document": NAME, "label": plain}, {"document": plain}):
                assert program.get("sections", **asked)[0] in {200, 400, 404}, words


@pytest.mark.parametrize("words", ["{moment}", "effective:{day}"])
def test_every_address_takes_a_read_context(
    program: Program, before: datetime, act: Document, words: str
) -> None:
    moment = before.isoformat().replace("+00:00", "Z")
    then = words.format(moment=moment, day=f"{before:%Y-%m-%d}")
    number = 1 if words == "{moment}" else 2  # Of one day, the later one applies.
    assert program.get(f"documents/{act.pk}", read_context=then)[1]["version"]["number"] == number
    assert program.get(f"documents/{act.pk}/outline", read_context=then)[1]["version"]["number"] == number
    assert program.get("sections", document=act.pk, read_context=then)[1]["version"]["number"] == number
    listed = program.get("documents", read_context=then, name="harbour")[1]
    assert [one["version"]["number"] for one in listed["documents"]] == [number]
    term = program.get("definitions", term="vessel", document=act.pk, read_context=then)[1]
    assert term["definition"]["version"] == number
    made = program.get("references", document=act.pk, read_context=then)[1]
    assert made["read_context"]["selector"] == "as_of"
    assert len(made["references"]) == 1


def test_an_address_with_an_id_refuses_what_it_does_not_take(program: Program, act: Document) -> None:
    status, got = program.get(f"documents/{act.pk}", collection="acts")
    assert (status, fields_of(got)) == (400, ["collection"])
    assert program.get(f"documents/{act.pk}/outline", collection="acts")[0] == 200
    assert program.get(f"documents/{act.pk}", read_context="")[0] == 400


def test_documents_are_listed_in_pages(program: Program) -> None:
    status, first = program.get("documents", limit=1)
    assert (status, [one["document"]["name"] for one in first["documents"]]) == (200, [NAME])
    _, second = program.get("documents", limit=1, after=first["next"])
    assert [one["document"]["name"] for one in second["documents"]] == ["pilotage-rules.md"]
    assert second["next"] is None
    _, both = program.get("documents", ("collection", "acts"), ("collection", "acts"))
    assert len(both["documents"]) == 2


@pytest.mark.parametrize(
    ("path", "asked", "field"),
    [
        ("documents", {"limit": 201}, "limit"),
        ("documents", {"state": "lost"}, "state"),
        ("documents", {"state": "ready", "read_context": "2020-01-01"}, "state"),
        ("documents", {"after": "x"}, "after"),
        ("definitions", {}, "term"),
        ("definitions", {"term": " "}, "term"),
        ("definitions", {"term": "x" * 301}, "term"),
        ("definitions", {"term": "x", "limit": 101}, "limit"),
        ("definitions", {"term": "x", "label": "Section 1"}, "document"),
        ("references", {}, "document"),
        ("references", {"document": NAME, "direction": "both"}, "direction"),
        ("references", {"document": NAME, "limit": 201}, "limit"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_the_name_of_its_field(
    program: Program, path: str, asked: dict[str, object], field: str
) -> None:
    status, got = program.get(path, **asked)
    assert (status, fields_of(got)) == (400, [field])


def test_references_are_read_both_ways(program: Program, act: Document) -> None:
    _, out = program.get("references", document=act.pk, label="Section 2")
    _, into = program.get("references", document=act.pk, label="Section 3", direction="in")
    assert [one["target_label"] for one in out["references"]] == ["Section 3"]
    assert [one["section_label"] for one in into["references"]] == ["Section 2(b)"]


def test_an_outline_is_read_under_a_unit(program: Program, act: Document) -> None:
    status, got = program.get(f"documents/{act.pk}/outline", under="Section 2", depth=1)
    assert (status, [one["unit"]["label"] for one in got["units"]]) == (200, ["Section 2(a)", "Section 2(b)"])
    assert program.get(f"documents/{act.pk}/outline", under="Section 9")[0] == 404
    assert program.get(f"documents/{act.pk}/outline", depth=0)[0] == 400
