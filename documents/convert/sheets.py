"""Read tables: the sheets of a workbook, and text that is a table."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import openpyxl  # type: ignore[import-untyped]
from openpyxl.utils import column_index_from_string  # type: ignore[import-untyped]
from openpyxl.utils.exceptions import InvalidFileException  # type: ignore[import-untyped]

from documents.convert.blocks import escape_start, squeeze, write_table
from documents.convert.converted import Converted
from documents.convert.text import clean, decode
from documents.errors import NoText, Unreadable

DELIMITERS = (",", ";", "\t", "|")
MERGED = re.compile(rb'<mergeCell ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
UNCALCULATED = re.compile(rb"</f></c>|<f[^>]*/></c>|</f><v\s*/></c>|</f><v></v></c>")
MAX_MERGED = 10_000
EMPTY = "There is nothing in the table. Upload one with rows in it."


def convert_xlsx(content: bytes, name: str) -> Converted:
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        return read_book(book, content)
    except (KeyError, ValueError, TypeError, AttributeError, OSError, SyntaxError, IndexError,
            zipfile.BadZipFile, InvalidFileException) as error:  # fmt: skip
        raise Unreadable(
            "The workbook is damaged or written in an unusual way. Save it again as .xlsx and upload that."
        ) from error


def read_book(book: Any, content: bytes) -> Converted:
    """Write each visible sheet under its name."""
    parts, warnings = [], []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            warnings.append(f"The hidden sheet “{sheet.title}” was left out.")
            continue
        source = read_source(sheet, content)
        if missing := len(UNCALCULATED.findall(source)):
            warnings.append(
                f"{missing} formulas in “{sheet.title}” have no stored result and were left empty."
            )
        if body := write_sheet(fill_merged(read_rows(sheet), source)):
            parts.append(f"## {squeeze(sheet.title)}\n\n{body}")
    if not parts:
        raise NoText(EMPTY)
    return Converted(
        text="\n\n".join(parts), title=squeeze(book.properties.title or ""), warnings=tuple(warnings)
    )


def read_source(sheet: Any, content: bytes) -> bytes:
    """Read the sheet's own XML for what reading row by row does not tell."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        path = str(sheet._worksheet_path).lstrip("/")
        return archive.read(path) if path in archive.namelist() else b""


def read_rows(sheet: Any) -> list[list[str]]:
    """Read the rows that exist: some workbooks claim a million of them."""
    sheet.reset_dimensions()
    return [trim(write_value(cell) for cell in row) for row in sheet.iter_rows()]


def trim(values: Iterable[str]) -> list[str]:
    row = list(values)
    while row and not row[-1]:
        row.pop()
    return row


def write_value(cell: Any) -> str:
    """Write a value as the sheet shows it, as far as that is one way only."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    if isinstance(value, dt.datetime):
        return value.isoformat(" ", "minutes")
    if isinstance(value, int | float):
        return write_number(value, str(cell.number_format))
    return squeeze(clean(str(value)))


def write_number(value: float, shown: str) -> str:
    if shown.endswith("%"):
        return f"{value * 100:.10g}%"
    return format(value, ".15g") if "." in str(value) or "e" in str(value) else str(value)


def fill_merged(rows: list[list[str]], source: bytes) -> list[list[str]]:
    """Repeat a value in the rows that its merged cell covers, so that each row says all."""
    for first, top, _, bottom in MERGED.findall(source)[:MAX_MERGED]:
        left, start, stop = column_index_from_string(first.decode()) - 1, int(top) - 1, int(bottom)
        if start < len(rows) and left < len(rows[start]) and stop - start > 1:
            for row in rows[start + 1 : stop]:
                row.extend([""] * (left + 1 - len(row)))
                row[left] = row[left] or rows[start][left]
    return rows


def write_sheet(rows: list[list[str]]) -> str:
    """Put lines of one cell that stand above the table in front of it."""
    full = [row for row in rows if any(row)]
    width = max((len(row) for row in full), default=0)
    lead = 0
    while width > 1 and lead < len(full) and sum(map(bool, full[lead])) == 1:
        lead += 1
    titles = [escape_start(next(filter(None, row))) for row in full[:lead]]
    table = write_table(full[lead:])
    return "\n\n".join([*titles, table] if table else titles)


def convert_csv(content: bytes, name: str) -> Converted:
    text = clean(decode(content)).replace("\f", "")
    rows = [[cell.strip() for cell in row] for row in split_rows(text)]
    table = write_table(rows)
    if not table:
        raise NoText(EMPTY)
    return Converted(text=table)


def split_rows(text: str) -> Iterator[list[str]]:
    """Read rows by the delimiter that the file names or that divides its first lines most evenly."""
    first, _, rest = text.partition("\n")
    named = re.fullmatch(r"sep=(.)\s*", first)
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    delimiter = named[1] if named else find_delimiter(text)
    return csv.reader(io.StringIO(rest if named else text), delimiter=delimiter)


def find_delimiter(text: str) -> str:
    sample = text[:100_000].split("\n")[:100]
    return max(DELIMITERS, key=lambda delimiter: judge_delimiter(sample, delimiter))


def judge_delimiter(sample: list[str], delimiter: str) -> float:
    """Score the share of rows that have the usual number of cells, when that is more than one."""
    widths = Counter(len(row) for row in csv.reader(sample, delimiter=delimiter) if row)
    if not widths:
        return 0.0
    width, count = widths.most_common(1)[0]
    return count / widths.total() + min(width, 50) / 1000 if width > 1 else 0.0
