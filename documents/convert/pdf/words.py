"""Read the words of a page, each with its place and its type."""

from __future__ import annotations

import ctypes
import math
import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

BLANKS = frozenset((*range(0x02), *range(0x03, 0x21), 0x7F, 0xA0, 0xFEFF, 0xFFFE, 0xFFFF, 0x200B, 0x3000))
BOLD_NAME = re.compile(r"bold|black|heavy|demi|cmbx|sfbx|-medi\b", re.IGNORECASE)
BOLD_WEIGHT = 600
MAX_CHARS = 200_000  # A page of print holds fewer than 20,000.
SNAP_DEGREES = 4
RAISED = (0.15, 0.8)  # Of the type size: where the mark of a note stands.
LEVEL = 0.12  # Of the type size: two types on one baseline.

# What fonts draw as one glyph, and what old symbol fonts draw in place of a bullet.
LIGATURES = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
    0x02: "-", 0x2010: "-", 0x2011: "-", 0xF0B7: "•", 0xF0A7: "•", 0xF0D8: "•", 0xF0FC: "•",
}  # fmt: skip
# TeX sets an accent before its letter, as two glyphs.
ACCENTS = dict(zip("´`¨ˆ˜˚ˇ˘˙˝", "\u0301\u0300\u0308\u0302\u0303\u030a\u030c\u0306\u0307\u030b", strict=True))
ACCENTED = re.compile(f"([{''.join(ACCENTS)}])([A-Za-zıȷ])")
SURROGATE = re.compile("[\ud800-\udfff]")
ARABIC_FORMS = re.compile("[ﭐ-﷏ﷰ-﷿ﹰ-ﻼ]")
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

