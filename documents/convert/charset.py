"""Guess the encoding of text from before Unicode by reading it in each and judging the words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from charset_normalizer import from_bytes

# Ties go to the first, so each region lists what is in use most.
CANDIDATES = (
    "cp1252", "cp932", "gb18030", "euc_jp", "euc_kr", "big5", "cp1251", "koi8_u", "cp866", "iso8859_5",
    "cp1250", "iso8859_2", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "cp850", "mac_roman",
)  # fmt: skip
LATIN = ("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257")
SAMPLE = 20_000
LONG = 200
COMMON = {
    "cp1252": "éèàáíóúçãõâêôñäöüßåøæïîëûùœ§“”’‘–—°«»…",
    "cp1250": "ąćęłńóśźżčďěňřšťůýžáéíőűúöüăîșțâ§„”“–—",
    "iso8859_2": "ąćęłńóśźżčďěňřšťůýžáéíőűúöüă",
    "cp1254": "ığşçöüİ§“”’–",
    "cp1257": "āčēģīķļņšūžąęėįųõäöü",
    "mac_roman": "éèàáíóúçãõñäöüß“”’–",
    "cp850": "éèàáíóúçãõñäöüß§",
    "cyrillic": "оеаинтсрвлкмдпуяызьбгчйхжшюцщэфії№«»—",
    "greek": "αοιετσνηυρπκμλςωίάόέή",
    "hebrew": "יוהלאמתרבשנכםעדקפגחזסטןךץף",
    "arabic": "اليمونرتبةدعسفهكقحجشصطءخغذضزثظ",
    "thai": "านรอกเงคมยลวดทสตะปบคห่้ิีั",
}
SCRIPTS = {
    "cp1251": "cyrillic", "koi8_u": "cyrillic", "cp866": "cyrillic", "iso8859_5": "cyrillic",
    "cp1253": "greek", "cp1255": "hebrew", "cp1256": "arabic", "cp874": "thai",
}  # fmt: skip
RARE = {
    "cp850": 0.15, "mac_roman": 0.15, "iso8859_5": 0.1, "iso8859_2": 0.1, "cp1250": 0.05, "cp1257": 0.1,
    "koi8_u": 0.05,
}  # fmt: skip
EAST_ASIAN = frozenset({"cp932", "gb18030", "euc_jp", "euc_kr", "big5"})
# The rows of each national table where its everyday characters are.
EVERYDAY = {
    "gb18030": re.compile(rb"[\xb0-\xd7][\xa1-\xfe]|\xa1[\xa1-\xfe]|\xa3[\xa1-\xfe]"),
    "big5": re.compile(rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]|\xa1[\x40-\xfe]"),
    "euc_kr": re.compile(rb"[\xb0-\xc8][\xa1-\xfe]|\xa1[\xa1-\xfe]"),
    "euc_jp": re.compile(rb"[\xa4\xa5\xb0-\xcf][\xa1-\xfe]|\xa1[\xa1-\xfe]"),
    "cp932": re.compile(rb"[\x82\x83\x88-\x97][\x40-\x7e\x80-\xfc]|\x81[\x40-\xac]"),
}


def guess_encoding(content: bytes) -> str:
    """Name the encoding in which the content reads best; latin-1 has a character for every byte."""
    sample = cut_sample(content)
    scores = dict(judge_all(sample))
    best = max(scores, key=lambda name: scores[name])
    if len(sample) >= LONG and best in LATIN:
        best = break_tie(sample, [name for name in LATIN if scores[name] > scores[best] - 0.12])
    return best if reads_whole(content, best) else "cp1252"


def break_tie(sample: bytes, near: list[str]) -> str:
    """Let the frequencies of letters in languages decide where alphabets differ in a few letters only."""
    match = from_bytes(sample, cp_isolation=near).best()
    return match.encoding if match is not None and match.encoding in near else near[0]


def reads_whole(content: bytes, encoding: str) -> bool:
    """Accept a broken place or two: old files have them."""
    return content.decode(encoding, "replace").count("\ufffd") * 100 <= len(content)


def cut_sample(content: bytes) -> bytes:
    """Take the lines that hold more than ASCII, so that a long English start does not hide the rest."""
    lines = [line for line in content.splitlines(keepends=True) if not line.isascii()]
    return b"".join(lines)[:SAMPLE]


def judge_all(sample: bytes) -> Iterator[tuple[str, float]]:
    for name in CANDIDATES:
        text = sample.decode(name, "replace")
        yield name, (judge_east_asian if name in EAST_ASIAN else judge_alphabet)(name, text, sample)


def judge_east_asian(name: str, text: str, sample: bytes) -> float:
    """Score the share of high bytes that are everyday characters in the table of this encoding."""
    high = sum(byte > 0x7F for byte in sample)  # noqa: PLR2004
    everyday = sum(len(pair) for pair in EVERYDAY[name].findall(remove_single(name, sample)))
    wide = [char for char in text if ord(char) > 0x7F]  # noqa: PLR2004
    strange = sum(is_strange(char) for char in wide) + text.count("\ufffd") * 4
    kana = sum("\u3041" <= char <= "\u30fe" for char in wide) if name in {"cp932", "euc_jp"} else 0
    words = sum(left > "\x7f" and right > "\x7f" for left, right in pairwise(text))
    if not high or words * 3 < len(wide):
        return -1.0
    hangul = name == "euc_kr" and sum("가" <= char <= "힣" for char in wide) * 10 > len(wide) * 8
    return (everyday * 0.5 + kana * 0.5 - strange * 2) / max(1, len(wide)) - 0.1 + 0.2 * hangul


def remove_single(name: str, sample: bytes) -> bytes:
    """Drop ASCII between the pairs; second bytes may be ASCII only in two of the encodings."""
    return sample if name in {"cp932", "big5", "gb18030"} else bytes(b for b in sample if b > 0x7F)  # noqa: PLR2004


def judge_alphabet(name: str, text: str, sample: bytes) -> float:
    """Score each character beyond ASCII by what it is and by its neighbours."""
    common = COMMON[SCRIPTS.get(name, name)]
    total = count = 0.0
    for before, char, after in neighbours(text):
        if char > "\x7f":
            count += 1
            total += judge_character(before, char, after, common, own_script=name in SCRIPTS)
    return total / count - RARE.get(name, 0.0) if count else 0.0


def neighbours(text: str) -> Iterator[tuple[str, str, str]]:
    return zip(" " + text, text, text[1:] + " ", strict=False)


def judge_character(before: str, char: str, after: str, common: str, *, own_script: bool) -> float:
    if is_strange(char):
        return -2.0
    if not char.isalpha() and not unicodedata.combining(char):
        return judge_mark(before, char, after, common)
    score = judge_letter(char.lower(), common, own_script=own_script)
    if before.islower() and char.isupper():
        score -= 2.5
    if before.isdigit() or after.isdigit():
        score -= 1.5
    if own_script and (is_latin(before) or is_latin(after)):
        score -= 1.0
    if not own_script and char > "\x7f" and before > "\x7f" and before.isalpha():
        score -= 0.7  # Two accented letters side by side are rare in Latin alphabets.
    return score


def judge_letter(letter: str, common: str, *, own_script: bool) -> float:
    """Weigh a letter by how common it is; where all letters are beyond ASCII, by its rank among them."""
    if letter not in common:
        return 0.3
    return 1.7 - 1.2 * common.index(letter) / len(common) if own_script else 1.0


def judge_mark(before: str, char: str, after: str, common: str) -> float:
    """Score punctuation and signs by their place: quotation marks stand at the edges of words."""
    if before.isalpha() and after.isalpha() and char not in "’‘·–—\xad":
        return -1.0
    opens, closes = char in "“„‘«", char in "”“’»"
    if (opens and not before.isalnum() and not after.isspace()) or (closes and not before.isspace()):
        return 1.1
    return 0.8 if char in common or char in "–—§°\xa0" else 0.0


def is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()


@lru_cache(maxsize=4096)
def is_strange(char: str) -> bool:
    """Tell what running text does not hold: controls, private and unassigned characters, box drawing."""
    if unicodedata.category(char) in {"Cc", "Co", "Cn", "So", "Sk"}:
        return char not in "\t\n\r\f©®°№¦"
    return char in "¤¬¶¸¨¯¹²³¼¾×÷ƒ‡†‰¡¿¢"
