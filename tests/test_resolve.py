"""References lead to the units that they mean: whole documents in many styles, and what must hold for any."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from definitions.extract.found import FoundReference, Step, Target
from definitions.extract.references import extract_references
from definitions.extract.references.cite import cite_target
from definitions.resolve import UnitIndex
from documents.parse import Unit, parse_outline

# Each text says in braces what its mentions mean: a label, "=" and law elsewhere, or "?" and why there is
# nothing. Whatever stands outside of braces must give nothing.
TEXTS = Path(__file__).parent / "references"
MARKED = re.compile(r"\{([^{}]*?) => ([^{}]*)\}")


@pytest.mark.parametrize("path", sorted(TEXTS.iterdir()), ids=lambda path: path.stem)
def test_the_mentions_of_a_document_are_found_and_resolved(path: Path) -> None:
    text, expected = unmark(path.read_text())
    assert found_in(text, is_markdown=path.suffix == ".md") == expected


def unmark(marked: str) -> tuple[str, list[tuple[int, str, str]]]:
    """Return a text without its braces, and where its mentions begin, their words and their meaning."""
    text, expected, place = "", [], 0
    for match in MARKED.finditer(marked):
        text += marked[place : match.start()]
        expected.append((len(text), match[1], match[2]))
        text += match[1]
        place = match.end()
    return text + marked[place:], expected


def found_in(text: str, *, is_markdown: bool = False) -> list[tuple[int, str, str]]:
    units = parse_outline(text, is_markdown=is_markdown).units
    index = UnitIndex(units)
    return [
        (found.start, text[found.start : found.end], meaning_of(found, units, index))
        for found in extract_references(text, units)
    ]


def meaning_of(found: FoundReference, units: tuple[Unit, ...], index: UnitIndex) -> str:
    ends = [found.target] if found.through is None else [found.target, found.through]
    if found.target.document:
        return "=" + " … ".join(map(cite_target, ends))
    resolved = [index.resolve(target, near=found.unit) for target in ends]
    if resolved[0].unit is None:
        return f"?{resolved[0].reason}"
    return " … ".join(f"?{one.reason}" if one.unit is None else units[one.unit].label for one in resolved)


CODE = """\
§ 201 Scope.

(a) General. This part applies to fairs.

(b) Special. It does not apply to:

(1) markets; or

(2) sales.

§ 203 Fees.

(a) Amounts. The fees are:

(1) one dollar;

(2) two dollars:

(i) by day; and

(ii) by night; or

(3) none.

(b) Waivers. A fee may be waived.

Appendix A to Part 200

1. Forms.

2. Tables.
"""


def units_of(text: str) -> tuple[Unit, ...]:
    return parse_outline(text, is_markdown=False).units


def resolve(target: Target, *, near: str = "") -> str:
    units = units_of(CODE)
    place = next((index for index, unit in enumerate(units) if unit.label == near), None)
    found = UnitIndex(units).resolve(target, near=place)
    return found.reason if found.unit is None else units[found.unit].label


def path(*numbers: str, kind: str = "section", base: str = "") -> Target:
    return Target((Step(kind, numbers[0]), *(Step("", number) for number in numbers[1:])), base=base)


@pytest.mark.parametrize(
    ("target", "near", "expected"),
    [
        (path("203", "a", "2", "ii"), "", "§ 203(a)(2)(ii)"),
        (path("203", "a", "9"), "", "§ 203(a) has 1, 2, 3, no 9."),
        (path("203", "b", "1"), "", "§ 203(b) has no 1: nothing in it is numbered."),
        (path("204"), "", "There is no section 204 in this document."),
        (path("b", kind="paragraph"), "§ 203(a)(2)", "§ 203(b)"),
        (path("b", "1", kind="paragraph"), "§ 201(a)", "§ 201(b)(1)"),
        (path("i", kind="paragraph"), "§ 203(a)(2)(ii)", "§ 203(a)(2)(i)"),
        (path("a", kind="paragraph", base="section"), "§ 203(a)(2)(ii)", "§ 203(a)"),
        (path("b", kind="point"), "§ 203(a)(2)", "§ 203(b)"),
        (path("2", kind="section"), "§ 203(b)", "There is no section 2 in this document."),
        (path("2", kind="paragraph"), "§ 203(b)", "There is no paragraph 2 in this document."),
        (path("2", kind="paragraph"), "Appendix A/1", "Appendix A/2"),
        (path("A", kind="appendix"), "§ 201", "Appendix A"),
        (path("B", kind="appendix"), "§ 201", "There is no appendix B in this document."),
        (Target(base="section"), "§ 203(a)(2)", "§ 203"),
        (Target(base="subsection"), "§ 203(a)(2)(i)", "§ 203(a)"),
        (Target((Step("section", "203"), Step("paragraph", "a"), Step("sentence", "2"))), "", "§ 203(a)"),
        (Target((Step("subparagraph", "2."),)), "§ 203(a)(2)(i)", "§ 203(a)"),
        (Target((Step("section", "201"), Step("subparagraph", "1."), Step("point", "b"))), "", "§ 201(b)"),
    ],
)
def test_a_target_is_resolved(target: Target, near: str, expected: str) -> None:
    assert resolve(target, near=near) == expected


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        # Sections that begin anew in each article: the nearest is meant.
        (
            "Article I\n\nSection 1. A.\n\nArticle II\n\nSection 1. B.\n\nSection 2. Section 1 applies.\n",
            "Section 1",
            "Article II Section 1",
        ),
        # The clause of an agreement, from a schedule that counts paragraphs.
        (
            "1. Terms\n\n1.1 No.\n\n2. Price\n\n2.1 Ten.\n\nSchedule 1\n\n1. Figs.\n\n2. See Clause 2.\n",
            "Clause 2",
            "2",
        ),
        # The first paragraph of a Danish section bears no number.
        ("§ 1. Loven gælder.\n\nStk. 2. Efter stk. 1 gælder den.\n\n§ 2. Slut.\n", "stk. 1", "§ 1"),
        # A sentence of the paragraph, and not the first of its numbers.
        (
            "§ 1 Ziel\n\n(1) Ziele sind\n\n1. eins,\n\n2. zwei.\n\n(2) § 1 Absatz 1 Satz 2 gilt.\n",
            "§ 1 Absatz 1 Satz 2",
            "§ 1(1)",
        ),
    ],
)
def test_a_mention_in_its_place_is_resolved(text: str, words: str, expected: str) -> None:
    meanings = [meaning for _, printed, meaning in found_in(text) if printed == words]
    assert meanings[-1:] == [expected]


KINDS = st.sampled_from(
    ["", "section", "article", "paragraph", "point", "sentence", "schedule", "part", "recital"]
)
NUMBERS = st.sampled_from(["1", "2.", "203", "a", "-1", "6.1", "IV", "", "第", "½", "①", "二", "L. 1-1", "."])
TARGETS = st.builds(
    Target,
    st.lists(st.builds(Step, KINDS, NUMBERS), max_size=4).map(tuple),
    st.sampled_from(["", "section", "document", "subsection", "annex"]),
)


@given(TARGETS, st.integers(0, 12))
@settings(max_examples=300, deadline=None)
def test_any_target_gives_a_unit_or_a_reason(target: Target, near: int) -> None:
    units = units_of(CODE)
    found = UnitIndex(units).resolve(target, near=near)
    assert (found.unit is None) == bool(found.reason)
    assert found.unit is None or 0 <= found.unit < len(units)
