"""What a printed number can mean: "i" is one in roman numerals and nine among letters."""

from __future__ import annotations

import re
from functools import cache

from documents.roman import read_roman

# A number is a tuple of its parts, 12.3 as (12.0, 3.0). What was inserted later lies between: 12A is 12.01.
Value = tuple[float, ...]

UNNUMBERED: Value = (0.0,)  # Of an annex that is the only one.

ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$")
ALPHABETS = {
    "a": "abcdefghijklmnopqrstuvwxyz",
    "α": "αβγδεζηθικλμνξοπρστυφχψω",
    "а": "абвгдежзиклмнопрстуфхцчшщэюя",
}
# Scripts without capitals, which count by single signs.
SIGNS = {
    "イ": "イロハニホヘトチリヌルヲワカヨタレソツネナラム",
    "가": "가나다라마바사아자차카타파하",
    "①": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
}
IDEOGRAPHIC = re.compile(r"[〇零一二三四五六七八九十百千]+")
IDEOGRAPHIC_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0}
IDEOGRAPHIC_UNITS = {"十": 10, "百": 100, "千": 1000}
LATIN_SUFFIXES = {
    "": 0, "bis": 1, "ter": 2, "quater": 3, "quinquies": 4, "sexies": 5, "septies": 6, "octies": 7,
}  # fmt: skip
LATIN = "bis|ter|quater|quinquies|sexies|septies|octies"
SUFFIX = 0.01
INSERTED_TWICE = 0.0001

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "one two three four five six seven eight nine ten",
    "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième",
    "première seconde",
    "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo",
    "primera segunda tercera cuarta quinta sexta séptima octava novena décima undécima duodécima",
    "primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo",
    "primeira segunda terceira quarta",
    "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
    "prima seconda terza quarta quinta sesta settima ottava nona decima",
    "erster zweiter dritter vierter fünfter sechster siebter achter neunter zehnter",
    "erstes zweites drittes viertes fünftes sechstes siebtes achtes neuntes zehntes",
    "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
    "první druhá třetí čtvrtá pátá šestá sedmá osmá devátá desátá",
    "prvá druhá tretia štvrtá piata šiesta siedma ôsma deviata desiata",
    "первая вторая третья четвертая пятая шестая седьмая восьмая девятая десятая",
    "birinci ikinci üçüncü dördüncü beşinci altıncı yedinci sekizinci dokuzuncu onuncu",
    "unique", "único", "única", "unico", "unica",
)  # fmt: skip
NUMBER_WORDS: dict[str, int] = {
    word: value for words in reversed(_ORDINALS) for value, word in enumerate(words.split(), start=1)
} | {"preliminar": 0, "préliminaire": 0, "preliminare": 0}


_FOLDED = {word.replace("ı", "i"): value for word, value in NUMBER_WORDS.items()}
GREEK_NUMERALS = {
    sign: value for value, sign in enumerate(("Α", "Β", "Γ", "Δ", "Ε", "ΣΤ", "Ζ", "Η", "Θ", "Ι"), start=1)
}


def number_in_words(token: str) -> int | None:
    """Read "First"; capitals of Turkish lose or gain a dot."""
    return _FOLDED.get(token.lower().replace("\u0307", "").replace("ı", "i"))


@cache
def read_number(token: str) -> tuple[tuple[str, Value], ...]:
    """Return the readings of a token: its alphabet ("1", "a", "i", "A", "I", …) and its value."""
    if match := re.fullmatch(rf"(\d{{1,4}})[- ]?([A-Za-z]{{0,2}}|{LATIN})", token):
        return (("1", (int(match[1]) + _suffix(match[2]),)),)
    if match := re.fullmatch(r"(\d{1,4}|[A-Za-z]{1,2})[.-](\d{1,2})", token):
        return tuple(
            (alphabet, (value[0] + SUFFIX * int(match[2]),)) for alphabet, value in read_number(match[1])
        )
    if IDEOGRAPHIC.fullmatch(token):
        return (("一", (float(ideographic_value(token)),)),)
    for alphabet, signs in SIGNS.items():
        if token in signs:
            return ((alphabet, (signs.index(token) + 1.0,)),)
    return tuple(_read_letters(token))


