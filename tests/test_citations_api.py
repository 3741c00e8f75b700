"""The doors of citations: the REST API and the command, what they answer and what they refuse."""

from __future__ import annotations

import json
import time
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.models import Collection
from search.citations.given import FIELDS
from tenants.models import Scope, Tenant
from tests import factories
from tests.problems import fields_of
from tests.searching import ACT, add, fill

NAME = "harbour-safety-act.md"
SPEED = "The master of a vessel shall not exceed six knots in the inner harbour."


class Program:
    """A program with a key."""

    def __init__(self, tenant: Tenant) -> None:
        self.token = factories.api_key(tenant, Scope.READ)[1]

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        response = Client(raise_request_exception=False).post(
            f"/api/v1/{path}",
            body if isinstance(body, bytes) else json.dumps(body).encode(),
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.token}"},
        )
        return response.status_code, None if response.status_code == 500 else response.json()

    def hit(self, query: str = "Section 2(a) of the Harbour Safety Act") -> Any:
        return self.post("search", {"query": query})[1]["results"][0]


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def program(acts: Collection) -> Program:
    return Program(acts.tenant)


def test_a_result_has_an_address_that_begins_with_its_hash(program: Program) -> None:
    hit = program.hit()
    citation = hit["citation"]
    start, end = citation["span"]
    assert hit["permalink"] == (
        f"/t/harbour/cite/{citation['version_id']}/{start}-{end}/{citation['content_hash'][:16]}/"
    )


def test_the_citation_of_a_result_can_be_sent_back_as_it_came(program: Program, acts: Collection) -> None:
    citation = program.hit()["citation"]
    status, verified = program.post("citations/verify", {"citation": citation})
    assert (status, verified["status"], verified["then"]["citation"]) == (200, "stands", citation)
    add(acts, NAME, ACT.replace("six knots", "four knots"))
    status, verified = program.post("citations/verify", {"citation": citation})
    assert (status, verified["status"]) == (200, "changed")
    assert (verified["then"]["version"], verified["now"]["version"]) == (1, 2)
    assert {part["kind"] for part in verified["difference"]} == {"same", "removed", "added"}
    assert [change["version"] for change in verified["since"]] == [2]


def test_many_are_answered_in_their_order(program: Program) -> None:
    citation = program.hit()["citation"]
    wrong = {**citation, "content_hash": "0" * 64}
    status, answer = program.post("citations/verify", {"citations": [citation, wrong]})
    assert status == 200
    assert [one["status"] for one in answer["verifications"]] == ["stands", "altered"]


def test_it_is_verified_at_the_context_that_is_asked_for(program: Program) -> None:
    citation = program.hit()["citation"]
    past = {"as_of": "2001-01-01"}
    status, answer = program.post("citations/verify", {"citation": citation, "read_context": past})
    assert (status, answer["status"]) == (200, "withdrawn")
    assert answer["read_context"]["selector"] == "as_of"
    status, answer = program.post(
        "citations/verify", {"citation": citation, "read_context": {"selector": "published"}}
    )
    assert (status, fields_of(answer)) == (400, ["read_context"])


