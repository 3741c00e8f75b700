"""Corrections applied to findings, without tables."""

from __future__ import annotations

from uuid import uuid4

import pytest

from definitions.correct import (
    DefinitionFix,
    Goal,
    KnownDefinition,
    KnownReference,
    Page,
    ReferenceFix,
    correct_definitions,
    correct_references,
    find_words,
    paragraph_around,
)
from documents.parse import parse_outline
from tests.findings import HARBOUR, define, refer

UNITS = parse_outline(HARBOUR, is_markdown=True).units
PAGE = Page(HARBOUR, UNITS, ("", *(unit.label for unit in UNITS[1:])))
PORT = define(HARBOUR, "Port", '"Port" means a place for ships.', unit=2)
SEE = refer(HARBOUR, "section 1(a)", "section 1", "a", unit=4)
GOAL = Goal(uuid4(), "Section 3")


class TestPages:
    @pytest.mark.parametrize(
        ("words", "count"),
        [
            ("place for ships", 1),
            ("place\n for   ships", 1),
            ("lace for ships", 0),
            ("section 1", 1),
            ("section", 3),
            ("(a)", 3),
            ("Section", 2),
            ("", 0),
            (" ", 0),
            ("ships.*", 0),
        ],
    )
    def test_find_whole_words_whatever_the_blanks(self, words: str, count: int) -> None:
        assert len(find_words(words, HARBOUR, UNITS[0])) == count

    @pytest.mark.parametrize(("occurrence", "is_found"), [(0, False), (1, True), (3, True), (4, False)])
    def test_count_occurrences_from_one(self, occurrence: int, is_found: bool) -> None:
        assert (PAGE.find("(a)", 0, occurrence) is not None) is is_found

    def test_know_the_unit_around_a_place(self) -> None:
        assert [PAGE.innermost(at) for at in (0, PORT.start, SEE.start, len(HARBOUR))] == [0, 2, 4, 0]
        assert (PAGE.unit_of("Section 2"), PAGE.unit_of(""), PAGE.unit_of("Section 9")) == (4, 0, None)

    def test_know_the_paragraph_around_words(self) -> None:
        start, end = paragraph_around(HARBOUR, (SEE.start, SEE.end))
        assert HARBOUR[start:end] == "Ships obey section 1(a) and section 3 of the Pilot Act."
        assert paragraph_around("one", (0, 3)) == (0, 3)


class TestDefinitions:
    @pytest.mark.parametrize(
        "fix",
        [
            DefinitionFix("Section 9", "port", is_rejected=True),
            DefinitionFix("Section 1(a)", "quay", is_rejected=True),
            DefinitionFix("Section 1", "port", is_rejected=True),
            DefinitionFix("Section 2", "boats", is_added=True, term="Boats"),
            DefinitionFix("Section 2", "ships", term="Ships"),
        ],
    )
    def test_are_left_alone_by_corrections_of_others(self, fix: DefinitionFix) -> None:
        assert correct_definitions(PAGE, [PORT], [fix]) == [KnownDefinition(PORT)]

    def test_keep_what_a_correction_cannot_find(self) -> None:
        fix = DefinitionFix("Section 1(a)", "port", scope_label="Section 9", meaning="a place for boats")
        (known,) = correct_definitions(PAGE, [PORT], [fix])
        assert (known.found, known.is_corrected) == (PORT, True)

    def test_that_are_added_and_found_by_now_are_not_there_twice(self) -> None:
        fix = DefinitionFix("Section 1(a)", "port", is_added=True, term="Port", variants=("haven",))
        (known,) = correct_definitions(PAGE, [PORT], [fix])
        assert (known.found.style, known.found.variants) == ("means", ("haven",))

    def test_of_the_document_itself_stand_where_their_words_are(self) -> None:
        fix = DefinitionFix("", "ships", is_added=True, term="Ships", meaning="obey section 1(a)")
        known = correct_definitions(PAGE, [PORT], [fix])[1]
        assert (known.found.unit, known.found.scope) == (4, 0)
        assert HARBOUR[known.found.start :].startswith("Ships obey")

    def test_stand_in_the_order_of_the_text(self) -> None:
        fix = DefinitionFix("Section 1", "ports", is_added=True, term="Ports", meaning="Ports")
        assert [one.found.term for one in correct_definitions(PAGE, [PORT], [fix])] == ["Ports", "Port"]


class TestReferences:
    @pytest.mark.parametrize(
        "fix",
        [
            ReferenceFix("Section 9", "section 1(a)", 1, GOAL),
            ReferenceFix("Section 2", "section 1(a)", 2, GOAL),
            ReferenceFix("Section 2", "section 1", 1, GOAL),
            ReferenceFix("Section 2", "section 3", 1, GOAL, is_rejected=True),
        ],
    )
    def test_are_left_alone_by_corrections_of_others(self, fix: ReferenceFix) -> None:
        assert correct_references(PAGE, [SEE], [fix]) == [KnownReference(SEE)]

    def test_are_aimed_or_rejected(self) -> None:
        fix = ReferenceFix("Section 2", "section 1(a)", 1, GOAL)
        assert correct_references(PAGE, [SEE], [fix]) == [KnownReference(SEE, GOAL)]
        fix = ReferenceFix("Section 2", "section 1(a)", 1, GOAL, is_rejected=True)
        assert correct_references(PAGE, [SEE], [fix]) == []

    def test_that_are_added_take_the_place_of_what_they_overlap(self) -> None:
        fix = ReferenceFix("Section 2", "obey section 1(a) and", 1, GOAL, is_added=True)
        (known,) = correct_references(PAGE, [SEE], [fix])
        assert (known.found.form, known.found.unit, known.goal) == ("given", 4, GOAL)
        apart = ReferenceFix("Section 2", "Pilot Act", 1, GOAL, is_added=True)
        assert [one.goal for one in correct_references(PAGE, [SEE], [apart])] == [None, GOAL]
