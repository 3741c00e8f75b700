"""Which units changed from one version to another, and which words in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from documents.compare import (
    Change,
    Kind,
    Mark,
    Place,
    Unit,
    compare_outlines,
    cut_units,
    mark_words,
    similar,
)
from documents.compare.align import MOST_STEPS, Effort, Run, align
from documents.compare.similar import Vocabulary
from documents.compare.tokens import split_words
from documents.parse import parse_outline

MEGABYTE = 1_000_000


def read(text: str) -> tuple[Unit, ...]:
    """Find the units of a text as the pipeline does."""
    units = parse_outline(text, is_markdown=True).units
    places = (
        Place(unit.start, unit.end, unit.level, unit.label, unit.marker, unit.title, position)
        for position, unit in enumerate(units)
    )
    return cut_units(text, list(places))


def act(*bodies: str) -> str:
    """An act of sections that count from one; a body may have lines of its own."""
    sections = (f"## Section {number}. {body}\n" for number, body in enumerate(bodies, 1))
    return "\n".join(["# Harbour Act\n", *sections])


def changes_of(old: str, new: str) -> list[Change]:
    return list(compare_outlines(read(old), read(new)))


def shown(changes: Sequence[Change]) -> list[tuple[str, str, str]]:
    """Return kind and labels of what is not as it was."""
    return [
        (str(one.kind), one.old.label if one.old else "", one.new.label if one.new else "")
        for one in changes
        if one.kind != Kind.UNCHANGED
    ]


PILOTS = "Pilots\n\nA vessel of more than fifty metres takes a pilot on board before it enters."
FEES = "Fees\n\nThe master pays what the board has published for the berth and the day."
LIGHTS = "Lights\n\nBetween sunset and sunrise every moored barge shows a white light astern."
WASTE = "Waste\n\nNobody throws oil, ashes or refuse into the basin or onto its quays."


class TestOutlines:
    def test_that_say_the_same_have_not_changed(self) -> None:
        changes = changes_of(act(PILOTS, FEES), act(PILOTS, FEES).replace("\n\nA", "\n\n\nA"))
        assert [one.kind for one in changes] == [Kind.UNCHANGED] * 3
        assert shown(changes) == []

    def test_show_the_unit_whose_own_words_changed(self) -> None:
        changes = changes_of(act(PILOTS, FEES), act(PILOTS, FEES.replace("master", "owner")))
        assert shown(changes) == [("changed", "Section 2", "Section 2")]
        assert changes[0].below == 1

    def test_follow_units_that_an_insertion_renumbers(self) -> None:
        changes = changes_of(act(PILOTS, FEES, LIGHTS), act(PILOTS, WASTE, FEES, LIGHTS))
        assert shown(changes) == [
            ("added", "", "Section 2"),
            ("moved", "Section 2", "Section 3"),
            ("moved", "Section 3", "Section 4"),
        ]

    def test_follow_units_that_are_renumbered_and_changed_at_once(self) -> None:
        later = FEES.replace("the board", "the council"), LIGHTS.replace("white", "green")
        changes = changes_of(act(PILOTS, FEES, LIGHTS), act(PILOTS, WASTE, *later))
        assert shown(changes) == [
            ("added", "", "Section 2"),
            ("moved_and_changed", "Section 2", "Section 3"),
            ("moved_and_changed", "Section 3", "Section 4"),
        ]

    def test_show_what_is_gone_where_it_stood(self) -> None:
        changes = changes_of(act(PILOTS, FEES, LIGHTS), act(PILOTS, LIGHTS))
        assert shown(changes) == [("removed", "Section 2", ""), ("moved", "Section 3", "Section 2")]
        gone = changes_of(act(PILOTS, FEES), "# Harbour Act\n")
        assert [one.unit.label for one in gone] == [gone[0].unit.label, "Section 1", "Section 2"]

    def test_take_a_section_that_is_written_anew_for_the_same(self) -> None:
        assert shown(changes_of(act(PILOTS, FEES, LIGHTS), act(PILOTS, WASTE, LIGHTS))) == [
            ("changed", "Section 2", "Section 2")
        ]

    def test_see_two_that_changed_places(self) -> None:
        assert shown(changes_of(act(PILOTS, FEES), act(FEES, PILOTS))) == [
            ("moved", "Section 2", "Section 1"),
            ("moved", "Section 1", "Section 2"),
        ]

    def test_are_not_misled_by_words_that_every_section_has(self) -> None:
        notice = "\n\n(1) The council is informed without delay.\n\n(2) Repealed."
        old = [f"{body}{notice}" for body in (PILOTS, FEES, LIGHTS)]
        new = [old[0], f"{WASTE}{notice}", old[1], old[2]]
        assert shown(changes_of(act(*old), act(*new))) == [
            ("added", "", "Section 2"),
            ("added", "", "Section 2(1)"),
            ("added", "", "Section 2(2)"),
            ("moved", "Section 2", "Section 3"),
            ("moved", "Section 2(1)", "Section 3(1)"),
            ("moved", "Section 2(2)", "Section 3(2)"),
            ("moved", "Section 3", "Section 4"),
            ("moved", "Section 3(1)", "Section 4(1)"),
            ("moved", "Section 3(2)", "Section 4(2)"),
        ]

    def test_match_short_points_below_one_unit_by_their_words(self) -> None:
        body = "Materials\n\nA mooring line is made of one of these materials:\n\n"
        old, new = f"{body}(a) steel;\n\n(b) hemp;\n", f"{body}(a) steel;\n\n(b) nylon;\n\n(c) hemp;\n"
        assert shown(changes_of(act(old), act(new))) == [
            ("added", "", "Section 1(b)"),
            ("moved", "Section 1(b)", "Section 1(c)"),
        ]

    def test_a_parent_has_changed_by_its_own_words_alone(self) -> None:
        old = f"{PILOTS}\n\n(a) A ferry needs none.\n\n(b) A tug needs one at night."
        new = old.replace("at night", "in fog").replace("(a)", "(a) Unless ice is reported,")
        changes = {one.unit.label: one for one in changes_of(act(old), act(new))}
        assert (changes["Section 1"].kind, changes["Section 1"].below) == (Kind.UNCHANGED, 2)
        assert changes["Section 1(b)"].kind == Kind.CHANGED

    def test_what_is_removed_below_a_unit_counts_for_it(self) -> None:
        old = f"{PILOTS}\n\n(a) A ferry needs none.\n\n(b) A tug needs one at night."
        changes = {one.unit.label: one for one in changes_of(act(old), act(PILOTS))}
        assert (changes["Section 1"].below, changes["Section 1(b)"].kind) == (2, Kind.REMOVED)
        whole = {one.unit.label: one for one in changes_of(act(PILOTS, old), act(PILOTS))}
        assert (whole["Section 2"].kind, whole["Section 2"].below) == (Kind.REMOVED, 2)

    def test_of_nothing_are_all_added_or_removed(self) -> None:
        units = read(act(PILOTS))
        assert [one.kind for one in compare_outlines((), units)] == [Kind.ADDED] * 2
        assert [one.kind for one in compare_outlines(units, ())] == [Kind.REMOVED] * 2
        assert compare_outlines((), ()) == ()

    def test_have_the_text_of_each_unit(self) -> None:
        text = act(f"{PILOTS}\n\n(a) A ferry needs none.\n\n(b) A tug needs one.\n\n") + "Given here."
        units = {unit.label: unit for unit in read(text)}
        assert units["Section 1"].whole.startswith("## Section 1. Pilots")
        assert "(a)" not in units["Section 1"].own
        assert units["Section 1(a)"].whole == units["Section 1(a)"].own == "(a) A ferry needs none.\n\n"
        assert units["Section 1(a)"].body == "A ferry needs none."


def numbered(bodies: Sequence[str]) -> tuple[Unit, ...]:
    """Units without a parser, which is not what is measured here."""
    texts = [f"{number}. {body}\n\n" for number, body in enumerate(bodies, 1)]
    places = [Place(0, sum(map(len, texts)), 0, "Act")]
    at = 0
    for number, text in enumerate(texts, 1):
        places.append(Place(at, at + len(text), 1, f"Section {number}", f"{number}.", "", number))
        at += len(text)
    return cut_units("".join(texts), places)


def sentences(count: int, chance: Random) -> list[str]:
    words = [f"word{number}" for number in range(3000)]
    weights = [1 / (number + 1) for number in range(3000)]
    return [" ".join(chance.choices(words, weights, k=40)) for _ in range(count)]


def edited(sentence: str, chance: Random) -> str:
    words = sentence.split()
    for _ in range(8):
        words[chance.randrange(len(words))] = f"word{chance.randrange(3000)}"
    return " ".join(words)


@dataclass
class Steps:
    """How often two units were compared, and how many units were looked at for having a rare word."""

    compared: int = 0
    looked_at: int = 0


class TestFiveThousandUnits:
    @pytest.fixture
    def bodies(self) -> list[str]:
        return sentences(5000, Random(1))

    @pytest.fixture(autouse=True)
    def steps(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
        """Count steps, and see in the end that each unit took a few, however many units there are."""
        steps = Steps()
        similarity, most_shared = Vocabulary.similarity, similar._most_shared

        def compare(self: Vocabulary, old: int, new: int) -> float:
            steps.compared += 1
            return similarity(self, old, new)

        def choose(shared: Mapping[int, int]) -> list[int]:
            steps.looked_at += sum(shared.values())
            return most_shared(shared)

        monkeypatch.setattr(Vocabulary, "similarity", compare)
        monkeypatch.setattr(similar, "_most_shared", choose)
        yield steps
        assert steps.compared <= 10 * 5002
        assert steps.looked_at <= 600 * 5002

    def compare(self, old: Sequence[str], new: Sequence[str]) -> list[Change]:
        return list(compare_outlines(numbered(old), numbered(new)))

    def test_are_found_again_behind_an_insertion(self, bodies: list[str]) -> None:
        changes = self.compare(bodies, [*sentences(1, Random(2)), *bodies])
        assert [one.kind for one in changes[1:]] == [Kind.ADDED, *[Kind.MOVED] * 5000]

    def test_are_found_again_if_each_has_changed_too(self, bodies: list[str]) -> None:
        chance = Random(3)
        new = [*sentences(1, chance), *(edited(body, chance) for body in bodies)]
        changes = self.compare(bodies, new)
        assert [one.kind for one in changes[1:]] == [Kind.ADDED, *[Kind.MOVED_AND_CHANGED] * 5000]
        assert all(one.new.position == one.old.position + 1 for one in changes[2:] if one.new and one.old)

    def test_take_no_longer_if_nothing_is_alike(self, bodies: list[str]) -> None:
        changes = self.compare(bodies, sentences(5000, Random(4)))
        assert {one.kind for one in changes[1:]} == {Kind.CHANGED}

    @pytest.mark.parametrize("count", [1, 70])
    def test_take_no_longer_if_all_are_alike(self, count: int) -> None:
        old = [f"the same words in every unit of this act {number % count}" for number in range(5000)]
        changes = self.compare(old, [*old[:-1], "something else altogether is said here"])
        assert [one.kind for one in changes[1:]] == [*[Kind.UNCHANGED] * 4999, Kind.CHANGED]


def marked(old: str, new: str) -> str:
    signs = {Mark.SAME: "{}", Mark.REMOVED: "[-{}-]", Mark.ADDED: "{{+{}+}}"}
    return "".join(signs[one.kind].format(one.text) for one in mark_words(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", ""),
        ("The same.", "The same.", "The same."),
        ("", "All new.", "{+All new.+}"),
        ("All gone.", "", "[-All gone.-]"),
        ("Pay 100 euros.", "Pay 500 euros.", "Pay [-100-]{+500+} euros."),
        ("Pay 1,000.50 now.", "Pay 1,000.75 now.", "Pay [-1,000.50-]{+1,000.75+} now."),
        ("No vessel stays.", "No moored vessel stays.", "No {+moored +}vessel stays."),
        ("A port, a quay.", "A port; a quay.", "A port[-,-]{+;+} a quay."),
        ("The owner’s ship", "The owners’ ship", "The [-owner’s-]{+owners’+} ship"),
        ("through (10); or", "through (10) or (13); or", "through (10){+ or (13)+}; or"),
        ("one\ntwo", "one two", "one[-\n-]{+ +}two"),
        ("船舶必须报告。", "船舶不必报告。", "船舶[-必须-]{+不必+}报告。"),
        ("नियम लागू है", "नियम शुरू है", "नियम [-लागू-]{+शुरू+} है"),
        ("cafe\u0301 bar", "cafe bar", "[-cafe\u0301-]{+cafe+} bar"),
    ],
)
def test_words_are_marked(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


def test_a_few_words_amid_longer_changes_are_part_of_them() -> None:
    old = "The board may by notice close the basin to all small craft during a storm. It is open else."
    new = (
        "The council shall after hearing them move the buoys of any deep channel under ice. It is open else."
    )
    assert marked(old, new) == (
        "The [-board may by notice close the basin to all small craft during a storm-]"
        "{+council shall after hearing them move the buoys of any deep channel under ice+}. It is open else."
    )


def test_a_paragraph_that_is_written_anew_is_replaced_as_a_whole() -> None:
    old, new = "Nobody sails in the fog without a horn.\n", "Fees of the quay are due on Monday, in cash.\n"
    assert marked(f"Same.\n\n{old}", f"Same.\n\n{new}") == (
        f"Same.\n\n[-{old.strip()}-]{{+{new.strip()}+}}\n"
    )


TEXTS = st.one_of(
    st.text(max_size=80),
    st.text(alphabet="ab ,.\n", max_size=120),
    st.lists(st.sampled_from(["the", "ship", "(a)", "5.", ";", "\n\n", "船", "é"]), max_size=60).map(
        " ".join
    ),
)


@given(old=TEXTS, new=TEXTS)
@example(old=" \n", new="\n ")
@example(old="a  b", new="a b")
def test_what_is_marked_is_each_text_word_for_word(old: str, new: str) -> None:
    segments = mark_words(old, new)
    assert "".join(one.text for one in segments if one.kind != Mark.ADDED) == old
    assert "".join(one.text for one in segments if one.kind != Mark.REMOVED) == new
    assert all(one.text for one in segments)
    kinds = [one.kind for one in segments]
    assert all(one != other for one, other in pairwise(kinds))
    assert (Mark.ADDED, Mark.REMOVED) not in set(pairwise(kinds))


@given(old=TEXTS, new=TEXTS)
def test_turned_around_removed_is_added(old: str, new: str) -> None:
    def of(kind: Mark, one: str, other: str) -> list[str]:
        return [segment.text for segment in mark_words(one, other) if segment.kind == kind]

    assert of(Mark.REMOVED, old, new) == of(Mark.ADDED, new, old)
    assert of(Mark.ADDED, old, new) == of(Mark.REMOVED, new, old)
    assert of(Mark.SAME, old, new) == of(Mark.SAME, new, old)


@given(text=TEXTS)
def test_words_and_blanks_are_the_text(text: str) -> None:
    words, blanks = split_words(text)
    assert "".join(word + blank for word, blank in zip(words, blanks, strict=True)) == text


ITEMS = st.lists(st.integers(0, 3), max_size=12)


def longest(old: Sequence[int], new: Sequence[int]) -> int:
    """The length of the longest common subsequence, the plain way."""
    row = [0] * (len(new) + 1)
    for one in old:
        above = row
        row = [0]
        for index, other in enumerate(new):
            row.append(above[index] + 1 if one == other else max(above[index + 1], row[index]))
    return row[-1]


@settings(max_examples=300)
@given(old=ITEMS, new=ITEMS)
def test_the_fewest_edits_are_found(old: list[int], new: list[int]) -> None:
    runs = align(old, new, Effort())
    for run in runs:
        assert old[run.old : run.old + run.size] == new[run.new : run.new + run.size]
    assert all(
        one.old + one.size <= other.old and one.new + one.size <= other.new for one, other in pairwise(runs)
    )
    assert sum(run.size for run in runs) == longest(old, new)


@given(old=ITEMS, new=ITEMS)
def test_with_no_effort_left_what_is_found_is_still_right(old: list[int], new: list[int]) -> None:
    for run in align(old, new, Effort(0)):
        assert old[run.old : run.old + run.size] == new[run.new : run.new + run.size]


def test_unique_items_part_what_is_too_long() -> None:
    old = [*range(1000), -1, *range(1000, 2000)]
    new = [*range(5000, 6000), -1, *range(6000, 7000)]
    assert align(old, new, Effort(10)) == [Run(1000, 1000, 1)]


def words(alphabet: str, behind: str, seed: int) -> str:
    return "".join(f"{letter}{behind}" for letter in Random(seed).choices(alphabet, k=MEGABYTE // 2))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("a b " * (MEGABYTE // 4), "a b c " * (MEGABYTE // 6), id="repeated words"),
        pytest.param("a b\n" * (MEGABYTE // 4), "a b\na c\n" * (MEGABYTE // 8), id="repeated lines"),
        pytest.param(words("ab", " ", 1), words("ab", " ", 2), id="two words at random"),
        pytest.param(words("ab", "\n", 1), words("ab", "\n", 2), id="two lines at random"),
        pytest.param("." * MEGABYTE, ".;" * (MEGABYTE // 2), id="marks alone"),
        pytest.param("a" * MEGABYTE, "b" * MEGABYTE, id="one word"),
        pytest.param(" \n" * (MEGABYTE // 2), "\n " * (MEGABYTE // 2), id="blanks alone"),
    ],
)
def test_hostile_texts_take_bounded_effort(old: str, new: str) -> None:
    effort = Effort()
    segments = mark_words(old, new, effort)
    assert effort.left > -MOST_STEPS
    assert "".join(one.text for one in segments if one.kind != Mark.ADDED) == old
    assert "".join(one.text for one in segments if one.kind != Mark.REMOVED) == new


def test_no_more_effort_is_made_than_is_allowed() -> None:
    effort = Effort()
    for seed in range(20):
        align(Random(seed).choices("ab", k=2000), Random(-seed - 1).choices("ab", k=2000), effort)
    assert -MOST_STEPS < effort.left < MOST_STEPS
