"""What printed numbers can mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.parse.numbers import read_heading_number, read_number
from documents.roman import read_roman, write_roman


@pytest.mark.parametrize(
    ("token", "readings"),
    [
        ("7", [("1", (7,))]),
        ("12A", [("1", (12.01,))]),
        ("4bis", [("1", (4.01,))]),
        ("a", [("a", (1,))]),
        ("i", [("a", (9,)), ("i", (1,))]),
        ("ii", [("a", (35,)), ("i", (2,))]),
        ("iv", [("a", (256,)), ("i", (4,))]),
        ("aa", [("a", (27,)), ("aa", (1,)), ("a", (1.01,))]),
        ("bb", [("a", (28,)), ("aa", (2,)), ("a", (2.02,))]),
        ("ba", [("a", (53,)), ("a", (2.01,))]),
        ("12AA", [("1", (12.0101,))]),
        ("1-bis", [("1", (1.01,))]),
        ("十二", [("一", (12,))]),
        ("ロ", [("イ", (2,))]),
        ("③", [("①", (3,))]),
        ("C", [("A", (3,)), ("I", (100,))]),
        ("XIV", [("I", (14,))]),
        ("a.1", [("a", (1.01,))]),
        ("б", [("а", (2,))]),
        ("the", []),
        ("iiii", []),
        ("Date", []),
    ],
)
def test_a_token_has_these_readings(token: str, readings: list[tuple[str, tuple[float, ...]]]) -> None:
    assert list(read_number(token)) == readings


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("12", (12,)),
        ("203A", (203.01,)),
        ("IV", (4,)),
        ("IIA", (2.01,)),
        ("B", (2,)),
        ("1003.4", (1003, 4)),
        ("L. 121-1", (12, 121, 1)),
        ("premier", (1,)),
        ("1er", (1,)),
        ("Two", (2,)),
        ("General", None),
    ],
)
def test_the_number_of_a_heading_is_read(token: str, value: tuple[float, ...] | None) -> None:
    reading = read_heading_number(token)
    assert (reading and reading[1]) == value


@pytest.mark.parametrize(
    ("number", "numeral"),
    [(0, ""), (4, "iv"), (9, "ix"), (14, "xiv"), (40, "xl"), (49, "xlix"), (90, "xc"), (99, "xcix"),
     (400, "cd"), (1994, "mcmxciv"), (3999, "mmmcmxcix")],
)  # fmt: skip
def test_roman_numerals_are_written_and_read(number: int, numeral: str) -> None:
    assert write_roman(number) == numeral
    assert read_roman(numeral) == read_roman(numeral.upper()) == number


@given(st.integers(1, 3999))
def test_roman_numerals_mean_their_value(number: int) -> None:
    assert read_roman(write_roman(number)) == number
    assert ("i", (number,)) in read_number(write_roman(number)) or len(write_roman(number)) > 15
