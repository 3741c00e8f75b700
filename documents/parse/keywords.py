"""Read a word with its number, in whichever order they are printed: "Article 5", "2 kap.", 第一条."""

from __future__ import annotations

import re
from dataclasses import dataclass

from documents.parse.numbers import (
    SUFFIX,
    UNNUMBERED,
    Value,
    ideographic_value,
    number_in_words,
    read_heading_number,
)
from documents.parse.patterns import (
    ALONE,
    IDEOGRAPHIC_KEYWORD,
    KEYWORD,
    NUMBER_FIRST,
    ONLY_BEHIND_WORD,
    RANGE,
)
from documents.parse.words import STARTS, kind_of

LONGEST_HEADING = 120
ARTICLES = frozenset({"th"})  # "THE SCHEDULE"
NEVER_FIRST = frozenset("(（[|“\"'")


@dataclass(frozen=True, slots=True)
class Keyword:
    """What was read, and where the text behind it begins."""

    kind: str
    value: Value
    end: int
    number: str  # As it is cited.
    is_sure: bool = False  # Whether it is set apart from the text behind it.


def match_keyword(text: str, start: int, end: int) -> Keyword | None:
    """Return the word and number at the start of a line, if there are any."""
    first = text[start : start + 1]
    if first in NEVER_FIRST:
        return None
    may_be_word = first == "§" or first.isdigit() or text[start : start + 2].lower() in STARTS | ARTICLES
    if may_be_word and (match := KEYWORD.match(text, start, end)):
        return _read_word_first(match)
    if first in "第제" and (match := IDEOGRAPHIC_KEYWORD.match(text, start, end)):
        return _read_ideographs(match)
    if may_be_word and (match := ALONE.match(text, start, end)):
        return Keyword(kind_of(match["word"]), UNNUMBERED, match.end(), "")
    is_number = first.isdigit() or (first.isupper() and end - start < LONGEST_HEADING)
    if is_number and (match := NUMBER_FIRST.match(text, start, end)):
        return _read_number_first(match)
    return None


def _read_word_first(match: re.Match[str]) -> Keyword | None:
    reading = read_heading_number(re.sub(r"\.?[º°ª]", "", match["number"]))
    if reading is None:
        return None
    several = RANGE.match(match.string, match.end(), match.endpos) if match["word"] == "§§" else None
    end = several.end() if several else match.end()
    number = _plain(match.string[match.start("number") : end - bool(match["quote"])])
    if several is None:
        number = re.sub("[\u2010-\u2013]", "-", number)  # As in § 502-1.
    return Keyword(kind_of(match["word"]), reading[1], end, number, is_sure=several is not None)


def _read_ideographs(match: re.Match[str]) -> Keyword:
    count, inserted = (ideographic_value(match[group] or "0") for group in ("number", "inserted"))
    shown = f"{count}-{inserted}" if inserted else str(count)
    return Keyword(kind_of(match["word"]), (count + SUFFIX * inserted,), match.end(), shown, is_sure=True)


def _read_number_first(match: re.Match[str]) -> Keyword | None:
    """Read "1. Abschnitt" and "Erster Abschnitt"; "First Part" is one, "1. Part" is none."""
    number = match["number"].replace(" ", "")
    reading = read_heading_number(number)
    is_word = number_in_words(number) is not None
    if reading is None or (ONLY_BEHIND_WORD.fullmatch(match["word"]) and not is_word):
        return None
    kind = kind_of(match["word"])
    return Keyword(kind, reading[1], match.end(), _plain(number), is_sure=kind == "sign")


def _plain(number: str) -> str:
    """Return a number as it is cited: 1 for "1er", "1.º" and "First"."""
    number = re.sub(r"\.?[º°ª]", "", number).strip()
    word = number_in_words(number)
    return str(word) if word else re.sub(r"(?<=[\dI])(?:er|re)$", "", number)
