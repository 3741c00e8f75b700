"""`manage.py score`: any folder of the layout, by the rules of the measurement."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from documents.models import Document, Section, Version
from search.evaluation.citing import FoundCitation, measure_citing, unit_asked_for
from search.evaluation.definitions import FoundTerm, measure_definitions
from search.evaluation.measures import Measure
from search.evaluation.places import Places
from search.evaluation.references import FoundMention, measure_references, target_words
from search.evaluation.sections import FoundUnit, measure_sections
from search.evaluation.term_uses import FoundUse, measure_term_uses
from tenants.errors import UnknownTenant
from tenants.scope import tenant_scope
from tenants.services import find_tenant

ACT = "Article 1 Scope\n\n(a) Ships.\n\n(b) Berths.\n\nArticle 2 Fees\n\nFees are due.\n"
TRUTH = [
    {"id": "1", "parent": "act", "numbered": True, "start": 0},
    {"id": "1a", "parent": "1", "numbered": True, "start": 17},
    {"id": "1b", "parent": "1", "numbered": True, "start": 29},
    {"id": "2", "parent": "act", "numbered": True, "start": 42},
    {"id": "2p", "parent": "2", "numbered": False, "start": 58},
]

RULES = """§ 1 Terms

(a) Ship means a vessel of any size.

(b) Berth means a place for one ship.

§ 2 Fees

The master of a ship pays for each berth as defined in § 1(b), and for water under 15 U.S.C. 1601.

§ 3 Waste

Under § 2 and § 9, waste is taken from each ship.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a set of one act, in both forms."""
    folder = tmp_path / "Small Set"
    for form, text in (("txt", ACT), ("md", ACT.replace("Article", "## Article"))):
        (folder / f"corpus_{form}").mkdir(parents=True)
        (folder / f"corpus_{form}" / f"act.{form}").write_text(text)
    write(
        folder / "sections.jsonl",
        [{"doc": "act", "id": "act", "parent": None, "md": [0, 1], "txt": [0, 1]}, *units()],
    )
    return folder


def units() -> list[dict[str, Any]]:
    shifts = [0, 3, 3, 3, 6]  # Each "## " before it.
    return [
        {"doc": "act", "txt": [unit["start"], 0], "md": [int(str(unit["start"])) + shift, 0], **unit}
        for unit, shift in zip(TRUTH, shifts, strict=True)
    ]


def spot(words: str, nth: int = 1) -> list[int]:
    """Return where words stand in the rules."""
    start = -1
    for _ in range(nth):
        start = RULES.index(words, start + 1)
    return [start, start + len(words)]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Make a set of one document that defines terms and refers to itself."""
    folder = tmp_path / "Rules"
    (folder / "corpus_txt").mkdir(parents=True)
    (folder / "corpus_txt" / "rules.txt").write_text(RULES)
    return folder


