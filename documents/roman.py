"""Roman numerals, as lists and headings count with them."""

from __future__ import annotations

from itertools import zip_longest

DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
PARTS = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def write_roman(value: int) -> str:
    """Write a number in small letters; nothing for zero."""
    written = ""
    for worth, sign in PARTS:
        count, value = divmod(value, worth)
        written += sign * count
    return written


def read_roman(numeral: str) -> int:
    """Return what a numeral of any case is worth. Whether its letters stand in order is not checked."""
    values = [DIGITS[letter] for letter in numeral.lower()]
    return sum(
        -value if value < after else value for value, after in zip_longest(values, values[1:], fillvalue=0)
    )