Box = tuple[float, float, float, float]
Char = tuple[int, int, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Word:
    """A word where it stands, in coordinates turned so that it reads from left to right."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    turn: int = 0


@lru_cache(maxsize=4096)
def _is_bold_name(name: bytes) -> bool:
    return bool(BOLD_NAME.search(name.decode("utf-8", "replace")))


def _turn_of(handle: object, index: int) -> float:
    matrix = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFText_GetMatrix(handle, index, matrix)
    return _angle(matrix.a, matrix.b)


def rotate(x: float, y: float, degrees: float) -> tuple[float, float]:
    """Turn a point clockwise, which makes text at that angle level."""
    if degrees == 0:
        return x, y
    radians = math.radians(degrees)
    cosine, sine = math.cos(radians), math.sin(radians)
    return x * cosine + y * sine, y * cosine - x * sine


def rotate_box(left: float, bottom: float, right: float, top: float, degrees: float) -> Box:
    """Turn a box clockwise and return the upright box around it."""
    corners = [rotate(x, y, degrees) for x in (left, right) for y in (bottom, top)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _boxes_are_apart(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    left, bottom, right, top = one
    height = max(top - bottom, 0.1)
    gap = max(two[0] - right, left - two[2])
    shift = abs(two[1] - bottom) + abs(two[3] - top)
    return gap > 0.3 * height or shift > 0.16 * height


def _are_apart(handle: object, one: Char, two: Char) -> bool:
    if one[3] == two[3] and one[5] == two[5] and one[2] <= two[2] <= one[4] + 0.2 * (one[5] - one[3]):
        return False  # By far the most frequent case.
    if not _boxes_are_apart(one[2:], two[2:]):
        return False
    turn = _turn_of(handle, two[0])
    if turn == 0:
        return True
    same = abs(_turn_of(handle, one[0]) - turn) < 1
    return not same or _boxes_are_apart(rotate_box(*one[2:], turn), rotate_box(*two[2:], turn))


def _split_words(handle: object, count: int) -> Iterator[tuple[bool, list[Char]]]:
    """Yield the characters of each word, and whether nothing stood between it and the one before."""
    rect = pdfium_c.FS_RECTF()
    word: list[Char] = []
    glued = False
    for index in range(count):
        code = pdfium_c.FPDFText_GetUnicode(handle, index)
        if code in BLANKS:
            if word:
                yield glued, word
            word, glued = [], False
            continue
        pdfium_c.FPDFText_GetLooseCharBox(handle, index, rect)
        char = (index, code, rect.left, rect.bottom, rect.right, rect.top)
        if word and _are_apart(handle, word[-1], char):
            yield glued, word
            word, glued = [], True
        word.append(char)
    if word:
        yield glued, word


def _spell(codes: list[int]) -> str:
    text = "".join(LIGATURES.get(code) or chr(code) for code in codes if code <= sys.maxunicode)
    if text.isascii():
        return text
    if SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = ACCENTED.sub(lambda found: _accent(found.group(1), found.group(2)), text)
    return ARABIC_FORMS.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)


def _accent(mark: str, letter: str) -> str:
    plain = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    return unicodedata.normalize("NFC", plain + ACCENTS[mark])


class _Slots:
    """Where pdfium writes its answers; making new ones for each word would take longer than asking."""

    def __init__(self) -> None:
        self.matrix = pdfium_c.FS_MATRIX()
        self.flags = ctypes.c_int()
        self.name = ctypes.create_string_buffer(128)
        self.x, self.y = ctypes.c_double(), ctypes.c_double()


def _angle(a: float, b: float) -> float:
    """Return the direction of a vector in degrees, made exact near the four right angles."""
    if b == 0 and a > 0:
        return 0
    degrees = math.degrees(math.atan2(b, a)) % 360
    nearest = round(degrees / 90) * 90
    return nearest % 360 if abs(degrees - nearest) <= SNAP_DEGREES else degrees


def _make_word(handle: object, chars: list[Char], slots: _Slots) -> Word:
    first = chars[0][0]
    matrix = slots.matrix
    pdfium_c.FPDFText_GetCharOrigin(handle, first, slots.x, slots.y)
    pdfium_c.FPDFText_GetMatrix(handle, first, matrix)
    pdfium_c.FPDFText_GetFontInfo(handle, first, slots.name, 128, slots.flags)
    weight = pdfium_c.FPDFText_GetFontWeight(handle, first)
    size = pdfium_c.FPDFText_GetFontSize(handle, first) * math.hypot(matrix.c, matrix.d)
    turn = _angle(matrix.a, matrix.b)
    boxes = [char[2:] if turn == 0 else rotate_box(*char[2:], turn) for char in chars]
    return Word(
        text=_spell([char[1] for char in chars]),
        x0=min(box[0] for box in boxes),
        x1=max(box[2] for box in boxes),
        y=rotate(slots.x.value, slots.y.value, turn)[1],
        size=max(size, 0.1),
        bold=weight >= BOLD_WEIGHT or _is_bold_name(slots.name.value),
        turn=round(turn),
    )


def _glue(before: Word, word: Word) -> Word | None:
    """Join what is one word in two types: a note's raised mark, small capitals, half in bold."""
    if before.turn != word.turn or word.x0 - before.x1 > 0.15 * before.size or word.x0 < before.x0:
        return None
    rise = (word.y - before.y) / before.size
    if word.size <= 0.85 * before.size and RAISED[0] < rise < RAISED[1] and word.text.isdecimal():
        return replace(before, text=before.text + word.text.translate(SUPERSCRIPTS), x1=word.x1)
    if abs(rise) <= LEVEL:
        bold = before.bold if len(before.text) >= len(word.text) else word.bold
        size = max(before.size, word.size)
        return replace(before, text=before.text + word.text, x1=word.x1, bold=bold, size=size)
    return None


def read_words(page: pdfium.PdfPage) -> list[Word]:
    """Return the words of a page in the order in which the file draws them."""
    textpage = page.get_textpage()
    words: list[Word] = []
    slots = _Slots()
    for glued, chars in _split_words(textpage.raw, min(textpage.count_chars(), MAX_CHARS)):
        word = _make_word(textpage.raw, chars, slots)
        joined = _glue(words[-1], word) if glued and words else None
        if joined:
            words[-1] = joined
        else:
            words.append(word)
    textpage.close()
    return words
