"""What printed numbers can mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.parse.numbers import read_heading_number, read_number, roman_value


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


def roman(number: int) -> str:
    signs = [(1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
             (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")]  # fmt: skip
    printed = ""
    for value, sign in signs:
        printed += sign * (number // value)
        number %= value
    return printed


@given(st.integers(1, 3999))
def test_roman_numerals_mean_their_value(number: int) -> None:
    assert roman_value(roman(number)) == number
    assert ("i", (number,)) in read_number(roman(number)) or len(roman(number)) > 15
