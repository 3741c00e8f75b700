"""Definitions are found in whichever style they are drafted, and nothing else is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from definitions.extract.definitions import extract_definitions
from definitions.extract.found import FoundDefinition
from documents.parse import Unit, parse_outline
from tests.hostile import DEFINING, repeat

DOCUMENT = "document"


def read(text: str, *, is_markdown: bool = False) -> tuple[tuple[FoundDefinition, ...], tuple[Unit, ...]]:
    units = parse_outline(text, is_markdown=is_markdown).units
    return extract_definitions(text, units), units


def terms(text: str, *, is_markdown: bool = False) -> list[str]:
    return [found.term for found in read(text, is_markdown=is_markdown)[0]]


def scopes(text: str, *, is_markdown: bool = False) -> list[str]:
    found, units = read(text, is_markdown=is_markdown)
    return [units[each.scope].marker or units[each.scope].title if each.scope else DOCUMENT for each in found]


def only(text: str, *, is_markdown: bool = False) -> FoundDefinition:
    (found,) = read(text, is_markdown=is_markdown)[0]
    return found


@dataclass(frozen=True)
class Style:
    """A text in a drafting style, and its terms with the unit inside which each holds, as the file says."""

    text: str
    expected: dict[str, str]
    is_markdown: bool


def read_style(path: Path) -> Style:
    head, _, text = path.read_text().partition("\n----\n")
    rows = [line.split(" | ") for line in head.splitlines()]
    return Style(text, dict(rows), path.suffix == ".md")


STYLES = {path.stem: read_style(path) for path in sorted((Path(__file__).parent / "definitions").iterdir())}


@pytest.mark.parametrize("name", STYLES)
def test_terms_of_a_style_are_found(name: str) -> None:
    style = STYLES[name]
    assert terms(style.text, is_markdown=style.is_markdown) == list(style.expected)


@pytest.mark.parametrize("name", STYLES)
def test_scopes_of_a_style_are_found(name: str) -> None:
    style = STYLES[name]
    assert scopes(style.text, is_markdown=style.is_markdown) == list(style.expected.values())


def found_in(name: str, term: str) -> tuple[str, FoundDefinition]:
    style = STYLES[name]
    return style.text, next(
        each for each in read(style.text, is_markdown=style.is_markdown)[0] if each.term == term
    )


TRAPS = [
    "The goods are moved by means of a crane.",
    "Notice may be given by electronic means.",
    "This means that no fee is due.",
    "The tower fell, which means nobody may enter.",
    "It means what it says.",
    "A person may use any means to put out a fire.",
    "Electronic means.",
    "Technical means are used to keep the doors shut.",
    "The means by which a door is shut are listed in Annex I.",
    "(a) the rights of tenants and the means to exercise them",
    "Section 5 refers to doors.",
    'Write "yes" or "no" in the box.',
    'The header line is "Content-Length: 5".',
    'The key words "MUST", "SHOULD", and "MAY" are to be interpreted as described in RFC 2119.',
    "The report (see “Annual Review”) is public.",
    "A tenant (such as a “Student”) may leave early.",
    "The house includes a garden.",
    "Note: the door is heavy.",
    "He said “we will see” and left.",
    "The parties met on Monday (“in good spirits”).",
]


@pytest.mark.parametrize("text", TRAPS)
def test_what_only_looks_like_a_definition_is_left(text: str) -> None:
    assert terms(f"1. Doors\n\n{text}\n\n2. Windows\n\nWindows stay shut.\n") == []


def test_a_paragraph_is_the_body_with_the_units_below_it() -> None:
    text, tail = found_in("eu_regulation", "tail")
    assert text[slice(*tail.body)] == "(3) ‘tail’ means:\n\n(a) a strip of cloth; or\n\n(b) a string;"


def test_a_sentence_in_the_middle_is_the_body_alone() -> None:
    text = (
        "1. Night\n\nStalls close early. In this section, “night” means the dark hours. Fees are doubled.\n"
    )
    assert text[slice(*only(text).body)] == "In this section, “night” means the dark hours."


def test_items_behind_a_dash_belong_to_the_body() -> None:
    text, found = found_in("uk_act", "local authority")
    assert text[slice(*found.body)].endswith("(b) in Wales, means a county council;")


def test_the_unit_that_follows_can_exclude() -> None:
    text, found = found_in("us_regulation_heading_and_list", "Late delivery")
    assert [text[slice(*span)] for span in found.exclusions] == [
        "The term does not include a parcel that was refused."
    ]


def test_a_clause_can_exclude() -> None:
    text = "1. Definitions\n\n“Fruit” means any fruit other than berries. It does not include nuts.\n"
    assert [text[slice(*span)] for span in only(text).exclusions] == [
        "other than berries",
        "It does not include nuts.",
    ]


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("has the meaning given by section 4(2).", "section 4(2)"),
        ("has the meaning set forth in 15 U.S.C. 1681g(f).", "15 U.S.C. 1681g(f)"),
        (
            "has the same meaning as in Regulation Z, 12 CFR 1026.2(a)(20).",
            "Regulation Z, 12 CFR 1026.2(a)(20)",
        ),
        ("shall have the meaning assigned to it in clause (z) of section 2.", "clause (z) of section 2"),
        ("is to be construed in accordance with section 9.", "section 9"),
    ],
)
def test_the_place_where_the_meaning_is_given_is_kept(statement: str, place: str) -> None:
    text = f"1. Definitions\n\n“pen” {statement}\n"
    given_in = only(text).given_in
    assert given_in is not None
    assert text[slice(*given_in)] == place


@pytest.mark.parametrize(
    ("term", "variant"),
    [
        ("open-end line of credit", "open-end lines of credit"),
        ("Securities", None),
        ("party", "parties"),
        ("Parties", "Party"),
        ("business day", "business days"),
        ("branch", "branches"),
        ("Services", "Service"),
        ("MSA", "MSAs"),
        ("moulin à vent", "moulins à vent"),
        ("Verarbeitung", "Verarbeitungen"),
        ("A", None),
    ],
)
def test_the_other_number_of_a_term_is_a_variant(term: str, variant: str | None) -> None:
    found = only(f"1. Definitions\n\n“{term}” means a thing.\n")
    assert found.variants == ((variant,) if variant else ())


def test_names_of_a_contract_have_an_article() -> None:
    found = only("The house of Ann Cole (the “Landlord”) is let.\n")
    assert found.variants == ("Landlords", "the Landlord")


def test_the_word_of_the_other_language_is_a_variant() -> None:
    assert found_in("canadian_act", "canoe")[1].variants == ("canoes", "canot")


def test_an_abbreviation_is_a_variant_of_the_whole_name() -> None:
    _, found = found_in("us_regulation_abbreviation_in_brackets", "River basin district")
    assert found.variants == ("River basin districts", "RBD")


PIECES = st.sampled_from([
    "“Term”", '"', "‘x’", " means ", "\n\n", "(a) ", "# Definitions\n\n", "The term ", "*", "**", "_",
    " and ", ": ", "—", "(the “", ")", "| Term | Meaning |\n|---|---|\n| a | b |\n", "1. ", "Annex I\n\n",
    " is called a ", "« »", "For purposes of this section, ", "does not include", "```\n", "X", ".", " ",
    "\u00a0", "„", "hereinafter",
])  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=60).map("".join)), st.booleans())
def test_any_text_gives_spans_inside_it(text: str, is_markdown: bool) -> None:
    found, units = read(text, is_markdown=is_markdown)
    for each in found:
        assert 0 <= each.start < each.end <= len(text)
        assert " ".join(text[each.start : each.end].split()) == each.term
        assert 0 <= each.body[0] <= each.body[1] <= len(text)
        assert all(0 <= start <= end <= len(text) for start, end in each.exclusions)
        assert units[each.unit].start <= each.start < units[each.unit].end
        assert units[each.scope].start <= each.start < units[each.scope].end
        assert 0 <= each.confidence <= 1


@pytest.mark.parametrize("piece", DEFINING)
def test_a_long_line_comes_to_an_end(piece: str) -> None:
    text, units = repeat(piece, 100_000)
    assert all(one.end <= len(text) for one in extract_definitions(text, units))
