"""Take out what a page repeats around its text: running headers, footers, page numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from documents.convert.pdf.rows import RAISED, SAME_ROW, group_rows, spell_row
from documents.convert.pdf.words import Word
from documents.roman import read_roman

DEPTH = 5  # Rows from the edge of the page that may be furniture.
DRIFT = 12.0  # Points by which a running line moves from page to page.
MIN_PAGES = 3
ZONE = 0.14  # Of the page's height, at its top and at its foot.
LARGER = 1.1

Span = tuple[float, float]

NUMBER = re.compile(r"\d+")
ROMAN_ALONE = re.compile(r"\W*([ivxlc]+)\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Edge:
    """A row near the top or the bottom of a page."""

    page: int
    place: int
    is_outermost: bool
    y: float
    text: str
    words: tuple[Word, ...]
    stands_out: bool = False

    @property
    def numbers(self) -> list[int]:
        """Return the numbers in it, a lone roman one included."""
        roman = ROMAN_ALONE.fullmatch(self.text)
        if roman:
            return [read_roman(roman.group(1))]
        return [int(number[:9]) for number in NUMBER.findall(self.text)]

    @property
    def pattern(self) -> str:
        """Return the text with every number replaced."""
        return "#" if ROMAN_ALONE.fullmatch(self.text) else NUMBER.sub("#", self.text)


def _edges(page: int, words: Sequence[Word], box: Span) -> list[Edge]:
    """Return the rows in the outer zones of a page."""
    rows = group_rows(words)
    zone = ZONE * (box[1] - box[0])
    usual = median(word.size for word in words) if words else 0.0
    top = [(1, n == 0, row) for n, row in enumerate(rows[:DEPTH]) if row[0].y >= box[1] - zone]
    foot = [(-1, n == 0, row) for n, row in enumerate(rows[: -DEPTH - 1 : -1]) if row[0].y <= box[0] + zone]
    return [
        Edge(page, place, is_outermost, row[0].y, spell_row(row), tuple(row), _stands_out(row, usual))
        for place, is_outermost, row in top + foot
    ]


def _stands_out(row: Sequence[Word], usual: float) -> bool:
    """Tell whether a row is set like a heading."""
    return all(word.bold for word in row) or row[0].size > LARGER * usual


def _counts_pages(edges: Sequence[Edge]) -> bool:
    """Tell whether some number in these rows rises by one with each page."""
    if any(edge.stands_out and re.search(r"[^\W\d_]", edge.text) for edge in edges):
        return False  # "Chapter 3" on page 3 is a heading.
    steps = [(after.page - before.page, before.numbers, after.numbers) for before, after in _pairs(edges)]
    for position in range(len(edges[0].numbers)):
        rising = [
            len(ahead) > position < len(behind) and ahead[position] - behind[position] == step
            for step, behind, ahead in steps
        ]
        if rising and 2 * sum(rising) >= len(rising):
            return True
    return False


def _pairs(edges: Sequence[Edge]) -> list[tuple[Edge, Edge]]:
    return list(pairwise(edges))


def _cluster(edges: Sequence[Edge]) -> list[list[Edge]]:
    """Group rows that stand at about the same height."""
    groups: list[list[Edge]] = []
    for edge in sorted(edges, key=lambda edge: edge.y):
        if groups and edge.y - groups[-1][-1].y <= DRIFT:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    return [sorted(group, key=lambda edge: edge.page) for group in groups]


def _repeats(edges: Sequence[Edge], pages: int) -> bool:
    """Tell whether rows occur on enough different pages."""
    return len({edge.page for edge in edges}) >= min(MIN_PAGES, max(2, pages))


def _page_offset(groups: Sequence[Sequence[Edge]]) -> int | None:
    """Return how far printed page numbers are ahead of counted ones, if most pages agree."""
    offsets = Counter(
        number - edge.page for group in groups for edge in group for number in set(edge.numbers)
    )
    return offsets.most_common(1)[0][0] if offsets else None


def _shows_page(edge: Edge, offset: int) -> bool:
    """Tell whether the outermost row of a page starts or ends with the page's number."""
    numbers = edge.numbers
    is_at_end = edge.text[:1].isdigit() or edge.text[-1:].isdigit()
    return edge.is_outermost and is_at_end and edge.page + offset in (numbers[:1] + numbers[-1:])


def _running(pages: Sequence[Sequence[Edge]]) -> tuple[list[list[Edge]], list[list[Edge]]]:
    """Return the groups of rows that repeat a text, and of those that count pages."""
    by_text: dict[tuple[int, str], list[Edge]] = defaultdict(list)
    by_pattern: dict[tuple[int, str], list[Edge]] = defaultdict(list)
    for edge in (edge for edges in pages for edge in edges):
        by_text[edge.place, edge.text].append(edge)
        by_pattern[edge.place, edge.pattern].append(edge)
    same = [group for edges in by_text.values() for group in _cluster(edges) if _repeats(group, len(pages))]
    like = [
        group for edges in by_pattern.values() for group in _cluster(edges) if _repeats(group, len(pages))
    ]
    return same, [group for group in like if _counts_pages(group)]


def find_furniture(pages: Sequence[Sequence[Word]], boxes: Sequence[Span]) -> list[list[Edge]]:
    """Return, for each page, the rows at its edges that other pages repeat."""
    edges = [_edges(n, words, box) for n, (words, box) in enumerate(zip(pages, boxes, strict=True))]
    same, counting = _running(edges)
    offset = _page_offset(counting)
    numbered = [edge for row in edges for edge in row if offset is not None and _shows_page(edge, offset)]
    found: list[list[Edge]] = [[] for _ in pages]
    for edge in (*(edge for group in same + counting for edge in group), *numbered):
        found[edge.page].append(edge)
    return found


def _belongs(word: Word, edge: Edge) -> bool:
    """Tell whether a word stands in a row, be it as a raised mark."""
    rise = (word.y - edge.y) / max(part.size for part in edge.words)
    return -SAME_ROW <= rise <= RAISED


def drop_furniture(pages: Sequence[Sequence[Word]], boxes: Sequence[Span]) -> list[list[Word]]:
    """Return the words of each page without its running lines, unless nothing would be left at all."""
    kept = [
        [word for word in words if not any(_belongs(word, edge) for edge in edges)]
        for words, edges in zip(pages, find_furniture(pages, boxes), strict=True)
    ]
    return kept if any(kept) else [list(words) for words in pages]
