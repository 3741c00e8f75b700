"""Turn the words of a page into lines and tables in reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from documents.convert.pdf.columns import Row, split_columns
from documents.convert.pdf.contents import drop_contents
from documents.convert.pdf.grids import find_grid, sort_rules
from documents.convert.pdf.rows import Line, group_rows
from documents.convert.pdf.rules import Rule
from documents.convert.pdf.tables import Table, find_table, may_start_table
from documents.convert.pdf.words import Word

Item = Line | Table

Span = tuple[float, float]

FEW_LINES = 8
SAME_EDGE = 6.0  # Points.
OUTLIERS = 0.03  # Lines that may stand out to the right of their column.
WIDEST_LEADING = 2.4  # Of the type size.


def _right_edge(rows: Sequence[Row]) -> float:
    ends = sorted(max(word.x1 for word in row) for row in rows)
    return ends[len(ends) - 1 - int(len(ends) * OUTLIERS)]


def _leading(rows: Sequence[Row]) -> float:
    """Return the distance of two lines of a paragraph, which is among the shorter of all distances."""
    distances = sorted(
        above[0].y - row[0].y
        for above, row in pairwise(rows)
        if 0.7 * row[0].size < above[0].y - row[0].y < WIDEST_LEADING * row[0].size
    )
    return distances[len(distances) // 4] if distances else 1.25 * rows[0][0].size


def _items(rows: Sequence[Row], page: int, rules: Sequence[Rule]) -> Iterator[Item]:
    column = (min(row[0].x0 for row in rows), _right_edge(rows))
    leading = _leading(rows)
    ruling = sort_rules(rules)
    at = 0
    while at < len(rows):
        table = find_grid(rows, at, page, ruling)
        if not table and may_start_table(rows[at]):
            table = find_table(rows, at, page, rules)
        if table:
            at, item = table
            yield item
            continue
        yield Line(tuple(rows[at]), page, column, leading)
        at += 1


def main_turn(words: Sequence[Word]) -> int:
    """Return the angle at which most characters stand."""
    turns: Counter[int] = Counter()
    for word in words:
        turns[word.turn] += len(word.text)
    return turns.most_common(1)[0][0] if turns else 0


def _by_turn(words: Sequence[Word]) -> list[list[Word]]:
    """Return words by their angle, the main one first."""
    turns: dict[int, list[Word]] = {main_turn(words): []}
    for word in words:
        turns.setdefault(word.turn, []).append(word)
    return [group for group in turns.values() if group]


def widen_columns(items: Sequence[Item]) -> list[Item]:
    """Let columns of a few lines end where longer ones do that start at the same place."""
    lines = [item for item in items if isinstance(item, Line)]
    lengths = Counter(line.column for line in lines)
    widest: dict[tuple[int, int], float] = {}
    for column, length in lengths.items():
        for fewer in range(1, min(length, FEW_LINES) + 1):
            key = (_place(column), fewer)
            widest[key] = max(widest.get(key, column[1]), column[1])
    places: dict[int, set[int]] = {}
    for line in lines:
        places.setdefault(line.page, set()).add(_place(line.column))
    return [
        replace(item, column=(item.column[0], widest[_place(item.column), lengths[item.column]]))
        if isinstance(item, Line) and lengths[item.column] < FEW_LINES and len(places[item.page]) == 1
        else item
        for item in items
    ]


def _place(column: Span) -> int:
    return round(column[0] / SAME_EDGE)


def read_lines(
    words: Sequence[Word], page: int, rules: Sequence[Rule], in_contents: bool = False
) -> tuple[list[Item], bool]:
    """Return what a page says, and whether it ends within a table of contents."""
    items: list[Item] = []
    for turn, group in enumerate(_by_turn(words)):
        for piece in split_columns(group, rules if turn == 0 else ()):
            rows, in_contents = drop_contents(group_rows(piece), in_contents)
            if rows:
                items += _items(rows, page, rules if turn == 0 else ())
    return items, in_contents
