"""Figures of rankings by hand, given units in the tables, and `manage.py evaluate`."""

from __future__ import annotations

import io
import json
from math import log2
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command

from documents.chunk import Piece
from documents.models import Chunk, Collection, Document, Section
from search.evaluation.ablate import figures_by_way, latency_of, percentiles
from search.evaluation.fill_units import fill_units
from search.evaluation.lay_out import label_of, lay_out, number_steps
from search.evaluation.lookups import Reply, measure_definition_questions, measure_lookups, measure_refusals
from search.evaluation.measures import BadTruth
from search.evaluation.ranking import (
    hit,
    measure_ranking,
    ndcg,
    read_judgements,
    recall,
    reciprocal_rank,
)
from search.evaluation.scratch import read_versions, scratch_tenant
from search.evaluation.searches import UnitNames
from search.evaluation.show import cell
from search.evaluation.spans import FoundSpan, measure_spans, merge_spans
from search.evaluation.units import GivenDocument, GivenUnit, digest_given, read_given
from search.models import EvaluationRun, Passage, Placement
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.test_score import write

# Rankings


def test_ndcg_discounts_by_place_and_divides_by_the_best_order() -> None:
    grades = {"a": 2.0, "b": 1.0, "c": 1.0}
    best = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg(grades, ["a", "b", "c"]) == pytest.approx(1.0)
    assert ndcg(grades, ["x", "b", "a"]) == pytest.approx((1 / log2(3) + 2 / log2(4)) / best)
    assert ndcg(grades, []) == 0.0
    assert ndcg({"a": 0.0}, ["a"]) == 0.0


def test_what_stands_behind_the_cut_counts_for_nothing() -> None:
    nine = [f"x{number}" for number in range(9)]
    assert ndcg({"a": 1.0}, [*nine, "a"]) == pytest.approx(1 / log2(11))
    assert ndcg({"a": 1.0}, [*nine, "x", "a"]) == 0.0
    assert reciprocal_rank({"a": 1.0}, [*nine, "a"]) == pytest.approx(0.1)
    assert reciprocal_rank({"a": 1.0}, [*nine, "x", "a"]) == 0.0


def test_reciprocal_rank_is_of_the_first_that_is_relevant() -> None:
    assert reciprocal_rank({"a": 1.0, "b": 1.0, "z": 0.0}, ["z", "b", "a"]) == 0.5


def test_recall_counts_what_is_relevant_once_and_hit_asks_for_any() -> None:
    grades = {"a": 1.0, "b": 1.0, "z": 0.0}
    ranked = ["x", "a", "a", "z", "b"]
    assert [recall(grades, ranked, k) for k in (1, 2, 4, 5)] == [0.0, 0.5, 0.5, 1.0]
    assert [hit(grades, ranked, k) for k in (1, 2)] == [0.0, 1.0]
    assert recall({}, ranked, 5) == 0.0


def test_averages_are_over_all_questions_with_an_answer_whether_it_was_found_or_not() -> None:
    truth = {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"c": 0.0}}
    run = {"1": ["a"], "9": ["b"]}
    assert [(one.measure, one.value, one.n) for one in measure_ranking(truth, run, suffix="_dense")] == [
        ("ndcg_at_10_dense", 0.5, 2),
        ("mrr_at_10_dense", 0.5, 2),
        *((f"recall_at_{k}_dense", 0.5, 2) for k in (1, 5, 10, 20, 100)),
    ]


def test_judgements_are_read_by_question_and_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "qrels.tsv"
    path.write_text("qid\tdoc\tscore\n1\ta\t1\n1\tb\t2\n2\ta\t0\n")
    assert read_judgements(path) == {"1": {"a": 1.0, "b": 2.0}, "2": {"a": 0.0}}
    for line, reason in (("1\ta", "three columns"), ("1\ta\tgood", "'good' is no grade")):
        path.write_text(f"qid\tdoc\tscore\n{line}\n")
        with pytest.raises(BadTruth, match=rf"line 2: .*{reason}"):
            read_judgements(path)


# Spans


