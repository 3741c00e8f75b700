"""Lay out tables as rows of cells of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

from lxml import etree

from documents.convert import blocks
from documents.convert.docx.names import WORD, find, iterate, number_of

ReadCell = Callable[[etree._Element], str]
MAX_SPAN = 63  # Word's own limit of columns.


def rows_of(table: etree._Element) -> Iterator[etree._Element]:
    for row in iterate(table):
        if row.tag == f"{WORD}tr" and find(row, "trPr/del") is None:
            yield row


def cells_of(row: etree._Element) -> Iterator[etree._Element]:
    for cell in iterate(row):
        if cell.tag == f"{WORD}tc" and find(cell, "tcPr/cellDel") is None:
            yield cell


def is_layout(table: etree._Element) -> bool:
    """Tell a frame drawn around paragraphs from a table: it has one column."""
    return all(len(list(cells_of(row))) <= 1 for row in rows_of(table))


def read_table(table: etree._Element, read_cell: ReadCell) -> str:
    """Read a table in Markdown."""
    rows: list[list[str]] = []
    headings = 0
    for row in rows_of(table):
        above = rows[-1] if rows else []
        rows.append(_read_row(row, above, read_cell))
        if find(row, "trPr/tblHeader") is not None and headings == len(rows) - 1:
            headings = len(rows)
    return write_table(rows, headings=headings)


def write_table(rows: list[list[str]], *, headings: int = 1) -> str:
    """Write rows in Markdown; several heading rows become one, and one column becomes paragraphs."""
    filled = [row for row in rows if any(row)]
    width = max(map(len, filled), default=0)
    if sum(any(any(row[n : n + 1]) for row in filled) for n in range(width)) == 1:
        return "\n\n".join("".join(row) for row in filled)
    headings = sum(map(any, rows[:headings]))
    if headings > 1 and len(filled) > headings:
        columns = zip_longest(*filled[:headings], fillvalue="")
        filled[:headings] = [[" ".join(dict.fromkeys(filter(None, column))) for column in columns]]
    return blocks.write_table(filled)


def _read_row(row: etree._Element, above: list[str], read_cell: ReadCell) -> list[str]:
    texts = [""] * _span(find(row, "trPr"), "gridBefore", 0)
    for cell in cells_of(row):
        text, properties = read_cell(cell), find(cell, "tcPr")
        if _continues(properties, "vMerge") and len(texts) < len(above):
            text = above[len(texts)]
        texts.append("" if _continues(properties, "hMerge") else text)
        texts += [""] * (_span(properties, "gridSpan", 1) - 1)
    return texts


def _continues(properties: etree._Element | None, name: str) -> bool:
    """Tell whether a cell belongs to the one above (or before) it."""
    merge = find(properties, name)
    return merge is not None and merge.get(f"{WORD}val", "continue") == "continue"


def _span(properties: etree._Element | None, name: str, default: int) -> int:
    span = number_of(properties, name)
    return default if span is None else max(default, min(span, MAX_SPAN))
