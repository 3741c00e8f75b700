"""Find the tables among the rows of a column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from documents.convert.pdf.columns import Interval, Row, free_intervals, intersect, split_at
from documents.convert.pdf.hyphens import Vocabulary, join_lines
from documents.convert.pdf.numbering import find_mark
from documents.convert.pdf.rows import spell_row
from documents.convert.pdf.rules import Rule
from documents.convert.pdf.words import Word

CELL_GAP = 1.0  # Of the type size.
MIN_ROWS = 3
MIN_RULED_ROWS = 2
MIN_RULES = 2  # Lines across that make a table of two rows likely.
SAME_RULE = 3.0  # Points between the two edges of one drawn line.
MAX_ROWS = 300
NEXT_LINE = 1.6  # Of the type size: the leading within a cell.
FAR = 4.0  # Of the type size: what stands further below is not the same table, unless lines enclose it.

Cells = tuple[tuple[str, ...], ...]  # For each column, the lines of its cell.


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, the first of them the header."""

    rows: tuple[Cells, ...]
    pages: tuple[int, ...]  # Of each row.
    gaps: tuple[Interval, ...]

    @property
    def lines(self) -> list[str]:
        """Return every line of every cell."""
        return [line for row in self.rows for cell in row for line in cell]

    def continues(self, before: Table) -> bool:
        """Tell whether this is the rest, on the next page, of another."""
        shared = intersect(self.gaps, before.gaps, 1.0)
        return self.pages[0] == before.pages[-1] + 1 and len(self.gaps) == len(before.gaps) == len(shared)

    def append(self, rest: Table) -> Table:
        """Add the rest of a table without its repeated header."""
        skip = int(rest.rows[0] == self.rows[0])
        return Table(self.rows + rest.rows[skip:], self.pages + rest.pages[skip:], self.gaps)

    def render(self, vocabulary: Vocabulary) -> list[str]:
        """Return the rows in Markdown, the first with the line that makes it a header."""
        rows = ["| " + " | ".join(_join_cell(cell, vocabulary) for cell in row) + " |" for row in self.rows]
        return [rows[0] + "\n|" + "---|" * len(self.rows[0]), *rows[1:]]


def _join_cell(lines: Sequence[str], vocabulary: Vocabulary) -> str:
    text = ""
    for line in lines:
        text = join_lines(text, line, vocabulary) if text else line
    return text.replace("|", "\\|")


def _crossing(rules: Sequence[Rule], gap: Interval, top: float, foot: float) -> list[float]:
    """Return the heights of the lines drawn through a blank between two heights, from the top."""
    heights = sorted(
        (r.y0 for r in rules if r.is_level and r.x0 <= gap[0] and r.x1 >= gap[1] and foot <= r.y0 <= top),
        reverse=True,
    )
    return [y for n, y in enumerate(heights) if n == 0 or heights[n - 1] - y > SAME_RULE]


def _extent(rows: Sequence[Row]) -> Interval:
    return min(row[0].x0 for row in rows), max(word.x1 for row in rows for word in row)


def _between(row: Row, width: float) -> list[Interval]:
    return free_intervals(row, row[0].x0, row[-1].x1, width)


def _inner(rows: Sequence[Row], gaps: Sequence[Interval]) -> list[Interval]:
    """Keep the blanks that have words on both sides in at least two rows."""
    kept: list[Interval] = []
    for gap in gaps:
        both = sum(row[0].x0 < gap[0] and row[-1].x0 >= gap[1] - 0.1 for row in rows)
        if both >= MIN_RULED_ROWS:
            kept.append(gap)
    return kept


def _grow(rows: Sequence[Row], at: int, rules: Sequence[Rule]) -> tuple[int, list[Interval]]:
    """Return where the rows that share a blank with row `at` end, and the blanks that all of them share."""
    size = rows[at][0].size
    left, right = _extent(rows)
    gaps = free_intervals(rows[at], left, right, CELL_GAP * size)
    end = at + 1
    while end < min(len(rows), at + MAX_ROWS) and _is_near(rows[end - 1], rows[end], rules):
        shared = intersect(gaps, free_intervals(rows[end], left, right, CELL_GAP * size), 0.8 * size)
        if not any(rows[at][0].x0 < gap[0] and rows[at][-1].x0 >= gap[1] - 0.1 for gap in shared):
            break
        gaps, end = shared, end + 1
    return end, _inner(rows[at:end], gaps)


