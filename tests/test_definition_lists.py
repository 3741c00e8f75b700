"""Definitions one after the other, each with a list: where each stands and how far its meaning goes."""

from __future__ import annotations

from definitions.extract import FoundDefinition, extract_definitions
from documents.parse import Unit, parse_outline

ACT = """Section 1 Terms

In this Act—

“owner” means—

(a) a person who owns, or

(b) a person who hires;

“vessel” means a craft—

(a) that floats, or

(b) that is capable of it,

but does not include a seaplane;

“pilot” means a guide.

Section 2 Rafts

A “berth” is a place at a quay.

For the purposes of this section, “vessel” includes a raft.
"""


def read() -> tuple[tuple[FoundDefinition, ...], tuple[Unit, ...]]:
    units = parse_outline(ACT, is_markdown=False).units
    return extract_definitions(ACT, units), units


def test_each_stands_beside_the_list_before_it_and_not_in_it() -> None:
    found, units = read()
    assert [(one.term, units[one.unit].label, units[one.scope].label) for one in found] == [
        ("owner", "Section 1", "Document"),
        ("vessel", "Section 1", "Document"),
        ("pilot", "Section 1", "Document"),
        ("berth", "Section 2", "Document"),
        ("vessel", "Section 2", "Section 2"),
    ]


def test_words_behind_a_list_belong_to_the_meaning() -> None:
    found, _ = read()
    vessel = found[1]
    assert ACT[slice(*vessel.body)].endswith("(b) that is capable of it,\n\nbut does not include a seaplane;")
    assert [ACT[slice(*span)] for span in vessel.exclusions] == ["but does not include a seaplane;"]
    assert ACT[slice(*found[0].body)].endswith("(b) a person who hires;")
