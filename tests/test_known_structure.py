"""Documents with known structure, if they are at hand: PANDECT_DATA names their folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents.chunk import chunk_outline
from documents.parse import parse_outline
from documents.tokens import count_tokens
from search.evaluation.measures import read_records
from search.evaluation.sections import FoundUnit, measure_sections
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
