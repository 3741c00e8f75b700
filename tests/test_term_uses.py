"""Where defined terms are used: the longest, in scope, in their case, and neither names nor verbs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from definitions.extract.found import Span
from definitions.uses import Term, TermMatcher, find_uses, heading_spans
from documents.parse import parse_outline


def term(*forms: str, start: int = 0, end: int = 0, body: Span = (0, 0), scope: Span = (0, 9999)) -> Term:
    return Term(forms, start, end, body, scope)


def uses(text: str, *terms: Term | str, skip: tuple[Span, ...] = ()) -> list[str]:
    made = [one if isinstance(one, Term) else term(one) for one in terms]
    return [text[use.start : use.end] for use in find_uses(text, made, skip=skip)]


def test_the_longest_term_wins() -> None:
    text = "A credit card is no credit, and a credit union is none."
    assert [(use.start, use.term) for use in find_uses(text, [term("credit"), term("credit card")])] == [
        (2, 1),
        (20, 0),
        (34, 0),
    ]


@pytest.mark.parametrize("text", ["berths berthed embers", "übermember members membership", "a_number"])
def test_a_term_is_never_found_inside_a_word(text: str) -> None:
    assert uses(text, "berth", "member", "ember") == []


def test_forms_blanks_hyphens_and_marks_do_not_matter() -> None:
    text = "An open-end\nline of credit, *open-end  lines of credit* and an open end line of credit’s rate."
    assert uses(text, term("Open-end line of credit", "open-end lines of credit")) == [
        "open-end\nline of credit",
        "open-end  lines of credit",
        "open end line of credit",
    ]


def test_a_term_does_not_reach_over_a_full_stop_or_a_paragraph() -> None:
    assert uses("Give credit. Card games are free. Credit\n\ncard", "credit card") == []


def test_signs_that_a_term_has_itself_may_stand_between_its_words() -> None:
    assert uses("It sends 200 (OK), and 200, OK?", "200 (OK)") == ["200 (OK)"]


def test_a_term_in_small_letters_is_found_in_any_case() -> None:
    assert uses("Personal data and PERSONAL DATA and personal data.", "personal data") == [
        "Personal data",
        "PERSONAL DATA",
        "personal data",
    ]


def test_an_abbreviation_is_found_in_its_case_only() -> None:
    assert uses("The md saw an MD and two MDs.", term("MD", "mds")) == ["MD", "MDs"]


def test_a_term_that_is_written_like_a_name_is_found_only_so() -> None:
    text = "Under the Act there is no appeal. " * 8 + "An act of God is no breach. THE ACT APPLIES."
    assert uses(text, "Act") == [*["Act"] * 8, "act", "ACT"]
    text = "Under the Act there is no appeal. " + text
    assert uses(text, "Act") == [*["Act"] * 9, "ACT"]


def test_a_term_that_is_capital_only_where_it_is_defined_is_found_in_any_case() -> None:
    text = "Ferry means a boat. A ferry sails. Each Ferry stops, and the ferry waits."
    assert uses(text, term("Ferry", start=0, end=5)) == ["ferry", "Ferry", "ferry"]


def test_the_nearest_scope_governs() -> None:
    text = "A dwelling here, a dwelling there, a dwelling elsewhere."
    terms = [
        term("dwelling", scope=(0, 35)),
        term("dwelling", scope=(16, 30)),
        term("Dwelling", scope=(0, 45)),
    ]
    assert [use.term for use in find_uses(text, terms)] == [0, 1, 2]


def test_a_term_outside_every_scope_is_not_found() -> None:
    assert uses("The berth and the berth.", term("berth", scope=(0, 10))) == ["berth"]


def test_a_definition_is_no_use_of_its_own_term_but_of_others() -> None:
    text = "Ferry means a boat, and a ferry at rest. Boat means a hull. A ferry sails."
    terms = [term("Ferry", start=0, end=5, body=(0, 40)), term("Boat", start=41, end=45, body=(41, 59))]
    assert [(use.start, use.term) for use in find_uses(text, terms)] == [(14, 1), (62, 0)]


def test_what_is_to_be_skipped_is_skipped() -> None:
    assert uses("The berth. A berth is free.", "berth", skip=((0, 10),)) == ["berth"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It breaks the Fair Housing Act of 1968.", []),
        ("It breaks the Act of Congress and the Act.", ["Act"]),
        ("Write to the United States Board.", []),
        ("The Bureau of Fisheries asks the Bureau.", ["Bureau"]),
        ("Write to the Bureau of the Treasury.", []),
        ("Since Lender A lent, Lender B pays.", ["Lender", "Lender"]),
        ("The Company Shares are the shares of the Company.", ["Company", "Shares", "shares", "Company"]),
        ("THE LENDER SHALL PAY THE COMPANY.", ["LENDER", "COMPANY"]),
        ("Under the Act, Lender and Company agree.", ["Act", "Lender", "Company"]),
    ],
)
def test_a_part_of_a_longer_name_is_no_use(text: str, found: list[str]) -> None:
    assert (
        uses(text, "Act", "State", "Bureau", "Lender", "Company", "Shares", term("State", "States")) == found
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It must state the rate.", []),
        ("It may not simply state this.", []),
        ("An offer that states the rate is void.", []),
        ("It is required to state the rate.", []),
        ("It applies to state law.", ["state"]),
        ("The law of the state may differ.", ["state"]),
        ("The law that states adopt may differ.", ["states"]),
    ],
)
def test_a_verb_is_no_use(text: str, found: list[str]) -> None:
    assert uses(text, term("State", "states")) == found


def test_a_stretch_is_read_alone_and_places_are_those_of_the_text() -> None:
    text = "A berth, a berth and a berth."
    matcher = TermMatcher(text, [term("berth")])
    assert [use.start for use in matcher.find(3, 20)] == [11]
    assert [use.start for use in matcher.find()] == [2, 11, 23]


def test_letters_that_grow_when_made_small_shift_nothing() -> None:
    text = "İİİ a berth."
    assert uses(text, "berth", "İİİ a") == ["İİİ a", "berth"]


def test_headings_and_captions_are_spans_to_skip() -> None:
    text = (
        "§ 1 Use of berths\n\n(a) Free berths. A berth is free.\n\n(b) A berth; and\n\n(c) Berths\n\n"
        "(1) No berth is lost.\n\n(2) Berths.\n"
    )
    spans = heading_spans(text, parse_outline(text, is_markdown=False).units)
    assert [text[slice(*span)] for span in spans] == ["§ 1 Use of berths", "(a) Free berths.", "(c) Berths"]


def test_a_heading_of_markdown_is_a_span_to_skip() -> None:
    text = "# Berths\n\nA berth.\n\n## 1. **Berths**\n\nA berth.\n"
    spans = heading_spans(text, parse_outline(text, is_markdown=True).units)
    assert [text[slice(*span)] for span in spans] == ["# Berths", "## 1. **Berths"]


WORDS = st.sampled_from(
    ["credit", "Credit", "card", "the", "Act", "of", "States", "must", "İ", "open-end", "MD"]
)
GAPS = st.sampled_from([" ", "\n", "-", ". ", "\n\n", "'s ", "", "_"])


@given(st.lists(st.tuples(WORDS, GAPS), max_size=30), st.integers(0, 60), st.integers(0, 120))
def test_uses_lie_inside_apart_from_each_other_and_never_inside_a_word(
    parts: list[tuple[str, str]], start: int, end: int
) -> None:
    text = "".join(word + gap for word, gap in parts)
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    terms = [
        term("Credit"),
        term("credit card"),
        term("Act"),
        term("open-end credit"),
        term("MD"),
        term("İx"),
    ]
    last = start
    for use in find_uses(text, terms, start=start, end=end):
        assert last <= use.start < use.end <= end
        last = use.end
        for place in (use.start, use.end):
            around = text[max(place - 1, start) : min(place + 1, end)]
            assert len(around) < 2 or not (around[0].isalnum() and around[1].isalnum())
