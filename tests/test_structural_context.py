"""Structural contexts say which document a chunk is of, and what it does not say itself, in few tokens."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.chunk import Piece, chunk_outline
from documents.parse import parse_outline
from documents.tokens import count_tokens
from search.backends.contextualizers import Excerpt, StructuralContextualizer, situate
from search.situate import excerpts_of, manuscript_of
from tests.bench import statute

ACT = """Chapter 1 Berths

§ 1 Definitions

In this Act:

(1) Vessel means a ship of any size.

(2) Berth means a place at a quay.

§ 2 Registers

(a) The master keeps a register of each Berth and Vessel.

(b) No Vessel leaves before noon.

Chapter 2 Dues

§ 3 Rates

Rates are paid at noon.
"""
MODULE = """import io

class Harbour(Place):
    def open_gate(
        self, gate
    ):
        if gate.is_shut:
            gate.lift()
            self.report(gate)

    def close(self):
        pass

GATES = 3
"""


class NoPurse:
    """Nothing is paid for, so nothing may be asked of it."""


def excerpts(text: str, *, max_tokens: int = 800) -> list[Excerpt]:
    outline = parse_outline(text, is_markdown=False)
    return excerpts_of(text, outline, chunk_outline(text, outline, max_tokens=max_tokens))


def around(text: str, said: str) -> tuple[str, ...]:
    """Return the path of the place in flat text where these words begin."""
    start = text.index(said)
    outline = parse_outline(text, is_markdown=False)
    (excerpt,) = excerpts_of(text, outline, [Piece(start, len(text), start, 0, "content", 1)])
    return excerpt.path


class TestSituate:
    def test_the_title_stands_before_every_chunk(self) -> None:
        assert situate("Harbour Act", Excerpt("Ships leave at noon.")) == "Harbour Act"

    def test_nothing_is_said_of_a_chunk_of_which_nothing_is_known(self) -> None:
        assert situate("", Excerpt("Ships leave at noon.")) == ""
        assert situate(" … ", Excerpt("Ships leave at noon.")) == ""

    def test_declarations_around_source_code_follow_in_their_order(self) -> None:
        excerpt = Excerpt("gate.lift()", ("class Harbour(Place):", "def open_gate("))
        assert situate("port/gates.py", excerpt) == "port/gates.py › class Harbour(Place): › def open_gate("

    @pytest.mark.parametrize("text", [
        "the register of berths; and", "(a) the register of berths; and", "2. **the** register", "é bom",
    ])  # fmt: skip
    def test_a_chunk_that_begins_amid_a_sentence_gets_the_nearest_heading_without_its_number(
        self, text: str
    ) -> None:
        excerpt = Excerpt(text, ("Part I Berths", "§ 12 Registers"), "(a)")
        assert situate("Harbour Act", excerpt) == "Harbour Act › Registers"

    @pytest.mark.parametrize("text", ["(a) The register", "The register", "第一条", "1.2", ""])
    def test_any_other_chunk_of_prose_gets_no_heading(self, text: str) -> None:
        assert situate("Harbour Act", Excerpt(text, ("§ 12 Registers",), "(a)")) == "Harbour Act"

    def test_a_fragment_below_bare_numbers_gets_none(self) -> None:
        assert (
            situate(
                "Harbour Act",
                Excerpt("the register", ("1.", "§ 1.2", "1003.4(a)(2)", "(a)(1)", "5A."), "IV."),
            )
            == "Harbour Act"
        )

    @pytest.mark.parametrize("text", [
        "Harbour Act\n\nShips leave at noon.", "# **Harbour Act**\n\nShips", "1. HARBOUR ACT – Ships",
    ])  # fmt: skip
    def test_what_a_chunk_opens_with_is_not_said_again(self, text: str) -> None:
        assert situate("Harbour Act", Excerpt(text)) == ""

    def test_a_longer_word_at_the_opening_does_not_count_as_the_title(self) -> None:
        assert situate("Port", Excerpt("Ports are open.")) == "Port"
        assert situate("Port", Excerpt("Port is open.")) == ""

    @pytest.mark.parametrize("title", ["23andMe", "1984", "3M", "§ 12"])
    def test_a_title_that_is_a_number_is_a_title(self, title: str) -> None:
        assert situate(title, Excerpt("Ships leave at noon.")) == title

    def test_the_same_is_said_once(self) -> None:
        assert situate("Registers", Excerpt("the master", ("§ 1 Registers",), "(a)")) == "Registers"

    def test_blanks_and_line_breaks_become_single_blanks(self) -> None:
        assert situate(" Harbour\n\tAct ", Excerpt("Ships")) == "Harbour Act"


class TestLength:
    def test_what_fits_exactly_is_not_cut(self) -> None:
        title = " ".join(["harbour"] * 100)
        most = count_tokens(title)
        assert situate(title, Excerpt("Ships"), most) == title
        assert situate(title, Excerpt("Ships"), most - 1).endswith(" harbour…")

    def test_a_long_title_leaves_room_for_the_declarations(self) -> None:
        context = situate("port " * 200, Excerpt("lift()", ("class Gate:",)), 50)
        assert context.startswith("port port")
        assert context.endswith("… › class Gate:")
        assert count_tokens(context) <= 50

    def test_a_title_without_blanks_is_cut_between_characters(self) -> None:
        context = situate("港湾法施行令" * 50, Excerpt("船舶"), 50)
        assert context.startswith("港湾法")
        assert context.endswith("…")
        assert count_tokens(context) <= 50

    @settings(max_examples=50, deadline=None)
    @given(
        st.text(max_size=400), st.lists(st.text(max_size=200), max_size=4), st.sampled_from([50, 100, 200])
    )
    def test_no_context_is_longer_than_asked_for(self, title: str, path: list[str], most: int) -> None:
        assert count_tokens(situate(title, Excerpt("lift()", tuple(path)), most)) <= most


class TestExcerpts:
    def test_a_chunk_knows_its_place(self) -> None:
        found = {one.label: one for one in excerpts(ACT, max_tokens=16)}
        one = found["§ 2(a)"]
        assert one.path == ("Chapter 1 Berths", "§ 2 Registers")
        assert one.heading == "(a)"
        assert ACT[one.start : one.end].strip() == "(a) The master keeps a register of each Berth and Vessel."
        assert one.text == ACT[one.start : one.end]

    def test_the_header_of_a_table_and_the_overlap_are_part_of_the_text(self) -> None:
        text = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 5
        outline = parse_outline(text, is_markdown=True)
        pieces = [Piece(40, 60, 40, 0, "content", 9, (0, 20)), Piece(60, 70, 50, 0, "content", 9)]
        first, second = excerpts_of(text, outline, pieces)
        assert first.text == text[:20] + text[40:60]
        assert second.text == text[50:70]
        assert (second.start, second.end) == (60, 70)

    def test_no_text_has_no_excerpts(self) -> None:
        assert excerpts_of("", parse_outline("", is_markdown=False), ()) == []

    @pytest.mark.parametrize(
        ("said", "path"),
        [
            ("import io", ()),
            ("class Harbour", ()),
            ("def open_gate", ("class Harbour(Place):",)),
            ("gate.lift()", ("class Harbour(Place):", "def open_gate(")),
            ("lift()", ("class Harbour(Place):", "def open_gate(")),
            ("def close", ("class Harbour(Place):",)),
            ("pass", ("class Harbour(Place):", "def close(self):")),
            ("GATES", ()),
        ],
    )
    def test_source_code_knows_the_declarations_it_is_indented_below(
        self, said: str, path: tuple[str, ...]
    ) -> None:
        assert around(MODULE, said) == path

    def test_braces_alone_else_and_comments_open_nothing(self) -> None:
        text = "int main()\n{\n    // first of all\n    } else if (x) {\n    else {\n\treturn gates;\n}\n"
        assert around(text, "return") == ("int main()",)

    def test_an_indented_first_line_of_prose_is_below_nothing(self) -> None:
        text = "The harbour is open\nto all who come.\n\n  Ships leave at noon\nand return at dusk.\n"
        assert around(text, "Ships") == ()

    def test_an_item_is_below_the_line_that_announces_it(self) -> None:
        text = "We collect the following:\n  names\n  addresses\n"
        assert around(text, "addresses") == ("We collect the following:",)

    def test_a_long_line_is_cut(self) -> None:
        text = "def open(" + "a, " * 100 + "):\n    pass\n"
        assert around(text, "pass") == (text[:100],)

    def test_all_chunks_of_a_long_law_are_situated(self) -> None:
        found = excerpts(statute(Random(1), 10), max_tokens=200)
        assert len(found) == 45
        assert all(one.label for one in found)
        assert all(count_tokens(situate("Harbour Act", one)) <= 100 for one in found)


class TestManuscript:
    @pytest.mark.parametrize(
        ("title", "file_name", "known"),
        [
            ("Harbour Act 2021", "act.pdf", "Harbour Act 2021"),
            ("", "harbour_act-2021.pdf", "harbour act 2021"),
            ("", "TickTick_ To Do.txt", "TickTick To Do"),
            ("", "port/src/gates.py", "port/src/gates.py"),
            ("  ", "0012.txt", ""),
            ("", "2021/0012.txt", ""),
            ("", "", ""),
        ],
    )
    def test_a_document_is_known_by_its_title_or_else_by_its_file(
        self, title: str, file_name: str, known: str
    ) -> None:
        outline = parse_outline("Ships leave.", is_markdown=False)
        assert manuscript_of(title, file_name, "Ships leave.", outline).title == known

    def test_without_a_title_its_first_heading_is_known_if_all_stands_below_it(self) -> None:
        text = "Part 12 Harbour Dues\n\n§ 12.1 Rates\n\nRates are paid.\n\n§ 12.2 Days\n\nAt noon.\n"
        outline = parse_outline(text, is_markdown=False)
        assert manuscript_of("", "dues.txt", text, outline).title == "Part 12 Harbour Dues"

    def test_its_outline_has_a_line_for_each_heading_indented_by_depth(self) -> None:
        manuscript = manuscript_of("Harbour Act", "act.txt", ACT, parse_outline(ACT, is_markdown=False))
        assert manuscript.text == ACT
        assert manuscript.outline == (
            "Chapter 1 Berths", "  § 1 Definitions", "  § 2 Registers", "Chapter 2 Dues", "  § 3 Rates",
        )  # fmt: skip


def test_each_excerpt_has_its_context_in_order_and_nothing_is_paid() -> None:
    manuscript = manuscript_of("Harbour Act", "act.txt", ACT, parse_outline(ACT, is_markdown=False))
    contextualizer = StructuralContextualizer()
    given_excerpts = [Excerpt("Ships"), Excerpt("the quay", ("§ 2 Registers",), "(a)")]
    outcomes = list(contextualizer.contextualize(manuscript, given_excerpts, purse=NoPurse()))  # type: ignore[arg-type]
    assert [(one.position, one.context, one.failure) for one in outcomes] == [
        (0, "Harbour Act", ""), (1, "Harbour Act › Registers", ""),
    ]  # fmt: skip
    assert (contextualizer.name, contextualizer.is_paid) == ("structural", False)