def _is_near(row: Row, below: Row, rules: Sequence[Rule]) -> bool:
    distance = row[0].y - below[0].y
    if distance <= FAR * row[0].size:
        return True
    box = (min(row[0].x0, below[0].x0), max(row[-1].x1, below[-1].x1))
    enclosing = [r for r in rules if not r.is_level and box[0] - 20 <= r.x0 <= box[1] + 20]
    return any(r.y0 <= below[0].y and r.y1 >= row[0].y for r in enclosing)


def _has_many(row: Row, gaps: Sequence[Interval]) -> bool:
    return sum(bool(column) for column in split_at(row, gaps)) > 1


def _trim(rows: Sequence[Row], gaps: Sequence[Interval], lowest_rule: float) -> list[Row]:
    """Leave out rows below the table that happen to be short."""
    kept = list(rows)
    while kept and not _has_many(kept[-1], gaps) and kept[-1][0].y < lowest_rule:
        kept.pop()
    return kept


def _is_list(rows: Sequence[Row], gaps: Sequence[Interval]) -> bool:
    """Tell whether the first column has nothing but printed numbering or bullets in it."""
    firsts = [" ".join(word.text for word in split_at(row, gaps)[0]) for row in rows]
    marks = [text for text in firsts if text]
    fitting = [text for text in marks if len(find_mark(text)) == len(text) or re.fullmatch(r"\W{1,2}", text)]
    return len(gaps) == 1 and 2 * len(fitting) > len(marks)


def _cells(row: Row, gaps: Sequence[Interval]) -> Cells:
    columns = split_at(row, gaps)
    return tuple((_text(column),) if column else () for column in columns)


def _text(words: Sequence[Word]) -> str:
    return spell_row(words)


def _merge(one: Cells, two: Cells) -> Cells:
    return tuple(above + below for above, below in zip(one, two, strict=True))


def _is_continued(above: Row, row: Row, cells: Cells) -> bool:
    """Tell whether a row only goes on with the cells above it."""
    if above[0].y - row[0].y > NEXT_LINE * row[0].size:
        return False
    if not cells[0]:
        return True
    return not any(cells[1:]) and cells[0][0][:1].islower()


def stack_rows(
    rows: Sequence[Row], gaps: Sequence[Interval], heights: Sequence[float] | None
) -> tuple[Cells, ...]:
    """Make table rows of text rows: those between two drawn lines are one."""
    stacked: list[Cells] = []
    for n, row in enumerate(rows):
        cells = _cells(row, gaps)
        if n and _joins(rows[n - 1], row, cells, heights):
            stacked[-1] = _merge(stacked[-1], cells)
        else:
            stacked.append(cells)
    return tuple(stacked)


def _joins(above: Row, row: Row, cells: Cells, heights: Sequence[float] | None) -> bool:
    if heights is not None:
        return not any(row[0].y < height < above[0].y for height in heights)
    return _is_continued(above, row, cells)


def find_table(rows: Sequence[Row], at: int, page: int, rules: Sequence[Rule]) -> tuple[int, Table] | None:
    """Return the table that starts at this row and where it ends, if one does."""
    end, gaps = _grow(rows, at, rules)
    if not gaps or not _has_many(rows[at], gaps):
        return None
    top, foot = rows[at][0].y + rows[at][0].size, rows[end - 1][0].y - rows[end - 1][0].size
    heights = _crossing(rules, gaps[0], top, foot)
    body = _trim(rows[at:end], gaps, heights[-1] if heights else float("inf"))
    many = sum(_has_many(row, gaps) for row in body)
    if (
        many < (MIN_RULED_ROWS if len(heights) >= MIN_RULES else MIN_ROWS)
        or 3 * many < len(body)
        or _is_list(body, gaps)
    ):
        return None
    inside = [y for y in heights if body[-1][0].y < y < body[0][0].y]
    stacked = stack_rows(body, gaps, inside if len(inside) >= MIN_RULES else None)
    return at + len(body), Table(stacked, (page,) * len(stacked), tuple(gaps))


def may_start_table(row: Row) -> bool:
    """Tell whether a row has a blank in it that could part two cells."""
    return bool(_between(row, CELL_GAP * row[0].size))
