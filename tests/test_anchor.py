"""Lists that define a term are named by it."""

from __future__ import annotations

import pytest

from definitions.anchor import anchor_lists
from definitions.extract import extract_definitions, extract_references
from definitions.resolve import UnitIndex
from documents.parse import parse_outline

INTERPRETATION = """
1 Interpretation

(1) In this Act—

“berth” means—

(a) a place at a quay, or

(b) a mooring buoy;

“vessel” includes—

(a) a ship,

(b) a boat that—

(i) is decked, or

(ii) has a cabin, and

(c) a raft;

“master” means whoever commands a vessel.

2 Duties

(1) A master must—

(a) report, and

(b) keep watch.
"""


def labels(text: str) -> list[str]:
    outline = parse_outline(text, is_markdown=False)
    anchored = anchor_lists(outline, extract_definitions(text, outline.units))
    assert [unit.start for unit in anchored.units] == [unit.start for unit in outline.units]
    return [unit.label for unit in anchored.units[1:]]


def test_neighbouring_lists_are_named_by_their_terms() -> None:
    assert labels(INTERPRETATION) == [
        "1",
        "1(1)",
        "1(1) “berth”(a)",
        "1(1) “berth”(b)",
        "1(1) “vessel”(a)",
        "1(1) “vessel”(b)",
        "1(1) “vessel”(b)(i)",
        "1(1) “vessel”(b)(ii)",
        "1(1) “vessel”(c)",
        "2",
        "2(1)",
        "2(1)(a)",
        "2(1)(b)",
    ]


def test_a_definition_inserted_before_moves_no_label() -> None:
    inserted = "“anchor” means—\n\n(a) a hook, or\n\n(b) a weight;\n\n“berth” means—"
    later = labels(INTERPRETATION.replace("“berth” means—", inserted))
    assert set(labels(INTERPRETATION)) <= set(later)
    assert set(later) - set(labels(INTERPRETATION)) == {"1(1) “anchor”(a)", "1(1) “anchor”(b)"}


def test_a_unit_with_one_list_is_cited_by_its_number_alone() -> None:
    text = "1 Terms\n\nIn this Act “berth” means—\n\n(a) a quay, or\n\n(b) a buoy.\n\n2 Duties\n\nPay.\n"
    assert labels(text) == ["1", "1(a)", "1(b)", "2"]


def test_numbered_definitions_keep_the_labels_of_their_numbers() -> None:
    text = "§ 2 Terms\n\n(a) Berth means:\n\n(1) a quay;\n\n(2) a buoy.\n\n(b) Vessel means:\n\n(1) a ship.\n"
    assert labels(text) == ["§ 2(a)", "§ 2(a)(1)", "§ 2(a)(2)", "§ 2(b)", "§ 2(b)(1)"]


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("paragraph (b) of the definition of “vessel” in section 1(1)", "1(1) “vessel”(b)"),
        ("paragraph (b) of the definition of “berth” in section 1(1)", "1(1) “berth”(b)"),
        ("paragraph (c) of the definition of “Vessel”", "1(1) “vessel”(c)"),
        ("paragraph (c) of the definition of “berth” in section 1(1)", None),
        ("paragraph (a) of the definition of “raft”", None),
    ],
)
def test_a_reference_by_the_term_finds_its_list(words: str, label: str | None) -> None:
    text = f"{INTERPRETATION}\n3 Rafts\n\nSee {words}.\n"
    outline = parse_outline(text, is_markdown=False)
    anchored = anchor_lists(outline, extract_definitions(text, outline.units))
    reference = extract_references(text, outline.units)[0]
    unit = UnitIndex(anchored.units).resolve(reference.target, near=reference.unit).unit
    assert (None if unit is None else anchored.units[unit].label) == label
