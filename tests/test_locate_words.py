"""Words that are said more than once: which of them stand, and which do not."""

from __future__ import annotations

import time

import pytest

from documents.parse import parse_outline
from search.citations.align import align_texts
from search.citations.edition import Edition
from search.citations.locate import Cited, locate_words

PAYS = "the master pays forty crowns to the board each day."
BERTH, CRANE = f"(a) For a berth {PAYS}", f"(b) For a crane {PAYS}"
REST = "## Section 2. Other\n\nNothing else is here to be read by anybody."
FEES = f"# Act\n\n## Section 1. Fees\n\n{BERTH}\n\n{CRANE}\n\n{REST}\n"
PUT_BEFORE = FEES.replace("(b)", "(c)").replace("(a)", "(a) A buoy is free.\n\n(b)")
SAME = f"# Act\n\n## Section 1. Fees\n\n(a) {PAYS}\n\n(b) {PAYS}\n\n(c) {PAYS}\n\n{REST}\n"
FLAT = f"# Act\n\n## Section 1. Fees\n\nIn summer, {PAYS} In winter, {PAYS} Ice is free.\n\n{REST}\n"


def edition(text: str) -> Edition:
    return Edition(text, parse_outline(text, is_markdown=True).units)


def locate(before: str, after: str, label: str, *, rank: int = 0, words: str = PAYS) -> tuple[str, str]:
    """Cite the words by a label where they stand for the n-th time; return the verdict and the place."""
    old, new = edition(before), edition(after)
    start = -1
    for _ in range(rank + 1):
        start = before.index(words, start + 1)
    located = locate_words(Cited(old, (start, start + len(words)), old.by_label[label]), new)
    if not located.places:
        return str(located.status), ""
    return str(located.status), new.label(new.innermost(located.places[0].span))


@pytest.mark.parametrize("label", ["Section 1", ""])
@pytest.mark.parametrize(
    ("before", "after", "rank", "expected"),
    [
        (FEES, FEES.replace("berth the master pays forty", "berth the master pays ninety"), 0, "changed (a)"),
        (FEES, FEES.replace("berth the master pays forty", "berth the master pays ninety"), 1, "stands (b)"),
        (FEES, FEES.replace("crane the master pays forty", "crane the master pays ninety"), 0, "stands (a)"),
        (FEES, FEES.replace("crane the master pays forty", "crane the master pays ninety"), 1, "changed (b)"),
        # Inserted before it, in its own paragraph and as a paragraph, so that the others have other numbers.
        (FEES, FEES.replace("For a berth", "From May to June, for a berth of any length"), 0, "stands (a)"),
        (FEES, PUT_BEFORE, 0, "stands (b)"),
        (FEES, PUT_BEFORE, 1, "stands (c)"),
        (
            FEES,
            PUT_BEFORE.replace("crane the master pays forty", "crane the master pays ten"),
            1,
            "changed (c)",
        ),
        # Taken out, and those behind it have its number.
        (FEES, FEES.replace(f"{BERTH}\n\n(b)", "(a)"), 1, "stands (a)"),
        (FEES, FEES.replace(f"{BERTH}\n\n", ""), 0, "changed "),
        # The words around them change, not they.
        (FEES, FEES.replace("a berth", "a boat").replace("a crane", "a berth"), 0, "stands (a)"),
        (FEES, FEES.replace("a berth", "a boat").replace("a crane", "a berth"), 1, "stands (b)"),
        # Changed, and said anew in a paragraph of its own.
        (
            FEES,
            FEES.replace("berth the master pays forty", "berth the master pays ninety").replace(
                CRANE, f"{CRANE}\n\n(c) For a buoy {PAYS}"
            ),
            0,
            "moved (c)",
        ),
        # Nothing tells them apart but their numbers.
        (SAME, SAME.replace(f"(b) {PAYS}", "(b) Nothing is paid."), 0, "stands (a)"),
        (SAME, SAME.replace(f"(b) {PAYS}", "(b) Nothing is paid."), 1, "changed (b)"),
        (SAME, SAME.replace(f"(b) {PAYS}", "(b) Nothing is paid."), 2, "stands (c)"),
        (SAME, SAME.replace(f"(c) {PAYS}\n\n", ""), 1, "stands (b)"),
        (SAME, SAME.replace(f"(c) {PAYS}\n\n", ""), 2, "changed "),
        # Not even that.
        (
            FLAT,
            FLAT.replace("summer, the master pays forty", "summer, the master pays ninety"),
            0,
            "changed ",
        ),
        (FLAT, FLAT.replace("summer, the master pays forty", "summer, the master pays ninety"), 1, "stands "),
        (FLAT, FLAT.replace("In summer", "Ships are welcome. In spring and in summer"), 0, "stands "),
        (FLAT, FLAT.replace("In summer", "Ships are welcome. In spring and in summer"), 1, "stands "),
        (FLAT, FLAT.replace("In summer, ", f"In spring, {PAYS} In summer, "), 1, "stands "),
    ],
)
def test_of_words_that_are_said_twice_those_that_are_cited_count(
    label: str, before: str, after: str, rank: int, expected: str
) -> None:
    status, place = locate(before, after, label, rank=rank)
    assert f"{status} {place.removeprefix('Section 1')}" == expected


