"""Recognize the rows of a table of contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from documents.convert.pdf.columns import Row

LEADERS = re.compile(r"(?:\.\s?|…\s?|·\s?|_){4,}\s*(?:\S{1,12})?$")
PAGE_AFTER_LEADERS = re.compile(
    r"(?:\.\s?|…\s?|·\s?|_){4,}\s*(?:[A-Z]{1,2}[-–.])?(\d{1,4}|[ivxlc]{1,6})$", re.IGNORECASE
)
OWN_NUMBER = re.compile(r"\W*(\d{1,4})\b")
ENDS_IN_PAGE = re.compile(r"\s(?:\d{1,4}|[ivxlc]{1,6})$", re.IGNORECASE)
TITLE = re.compile(
    r"(?:table of )?contents|arrangement of (?:sections|regulations)|inhalt(?:sverzeichnis|sübersicht)?|"
    r"sommaire|"
    r"table des mati[eè]res|[íi]ndice(?: general)?|sum[áa]rio|indice|sommario|inhoud(?:sopgave)?|spis treści|"
    r"inneh[åa]ll|indhold|innhold|sisällys|目次|目录|目錄|목차|содержание",
    re.IGNORECASE,
)
MIN_ROWS = 3
MAX_WRAPPED = 2  # Rows without a page number between two with one.


def row_text(row: Row) -> str:
    """Return a row as it is printed."""
    return " ".join(word.text for word in row)


def has_leaders(text: str) -> bool:
    """Tell whether dots lead from the text to a page number."""
    return bool(LEADERS.search(text))


def _is_entry(row: Row, after_title: bool) -> bool:
    text = row_text(row)
    if PAGE_AFTER_LEADERS.search(text):
        return True
    is_far = len(row) > 1 and row[-1].x0 - row[-2].x1 > 1.5 * row[-1].size
    return after_title and is_far and bool(ENDS_IN_PAGE.search(text))


def _is_form(texts: Sequence[str]) -> bool:
    """Tell a worksheet, whose dots lead to the number of the line itself, from contents."""
    pairs = [(OWN_NUMBER.match(text), text.split()[-1]) for text in texts]
    same = [1 for own, last in pairs if own and own.group(1) == last]
    return 2 * len(same) > len(texts)


def _is_in_order(texts: Sequence[str]) -> bool:
    """Tell whether the pages at the ends of entries rise, apart from an error or two."""
    found = [re.search(r"\d+$", text) for text in texts]
    pages = [int(page.group()) for page in found if page]
    falls = sum(after < before for before, after in pairwise(pages))
    return 8 * falls <= len(texts)


def _spread(entries: Sequence[int]) -> list[list[int]]:
    """Group entries that stand close together."""
    groups: list[list[int]] = []
    for at in entries:
        if groups and at - groups[-1][-1] <= MAX_WRAPPED + 1:
            groups[-1].append(at)
        else:
            groups.append([at])
    return [group for group in groups if len(group) >= MIN_ROWS]


def _are_contents(texts: Sequence[str], after_title: bool) -> bool:
    return after_title or (_is_in_order(texts) and not _is_form(texts))


def drop_contents(rows: Sequence[Row], continued: bool = False) -> tuple[list[Row], bool]:
    """Return the rows without the entries of a table of contents, and whether the last row was one."""
    title = next((n for n, row in enumerate(rows) if TITLE.fullmatch(row_text(row).strip(" .:"))), None)
    start = 0 if continued else (len(rows) if title is None else title)
    groups = _spread([n for n, row in enumerate(rows) if _is_entry(row, n >= start)])
    texts = [row_text(row) for row in rows]
    groups = [group for group in groups if _are_contents([texts[n] for n in group], group[0] >= start)]
    dropped = {n for group in groups for n in range(group[0], group[-1] + 1)}
    if title is not None and title + 1 + MAX_WRAPPED >= min(dropped, default=len(rows) + MAX_WRAPPED + 1):
        dropped.add(title)
    kept = [row for n, row in enumerate(rows) if n not in dropped]
    return kept, bool(dropped) and max(dropped) >= len(rows) - 2