def spans(*places: tuple[int, int], document: str = "act") -> list[FoundSpan]:
    return [FoundSpan(document, start, end) for start, end in places]


def test_characters_are_counted_once_however_often_they_are_found() -> None:
    truth = {"1": spans((0, 100))}
    run = {"1": spans((50, 150), (60, 120), (0, 10))}
    assert [(one.measure, round(one.value, 4), one.n) for one in measure_spans(truth, run)] == [
        ("span_recall_at_8", 0.6, 1),
        ("span_recall_at_32", 0.6, 1),
        ("span_precision_at_8", round(60 / 110, 4), 1),
    ]


def test_spans_behind_the_cut_and_of_other_documents_count_for_nothing() -> None:
    truth = {"1": spans((0, 10)), "2": spans((0, 10))}
    run = {"1": [*spans(*[(100 + 10 * n, 105 + 10 * n) for n in range(8)]), *spans((0, 10))]}
    run["2"] = spans((0, 10), document="law")
    values = {one.measure: one.value for one in measure_spans(truth, run)}
    assert values == {"span_recall_at_8": 0.0, "span_recall_at_32": 0.5, "span_precision_at_8": 0.0}


def test_spans_that_meet_are_merged() -> None:
    assert merge_spans([*spans((5, 9), (0, 5)), *spans((3, 4), document="law"), *spans((10, 12))]) == [
        FoundSpan("act", 0, 9),
        FoundSpan("act", 10, 12),
        FoundSpan("law", 3, 4),
    ]


# Look-ups


@pytest.mark.parametrize(
    ("found", "is_same"),
    [((0, 100), True), ((0, 50), True), ((0, 49), False), ((0, 200), True), ((0, 201), False)],
)
def test_a_unit_is_the_same_if_half_of_both_together_is_shared(found: tuple[int, int], is_same: bool) -> None:
    assert spans(found)[0].is_same_unit(spans((0, 100))[0]) is is_same
    assert not FoundSpan("law", *found).is_same_unit(spans((0, 100))[0])


def test_a_look_up_is_exact_in_the_first_place_and_touched_in_the_first_five() -> None:
    truth = [{"qid": qid, "doc": "act", "txt": [100, 200]} for qid in ("1", "2", "3", "4")]
    far = spans(*[(900, 910)] * 5)
    run = {"1": spans((95, 200)), "2": [*far[:4], *spans((199, 300))], "3": [*far, *spans((100, 200))]}
    assert [(one.measure, one.value, one.n, one.form) for one in measure_lookups(run, truth, "txt")] == [
        ("lookup_exact_at_1", 0.25, 4, "txt"),
        ("lookup_hit_at_5", 0.5, 4, "txt"),
    ]


@pytest.mark.parametrize(
    ("is_missing", "has_exact", "value"), [(True, False, 1.0), (True, True, 0.0), (False, False, 0.0)]
)
def test_a_refusal_says_that_nothing_is_there_and_shows_no_exact_result(
    is_missing: bool,
    has_exact: bool,
    value: float,
) -> None:
    (measure,) = measure_refusals({"1": Reply(is_missing, has_exact)}, "md")
    assert (measure.measure, measure.value, measure.n) == ("lookup_refused", value, 1)


def test_a_definition_is_answered_by_a_first_result_that_holds_the_term() -> None:
    truth = [
        {"qid": "1", "doc": "act", "txt": [0, 500], "term_txt": [100, 105]},
        {"qid": "2", "doc": "act", "txt": [0, 500], "term_txt": [100, 105]},
        {"qid": "3", "doc": "act", "txt": [0, 500]},
        {"qid": "3", "doc": "act", "txt": [600, 700]},
    ]
    run = {"1": spans((104, 300)), "2": spans((105, 300), (100, 105)), "3": spans((650, 660))}
    (measure,) = measure_definition_questions(run, truth, "txt")
    assert (measure.measure, measure.value, measure.n) == ("definition_question_at_1", 2 / 3, 3)


# Given units


