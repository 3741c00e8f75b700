"""Recognize printed numbering at the start of a line."""

from __future__ import annotations

import re

from documents.roman import read_roman

UNIT = (
    r"(?:article|art\.?|section|sect?\.|chapter|ch\.|part|title|rule|schedule|annex|appendix|clause|regulation|"
    r"recital|division|subpart|subchapter|paragraph|para\.|book|exhibit|attachment|"
    r"artikel|abschnitt|kapitel|teil|anhang|anlage|titre|chapitre|livre|annexe|"
    r"art[íi]culo|cap[íi]tulo|t[íi]tulo|secci[óo]n|anexo|disposici[óo]n|artigo|sec[çc][ãa]o|"
    r"articolo|capo|titolo|sezione|allegato|afdeling|hoofdstuk|bijlage|"
    r"rozdział|artykuł|článek|člen|članak|pykälä|luku|bilaga|kapittel|vedlegg|статья|глава|раздел)"
)
NUMERAL = r"(?:\d+[a-zA-Z]{0,2}|[IVXLCDM]+|[A-Z])(?:[.\-–]\d+[a-zA-Z]?)*"
MARK = re.compile(
    rf"""(?:
      [•▪●◦■□‣–—·∙*-](?=\s)
    | [⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}(?=\s?\w)
    | §{{1,2}}\s*\d(?:[\w.\-–°]*[\w°])?
    | \(\s?(?:\d{{1,3}}[a-zA-Z]{{0,2}}|[a-zA-Z]{{1,2}}|[ivxlc]{{1,6}}|[IVXLC]{{1,6}})\s?\)
    | (?:\d{{1,3}}|[ivxlc]{{1,6}}|[IVXLC]{{1,6}}|[a-zA-Z])[.)](?=\s|$|\()
    | \d{{1,3}}[a-zA-Z]?(?:\.\d{{1,3}}[a-zA-Z]?)+[.)]?(?=\s|$|\()
    | [A-Z]\.\d{{1,3}}(?:\.\d{{1,3}})*[.)]?(?=\s|$)
    | \.\d{{1,2}}(?=\s|$)
    | 第[\d一二三四五六七八九十百零〇]+[条條章节節編编款項项]
    | 제\d+[조장절편관항]
    | [IVXLC]{{1,6}}\s[–—-](?=\s)
    | (?i:{UNIT})\s+{NUMERAL}[ºª°]?(?!\w)[.:]?
    )""",
    re.VERBOSE,
)
TAIL = 24  # Characters at the end of a line that can tell how it ends.
BULLETS = "•▪●◦■□‣·∙\uf0b7"
ENDS_OPEN = re.compile(
    r"(?:[,(-]|\b(?:and|or|to|through|of|in|under|with|by|see|the|paragraphs?|subparagraphs?|subsections?|sections?|"
    r"articles?|clauses?|points?|items?|rules?|parts?|chapters?|annex|schedules?|regulations?|und|oder|nach|des|der|"
    r"absatz|artikel|et|ou|de|du|la|le|les|aux|y|o|del|los|e|ed|di|del|dell|art\.|sec\.|no\.|nos\.|§+))$",
    re.IGNORECASE,
)
ENDS_IN_UNIT = re.compile(
    rf"(?:\b{UNIT}s?|\b(?:sub)?(?:paragraph|section|clause|point|item|rule)s?|absatz|nummer|alinéa|apartado|§+)$",
    re.IGNORECASE,
)
ENDS_WHOLE = re.compile(r"[.;:!?—–。；：！？][\"'”’»)\]⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
ITEM_ENDS = re.compile(r"[;,]\s*(?:and|or|und|oder|et|ou|y|o|e|and/or)$", re.IGNORECASE)


def find_mark(text: str) -> str:
    """Return the printed number, letter or bullet that a line starts with, or nothing."""
    found = MARK.match(text)
    return found.group() if found else ""


def is_bullet(mark: str) -> bool:
    """Tell a bullet from a number or a letter."""
    return mark != "" and mark[0] in BULLETS + "-–—*"


def ends_open(text: str) -> bool:
    """Tell whether a line ends in the middle of a phrase, so that a number on the next may belong to it."""
    return bool(ENDS_OPEN.search(text[-TAIL:]))


def ends_in_unit(text: str) -> bool:
    """Tell whether a line ends in a word that a number has to follow, as "paragraph"."""
    return bool(ENDS_IN_UNIT.search(text[-TAIL:]))


def ends_whole(text: str) -> bool:
    """Tell whether a line ends as a sentence or an item does."""
    return bool(ENDS_WHOLE.search(text[-TAIL:]) or ITEM_ENDS.search(text[-TAIL:]))


def mark_follows(mark: str, before: str) -> bool:
    """Tell whether one mark is the next after another in the same style, as (c) after (b)."""
    shape, value = _read(mark)
    last_shape, last = _read(before)
    if shape != last_shape or not value or not last:
        return False
    if value.isdecimal() and last.isdecimal():
        return int(value) == int(last) + 1
    return _roman(value) == _roman(last) + 1 > 1 or (
        len(value) == len(last) == 1 and ord(value) == ord(last) + 1
    )


def starts_list(mark: str) -> bool:
    """Tell whether a mark is the first of its kind: (a), 1., (i)."""
    return not mark[:2].isalpha() and _read(mark)[1] in {"a", "i", "1"}


def _read(mark: str) -> tuple[str, str]:
    """Split a mark into what stays from one to the next and what counts."""
    found = re.search(r"(\d+|[a-zA-Z]+)\W*$", mark)
    if not found:
        return mark, ""
    return mark[: found.start(1)] + "#" + mark[found.end(1) :], found.group(1).lower()


def _roman(numeral: str) -> int:
    """Return what a numeral is worth; nothing if it is none, and no list counts to 500."""
    return read_roman(numeral) if set(numeral) <= set("ivxlc") else 0
