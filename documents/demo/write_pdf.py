"""Write the standard as a PDF with a cover, a table of contents, bookmarks and running headers."""

# reportlab has no types.
# mypy: disable-error-code="import-untyped,misc"

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Frame,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)
from reportlab.platypus.tableofcontents import TableOfContents

from documents.demo import FOLDER

NUMBER, TITLE, BODY = "HAS 204:2023", "Mooring arrangements at quays and berths", "Harbour Authority"
COVER = (
    ("CoverBody", f"{BODY} of the port of Aldmere"),
    ("CoverNumber", NUMBER),
    ("CoverTitle", TITLE),
    ("CoverBody", "Second edition"),
    ("CoverBody", "Adopted on 14 November 2023. Applies from 1 January 2024."),
)

# Where a long word may be parted at the end of a line; reportlab does so at soft hyphens.
PARTED = (FOLDER / "sources" / "parted-words.txt").read_text(encoding="utf-8").split()
SOFT = {word.replace("-", ""): word.replace("-", "\u00ad") for word in PARTED}

MARGIN = 32 * mm
TEXT_WIDTH = A4[0] - 2 * MARGIN
HEADING_ROOM = (36 * mm, 25 * mm, 20 * mm)  # For the headings that follow at once, and two lines.
NEW_PAGE = ("Foreword", "1 Scope", "Annex A", "Annex B")


def _style(name: str, size: float, **more: Any) -> ParagraphStyle:
    options = {"fontName": "Times-Roman", "leading": size * 1.32, "spaceAfter": size * 0.6}
    return ParagraphStyle(name, fontSize=size, **{**options, **more})


BOLD = "Helvetica-Bold"
BULLET = {"bulletIndent": mm, "bulletFontName": "Times-Roman", "bulletFontSize": 10.5}
STYLES = {
    style.name: style
    for style in (
        _style("Text", 10.5, alignment=TA_JUSTIFY),
        _style("Note", 9, alignment=TA_JUSTIFY, leftIndent=8 * mm),
        _style("Item", 10.5, alignment=TA_JUSTIFY, leftIndent=8 * mm, spaceAfter=3, **BULLET),
        _style("Formula", 10.5, alignment=TA_CENTER),
        _style("Cell", 9, spaceAfter=0),
        _style("Head", 9, spaceAfter=0, fontName=BOLD),
        _style("Caption", 9.5, alignment=TA_CENTER, fontName=BOLD, spaceBefore=4, spaceAfter=12),
        _style("Heading1", 14, fontName=BOLD, spaceBefore=16),
        _style("Heading2", 11.5, fontName=BOLD, spaceBefore=10),
        _style("Heading3", 10.5, fontName=BOLD, spaceBefore=8),
        _style("Annex", 14, fontName=BOLD, alignment=TA_CENTER, spaceAfter=16),
        _style("ContentsTitle", 14, fontName=BOLD),
        _style("CoverBody", 13, alignment=TA_CENTER, fontName="Helvetica", spaceAfter=30),
        _style("CoverNumber", 30, alignment=TA_CENTER, fontName=BOLD, spaceBefore=60, spaceAfter=30),
        _style("CoverTitle", 22, alignment=TA_CENTER, fontName=BOLD, spaceAfter=120),
    )
}


class Standard(BaseDocTemplate):
    """Lays out the pages and makes a bookmark of each heading that passes."""

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802  # Called by reportlab.
        """Enter a heading into the bookmarks, and into the contents if it is a clause or a subclause."""
        heading = getattr(flowable, "heading", None)
        if heading is None:
            return
        level, text = heading
        key = f"h{self.canv.getPageNumber()}-{text}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level, closed=level > 0)
        if level == 0 or re.match(r"[124-9]\.\d+ ", text):
            self.notify("TOCEntry", (level, text, self.page, key))


def write_pdf(source: str) -> bytes:
    """Return the same bytes for the same source: fixed dates, built-in fonts, nothing compressed."""
    buffer = io.BytesIO()
    document = Standard(
        buffer,
        pagesize=A4,
        title=f"{NUMBER} {TITLE}",
        author=BODY,
        subject="Technical standard",
        lang="en-GB",
        invariant=1,
        pageCompression=0,
    )
    frame = Frame(MARGIN, 25 * mm, TEXT_WIDTH, A4[1] - 52 * mm, leftPadding=0, rightPadding=0)
    document.addPageTemplates(
        [PageTemplate("cover", [frame]), PageTemplate("page", [frame], onPage=draw_running_lines)]
    )
    document.multiBuild([*cover_and_contents(), *read_flowables(source)])
    return buffer.getvalue()


