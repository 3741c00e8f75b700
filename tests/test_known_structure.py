"""Documents with known structure, if they are at hand: PANDECT_DATA names their folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import pytest

from definitions.extract import FoundReference
from definitions.extract.names import document_key
from definitions.gather import Findings, gather_findings
from definitions.resolve import UnitIndex
from definitions.uses import Term, find_uses, heading_spans
from documents.chunk import chunk_outline
from documents.parse import Unit, parse_outline
from documents.tokens import count_tokens
from search.evaluation.citing import FoundCitation, measure_citing
from search.evaluation.definitions import FoundTerm, measure_definitions
from search.evaluation.evaluate import Truth
from search.evaluation.measures import Measure, read_records
from search.evaluation.references import FoundMention, Place, measure_references, target_words
from search.evaluation.sections import FoundUnit, measure_sections
from search.evaluation.term_uses import FoundUse, measure_term_uses
from tests.processes import DATA

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="The documents are not here.")

SETS = ["struct_regml", "struct_eu", "struct_rfc"]
TEXTS = [*DATA.glob("*/corpus*/*.*"), *DATA.glob("versions/*/*.md"), *DATA.glob("legalbenchrag/corpus/*/*")]
MAX_TOKENS = 800


def units_of(path: Path) -> list[FoundUnit]:
    units = parse_outline(read(path), is_markdown=path.suffix == ".md").units
    starts = [None if unit.parent is None else units[unit.parent].start for unit in units]
    return [
        FoundUnit(path.stem, unit.start, start)
        for unit, start in zip(units, starts, strict=True)
        if unit.parent is not None or unit.marker
    ]


def read(path: Path) -> str:
    return path.read_bytes().decode()


@pytest.mark.parametrize("form", ["md", "txt"])
@pytest.mark.parametrize("name", SETS)
def test_units_and_their_parents_are_found(name: str, form: str) -> None:
    found = [unit for path in (DATA / name / f"corpus_{form}").iterdir() for unit in units_of(path)]
    truth = list(read_records(DATA / name / "sections.jsonl"))
    measures = {one.measure: one.value for one in measure_sections(found, truth, form)}
    assert measures["section_f1"] >= 0.97
    assert measures["parent_accuracy"] >= 0.97


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_chunks_tile_the_text_inside_the_limit_and_cut_no_word(path: Path) -> None:
    text = read(path)
    pieces = chunk_outline(text, parse_outline(text, is_markdown=path.suffix == ".md"), max_tokens=MAX_TOKENS)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    for piece in pieces:
        header = text[slice(*piece.header)] if piece.header else ""
        assert count_tokens(header + text[piece.lead_start : piece.end]) <= MAX_TOKENS
        for place in (piece.start, piece.lead_start):
            assert place == 0 or not re.match(r"\w\w", text[place - 1 : place + 1])


@dataclass(frozen=True)
class Page:
    """A document with everything that is found in its text alone."""

    name: str
    text: str
    units: tuple[Unit, ...]
    findings: Findings

    @cached_property
    def index(self) -> UnitIndex:
        return UnitIndex(self.units)

    def terms(self) -> list[Term]:
        return [
            Term((one.term, *one.variants), one.start, one.end, one.body, self.span(one.scope))
            for one in self.findings.definitions
        ]

    def span(self, unit: int) -> tuple[int, int]:
        return self.units[unit].start, self.units[unit].end


@cache
def pages_of(name: str, form: str) -> tuple[Page, ...]:
    return tuple(read_page(path) for path in sorted((DATA / name / f"corpus_{form}").iterdir()))


def read_page(path: Path) -> Page:
    text = read(path)
    units = parse_outline(text, is_markdown=path.suffix == ".md").units
    findings = gather_findings(text, units, title=units[0].title, file_name=path.name)
    return Page(path.stem, text, units, findings)


@cache
def mentions_of(name: str, form: str) -> tuple[FoundMention, ...]:
    """Resolve all references of a set, in their own document or in the one that they name."""
    pages = pages_of(name, form)
    named = {document_key(one): page for page in pages for one in page.findings.names}
    return tuple(mention_of(page, one, named) for page in pages for one in page.findings.references)


def mention_of(page: Page, found: FoundReference, named: dict[str, Page]) -> FoundMention:
    target = found.target
    goal = named.get(target.document) if target.document else page
    steps = [(step.kind, step.number) for step in target.steps]
    return FoundMention(
        page.name,
        found.start,
        found.end,
        page.text[found.start : found.end],
        None if goal is None else place_of(page, found, goal),
        target_words(target.document, steps),
    )


def place_of(page: Page, found: FoundReference, goal: Page) -> Place | None:
    near = found.unit if goal is page else None
    unit = goal.index.resolve(replace(found.target, document=""), near=near).unit
    return None if unit is None else (goal.name, goal.units[unit].start)


def values(measures: Iterable[Measure]) -> dict[str, float]:
    return {one.measure: one.value for one in measures}


@pytest.mark.parametrize("form", ["md", "txt"])
@pytest.mark.parametrize(("name", "f1"), [("struct_regml", 0.95), ("struct_eu", 0.99), ("struct_rfc", 0.6)])
def test_definitions_are_found(name: str, form: str, f1: float) -> None:
    truth = Truth(DATA / name)
    found = [
        FoundTerm(page.name, one.term, one.start)
        for page in pages_of(name, form)
        for one in page.findings.definitions
    ]
    unmarked = truth.read("definitions_unmarked.jsonl")
    measures = values(measure_definitions(found, truth.read("definitions.jsonl"), unmarked, form))
    assert measures["definition_f1"] >= f1


@pytest.mark.parametrize("form", ["md", "txt"])
@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("struct_regml", 0.95, 0.95), ("struct_rfc", 0.98, 0.97)]
)
def test_references_and_their_targets_are_found(
    name: str, form: str, precision: float, recall: float
) -> None:
    truth = Truth(DATA / name)
    units, documents = truth.read("sections.jsonl"), truth.read("docs.jsonl")
    found = mentions_of(name, form)
    measures = values(
        measure_references(found, truth.read("refs.jsonl"), form, units=units, documents=documents)
    )
    assert measures["reference_precision"] >= precision
    assert measures["reference_recall"] >= recall
    assert measures["reference_target_accuracy"] >= 0.97


@pytest.mark.parametrize("form", ["md", "txt"])
def test_uses_of_terms_are_found(form: str) -> None:
    found = [
        FoundUse(page.name, use.start, use.end)
        for page in pages_of("struct_regml", form)
        for use in find_uses(page.text, page.terms(), skip=heading_spans(page.text, page.units))
    ]
    truth = Truth(DATA / "struct_regml").read("term_uses.jsonl")
    assert values(measure_term_uses(found, truth, form))["term_use_f1"] >= 0.9


@pytest.mark.parametrize("form", ["md", "txt"])
@pytest.mark.parametrize("name", ["struct_regml", "struct_rfc"])
def test_what_refers_to_a_unit_is_found(name: str, form: str) -> None:
    truth = Truth(DATA / name)
    places = {unit["id"]: (unit["doc"], unit[form][0]) for unit in truth.read("sections.jsonl")}
    asked = {one["qid"]: places[one["target"]] for one in truth.read("citing_queries.jsonl")}
    measures = values(measure_citing(citations(name, form, asked), truth.read("citing_qrels.jsonl"), form))
    assert measures["citing_recall"] >= 0.95


def citations(name: str, form: str, asked: dict[str, Place]) -> Iterator[FoundCitation]:
    for question, place in asked.items():
        for one in mentions_of(name, form):
            if one.place == place:
                yield FoundCitation(question, one.document, one.start, one.end)
