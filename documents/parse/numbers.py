"""What a printed number can mean: "i" is one in roman numerals and nine among letters."""

from __future__ import annotations

import re
from functools import cache

# A number is a tuple of its parts, 12.3 as (12.0, 3.0). What was inserted later lies between: 12A is 12.01.
Value = tuple[float, ...]

ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$")
ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
ALPHABETS = {
    "a": "abcdefghijklmnopqrstuvwxyz",
    "α": "αβγδεζηθικλμνξοπρστυφχψω",
    "а": "абвгдежзиклмнопрстуфхцчшщэюя",
}
SUFFIX = 0.01

NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10,
    "premier": 1, "première": 1, "deuxième": 2, "troisième": 3, "quatrième": 4, "cinquième": 5,
    "sixième": 6, "septième": 7, "huitième": 8, "neuvième": 9, "dixième": 10,
    "unique": 1, "único": 1, "única": 1, "primero": 1, "primera": 1, "primeiro": 1, "primeira": 1,
}  # fmt: skip


@cache
def read_number(token: str) -> tuple[tuple[str, Value], ...]:
    """Return the readings of a token: its alphabet ("1", "a", "i", "A", "I", …) and its value."""
    if match := re.fullmatch(r"(\d{1,4})([A-Za-z]{0,2}|bis|ter|quater)", token):
        return (("1", (int(match[1]) + _suffix(match[2]),)),)
    if match := re.fullmatch(r"(\d{1,4}|[A-Za-z]{1,2})[.-](\d{1,2})", token):
        return tuple(
            (alphabet, (value[0] + SUFFIX * int(match[2]),)) for alphabet, value in read_number(match[1])
        )
    return tuple(_read_letters(token))


def _read_letters(token: str) -> list[tuple[str, Value]]:
    lower = token.lower()
    is_upper = token.isupper()
    if lower != token and not is_upper:
        return []
    readings: list[tuple[str, Value]] = []
    for alphabet, letters in ALPHABETS.items():
        if value := _letter_value(lower, letters):
            readings.append((alphabet.upper() if is_upper else alphabet, (float(value),)))
    if ROMAN.match(lower):
        readings.append(("I" if is_upper else "i", (float(roman_value(lower)),)))
    return readings


def _letter_value(token: str, letters: str) -> int:
    """Count a, b, … z, aa, bb, … and also aa, ab, …; 0 is none of them."""
    if len(token) == 1:
        return letters.find(token) + 1
    if not set(token) <= set(letters) or len(token) > 3:  # noqa: PLR2004
        return 0
    if len(set(token)) == 1:
        return len(letters) * (len(token) - 1) + letters.index(token[0]) + 1
    if len(token) == 2:  # noqa: PLR2004
        return len(letters) * (letters.index(token[0]) + 1) + letters.index(token[1]) + 1
    return 0


def roman_value(numeral: str) -> int:
    digits = [ROMAN_DIGITS[letter] for letter in numeral.lower()]
    return sum(
        -digit if index + 1 < len(digits) and digit < digits[index + 1] else digit
        for index, digit in enumerate(digits)
    )


def _suffix(letters: str) -> float:
    latin = {"": 0, "bis": 1, "ter": 2, "quater": 3}
    position = latin.get(letters.lower())
    if position is None:
        position = _letter_value(letters.lower(), ALPHABETS["a"])
    return SUFFIX * position


@cache
def read_heading_number(token: str) -> tuple[str, Value] | None:
    """Read the number behind a word such as "Chapter": 12, 12A, IV, B, 1003.4, L. 121-1, Two."""
    if word := NUMBER_WORDS.get(token.lower()):
        return "1", (float(word),)
    token = re.sub(r"(?<=[\dI])(?:er|re)$", "", token)  # 1er, Ire
    if re.fullmatch(r"[IVXLCDM]{1,8}", token) and ROMAN.match(token.lower()):
        return "I", (float(roman_value(token)),)
    match = re.fullmatch(r"([IVXLCDM]{1,7})([A-Z]|bis|ter)", token)
    if match and ROMAN.match(match[1].lower()):
        return "I", (roman_value(match[1]) + _suffix(match[2]),)
    if re.fullmatch(r"[A-Z]", token):
        return "A", (float(ord(token) - 64),)
    parts = re.findall(r"\d+|[A-Za-z]+", token)
    if not parts or not any(part.isdigit() for part in parts):
        return None
    return "1", _value_of_parts(parts)


def _value_of_parts(parts: list[str]) -> Value:
    values: list[float] = []
    for part in parts:
        if part.isdigit():
            values.append(float(part))
        elif values:
            values[-1] += _suffix(part)
        else:
            values.append(float(ord(part[0].upper()) - 64))
    return tuple(values)
