"""Quotations and identifiers are read from a query; apostrophes and ordinary words are neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.understand.phrases import MOST, read_phrases


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ('"shall not disclose"', ("shall not disclose",)),
        ("who “shall not  disclose” it", ("shall not disclose",)),
        ('"203(a)(1)" and "no person"', ("203(a)(1)", "no person")),
        ("„nicht übertragbar“", ("nicht übertragbar",)),
        ("« ne peut pas »", ("ne peut pas",)),
        ("»nicht« so", ("nicht",)),
        ("「本法」とは", ("本法",)),
        ("the lessor's and the lessee's duties", ()),
        ('a stray " mark', ()),
        ('""', ()),
        ('" ... "', ()),
        ('"same" or "same"', ("same",)),
    ],
)
def test_phrases_are_what_stands_between_quotation_marks(query: str, phrases: tuple[str, ...]) -> None:
    assert read_phrases(query).phrases == phrases


@pytest.mark.parametrize(
    ("query", "identifiers"),
    [
        ("control AC-2(3) of the catalogue", ("AC-2(3)",)),
        ("Regulation 2016/679", ("2016/679",)),
        ("CVE-2024-1234 and ISO27001", ("CVE-2024-1234", "ISO27001")),
        ("what does getHTTPResponse return?", ("getHTTPResponse",)),
        ("config.yaml, os.path and std::vector", ("config.yaml", "os.path", "std::vector")),
        ("snake_case", ("snake_case",)),
        ("a cross-border transfer on the 2nd and/or 3rd day, e.g. 20%", ()),
        ("an ordinary question about berths", ()),
        ('"AC-2" is quoted', ()),
    ],
)
def test_identifiers_are_names_that_no_language_inflects(query: str, identifiers: tuple[str, ...]) -> None:
    assert read_phrases(query).identifiers == identifiers


def test_the_text_has_the_words_without_the_marks() -> None:
    assert read_phrases('Consider "Fiverr"\'s policy').text == "Consider Fiverr 's policy"


def test_no_more_than_some_of_each_are_looked_for() -> None:
    many = " ".join(f'"word {number}"' for number in range(MOST + 1))
    assert len(read_phrases(many).phrases) == MOST


@given(st.text(max_size=300))
def test_any_text_can_be_read(query: str) -> None:
    wanted = read_phrases(query)
    assert all(phrase.strip() for phrase in wanted.phrases)