def test_numbered_units_stand_below_each_other_and_those_without_words_are_no_chunks() -> None:
    numbers = [("1.", "FEES"), ("1.1", ""), ("1.1.(a)", "Fees are due."), ("1.2", "Waived."), ("2.", "TUGS")]
    units = tuple(GivenUnit(str(index), text, number) for index, (number, text) in enumerate(numbers))
    layout = lay_out(GivenDocument("rules", units, title="Rules"))
    assert layout.text == "FEES\n\nFees are due.\n\nWaived.\n\nTUGS\n\n"
    assert [(unit.label, unit.parent, unit.level, unit.start, unit.end) for unit in layout.outline.units] == [
        ("Rules", None, 0, 0, 36),
        ("1", 0, 1, 0, 30),
        ("1.1", 1, 2, 6, 21),
        ("1.1(a)", 2, 3, 6, 21),
        ("1.2", 1, 2, 21, 30),
        ("2", 0, 1, 30, 36),
    ]
    assert layout.unit_ids == ("0", "2", "3", "4")
    assert [layout.text[one.start : one.end] for one in layout.pieces] == [
        "FEES",
        "Fees are due.",
        "Waived.",
        "TUGS",
    ]
    assert [(one.unit, one.type) for one in layout.pieces] == [
        (1, "header"),
        (3, "content"),
        (4, "content"),
        (5, "header"),
    ]
    assert [unit.title for unit in layout.outline.units] == ["Rules", "FEES", "", "", "", "TUGS"]


def test_code_is_joined_by_its_own_line_ends() -> None:
    units = (
        GivenUnit("a", "class Tug:\n\n"),
        GivenUnit("b", "    def pull(self):"),
        GivenUnit("c", "        pass"),
    )
    layout = lay_out(GivenDocument("tug.py", units, between="\n"))
    assert layout.text == "class Tug:\n\n    def pull(self):\n        pass\n"
    assert layout.pieces[1] == Piece(12, 31, 12, 0, "content", layout.pieces[1].token_count)


@pytest.mark.parametrize(
    ("number", "steps", "label"),
    [
        ("1.2.(3)", ("1", "2", "(3)"), "1.2(3)"),
        ("Part 12.Chapter 1.134.", ("Part 12", "Chapter 1", "134"), "Part 12.Chapter 1.134"),
        ("9.2.4(1)(a)", ("9", "2", "4", "(1)", "(a)"), "9.2.4(1)(a)"),
        ("", (), ""),
    ],
)
def test_numbers_are_read_step_by_step(number: str, steps: tuple[str, ...], label: str) -> None:
    assert number_steps(number) == steps
    assert label_of(number) == label


def test_units_are_read_from_each_kind_of_file(tmp_path: Path) -> None:
    for name in ("code", "law", "abstracts"):
        (tmp_path / name).mkdir()
    write(
        tmp_path / "code" / "chunks.jsonl",
        [{"chunk_id": f"c{n}", "doc": f"d{n}", "content": "x = 1\x00\n"} for n in (1, 2, 3)],
    )
    write(
        tmp_path / "code" / "docs.jsonl",
        [
            {"doc": "d1", "path": "/src/main.rs", "repo": "a/b"},
            {"doc": "d2", "path": "/src/main.rs", "repo": "c/d"},
        ],
    )
    write(tmp_path / "law" / "passages.jsonl", [{"passage": "p", "doc": 7, "section": "1.", "text": "Fees."}])
    write(
        tmp_path / "abstracts" / "corpus.jsonl",
        [{"_id": "4", "title": "Tugs", "text": "They pull."}, {"_id": "5", "title": "None", "text": " "}],
    )
    unit = GivenUnit("c1", "x = 1\n")
    assert read_given(tmp_path / "code")[0] == GivenDocument("a/b/src/main.rs", (unit,), between="\n")
    assert [one.name for one in read_given(tmp_path / "code")] == ["a/b/src/main.rs", "c/d/src/main.rs", "d3"]
    assert read_given(tmp_path / "law") == [GivenDocument("7", (GivenUnit("p", "Fees.", "1."),))]
    assert read_given(tmp_path / "abstracts") == [
        GivenDocument("4", (GivenUnit("4", "They pull."),), title="Tugs")
    ]