def tell_all(folder: Path) -> None:
    """Write down everything that is true of the rules."""
    truths: dict[str, list[dict[str, Any]]] = {
        "definitions.jsonl": [
            {"text": "Ship", "txt": spot("Ship")},
            {"text": "Berth", "txt": spot("Berth")},
            {"text": "Water", "txt": spot("water")},
        ],
        "sections.jsonl": [
            {"id": "1", "parent": None, "numbered": True, "txt": spot("§ 1")},
            {"id": "1a", "parent": "1", "numbered": True, "txt": spot("(a)")},
            {"id": "1b", "parent": "1", "numbered": True, "txt": spot("(b)")},
            {"id": "2", "parent": None, "numbered": True, "txt": spot("§ 2")},
            {"id": "3", "parent": None, "numbered": True, "txt": spot("§ 3")},
        ],
        "refs.jsonl": [
            {"kind": "internal", "target": "1b", "txt": spot("§ 1(b)")},
            {"kind": "external", "target": "USC:15-1601", "txt": spot("15 U.S.C. 1601")},
            {"kind": "internal", "target": "2", "txt": spot("§ 2", 2)},
            {"kind": "internal", "target": "3", "txt": spot("§ 9")},
        ],
        "term_uses.jsonl": [{"txt": spot("ship")}, {"txt": spot("berth")}, {"txt": spot("master")}],
        "citing_queries.jsonl": [
            {"qid": "1", "query": "What cites § 1(b)?", "target": "1b"},
            {"qid": "2", "query": "What cites § 2?", "target": "2"},
        ],
        "citing_qrels.jsonl": [
            {"qid": "1", "section": "2", "txt": [spot("§ 2")[0], spot("§ 3")[0]]},
            {"qid": "2", "section": "3", "txt": [spot("§ 3")[0], len(RULES)]},
            {"qid": "2", "section": "1", "txt": [spot("§ 1")[0], spot("§ 2")[0]]},
        ],
    }
    for name, records in truths.items():
        write(folder / name, [{"doc": "rules", **record} for record in records])


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def score(folder: Path, *options: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    call_command("score", str(folder), "--json", *options, stdout=out, stderr=io.StringIO())
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.django_db
def test_a_perfect_outline_has_full_marks_in_both_forms(folder: Path) -> None:
    assert score(folder) == [
        {"measure": measure, "value": 1.0, "n": 4, "form": form}
        for form in ("md", "txt")
        for measure in ("section_precision", "section_recall", "section_f1", "parent_accuracy")
    ]


@pytest.mark.django_db
def test_one_form_can_be_asked_for(folder: Path) -> None:
    assert {line["form"] for line in score(folder, "--form", "txt")} == {"txt"}


@pytest.mark.django_db
def test_the_scratch_tenant_is_kept_and_made_anew_when_asked(folder: Path) -> None:
    score(folder)
    tenant = find_tenant("score-small-set")

    def versions() -> set[Any]:
        with tenant_scope(tenant.pk):
            return set(Version.objects.for_tenant(tenant).values_list("pk", flat=True))

    first = versions()
    score(folder)
    assert versions() == first
    score(folder, "--fresh")
    assert len(versions()) == 2
    assert versions().isdisjoint(first)


@pytest.mark.django_db
def test_a_document_that_left_the_folder_leaves_the_tenant(folder: Path) -> None:
    (folder / "corpus_txt" / "other.txt").write_text("Article 1 Other\n\nWords.\n")
    score(folder)
    (folder / "corpus_txt" / "other.txt").unlink()
    score(folder)
    tenant = find_tenant("score-small-set")
    with tenant_scope(tenant.pk):
        assert sorted(Document.objects.for_tenant(tenant).values_list("name", flat=True)) == [
            "act.md",
            "act.txt",
        ]
        assert Section.objects.filter(tenant=tenant).count() == 10


@pytest.mark.django_db
def test_odd_files_are_held_against_their_manifest(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("Words.")
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 8)
    expected = {"good.txt": "text", "empty.md": "no_crash", "noise.bin": "reject", "gone.pdf": "text"}
    write(tmp_path / "manifest.jsonl", [{"file": file, "expect": what} for file, what in expected.items()])
    assert score(tmp_path) == [{"measure": "as_expected", "value": 0.75, "n": 4}]


@pytest.mark.django_db
def test_a_folder_without_truth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no truth"):
        score(tmp_path)
    with pytest.raises(UnknownTenant):
        find_tenant(f"score-{tmp_path.name}".replace("_", "-")[:50])


@pytest.mark.django_db
def test_a_broken_line_is_named(folder: Path) -> None:
    with (folder / "sections.jsonl").open("a") as file:
        file.write("{oh\n")
    with pytest.raises(CommandError, match=r"sections\.jsonl, line 7: not a JSON object"):
        score(folder)


@pytest.mark.django_db
def test_definitions_references_and_uses_are_measured_through_the_pipeline(rules: Path) -> None:
    tell_all(rules)
    figures = {line["measure"]: (round(line["value"], 4), line["n"]) for line in score(rules)}
    assert figures == {
        "section_precision": (1.0, 5),
        "section_recall": (1.0, 5),
        "section_f1": (1.0, 5),
        "parent_accuracy": (1.0, 5),
        "definition_precision": (1.0, 2),
        "definition_recall": (0.6667, 3),
        "definition_f1": (0.8, 3),
        "reference_precision": (1.0, 4),
        "reference_recall": (1.0, 4),
        "reference_target_accuracy": (0.75, 4),
        "term_use_precision": (0.5, 4),
        "term_use_recall": (0.6667, 3),
        "term_use_f1": (0.5714, 3),
        "citing_recall": (0.6667, 3),
    }


@pytest.mark.django_db
def test_references_that_are_marked_in_part_tell_recall_alone(rules: Path) -> None:
    write(rules / "refs_partial.jsonl", [{"doc": "rules", "txt": spot("§ 1(b)")}])
    assert score(rules) == [{"measure": "reference_recall", "value": 1.0, "n": 1, "form": "txt"}]


def test_references_that_are_marked_in_part_count_for_recall_beside_others() -> None:
    found = [FoundMention("act", 10, 20, "§ 2", ("act", 50)), FoundMention("law", 0, 9, "§ 2")]
    partial = [{"doc": "law", "txt": [0, 9]}, {"doc": "law", "txt": [20, 29]}]
    assert figures(measure_references(found, [REFERENCE], "txt", units=UNITS, partial=partial)) == {
        "reference_precision": (1.0, 1),
        "reference_recall": (2 / 3, 3),
        "reference_target_accuracy": (1.0, 1),
    }


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no folder"):
        score(tmp_path / "nowhere")


def test_a_unit_without_a_parent_stands_below_the_document() -> None:
    truth = [{"doc": "act", "id": "1", "parent": None, "numbered": True, "txt": [9, 20]}]
    for is_outermost, accuracy in ((True, 1.0), (False, 0.0)):
        found = [FoundUnit("act", 9, 0, is_outermost)]
        assert measure_sections(found, truth, "txt")[-1].value == accuracy


def test_measures_count_places_once_and_take_any_right_parent() -> None:
    truth = units()
    found = [
        FoundUnit("act", 0, None),
        FoundUnit("act", 0, 0),  # A second unit at the same place.
        FoundUnit("act", 17, 0),
        FoundUnit("act", 29, 17),  # With a wrong parent.
        FoundUnit("act", 99, 0),  # Where there is none.
    ]
    measures = {one.measure: (one.value, one.n) for one in measure_sections(found, truth, "txt")}
    assert measures == {
        "section_precision": (3 / 4, 4),
        "section_recall": (3 / 4, 4),
        "section_f1": (3 / 4, 4),
        "parent_accuracy": (2 / 3, 3),
    }


def figures(measures: list[Measure]) -> dict[str, tuple[float, int]]:
    return {one.measure: (one.value, one.n) for one in measures}


def test_a_definition_is_found_near_its_place_and_counted_once() -> None:
    truth = [
        {"doc": "act", "text": "Berth", "txt": [1000, 1005]},
        {"doc": "act", "text": "Ship", "txt": [9, 13]},
    ]
    found = [
        FoundTerm("act", "berth", 1300),
        FoundTerm("act", "“Berth”", 1301),  # In the same stretch.
        FoundTerm("act", "ship", 310),  # Too far.
        FoundTerm("law", "berth", 1000),
        FoundTerm("act", "the term", 50),
    ]
    unmarked = [{"doc": "act", "term": "The term"}, {"doc": "act", "term": "Berth"}]
    assert figures(measure_definitions(found, truth, unmarked, "txt")) == {
        "definition_precision": (1 / 3, 3),
        "definition_recall": (1 / 2, 2),
        "definition_f1": (0.4, 2),
    }


REFERENCE = {"doc": "act", "kind": "internal", "target": "2", "txt": [10, 20]}
UNITS = [{"doc": "act", "id": "2", "txt": [50, 90]}]


def test_a_reference_is_found_where_spans_touch_and_right_where_the_unit_begins() -> None:
    found = [
        FoundMention("act", 19, 25, "§ 2", ("act", 50)),
        FoundMention("act", 0, 10, "§ 2", ("act", 50)),  # Ends where the other begins.
    ]
    assert figures(measure_references(found, [REFERENCE], "txt", units=UNITS)) == {
        "reference_precision": (1 / 2, 2),
        "reference_recall": (1.0, 1),
        "reference_target_accuracy": (1.0, 1),
    }


def test_mentions_of_other_kinds_count_neither_way() -> None:
    truth = [REFERENCE, {"doc": "act", "kind": "figure", "target": "f", "txt": [30, 40]}]
    found = [FoundMention("act", 30, 40, "Figure 1"), FoundMention("act", 10, 20, "§ 2", ("act", 51))]
    assert figures(measure_references(found, truth, "txt", units=UNITS)) == {
        "reference_precision": (1.0, 1),
        "reference_recall": (1.0, 1),
        "reference_target_accuracy": (0.0, 1),
    }


@pytest.mark.parametrize(
    ("documents", "counted"),
    [
        ([], 4),
        ([{"doc": "act", "refs_complete": True}], 2),  # Of "§ 3" and "paragraph (a)" alone.
        ([{"doc": "act", "refs_complete": False}], 0),
        ([{"doc": "act"}], 4),
    ],
)
def test_precision_is_told_only_where_the_truth_is_complete(
    documents: list[dict[str, Any]], counted: int
) -> None:
    texts = ["§ 3", "paragraph (a)", "Regulation Z", "(b)"]
    found = [
        FoundMention("act", 100 + 10 * index, 105 + 10 * index, text) for index, text in enumerate(texts)
    ]
    measures = figures(measure_references(found, [REFERENCE], "txt", documents=documents))
    assert measures["reference_precision"] == (0.0, counted)


@pytest.mark.parametrize(
    ("target", "words", "accuracy"),
    [
        ("USC:15-1601", target_words("usc 15", [("section", "1601")]), 1.0),
        ("USC:15-1601", target_words("usc 15", [("section", "1602")]), 0.0),
        ("USC:15-1601", target_words("usc 15", []), 0.0),
        ("CFR:12-1026-2", target_words("cfr 12 1026", [("section", "1026.2"), ("", "a")]), 1.0),
        ("CFR:12-1026", target_words("12 cfr 1026", [("section", "1026.2")]), 1.0),
        ("rfc5226#4.1", target_words("rfc 5226", [("section", "4.1")]), 1.0),
        ("PUBLIC_LAW:111-203", target_words("public law 111-203", []), 1.0),
        ("STATUTES_AT_LARGE:124-Stat.-1376", target_words("stat 124 1376", []), 1.0),
    ],
)
def test_a_target_beyond_the_set_is_compared_by_its_words(
    target: str, words: tuple[str, ...], accuracy: float
) -> None:
    found = [FoundMention("act", 10, 20, "there", None, words)]
    measures = figures(measure_references(found, [{**REFERENCE, "target": target}], "txt", units=UNITS))
    assert measures["reference_target_accuracy"] == (accuracy, 1)


def test_a_use_is_found_where_spans_touch() -> None:
    truth = [{"doc": "act", "txt": span} for span in ([0, 4], [10, 14], [20, 30])]
    found = [FoundUse("act", 20, 23), FoundUse("act", 24, 30), FoundUse("act", 4, 10), FoundUse("law", 0, 4)]
    assert figures(measure_term_uses(found, truth, "txt")) == {
        "term_use_precision": (1 / 2, 4),
        "term_use_recall": (1 / 3, 3),
        "term_use_f1": (0.4, 3),
    }


def test_a_citing_unit_is_found_by_a_reference_inside_it() -> None:
    truth = [{"qid": qid, "doc": "act", "txt": [0, 50]} for qid in ("1", "2")]
    found = [FoundCitation("1", "act", 10, 14), FoundCitation("2", "act", 50, 54)]
    assert figures(measure_citing(found, truth, "txt")) == {"citing_recall": (1 / 2, 2)}


def test_the_unit_of_a_question_is_named_or_read_from_it() -> None:
    units = [{"id": "4", "cite": "1013.4"}, {"id": "4m", "cite": "1013.4(m)"}, {"id": "5", "cite": "1013.5"}]
    assert unit_asked_for({"query": "Who cites § 1013.4(m)?"}, units) == units[1]
    assert unit_asked_for({"query": "Who cites § 1013.4?"}, units) == units[0]
    assert unit_asked_for({"query": "Who cites § 1013.4?", "target": "5"}, units) == units[2]
    assert unit_asked_for({"query": "Who cites § 1013.45?"}, units) is None


def test_places_are_touched_by_spans_that_share_a_character() -> None:
    places = Places([("act", 0, 100), ("act", 5, 6), ("act", 200, 210), ("law", 0, 9)])
    assert places.touched("act", 5, 6) == [0, 1]
    assert places.touched("act", 6, 200) == [0]
    assert places.touched("act", 100, 201) == [2]
    assert places.touched("none", 0, 9) == []


def place_of(words: str, end: str | None = None) -> list[int]:
    """Return the span from some words of the rules to others, or to their own end."""
    start = RULES.index(words)
    return [start, RULES.index(end, start) if end else len(RULES)]


@pytest.mark.django_db
def test_citations_and_questions_for_meanings_are_asked_of_the_search(rules: Path) -> None:
    write(
        rules / "lookup_queries.jsonl",
        [{"qid": "1", "query": "§ 1(b)"}, {"qid": "2", "query": "§ 3"}, {"qid": "3", "query": "§ 2"}],
    )
    units = {"1": place_of("(b) Berth", "§ 2"), "2": place_of("§ 3 Waste"), "3": place_of("§ 1 Terms", "(a)")}
    truth = [{"qid": qid, "doc": "rules", "txt": span} for qid, span in units.items()]  # The last is wrong.
    write(rules / "lookup_qrels.jsonl", truth)
    write(rules / "lookup_negative.jsonl", [{"qid": "9", "query": "§ 77"}, {"qid": "10", "query": "§ 1(b)"}])
    write(rules / "def_queries.jsonl", [{"qid": "5", "query": "What does “Berth” mean?"}])
    defined = {"qid": "5", "doc": "rules", "txt": units["1"], "term_txt": spot("Berth")}
    write(rules / "def_qrels.jsonl", [defined])
    figures = {line["measure"]: (round(line["value"], 4), line["n"]) for line in score(rules)}
    assert figures["lookup_exact_at_1"] == (0.6667, 3)
    assert figures["lookup_refused"] == (0.5, 2)
    assert figures["definition_question_at_1"] == (1.0, 1)


@pytest.mark.django_db
def test_answers_that_are_spans_are_looked_for_in_whole_documents(tmp_path: Path) -> None:
    (tmp_path / "corpus" / "port").mkdir(parents=True)
    (tmp_path / "corpus" / "port" / "rules.txt").write_text(RULES)
    write(tmp_path / "queries.jsonl", [{"qid": "1", "query": "waste"}, {"qid": "2", "query": "berth"}])
    spans = {"1": place_of("§ 3 Waste"), "2": place_of("(b) Berth", "§ 2")}
    truth = [{"qid": qid, "doc": "port/rules.txt", "span": span} for qid, span in spans.items()]
    write(tmp_path / "qrels.jsonl", truth)
    figures = {line["measure"]: (round(line["value"], 4), line["n"]) for line in score(tmp_path)}
    shares = [(span[1] - span[0]) / len(RULES) for span in spans.values()]
    assert figures == {  # The whole document is one chunk.
        "span_recall_at_8": (1.0, 2),
        "span_recall_at_32": (1.0, 2),
        "span_precision_at_8": (round(sum(shares) / 2, 4), 2),
    }


@pytest.mark.django_db
def test_given_units_are_ranked_by_the_whole_search_and_by_each_leg(tmp_path: Path) -> None:
    texts = {"w": "Waste is taken ashore.", "b": "A berth is let by the day.", "p": "Pilots come aboard."}
    write(tmp_path / "corpus.jsonl", [{"_id": key, "title": "", "text": text} for key, text in texts.items()])
    write(tmp_path / "queries.jsonl", [{"qid": "1", "query": "berth"}, {"qid": "2", "query": "pilots"}])
    (tmp_path / "qrels.tsv").write_text("qid\tdoc\tscore\n1\tb\t1\n2\tp\t1\n")
    lines = score(tmp_path)
    assert [line["measure"] for line in lines] == [
        f"{name}{suffix}"
        for suffix in ("", "_dense", "_keyword")
        for name in ("ndcg_at_10", "mrr_at_10", *(f"recall_at_{k}" for k in (1, 5, 10, 20, 100)))
    ]
    assert {line["value"] for line in lines if line["measure"].endswith("_keyword")} == {1.0}
    assert {line["n"] for line in score(tmp_path, "--limit", "1")} == {1}


@pytest.mark.django_db
def test_judgements_without_units_are_refused(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text("qid\tdoc\tscore\n")
    with pytest.raises(CommandError, match=r"qrels\.tsv needs chunks\.jsonl, passages\.jsonl, corpus\.jsonl"):
        score(tmp_path)