def draw_running_lines(canvas: Any, document: Any) -> None:
    """Print the header and the footer of a page."""
    width, height = A4
    canvas.saveState()
    canvas.setFont("Helvetica", 8.5)
    canvas.drawString(MARGIN, height - 17 * mm, NUMBER)
    canvas.drawRightString(width - MARGIN, height - 17 * mm, TITLE)
    canvas.line(MARGIN, height - 19 * mm, width - MARGIN, height - 19 * mm)
    canvas.drawString(MARGIN, 15 * mm, f"© {BODY} 2023")
    canvas.drawRightString(width - MARGIN, 15 * mm, f"Page {document.page}")
    canvas.restoreState()


def cover_and_contents() -> list[Any]:
    """Lay out what comes before the text."""
    contents = TableOfContents(dotsMinLevel=0)
    contents.levelStyles = [
        _style("Contents1", 9.5, leading=12, spaceAfter=0),
        _style("Contents2", 9.5, leading=12, leftIndent=6 * mm, spaceAfter=0),
    ]
    cover = [Paragraph(text, STYLES[name]) for name, text in COVER]
    title = Paragraph("Contents", STYLES["ContentsTitle"])
    return [Spacer(1, 40 * mm), *cover, NextPageTemplate("page"), PageBreak(), title, contents]


def read_flowables(source: str) -> Iterator[Any]:
    """Turn the blocks of the source into what reportlab lays out."""
    for block in source.strip().split("\n\n"):
        if block.startswith("#"):
            yield from lay_heading(block)
        elif block.startswith("|"):
            yield lay_table(block)
        elif re.match(r"(?:-|[a-z]\)) ", block):
            yield from map(lay_item, block.split("\n"))
        else:
            yield Paragraph(part_words(block), STYLES[style_of(block)])


def style_of(block: str) -> str:
    """Tell notes and formulas from running text."""
    if block.startswith("NOTE "):
        return "Note"
    return "Formula" if block.startswith("F = ") else "Text"


def part_words(text: str) -> str:
    """Put soft hyphens into the words that may be parted; their first letter may be a capital."""
    return re.sub(r"\b[A-Za-z][a-z]+\b", lambda found: _soften(found[0]), text)


def _soften(word: str) -> str:
    return word[0] + SOFT.get(word.lower(), word)[1:]


def lay_heading(block: str) -> Iterator[Any]:
    """Lay out a heading; that of an annex is centred on three lines."""
    marks, text = block.split(" ", 1)
    # Not reportlab's keepWithNext, which would also keep the paragraph after the heading in one piece.
    yield PageBreak() if text.startswith(NEW_PAGE) else CondPageBreak(HEADING_ROOM[len(marks) - 1])
    annex = re.match(r"(Annex [A-Z]) (\(.+?\)) (.+)", text)
    printed = "<br/>".join(annex.groups()) if annex else text
    paragraph = Paragraph(printed, STYLES["Annex" if annex else f"Heading{len(marks)}"])
    paragraph.heading = (len(marks) - 1, text)
    yield paragraph


def lay_item(line: str) -> Any:
    """Lay out one item of a list behind its dash or letter."""
    mark, text = line.split(" ", 1)
    return Paragraph(part_words(text), STYLES["Item"], bulletText="–" if mark == "-" else mark)


def lay_table(block: str) -> Any:
    """Lay out a table, whose first line is its header row and whose last line is its caption."""
    *rows, caption = block.split("\n")
    head, *body = ([cell.strip() for cell in row.strip(" |").split("|")] for row in rows)
    cells = [[Paragraph(cell, STYLES["Head"]) for cell in head]]
    cells += [[Paragraph(cell, STYLES["Cell"]) for cell in row] for row in body]
    grid = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")]
    table = Table(cells, colWidths=column_widths(len(head)), repeatRows=1, style=grid)
    return KeepTogether([table, Paragraph(caption, STYLES["Caption"])])


def column_widths(columns: int) -> list[float]:
    """Share the width of the text, the first column taking a quarter of it."""
    return [TEXT_WIDTH / 4, *[TEXT_WIDTH * 3 / 4 / (columns - 1)] * (columns - 1)]
