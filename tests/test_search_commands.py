"""Searching and assembling contexts from the command line, and read contexts for every command."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from documents.models import Collection
from documents.read_context import HEAD
from search.ask import ask
from search.management.terminal import Terminal
from tenants.models import Tenant
from tests.searching import ACT, add, fill

NAME = "harbour-safety-act.md"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


@pytest.fixture
def before(acts: Collection) -> str:
    """When the act still said six knots, in words."""
    moment = timezone.now()
    changed = ACT.replace("six knots", "nine knots").replace("any ship, boat or craft", "any floating thing")
    add(acts, NAME, changed.replace("under section 3", "under section 1").replace("Rescue", "Salvage"))
    return moment.isoformat()


def run(*arguments: str) -> str:
    said = StringIO()
    call_command(*arguments, "--tenant", "harbour", stdout=said, stderr=StringIO())
    return said.getvalue()


def refuse(*arguments: str) -> str:
    with pytest.raises(CommandError) as failed:
        run(*arguments)
    return str(failed.value)


class TestSearch:
    def test_prints_what_was_found_and_why(self, acts: Collection) -> None:
        lines = run("search", "Section 2(a) of the Harbour Safety Act", "--top", "1").splitlines()
        assert lines[0] == " 1. Harbour Safety Act › Section 2 Speed › (a) (Section 2(a))"
        assert lines[1] == f"    {NAME} · version 1 · citation · 1.00"
        assert "six knots" in lines[2]
        assert any(line.startswith("    “vessel” (Section 1(a)): ") for line in lines)

    def test_says_what_does_not_exist_and_what_does(self, acts: Collection) -> None:
        said = run("search", "Section 2(d) of the Harbour Safety Act")
        assert "There are: Section 2(a), Section 2(b)." in said

    def test_suggests_another_spelling(self, acts: Collection) -> None:
        assert "Did you mean: " in run("search", "pilott boards")

    def test_prints_no_colours_into_a_file(self, acts: Collection) -> None:
        assert "\x1b" not in run("search", "speed of a vessel")

    def test_prints_json(self, acts: Collection) -> None:
        answer = json.loads(run("search", "Section 3", "--json", "--explain"))
        assert answer["results"][0]["section_label"] == "Section 3"
        assert answer["explanation"]["kind"] == "citation"

    def test_reads_as_of_then(self, before: str) -> None:
        cited = "Section 2(a) of the Harbour Safety Act"
        assert "six knots" in run("search", cited, "--read", before)
        assert "nine knots" in run("search", cited)

    def test_refuses_what_cannot_be(self, acts: Collection) -> None:
        assert refuse("search", " ") == "The query is blank. Ask with at least one word."
        assert refuse("search", "x", "--top", "0") == "--top 0: give a number from 1 to 100."
        assert refuse("search", "x", "--collection", "y") == "There is no collection “y”."
        assert refuse("search", "x", "--read", "never").startswith("--read never: “never” is no date.")
        assert refuse("search", "x", "--read", "published").startswith("Nothing is published here.")


class TestTerminal:
    @pytest.mark.parametrize("width", [1, 40, 57, 80, 200])
    @pytest.mark.parametrize("is_coloured", [False, True])
    def test_keeps_within_its_width(self, acts: Collection, width: int, is_coloured: bool) -> None:
        answer = ask(tenant=acts.tenant, query="speed of a vessel", read_context=HEAD, explain=True)
        lines = list(Terminal(width, is_coloured).show(answer))
        assert max(len(ESCAPE.sub("", line)) for line in lines) <= max(40, width)
        assert ("\x1b" in "".join(lines)) == is_coloured
        assert not re.search("[\ue000\ue001]", "".join(lines))

    def test_shows_the_words_that_were_asked_for(self, acts: Collection) -> None:
        answer = ask(tenant=acts.tenant, query="knots", top_k=1)
        said = "\n".join(Terminal(100, is_coloured=True).show(answer))
        assert "\x1b[1;33mknots\x1b[0m" in said

    def test_obeys_nothing_in_a_text(self, acts: Collection) -> None:
        add(acts, "evil.md", "# Evil \x1b[31m\n\nZebra \x1b]0;owned\x07 stripes \ue000 here.\n")
        answer = ask(tenant=acts.tenant, query="zebra stripes", top_k=1)
        said = "\n".join(Terminal(100).show(answer))
        assert "stripes" in said
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\ue000\ue001]", said)


class TestContext:
    def test_prints_the_context_alone(self, acts: Collection) -> None:
        said, told = StringIO(), StringIO()
        call_command(
            "context", "speed of a vessel", "--tenant", "harbour", "--max-tokens", "300",
            stdout=said, stderr=told,
        )  # fmt: skip
        assert said.getvalue().startswith("Each source below")
        assert said.getvalue().endswith("\n~~~\n")
        assert re.fullmatch(r"\d+ tokens, \d+ sources?, confidence: \w+\.", told.getvalue().strip())

    def test_prints_json(self, acts: Collection) -> None:
        got = json.loads(run("context", "Section 3", "--json", "--no-relationships"))
        assert {one["role"] for one in got["sources"]} == {"passage"}

    def test_refuses_a_budget_that_cannot_be(self, acts: Collection) -> None:
        assert refuse("context", "x", "--max-tokens", "99") == "Give 100 to 32,000 tokens."


class TestRead:
    def test_is_taken_by_every_command(self, before: str) -> None:
        for arguments, old, new in (
            (("define", "vessel", "--document", NAME), "any ship, boat or craft", "any floating thing"),
            (("references", "Section 2", "--document", NAME), "Section 3", "Section 1"),
            (("outline", NAME), "Rescue", "Salvage"),
            (("context", "knots"), "six knots", "nine knots"),
        ):
            now, then = run(*arguments), run(*arguments, "--read", before)
            assert (old in then, new in then) == (True, False), arguments
            assert (old in now, new in now) == (False, True), arguments

    def test_refuses_what_is_not_there(self, acts: Collection) -> None:
        assert refuse("outline", NAME, "--read", "2001-01-01") == (
            f"No document '{NAME}' at 2001-01-01T23:59:59.999999Z. There are: none."
        )
        assert refuse("outline", NAME, "--read", "head ly").startswith("--read head ly: ")
        assert refuse("define", "vessel", "--read", "published").startswith("--read published: Nothing")
        both = refuse("outline", NAME, "--version", "1", "--read", "2001-01-01")
        assert both == "--version and --read both say which version is meant. Give one of them."


def test_contexts_are_measured(tmp_path: Path, db: None) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "act.md").write_text(ACT)
    start = ACT.index("(a) The master")
    (tmp_path / "queries.jsonl").write_text('{"qid": "1", "query": "how fast may a vessel be?"}\n')
    record = {"qid": "1", "doc": "act.md", "span": [start, start + 40]}
    (tmp_path / "qrels.jsonl").write_text(json.dumps(record) + "\n")
    said = StringIO()
    call_command("score_context", str(tmp_path), "--json", stdout=said)
    values = {one["measure"]: one["value"] for one in map(json.loads, said.getvalue().splitlines())}
    assert values["context_recall_at_1000"] == values["naive_recall_at_1000"] == 1.0
    assert values["context_share_of_passage_at_4000"] == 1.0
    (tmp_path / "qrels.jsonl").unlink()
    with pytest.raises(CommandError, match="has neither"):
        call_command("score_context", str(tmp_path))
    with pytest.raises(CommandError, match="There is no folder"):
        call_command("score_context", str(tmp_path / "nowhere"))
