"""Tell tables of data from tables that only lay out a page, and read the former."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from documents.convert.blocks import is_marker, squeeze
from documents.convert.hypertext.tree import has, text_of

MAX_SPAN = 200
LONG_CELL = 600
STRUCTURE = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "article", "section", "form")


def is_data_table(table: etree._Element) -> bool:
    """Expect rows and columns of short cells; numbers beside their paragraphs are layout."""
    if table.get("role") in {"presentation", "none"} or any(has(child, *STRUCTURE) for child in table):
        return False
    rows = [cells for row in table.iter("tr") if (cells := cells_of(row))]
    if max((len(cells) for cells in rows), default=0) < 2 or len(rows) < 1:  # noqa: PLR2004
        return False
    if any(cell.tag == "th" for cells in rows for cell in cells):
        return True
    texts = [[cell_text(cell) for cell in cells] for cells in rows]
    return len(rows) > 1 and not is_numbering(texts) and not is_layout(texts)


def is_numbering(rows: list[list[str]]) -> bool:
    """See whether all that comes before the last filled cell of each row is its number."""
    filled = [[text for text in row if text] for row in rows]
    return all(len(row) < 2 or all(is_marker(text) for text in row[:-1]) for row in filled)  # noqa: PLR2004


def is_layout(rows: list[list[str]]) -> bool:
    return any(len(text) > LONG_CELL for row in rows for text in row)


def cells_of(row: etree._Element) -> list[etree._Element]:
    return [cell for cell in row if cell.tag in {"td", "th"}]


def cell_text(cell: etree._Element) -> str:
    """Read a cell on one line; its paragraphs and breaks become spaces."""
    return squeeze(" ".join(pieces(cell)))


def pieces(cell: etree._Element) -> Iterator[str]:
    text = ""
    for event, node in etree.iterwalk(cell, events=("start", "end")):
        if node.tag in {"br", "p", "div", "li", "tr"} and text:
            yield text
            text = ""
        text += (node.text if event == "start" else node.tail if node is not cell else None) or ""
    yield text


def read_table(table: etree._Element) -> tuple[str, list[list[str]]]:
    """Return caption and rows, the header first; cells that span rows are repeated in each."""
    caption = squeeze(text_of(next(table.iter("caption"), etree.Element("caption"))))
    rows = [row for row in table.iter("tr") if cells_of(row)]
    grid = spread([cells_of(row) for row in rows])
    heads = 0
    while heads < len(rows) - 1 and is_head(rows[heads]):
        heads += 1
    return caption, merge_heads(grid, heads)


def is_head(row: etree._Element) -> bool:
    parent = row.getparent()
    return (parent is not None and parent.tag == "thead") or all(cell.tag == "th" for cell in cells_of(row))


def merge_heads(grid: list[list[str]], heads: int) -> list[list[str]]:
    """Make one header of several rows of it: "Fee / First year"."""
    if heads < 2:  # noqa: PLR2004
        return grid
    width = max(len(row) for row in grid)
    columns = [[row[i] for row in grid[:heads] if i < len(row) and row[i]] for i in range(width)]
    return [[" / ".join(dict.fromkeys(column)) for column in columns], *grid[heads:]]


def spread(rows: list[list[etree._Element]]) -> list[list[str]]:
    """Lay cells on a grid; a header that spans columns stands over each of them."""
    grid: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    for cells in rows:
        line: list[str] = []
        for cell in cells:
            line.extend(take_down(below, len(line)))
            text, wide, tall = cell_text(cell), span(cell, "colspan"), span(cell, "rowspan")
            for i in range(wide):
                shown = text if i == 0 or cell.tag == "th" else ""
                if tall > 1:
                    below[len(line)] = (tall - 1, shown)
                line.append(shown)
        line.extend(take_down(below, len(line)))
        grid.append(line)
    return grid


def take_down(below: dict[int, tuple[int, str]], column: int) -> list[str]:
    """Fill the columns that a cell further up still covers."""
    taken: list[str] = []
    while column in below:
        rest, text = below.pop(column)
        if rest > 1:
            below[column] = (rest - 1, text)
        taken.append(text)
        column += 1
    return taken


def span(cell: etree._Element, name: str) -> int:
    value = cell.get(name, "1").strip()
    return min(max(int(value), 1), MAX_SPAN) if value.isascii() and value.isdigit() else 1
