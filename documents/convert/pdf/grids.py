"""Find the tables whose cells are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from documents.convert.pdf.columns import Row
from documents.convert.pdf.rules import Rule
from documents.convert.pdf.tables import Table, stack_rows

MIN_EDGES = 3  # Two columns have three.
MIN_ROWS = 2
MIN_LENGTH = 6.0  # Points: shorter lines are parts of drawings.
SAME_EDGE = 4.0  # Points.
SLACK = 3.0  # Points by which words may stand over the lines around them.
COVERED = 0.5  # Of the table's width: what lines across must cover to part two rows.


def _cluster(values: Sequence[float]) -> list[float]:
    """Return one value for each group of nearly equal ones, in order."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > SAME_EDGE:
            kept.append(value)
    return kept


def _edges_of(row: Row, down: Sequence[Rule]) -> list[float]:
    """Return where lines go down through a row, if the outer ones hold all its words."""
    middle = row[0].y + 0.3 * row[0].size
    edges = _cluster([(rule.x0 + rule.x1) / 2 for rule in down if rule.y0 <= middle <= rule.y1])
    if len(edges) < MIN_EDGES:
        return []
    holds = edges[0] - SLACK <= row[0].x0 and max(word.x1 for word in row) <= edges[-1] + SLACK
    return edges if holds else []


def _heights(across: Sequence[Rule], left: float, right: float) -> list[float]:
    """Return where lines across, taken together, part the table from side to side."""
    found: list[float] = []
    for height in _cluster([rule.y0 for rule in across]):
        near = [rule for rule in across if abs(rule.y0 - height) <= SAME_EDGE]
        covered = sum(max(0.0, min(rule.x1, right) - max(rule.x0, left)) for rule in near)
        if covered >= COVERED * (right - left):
            found.append(height)
    return found


@dataclass(frozen=True, slots=True)
class Ruling:
    """The lines down and across that may be the edges of cells."""

    down: list[Rule]
    across: list[Rule]


def sort_rules(rules: Sequence[Rule]) -> Ruling:
    """Part lines down from lines across, leaving out short ones and doubles."""
    long = list(dict.fromkeys(r for r in rules if max(r.x1 - r.x0, r.y1 - r.y0) >= MIN_LENGTH))
    return Ruling([rule for rule in long if not rule.is_level], [rule for rule in long if rule.is_level])


def _grow(rows: Sequence[Row], at: int, down: Sequence[Rule]) -> tuple[int, list[float]]:
    """Return where the rows end that stand between the same outer edges, and all edges within."""
    first = _edges_of(rows[at], down)
    edges, end = list(first), at + 1
    while first and end < len(rows):
        more = _edges_of(rows[end], down)
        if not more or abs(more[0] - first[0]) > SAME_EDGE or abs(more[-1] - first[-1]) > SAME_EDGE:
            break
        edges, end = edges + more, end + 1
    return end, _cluster(edges)


def find_grid(rows: Sequence[Row], at: int, page: int, ruling: Ruling) -> tuple[int, Table] | None:
    """Return the drawn table that starts at this row and where it ends, if one does."""
    if len(ruling.down) < MIN_EDGES:
        return None
    end, edges = _grow(rows, at, ruling.down)
    if len(edges) < MIN_EDGES or end - at < MIN_ROWS:
        return None
    between = [rule for rule in ruling.across if rows[end - 1][0].y < rule.y0 < rows[at][0].y]
    heights = _heights(between, edges[0], edges[-1])
    if not heights:
        return None
    gaps = tuple((edge - 1, edge + 1) for edge in edges[1:-1])
    stacked = stack_rows(rows[at:end], gaps, heights)
    return end, Table(stacked, (page,) * len(stacked), gaps)
