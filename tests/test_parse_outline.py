"""From text to an outline: styles of many countries, and what must hold for any text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.parse import Correction, Outline, opening_of, parse_outline

OUTLINES = Path(__file__).parent / "outlines"


@pytest.mark.parametrize("expected", sorted(OUTLINES.glob("*.outline")), ids=lambda path: path.stem)
def test_the_outline_is_read(expected: Path) -> None:
    source = next(path for path in OUTLINES.glob(f"{expected.stem}.*") if path.suffix in {".md", ".txt"})
    outline = parse_outline(source.read_text(), is_markdown=source.suffix == ".md")
    shown = [f"{'  ' * unit.level}{unit.label}" for unit in outline.units]
    assert shown == expected.read_text().splitlines()


def labels(text: str, *, is_markdown: bool = False) -> list[str]:
    return [unit.label for unit in parse_outline(text, is_markdown=is_markdown).units[1:]]


def test_several_numbers_on_one_line_are_several_units_at_one_place() -> None:
    outline = parse_outline(
        "§ 1 Scope\n\n(a)(1)(i) First.\n\n(ii) Second.\n\n(2) Third.\n\n(b) Fourth.\n", is_markdown=False
    )
    assert [unit.label for unit in outline.units] == [
        "§ 1", "§ 1(a)", "§ 1(a)(1)", "§ 1(a)(1)(i)", "§ 1(a)(1)(ii)", "§ 1(a)(2)", "§ 1(b)",
    ]  # fmt: skip
    assert len({unit.start for unit in outline.units[1:4]}) == 1


def test_a_sentence_that_begins_with_a_reference_opens_no_unit() -> None:
    text = (
        "Article 1 Scope\n\nArticle 6 of the Treaty applies.\n\nSection 108 of the Act governs fees.\n\n"
        "Article 2 Terms\n\nNone.\n"
    )
    assert labels(text) == ["Article 1", "Article 2"]


def test_a_wrapped_line_that_begins_with_a_number_opens_no_unit() -> None:
    text = (
        "Article 1 Scope\n\n(a) The holder of a licence that was granted under the rules of paragraph\n"
        "(b) of this article and of any other paragraph shall keep it on board at all\ntimes.\n\n(b) Ships.\n"
    )
    assert labels(text) == ["Article 1(a)", "Article 1(b)"]


@pytest.mark.parametrize("aside", ["Section 3", "Section 3(2)", "Article 4"])
def test_where_a_schedule_belongs_is_neither_a_unit_nor_its_title(aside: str) -> None:
    text = (
        "1 Lights\n\nKeep one.\n\n2 Fees\n\nPay.\n\n"
        f"SCHEDULE 1\n\n{aside}\n\nLAMPS\n\n1 A lamp must burn oil.\n\n2 The oil must be clean.\n"
    )
    units = parse_outline(text, is_markdown=False).units
    assert [(unit.label, unit.title) for unit in units if "Schedule" in unit.label] == [
        ("Schedule 1", "LAMPS"),
        ("Schedule 1/1", ""),
        ("Schedule 1/2", ""),
    ]


def test_code_and_tables_open_no_unit() -> None:
    text = (
        "# Guide\n\n## 1. Use\n\n```\n# 2. no\n(a) no\n```\n\n"
        "| (a) | no |\n|---|---|\n| 2. | no |\n\n## 2. End\n\nDone.\n"
    )
    assert labels(text, is_markdown=True) == ["1", "2"]


def test_a_hash_is_a_heading_in_markdown_only() -> None:
    text = "# One\n\nWords of the first.\n\n# Two\n\nWords of the second.\n"
    assert labels(text, is_markdown=True) == ["One", "Two"]
    assert labels(text, is_markdown=False) == []


def test_underlined_headings_are_headings() -> None:
    assert labels("One\n===\n\nWords.\n\nTwo\n---\n\nMore.\n\nThree\n===\n\nEnd.\n", is_markdown=True) == [
        "One",
        "One/Two",
        "Three",
    ]


def test_the_first_heading_names_the_document() -> None:
    outline = parse_outline("# Harbour Act\n\n## Section 1. Title\n\nText.\n", is_markdown=True)
    assert (outline.units[0].title, outline.units[0].level) == ("Harbour Act", 0)
    assert [unit.label for unit in outline.units[1:]] == ["Section 1"]


def test_a_title_below_its_number_is_its_title() -> None:
    outline = parse_outline(
        "Article 5\n\nPrinciples\n\n1. Data shall be:\n\n(a) true.\n\nArticle 6\n\nLawfulness\n\nText.\n",
        is_markdown=False,
    )
    assert [(unit.label, unit.title) for unit in outline.units if unit.kind == "article"] == [
        ("Article 5", "Principles"), ("Article 6", "Lawfulness"),
    ]  # fmt: skip


def test_labels_survive_an_insertion_elsewhere() -> None:
    before = "§ 1 A\n\n(a) One.\n\n(b) Two.\n\n§ 2 B\n\n(a) Three.\n"
    after = before.replace("§ 2 B", "§ 1a New\n\n(a) Inserted.\n\n§ 2 B")
    assert [label for label in labels(after) if "1a" not in label] == labels(before)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "## 5. Use\n\nSection 29(a) of an Act forbids. So:\n\n1. ask;\n\n2. wait.\n\n## 6. Time\n\nx\n",
            ["5", "5(1)", "5(2)", "6"],
        ),
        (
            "## 7. Rights\n\n### 7.1 Ask\n\nx\n\n### 7.2 Tell\n\nx\n\n## 7A. Woes\n\nx\n\n## 8. Time\n\nx\n",
            ["7", "7.1", "7.2", "7A", "8"],
        ),
    ],
    ids=["a list below a heading that is numbered alike", "an insertion after decimals"],
)
def test_headings_and_lists_of_one_style_are_told_apart(text: str, expected: list[str]) -> None:
    assert labels(text, is_markdown=True) == expected


def test_units_that_print_the_same_number_twice_keep_labels_apart() -> None:
    found = labels("§ 1 A\n\n(a) One.\n\n(a) One again.\n\n(b) Two.\n")
    assert found == ["§ 1(a)", "§ 1(a)~2", "§ 1(b)"]


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("Just words, and more words, without any structure at all.", "none"),
        ("# Title\n\nWords.\n", "low"),
        ("§ 1 A\n\n(a) One.\n\n(b) Two.\n\n§ 2 B\n\n(a) Three.\n", "high"),
    ],
)
def test_the_grade_says_how_far_to_trust(text: str, grade: str) -> None:
    assert parse_outline(text, is_markdown=text.startswith("#")).grade == grade


class TestCorrections:
    TEXT = "# Policy\n\n## Access\n\nText.\n\n## Keys\n\nText.\n\n### Loss\n\nText.\n\n## Visitors\n\nText.\n"

    def parse(self, *corrections: Correction) -> list[tuple[int, str]]:
        outline = parse_outline(self.TEXT, is_markdown=True, corrections=corrections)
        assert_is_tree(self.TEXT, outline)
        return [(unit.level, unit.label) for unit in outline.units[1:]]

    def test_without_them_the_outline_is_as_found(self) -> None:
        assert self.parse() == [(1, "Access"), (1, "Keys"), (2, "Keys/Loss"), (1, "Visitors")]

    def test_a_level_moves_a_unit_with_what_is_below_it(self) -> None:
        assert self.parse(Correction("## Keys", "Keys", level=2)) == [
            (1, "Access"), (2, "Access/Keys"), (3, "Access/Keys/Loss"), (1, "Visitors"),
        ]  # fmt: skip

    def test_what_is_no_unit_goes_and_its_children_stay(self) -> None:
        assert self.parse(Correction("## Keys", "Keys", is_unit=False)) == [
            (1, "Access"), (2, "Access/Loss"), (1, "Visitors"),
        ]  # fmt: skip

    def test_they_add_up_in_their_order(self) -> None:
        assert self.parse(
            Correction("## Keys", "Keys", level=2),
            Correction("## Keys", "Access/Keys", new_label="K"),
            Correction("## Keys", "K", new_title="All keys"),
        ) == [(1, "Access"), (2, "K"), (3, "K/Loss"), (1, "Visitors")]

    def test_without_a_wrong_unit_the_rest_is_read_again(self) -> None:
        text = "# Act\n\n## 1. One\n\nText.\n\nArticle 9 Nonsense\n\n1. a;\n\n2. b.\n\n## 2. Two\n\nText.\n"
        corrections = [Correction("Article 9 Nonsense", "Article 9", is_unit=False)]
        outline = parse_outline(text, is_markdown=True, corrections=corrections)
        assert [(unit.level, unit.label) for unit in outline.units[1:]] == [
            (1, "1"), (2, "1(1)"), (2, "1(2)"), (1, "2"),
        ]  # fmt: skip

    def test_a_label_and_a_title_are_taken_as_given(self) -> None:
        outline = parse_outline(
            self.TEXT,
            is_markdown=True,
            corrections=[Correction("## Keys", "Keys", new_label="K", new_title="All keys")],
        )
        assert [(unit.label, unit.title) for unit in outline.units if unit.title == "All keys"] == [
            ("K", "All keys")
        ]

    def test_a_unit_that_nobody_saw_is_added(self) -> None:
        text = (
            "# Policy\n\n## Access\n\nText.\n\nDelivery of goods by night\n\nMore text.\n\n## Keys\n\nText.\n"
        )
        outline = parse_outline(
            text, is_markdown=True, corrections=[Correction("Delivery of goods by night", level=2)]
        )
        assert_is_tree(text, outline)
        assert [(unit.level, unit.title) for unit in outline.units[1:]] == [
            (1, "Access"), (2, "Delivery of goods by night"), (1, "Keys"),
        ]  # fmt: skip

    def test_what_speaks_of_a_unit_that_is_gone_changes_nothing(self) -> None:
        assert self.parse(Correction("## Gone", "Gone", is_unit=False)) == self.parse()

    def test_the_opening_is_the_first_line_with_single_blanks(self) -> None:
        assert opening_of("ab\n##  Keys \t and  locks\nText", 3) == "## Keys and locks"


def assert_is_tree(text: str, outline: Outline) -> None:
    units = outline.units
    assert (units[0].start, units[0].end, units[0].parent, units[0].level) == (0, len(text), None, 0)
    assert len({unit.label for unit in units}) == len(units)
    for index, unit in enumerate(units[1:], start=1):
        assert unit.parent is not None
        parent = units[unit.parent]
        assert unit.parent < index
        assert unit.level == parent.level + 1
        assert parent.start <= unit.start <= unit.end <= parent.end
        assert units[index - 1].start <= unit.start


LINE = st.one_of(
    st.sampled_from([
        "(a) word", "(b) word", "(i) word", "(ii) word", "(1) word", "(A) Word", "1. Word", "2. Word",
        "1.1 Word", "a) word", "# Word", "## Word", "### 3 Word", "§ 3 Word", "Article 4", "PART II",
        "Annex A", "Word Word", "", "", "words that go on for a while and end here.", "| a | b |",
        "```", "12A Word", "Paragraph 2(b)(1).", "**Word**", "(a)(1)(i) Word", "Word\n---", "Contents",
    ]),
    st.text(max_size=30),
)  # fmt: skip


@given(st.lists(LINE, max_size=40).map("\n".join), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text_has_an_outline_that_is_a_tree(text: str, is_markdown: bool) -> None:
    outline = parse_outline(text, is_markdown=is_markdown)
    assert_is_tree(text, outline)
    assert parse_outline(text, is_markdown=is_markdown) == outline


@dataclass(frozen=True)
class Item:
    children: tuple[Item, ...] = ()


LETTERS = "abcdefghijklmnopqrstuvwxyz"
ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv"]
STYLES = {
    "United States": ["({a})", "({n})", "({i})", "({A})"],
    "Europe": ["{n}.", "({a})", "({i})"],
    "United Kingdom": ["({n})", "({a})", "({i})", "({A})"],
    "Germany": ["({n})", "{n}.", "{a})"],
    "contract": ["{A}.", "{n}.", "{a})", "({i})"],
}


def number(pattern: str, position: int) -> str:
    return pattern.format(n=position + 1, a=LETTERS[position], A=LETTERS[position].upper(), i=ROMAN[position])


def items(depth: int) -> st.SearchStrategy[tuple[Item, ...]]:
    """Lists of at least two: of one alone, nobody could tell what (i) is."""
    leaf: st.SearchStrategy[tuple[Item, ...]] = st.just(())
    below = st.one_of(leaf, leaf, leaf, leaf, items(depth - 1)) if depth > 1 else leaf
    return st.lists(st.builds(Item, below), min_size=2, max_size=12).map(tuple)


def printed(things: tuple[Item, ...], styles: list[str], path: str = "") -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for position, item in enumerate(things):
        shown = number(styles[0], position)
        own = f"{path} {shown}"
        lines += [(own, f"{shown} the words of this unit;"), *printed(item.children, styles[1:], own)]
    return lines


@pytest.mark.parametrize("country", STYLES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_lists_are_solved_as_they_were_drafted(country: str, data: st.DataObject) -> None:
    styles = STYLES[country]
    lines = printed(data.draw(items(min(3, len(styles)))), styles)
    text = "Article 1 Matters\n\n" + "\n\n".join(line for _, line in lines) + "\n\nArticle 2 End\n\nDone.\n"
    units = parse_outline(text, is_markdown=False).units
    paths = [""] * len(units)
    for index, unit in enumerate(units):
        if unit.kind == "paragraph" and unit.parent is not None:
            paths[index] = f"{paths[unit.parent]} {unit.marker}"
    assert [path for path in paths if path] == [path for path, _ in lines]