GIVEN = {"version_id": str(uuid4()), "span": [0, 4], "content_hash": "0" * 64}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version_id": None}, "version_id"),
        ({"version_id": 5}, "version_id"),
        ({"version_id": "x"}, "version_id"),
        ({"span": [4, 4]}, "span"),
        ({"span": [-1, 4]}, "span"),
        ({"span": [0, 2**31]}, "span"),
        ({"span": [0, 1e3]}, "span"),
        ({"span": [False, True]}, "span"),
        ({"span": [1, 2, 3]}, "span"),
        ({"span": "0-4"}, "span"),
        ({"content_hash": "0" * 63}, "content_hash"),
        ({"content_hash": "g" * 64}, "content_hash"),
        ({"content_hash": 0}, "content_hash"),
        ({"section_label": "a\0b"}, "section_label"),
        ({"section_label": "a" * 301}, "section_label"),
        ({"tenant": "harbour"}, "tenant"),
        ({"read_context": {"selector": "yesterday"}}, "read_context"),
        ({"read_context": []}, "read_context"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_not_well_formed_is_refused_by_its_field(
    program: Program, change: dict[str, Any], field: str
) -> None:
    status, answer = program.post("citations/verify", {"citation": {**GIVEN, **change}})
    assert (status, {error["field"].split(".")[1] for error in answer["errors"]}) == (400, {field})


@pytest.mark.parametrize(
    "body",
    [{}, {"citation": GIVEN, "citations": [GIVEN]}, {"citations": []}, {"citations": [GIVEN] * 51}, [], 5],
)
def test_one_or_some_are_sent_and_not_too_many(program: Program, body: Any) -> None:
    assert program.post("citations/verify", body)[0] == 400


def test_ids_of_another_tenant_are_gone(program: Program, meridian: Tenant) -> None:
    hit = program.hit()
    stranger = Program(meridian)
    for citation in (hit["citation"], {**hit["citation"], "tenant": str(meridian.pk)}):
        status, answer = stranger.post("citations/verify", {"citation": citation})
        assert (status, answer["status"], answer["then"], answer["now"]) == (200, "gone", None, None)
        assert NAME not in json.dumps(answer)
    status, answer = stranger.post("citations/check", {"text": f"“{SPEED}”"})
    assert (status, answer["counts"]) == (200, {"not_found": 1})


def test_a_text_is_checked(program: Program) -> None:
    text = f"“{SPEED}” (section 2(a) of the Harbour Safety Act). Section 9 of the Pilotage Rules agrees."
    status, answer = program.post("citations/check", {"text": text, "collections": ["acts"]})
    assert status == 200
    assert [one["status"] for one in answer["checked"]] == ["found", "resolved", "missing"]
    assert answer["counts"] == {"found": 1, "resolved": 1, "missing": 1}
    assert answer["is_right"] is False
    assert answer["read_context"] == {"selector": "head"}
    assert answer["checked"][0]["places"][0]["permalink"].startswith("/t/harbour/cite/")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "a" * 50_001}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": 5.5, "colour": 1}, "colour"),
        ({"text": "a", "collections": ["laws"]}, "collections"),
        ({"text": "a", "read_context": {"selector": "published"}}, "read_context"),
        ({}, "text"),
    ],
)
def test_a_text_that_cannot_be_checked_is_refused(program: Program, body: Any, field: str) -> None:
    status, answer = program.post("citations/check", body)
    assert (status, fields_of(answer)) == (400, [field])


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
hostile = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(FIELDS, anything),
        "version_id": st.just(GIVEN["version_id"]) | anything,
        "span": st.tuples(st.integers(), st.integers()) | anything,
        "content_hash": st.just("0" * 64) | anything,
    },
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(citation=hostile, rest=st.dictionaries(st.sampled_from(["read_context", "text", "x"]), anything))
def test_no_json_is_a_fault(program: Program, citation: Any, rest: Any) -> None:
    for path in ("citations/verify", "citations/check"):
        status, _ = program.post(path, {"citation": citation, **rest})
        assert status in {200, 400}
    known = program.post("citations/verify", {"citation": {**GIVEN, **citation}})[0]
    assert known in {200, 400}


@pytest.mark.parametrize(
    "piece", ["“a ", '"[> ', "Section 1(", "§ 1. ", "section 2(a)(b) of the Act ", "… 字\n"]
)
def test_a_long_hostile_text_is_checked_in_time(program: Program, acts: Collection, piece: str) -> None:
    began = time.monotonic()
    status, _ = program.post("citations/check", {"text": (piece * 50_000)[:50_000]})
    assert (status, time.monotonic() - began < 60) == (200, True)


# The command.


def run(tmp_path: Path, given: Any, **options: Any) -> str:
    file = tmp_path / "citation.json"
    file.write_text(given if isinstance(given, str) else json.dumps(given))
    out = StringIO()
    call_command("verify_citation", str(file), tenant="harbour", stdout=out, **options)
    return out.getvalue()


def test_the_command_says_that_a_citation_stands(program: Program, tmp_path: Path) -> None:
    hit = program.hit()
    lines = run(tmp_path, hit["citation"]).splitlines()
    assert lines[0] == "stands: These words stand today: version 1 is what is read."
    assert lines[1] == f"  then: {NAME}, Section 2(a), version 1: (a) {SPEED}"
    for kept in (hit, [hit], {"citations": [hit["citation"]]}, {"results": [hit]}):
        assert run(tmp_path, kept).splitlines() == lines


def test_the_command_fails_for_what_does_not_stand(
    program: Program, acts: Collection, tmp_path: Path, capsys: Any
) -> None:
    citation = program.hit()["citation"]
    add(acts, NAME, ACT.replace("six knots", "four knots"))
    with pytest.raises(CommandError, match="1 of 1 do not stand") as failed:
        run(tmp_path, citation)
    assert failed.value.returncode == 1
    with pytest.raises(CommandError, match="--at: “yesterday” is no date"):
        run(tmp_path, citation, at="yesterday")
    with pytest.raises(CommandError, match="span: It ends before"):
        run(tmp_path, {**citation, "span": [5, 1]})
    for broken in ("{", "[]", "{}", "[" * 100_000):
        with pytest.raises(CommandError):
            run(tmp_path, broken)
