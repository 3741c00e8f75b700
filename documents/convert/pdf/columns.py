"""Find the columns of a page and return its text in reading order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from documents.convert.pdf.rows import group_rows, reads_from_right
from documents.convert.pdf.rules import Rule
from documents.convert.pdf.words import Word

Interval = tuple[float, float]
Row = list[Word]

GUTTER = 0.75  # Of the type size. A space is 0.25 wide, and up to 0.6 in justified text.
MIN_LINES = 3
MIN_CHARS = 14  # Per line, in the mean: narrower columns are cells of a table.
FULL = 0.7  # Of the column's width: how far most lines of running text reach.
MAX_DEPTH = 6
MAX_ROWS = 300  # Of one band; a page of print has fewer than 150.
MAX_TRIES = 8  # Bands per row: the longest are the likeliest.
MIN_RULE = 20.0  # Points.
MIN_RULES = 2


@dataclass(frozen=True, slots=True)
class Band:
    """Rows that stand under each other and the blanks that run down through all of them."""

    rows: list[Row]
    gaps: list[Interval]


def free_intervals(row: Row, left: float, right: float, width: float) -> list[Interval]:
    """Return the blanks of a row that are at least so wide."""
    gaps: list[Interval] = []
    at = left
    for word in row:
        if word.x0 - at >= width:
            gaps.append((at, word.x0))
        at = max(at, word.x1)
    return [*gaps, (at, right)] if right - at >= width else gaps


def intersect(ones: Sequence[Interval], others: Sequence[Interval], width: float) -> list[Interval]:
    """Return what two ordered sets of blanks share, as far as it is wide enough."""
    shared: list[Interval] = []
    one = other = 0
    while one < len(ones) and other < len(others):
        low, high = max(ones[one][0], others[other][0]), min(ones[one][1], others[other][1])
        if high - low >= width:
            shared.append((low, high))
        if ones[one][1] < others[other][1]:
            one += 1
        else:
            other += 1
    return shared


def split_at(words: Sequence[Word], gaps: Sequence[Interval]) -> list[list[Word]]:
    """Deal words to the columns between blanks."""
    middles = [(gap[0] + gap[1]) / 2 for gap in gaps]
    columns: list[list[Word]] = [[] for _ in range(len(gaps) + 1)]
    for word in words:
        columns[bisect_right(middles, word.x0)].append(word)
    return columns


def _is_running_text(words: Sequence[Word]) -> bool:
    heights = len({round(word.y) for word in words})
    if heights < MIN_LINES or sum(len(word.text) + 1 for word in words) < MIN_CHARS * heights:
        return False  # Cells of a table, mostly; this is asked often.
    rows = group_rows(words)
    widths = [max(w.x1 for w in row) - row[0].x0 for row in rows]
    full = sum(width >= FULL * max(widths) for width in widths)
    return len(rows) >= MIN_LINES and 2 * full >= len(rows)


def _overlap(ones: Sequence[Word], others: Sequence[Word]) -> bool:
    """Tell whether two columns stand beside each other for most of the shorter one."""
    tops = [max(w.y for w in column) for column in (ones, others)]
    feet = [min(w.y for w in column) for column in (ones, others)]
    shorter = min(tops[0] - feet[0], tops[1] - feet[1])
    return min(tops) - max(feet) >= 0.5 * shorter > 0


def _is_ruled_across(band: Band, gap: Interval, rules: Sequence[Rule]) -> bool:
    """Tell whether lines between the rows are drawn through the middle of a blank, as in a table."""
    top, foot = band.rows[0][0].y, band.rows[-1][0].y
    middle = (gap[0] + gap[1]) / 2
    heights = {round(rule.y0) for rule in rules if rule.x0 <= middle <= rule.x1 and foot < rule.y0 < top}
    return len(heights) >= MIN_RULES


def _valid_gaps(band: Band, rules: Sequence[Rule], trusted: Sequence[float]) -> list[Interval]:
    """Keep the blanks that have running text on both sides, or on one if the page is known to part there."""
    words = [word for row in band.rows for word in row]
    left, right = min(w.x0 for w in words), max(w.x1 for w in words)
    inner = [gap for gap in band.gaps if gap[0] > left and gap[1] < right]
    gaps = [gap for gap in inner if not _is_ruled_across(band, gap, rules)]
    while gaps:
        columns = split_at(words, gaps)
        is_text = [bool(column) and _is_running_text(column) for column in columns]
        bad = next((n for n in range(len(gaps)) if not _parts(columns, is_text, n, gaps[n], trusted)), None)
        if bad is None:
            return gaps
        gaps = gaps[:bad] + gaps[bad + 1 :]
    return []


def _parts(
    columns: list[list[Word]], is_text: list[bool], at: int, gap: Interval, trusted: Sequence[float]
) -> bool:
    one, two = is_text[at], is_text[at + 1]
    if any(gap[0] <= middle <= gap[1] for middle in trusted):
        return (one or two) and bool(columns[at]) and bool(columns[at + 1])
    return one and two and _overlap(columns[at], columns[at + 1])


def _bands_from(rows: Sequence[Row], blanks: Sequence[list[Interval]], width: float) -> list[Band]:
    """Return ever longer bands from the first row on, one for each time that a blank ends."""
    bands: list[Band] = []
    gaps = blanks[0]
    for at in range(1, len(rows)):
        shared = intersect(gaps, blanks[at], width)
        if len(shared) < len(gaps):
            bands.append(Band(list(rows[:at]), gaps))
        gaps = shared
        if not gaps:
            return bands
    return [*bands, Band(list(rows), gaps)]


@dataclass(frozen=True, slots=True)
class Layout:
    """What is known of a page while it is taken apart; `found` collects the middles of its gutters."""

    rules: Sequence[Rule]
    trusted: Sequence[float]
    found: list[float]


def _next_band(
    rows: Sequence[Row], blanks: Sequence[list[Interval]], width: float, layout: Layout
) -> Band | None:
    bands = [band for band in _bands_from(rows, blanks, width) if len(band.rows) >= MIN_LINES]
    for band in bands[: -MAX_TRIES - 1 : -1]:
        gaps = _valid_gaps(band, layout.rules, layout.trusted)
        if gaps:
            layout.found.extend((gap[0] + gap[1]) / 2 for gap in gaps)
            return Band(band.rows, gaps)
    return None


def _split(words: Sequence[Word], layout: Layout, depth: int = 0) -> list[list[Word]]:
    rows = group_rows(words)
    if len(rows) < MIN_LINES or depth > MAX_DEPTH:
        return [list(words)] if words else []
    left, right = min(w.x0 for w in words), max(w.x1 for w in words)
    width = GUTTER * median(w.size for w in words)
    blanks = [free_intervals(row, left, right, width) for row in rows]
    pieces: list[list[Word]] = []
    plain: list[Word] = []
    at = 0
    while at < len(rows):
        band = _next_band(rows[at : at + MAX_ROWS], blanks[at : at + MAX_ROWS], width, layout)
        if band is None:
            plain += rows[at]
            at += 1
            continue
        pieces += [plain] if plain else []
        plain = []
        at += len(band.rows)
        inside = [word for row in band.rows for word in row]
        columns = split_at(inside, band.gaps)
        for column in reversed(columns) if reads_from_right(inside) else columns:
            pieces += _split(column, layout, depth + 1)
    return pieces + ([plain] if plain else [])


def split_columns(words: Sequence[Word], rules: Sequence[Rule] = ()) -> list[list[Word]]:
    """Return the words of each piece of a column, in reading order."""
    level = list({rule: None for rule in rules if rule.is_level and rule.x1 - rule.x0 > MIN_RULE})
    first = Layout(level, (), [])
    pieces = _split(words, first)
    if not first.found:
        return pieces
    # A figure beside text parts the page like the text below it: look again, knowing where.
    return _split(words, Layout(level, first.found, []))
