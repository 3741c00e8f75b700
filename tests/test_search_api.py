"""The REST API of searches: what is asked, what is answered, and what is refused."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import pytest
from django.test import Client

from documents.models import Collection
from search import pipeline
from search.request import MOST_CHARACTERS
from tenants.models import Scope, Tenant
from tests import factories
from tests.hostile_queries import hostile_queries
from tests.processes import DATA
from tests.searching import ACT, add, fill


class Program:
    """A program with a key that searches."""

    def __init__(self, tenant: Tenant, *scopes: Scope) -> None:
        self.token = factories.api_key(tenant, *scopes)[1]

    def ask(self, **asked: Any) -> tuple[int, Any]:
        return self.send(json.dumps(asked).encode())

    def send(self, body: bytes) -> tuple[int, Any]:
        response = Client(raise_request_exception=False).post(
            "/api/v1/search",
            body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.token}"},
        )
        is_fault = response.status_code == 500  # Of these there is nothing to read.
        return response.status_code, None if is_fault else response.json()


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def program(acts: Collection) -> Program:
    return Program(acts.tenant, Scope.READ)


def test_an_answer_has_what_the_contract_names(program: Program) -> None:
    status, answer = program.ask(query="Section 2(b) of the Harbour Safety Act", explain=True, facets=True)
    assert status == 200
    assert set(answer) >= {
        "results",
        "not_found",
        "confidence",
        "degraded",
        "took_ms",
        "read_context",
        "facets",
    }
    assert set(answer["results"][0]) >= {
        "chunk_id", "content", "context", "highlights", "score", "semantic_score", "keyword_score",
        "exact_match", "ranks", "source", "parent_chain", "section_label", "pages", "chunk_type",
        "definitions", "references", "citation",
    }  # fmt: skip
    assert set(answer["results"][0]["citation"]) == {
        "tenant", "collection_id", "document_id", "version_id", "section_label", "span", "content_hash",
        "read_context",
    }  # fmt: skip
    assert answer["read_context"] == {"selector": "head"}


def test_the_same_words_elsewhere_are_counted(program: Program, acts: Collection) -> None:
    question = "exceed six knots in the inner harbour"
    assert program.ask(query=question)[1]["results"][0]["also_in"] == 0
    add(acts, "copy-of-the-act.md", ACT)
    assert program.ask(query=question)[1]["results"][0]["also_in"] == 1


def test_what_does_not_exist_is_said_with_what_does(program: Program) -> None:
    _, answer = program.ask(query="Section 2(d) of the Harbour Safety Act")
    (missing,) = answer["not_found"]
    assert answer["results"] == []
    assert (missing["text"], missing["existing"]) == (
        "Section 2(d) of the Harbour Safety Act",
        ["Section 2(a)", "Section 2(b)"],
    )


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n "}, "query"),
        ({"query": 5.5e300 * 1e10}, None),
        ({"query": ["a"]}, "query"),
        ({"query": "x" * (MOST_CHARACTERS + 1)}, "query"),
        ({"query": "x", "top_k": 0}, "top_k"),
        ({"query": "x", "top_k": 101}, "top_k"),
        ({"query": "x", "min_score": -0.1}, "min_score"),
        ({"query": "x", "min_score": 1.1}, "min_score"),
        ({"query": "x", "mode": "fuzzy"}, "mode"),
        ({"query": "x", "neighbours": 6}, "neighbours"),
        ({"query": "x", "per_document": 0}, "per_document"),
        ({"query": "x", "collections": ["nothing"]}, "collections"),
        ({"query": "x", "limit": 5}, "limit"),
        ({"query": "x", "filters": {"document": "x"}}, "filters"),
        ({"query": "x", "filters": {"documents": ["x"]}}, "filters"),
        ({"query": "x", "filters": {"chunk_types": ["poem"]}}, "filters"),
        ({"query": "x", "filters": {"recorded_from": "yesterday"}}, "filters"),
        ({"query": "x", "read_context": {"selector": "tomorrow"}}, "read_context"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_the_name_of_its_field(
    program: Program, asked: dict[str, Any], field: str | None
) -> None:
    status, answer = program.ask(**asked)
    assert status == 400
    assert answer["status"] == 400
    assert field is None or field in {error["field"].partition(".")[0] for error in answer["errors"]}


@pytest.mark.parametrize(
    "asked",
    [
        {"top_k": 1},
        {"top_k": 100},
        {"min_score": 0},
        {"min_score": 1},
        {"min_score": None},
        {"neighbours": 5},
        {"per_document": 1},
        {"query": "x" * MOST_CHARACTERS},
        {"filters": {}},
        {"collections": []},
        {"read_context": {"selector": "head"}},
    ],
)
def test_the_limits_themselves_can_be_asked(program: Program, asked: dict[str, Any]) -> None:
    assert program.ask(**{"query": "vessel", **asked})[0] == 200


def test_a_key_that_may_not_read_may_not_search(acts: Collection) -> None:
    assert Program(acts.tenant, Scope.WRITE).ask(query="vessel")[0] == 403


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"query": "\\ud800"}', b'{"query": NaN}'],
)
def test_a_body_that_is_no_request_is_refused(program: Program, body: bytes) -> None:
    assert program.send(body)[0] == 400


def test_a_query_of_a_megabyte_is_refused(program: Program) -> None:
    assert program.ask(query="harbour " * 131_072)[0] == 400


def known_naughty() -> list[str]:
    """The big list of naughty strings, where it is at hand and more than a few queries are wanted."""
    path = DATA / "nasty/text/blns.txt"
    is_wanted = "PANDECT_QUERIES" in os.environ and path.is_file()
    return path.read_text(errors="replace").splitlines() if is_wanted else []


def test_no_query_breaks_it(program: Program, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.API_RATE = 0
    if "PANDECT_QUERIES" not in os.environ:  # Then nobody asks how fast it is: others may be at work here.
        monkeypatch.setattr(pipeline, "LIMITED", {"statement_timeout": "60000"})
    queries = [*known_naughty(), *hostile_queries(5_000)][: int(os.environ.get("PANDECT_QUERIES", "200"))]
    slowest = 0.0
    for query in queries:
        began = time.perf_counter()
        status, answer = program.send(json.dumps({"query": query, "explain": True}).encode())
        slowest = max(slowest, time.perf_counter() - began)
        assert status in {200, 400}, query
        assert status == 400 or not answer["degraded"], (query, answer["degraded"])
    print(f"{len(queries)} hostile queries, the slowest took {slowest:.2f} s")


@pytest.mark.parametrize("mode", ["semantic", "keyword", "exact"])
def test_no_query_breaks_a_mode(program: Program, mode: str) -> None:
    for query in hostile_queries(80):
        body = json.dumps({"query": query, "mode": mode, "fusion": "rrf"}).encode()
        assert program.send(body)[0] in {200, 400}, query