@pytest.mark.parametrize("label", ["Section 1(a)", "Section 1", ""])
def test_a_unit_of_another_number_takes_its_words_along(label: str) -> None:
    """By its own number it is elsewhere, and in the act it stands."""
    later = FEES.replace("Section 2", "Section 3").replace("Section 1", "Section 2")
    later = later.replace("# Act\n\n", "# Act\n\n## Section 1. Aim\n\n(a) This act is of the harbour.\n\n", 1)
    status, place = locate(FEES, later, label)
    assert (status, place) == ("moved" if label else "stands", "Section 2(a)")


def test_of_several_that_were_added_the_one_between_the_same_words_is_the_one() -> None:
    after = FLAT.replace("In summer, ", f"In spring, {PAYS} In summer, ")
    old, new = edition(FLAT), edition(after)
    start = FLAT.index(PAYS)
    located = locate_words(Cited(old, (start, start + len(PAYS)), old.by_label["Section 1"]), new)
    assert located.places[0].span[0] == after.index(PAYS, after.index("In summer"))


@pytest.mark.parametrize(
    ("old", "new", "part", "now"),
    [
        ("one two three", "one two three", "two", "two"),
        ("one two three", "one 2 three", "two", "2"),
        ("one two three", "one three", "two", ""),
        ("one two three", "zero one and two three", "one two", "one and two"),
        ("one two three", "", "two", ""),
        ("one, two, three", "one, two; three", "two", "two;"),
        ("a a a b a a", "a a a c a a", "b", "c"),
        ("one two three", "four five six", "two", "four five six"),
    ],
)
def test_a_part_is_mapped_to_what_stands_in_its_place(old: str, new: str, part: str, now: str) -> None:
    start = old.index(part)
    begin, end = align_texts(old, new).map((start, start + len(part)))
    assert new[begin:end] == now


def test_long_texts_are_aligned_in_time() -> None:
    lines = [f"The berth {number} is kept clear of every other vessel at night." for number in range(15_000)]
    same = ["Nobody may enter here before the bell has rung twice."] * 5_000
    old = " ".join([*lines, *same])
    new = " ".join(["First of all:", *lines[:7_000], *lines[7_100:], *same[100:], "The end."])
    begun = time.perf_counter()
    start = old.index("The berth 9000 is")
    begin, end = align_texts(old, new).map((start, start + 20))
    assert new[begin:end] == "The berth 9000 is kept"[: end - begin]
    assert time.perf_counter() - begun < 20