def test_a_unit_without_its_field_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", [{"_id": "1"}])
    with pytest.raises(BadTruth, match=r"corpus\.jsonl: a record has no 'text'"):
        read_given(tmp_path)


PASSAGES = [
    {"passage": "p1", "doc": 1, "section": "1.", "text": "FEES"},
    {
        "passage": "p2",
        "doc": 1,
        "section": "1.1",
        "text": "The master of a ship pays a fee for the berth.",
    },
    {"passage": "p3", "doc": 1, "section": "1.2", "text": ""},
    {
        "passage": "p4",
        "doc": 2,
        "section": "1.1",
        "text": "The master of a ship pays a fee for the berth.",
    },
    {"passage": "p5", "doc": 2, "section": "2.", "text": "Waste is taken ashore by the harbour crew."},
]
QUESTIONS = [
    {"qid": "q1", "query": "fee for the berth"},
    {"qid": "q2", "query": "who takes waste ashore"},
    {"qid": "q3", "query": "not judged"},
]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A set of passages with numbers, two of which say the same."""
    folder = tmp_path / "Given"
    folder.mkdir()
    write(folder / "passages.jsonl", PASSAGES)
    write(folder / "queries.jsonl", QUESTIONS)
    (folder / "qrels.tsv").write_text("qid\tpassage\tscore\nq1\tp4\t1\nq2\tp5\t1\n")
    return folder


def silent(_: str) -> None:
    """Tell nobody."""


def fill(folder: Path, **options: Any) -> tuple[Tenant, Collection]:
    tenant = scratch_tenant(folder)
    return tenant, fill_units(tenant, folder, tell=silent, **{"is_fresh": False, **options})


@pytest.mark.django_db
def test_given_units_become_chunks_passages_and_sections(given: Path) -> None:
    tenant, collection = fill(given)
    with tenant_scope(tenant.pk):
        versions = list(read_versions(collection).order_by("document__name"))
        texts = [
            [version.text[chunk.start : chunk.end] for chunk in Chunk.objects.filter(version=version)]
            for version in versions
        ]
        assert texts == [
            [PASSAGES[0]["text"], PASSAGES[1]["text"]],
            [PASSAGES[3]["text"], PASSAGES[4]["text"]],
        ]
        placed = Placement.objects.filter(version__in=versions).values_list("passage__text", flat=True)
        assert sorted(placed) == sorted(str(one["text"]) for one in PASSAGES if one["text"])
        assert Passage.objects.filter(tenant=tenant).count() == 3
        assert not Passage.objects.filter(tenant=tenant, embeddings=None).exists()
        labels = Section.objects.filter(version=versions[0]).values_list("label", flat=True)
        assert list(labels) == ["Document", "1", "1.1", "1.2"]


@pytest.mark.django_db
def test_given_units_are_kept_until_their_file_changes(given: Path) -> None:
    def ids() -> set[UUID]:
        with tenant_scope(tenant.pk):
            return set(Document.objects.for_tenant(tenant).values_list("pk", flat=True))

    tenant, _ = fill(given)
    first = ids()
    fill(given)
    assert ids() == first
    before = digest_given(given)
    write(given / "passages.jsonl", PASSAGES[:2])
    assert digest_given(given) != before
    fill(given)
    assert len(ids()) == 1
    assert ids().isdisjoint(first)
    with tenant_scope(tenant.pk):
        assert Passage.objects.filter(tenant=tenant).count() == 2


@pytest.mark.django_db
def test_an_attempt_that_died_is_finished_with_the_vectors_that_it_made(
    given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("search.evaluation.fill_units._publish", _die)
    with pytest.raises(KeyboardInterrupt):
        fill(given)
    monkeypatch.undo()
    tenant = scratch_tenant(given)
    with tenant_scope(tenant.pk):
        made = set(Passage.objects.filter(tenant=tenant).values_list("pk", flat=True))
        assert not Document.objects.for_tenant(tenant).filter(versions__state="ready").exists()
    _, collection = fill(given)
    with tenant_scope(tenant.pk):
        assert set(Passage.objects.filter(tenant=tenant).values_list("pk", flat=True)) == made
        assert read_versions(collection).count() == 2


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_result_stands_for_all_units_that_are_the_same_passage() -> None:
    one, two = uuid4(), uuid4()
    ids = {("a", 0): "p1", ("a", 1): "p2", ("b", 0): "p3"}
    units = UnitNames(ids, {("a", 0): one, ("a", 1): two, ("b", 0): one})
    hits: list[Any] = [_Hit("b", 0), _Hit("a", 1), _Hit("a", 0)]
    assert units.ranked(hits) == ["p3", "p1", "p2"]


class _Hit:
    """As much of a result as says where it stands."""

    def __init__(self, document_name: str, position: int) -> None:
        self.document_name = document_name
        self.position = position


# `manage.py evaluate`


def evaluate(*arguments: str) -> str:
    out = io.StringIO()
    call_command("evaluate", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.mark.django_db
def test_a_set_is_asked_in_every_way_and_the_run_is_kept_and_compared(given: Path) -> None:
    first = json.loads(evaluate(str(given), "--json"))
    assert [row["way"] for row in first["ways"]] == ["dense", "keyword", "hybrid", "+ exact"]
    whole = first["ways"][-1]["figures"]
    assert (whole["recall_at_10"], whole["pass_at_5"], whole["mrr_at_10"]) == (1.0, 1.0, whole["mrr_at_10"])
    assert first["questions"] == 2
    assert first["compared_with"] is None
    assert {"p50", "p95", "n"} == set(first["latency_ms"]["total"])
    again = json.loads(evaluate(str(given), "--json"))
    assert again["compared_with"] == first["at"]
    assert again["ways"][0]["change"]["ndcg_at_10"] == 0.0
    with tenant_scope(scratch_tenant(given).pk):
        assert EvaluationRun.objects.count() == 2


@pytest.mark.django_db
def test_runs_of_other_questions_are_not_compared(given: Path) -> None:
    evaluate(str(given))
    assert json.loads(evaluate(str(given), "--limit", "1", "--json"))["compared_with"] is None


@pytest.mark.django_db
def test_contexts_are_left_out_in_a_tenant_of_their_own(given: Path) -> None:
    lines = evaluate(str(given), "--ablate-context")
    assert "dense, no context" in lines
    with tenant_scope(scratch_tenant(given, is_contextual=False).pk):
        assert Collection.objects.get().contextual_embeddings is False


@pytest.mark.django_db
def test_the_table_names_ways_stages_and_the_first_run(given: Path) -> None:
    lines = evaluate(str(given)).splitlines()
    assert lines[0].startswith("Given, collection units: 2 questions, code ")
    assert lines[1].split()[:2] == ["nDCG@10", "MRR@10"]
    assert [line.split("  ")[0] for line in lines[2:6]] == ["dense", "keyword", "hybrid", "+ exact"]
    assert "It is the first run of these questions that is kept." in lines


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("nowhere",), "There is no folder nowhere"),
        (("nowhere", "--tenant", "x", "--collection", "y"), "There is no file nowhere"),
        ((".", "--tenant", "x"), "Say both --tenant and --collection"),
        ((".", "--top-k", "0"), "from 1 to 100"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        evaluate(*arguments)


@pytest.mark.django_db
def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"neither qrels\.tsv with given units nor golden\.yaml"):
        evaluate(str(tmp_path))


def test_percentiles_are_values_that_were_measured() -> None:
    assert percentiles([float(n) for n in range(100, 0, -1)]) == {"p50": 50.0, "p95": 95.0, "n": 100}
    assert percentiles([3.0]) == {"p50": 3.0, "p95": 3.0, "n": 1}
    assert latency_of([]) == {}


def test_a_figure_shows_its_difference() -> None:
    assert cell(0.5, None) == "0.5000"
    assert cell(0.5, 0.5) == "0.5000"
    assert cell(0.5, 0.25) == "0.5000 ▲0.2500"
    assert cell(0.25, 0.5) == "0.2500 ▼0.2500"
    assert cell(None, 0.5) == "–"
    assert figures_by_way(None) == {}