def ideographic_value(token: str) -> int:
    """Read 十二 as 12 and 二百三 as 203; other digits are read as they are."""
    if token.isdigit() and not IDEOGRAPHIC.fullmatch(token):
        return int(token)
    total = digit = 0
    for sign in token:
        if sign in IDEOGRAPHIC_UNITS:
            total += (digit or 1) * IDEOGRAPHIC_UNITS[sign]
            digit = 0
        else:
            digit = digit * 10 + IDEOGRAPHIC_DIGITS[sign]
    return total + digit


def _read_letters(token: str) -> list[tuple[str, Value]]:
    lower = token.lower()
    is_upper = token.isupper()
    if lower != token and not is_upper:
        return []
    readings: list[tuple[str, Value]] = []
    for alphabet, letters in ALPHABETS.items():
        if value := _letter_value(lower, letters):
            readings.append((alphabet.upper() if is_upper else alphabet, (float(value),)))
    is_roman = ROMAN.match(lower) is not None
    if is_roman:
        readings.append(("I" if is_upper else "i", (float(read_roman(lower)),)))
    if len(token) == 2 and readings and not is_upper and set(token) != {"i"}:  # noqa: PLR2004
        readings.extend(_read_pair(token, is_roman=is_roman))
    return readings


def _read_pair(token: str, *, is_roman: bool) -> list[tuple[str, Value]]:
    """Read "aa" also as the first of aa, bb, cc, and "ba" as inserted between b and c; "ii" is two."""
    alphabet, letters = next((pair for pair in ALPHABETS.items() if token[0] in pair[1]), ("", ""))
    if not alphabet or token[1] not in letters:
        return []
    first, second = (letters.index(letter) + 1 for letter in token)
    doubled: list[tuple[str, Value]] = [(alphabet * 2, (float(first),))] if first == second else []
    return doubled if is_roman else [*doubled, (alphabet, (first + SUFFIX * second,))]


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


def _suffix(letters: str) -> float:
    position = LATIN_SUFFIXES.get(letters.lower())
    if position is not None:
        return SUFFIX * position
    if len(letters) == 2 and letters.isupper():  # noqa: PLR2004
        first, second = (_letter_value(letter.lower(), ALPHABETS["a"]) for letter in letters)
        return SUFFIX * first + INSERTED_TWICE * second  # 12AA stands between 12A and 12B.
    return SUFFIX * _letter_value(letters.lower(), ALPHABETS["a"])


@cache
def read_heading_number(token: str) -> tuple[str, Value] | None:
    """Read the number behind a word such as "Chapter": 12, 12A, IV, B, 1003.4, L. 121-1, Two."""
    word = number_in_words(token)
    if word is None:
        word = GREEK_NUMERALS.get(token)
    if word is not None:
        return "1", (float(word),)
    token = re.sub(r"(?<=[\dI])(?:er|re)$", "", token)  # 1er, Ire
    if re.fullmatch(r"[IVXLCDM]{1,8}", token) and ROMAN.match(token.lower()):
        return "I", (float(read_roman(token)),)
    match = re.fullmatch(rf"([IVXLCDM]{{1,7}})[- ]?([A-Z]|{LATIN})", token)
    if match and ROMAN.match(match[1].lower()):
        return "I", (read_roman(match[1]) + _suffix(match[2]),)
    if re.fullmatch(r"[A-Z]", token):
        return "A", (float(ord(token) - 64),)
    parts = re.findall(r"\d+|[A-Za-z]+", token)
    if not parts or not any(part.isdigit() for part in parts):
        return None
    return "1", read_parts(parts)


def read_parts(parts: list[str]) -> Value:
    """Read the numbers and letters of 12.3A one by one."""
    values: list[float] = []
    for part in parts:
        if part.isdigit():
            values.append(float(part))
        elif values:
            values[-1] += _suffix(part)
        else:
            values.append(float(code_value(part)))
    return tuple(values)


def code_value(letters: str) -> int:
    """Return a number for letters before a number, so that codes can be told apart: B is 2."""
    value = 0
    for letter in letters.upper():
        value = value * 27 + ord(letter) - 64
    return value
