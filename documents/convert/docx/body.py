"""Read the blocks of a document: paragraphs, headings, tables, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from documents.convert.blocks import MAX_HEADING, escape_start
from documents.convert.docx.inline import InlineReader, Notes, flatten, tidy
from documents.convert.docx.names import CONTROL, WORD, find, iterate
from documents.convert.docx.numbering import BULLET, Counters, Numbering
from documents.convert.docx.styles import Styles, is_mark_hidden, outline_of
from documents.convert.docx.tables import cells_of, is_layout, read_table, rows_of

DEEPEST_HEADING = 6


class BodyReader:
    """Reads blocks in the order of the document, because numbers count on from block to block."""

    def __init__(self, styles: Styles, numbering: Numbering, body: etree._Element) -> None:
        self.notes = Notes()
        self.title = ""
        self._styles = styles
        self._numbering = numbering
        self._counters = Counters()
        self._inline = InlineReader(styles, self.notes, fields_are_balanced=_are_fields_balanced(body))
        self._carried = ""

    def read_blocks(self, parent: etree._Element) -> Iterator[str]:
        """Yield Markdown blocks."""
        for element in iterate(parent):
            if element.tag == f"{WORD}p":
                yield from self._read_paragraph(element)
            elif element.tag == f"{WORD}tbl":
                yield from self._read_table(element)
            elif element.tag == CONTROL:
                self._pass_over(element)
        if self._carried.strip():
            yield escape(tidy(self._take_carried()))

    def read_notes(self, kind: str, root: etree._Element | None) -> Iterator[str]:
        """Yield the notes of a kind that the text refers to, in its order."""
        elements = {} if root is None else {e.get(f"{WORD}id", ""): e for e in root}
        for (known, note_id), label in list(self.notes.found.items()):
            if known == kind and note_id in elements:
                yield f"{label}: {self._read_flat(elements[note_id])}".rstrip()

    def _read_paragraph(self, paragraph: etree._Element) -> Iterator[str]:
        words = self._inline.read(paragraph)
        if _is_joined_to_next(paragraph):
            self._carried += words.text
        elif not self._styles.is_contents(self._styles.style_of(paragraph)):
            text = tidy(self._take_carried() + words.text)
            yield from self._write_paragraph(paragraph, text)
        for box in words.boxes:
            yield from self._read_table(box) if box.tag == f"{WORD}tbl" else self.read_blocks(box)

    def _write_paragraph(self, paragraph: etree._Element, text: str) -> Iterator[str]:
        if not text and is_mark_hidden(paragraph, self._styles):
            return
        number = self._count(paragraph)
        if not text and number.rstrip() in ("", BULLET):
            return
        outline = self._outline(paragraph, text)
        # Drafters number whole clauses with heading styles: a "heading" of that length is a clause.
        if outline is None or len(text) > MAX_HEADING:
            yield escape(number + text).rstrip()
        else:
            number = "" if number.rstrip() == BULLET else number
            yield f"{'#' * min(outline + 1, DEEPEST_HEADING)} {number}{flatten(text)}".rstrip()

    def _outline(self, paragraph: etree._Element, text: str) -> int | None:
        if self._styles.is_title(self._styles.style_of(paragraph)):
            self.title = self.title or flatten(text)
            return 0
        return outline_of(paragraph, self._styles)

    def _count(self, paragraph: etree._Element) -> str:
        found = self._numbering.find(paragraph)
        return "" if found is None else self._counters.advance(*found)

    def _read_table(self, table: etree._Element) -> Iterator[str]:
        if self._carried.strip():
            yield escape(tidy(self._take_carried()))
        if not is_layout(table):
            yield read_table(table, self._read_flat)
            return
        for row in rows_of(table):
            for cell in cells_of(row):
                yield from self.read_blocks(cell)

    def _read_flat(self, parent: etree._Element) -> str:
        """Read blocks as running text, for places that hold no blocks."""
        return flatten(" ".join(_strip_markup(block) for block in self.read_blocks(parent)))

    def _pass_over(self, contents: etree._Element) -> None:
        """Read what is not kept, because a field may begin or end in it."""
        for paragraph in contents.iter(f"{WORD}p"):
            self._inline.read(paragraph)

    def _take_carried(self) -> str:
        carried, self._carried = self._carried, ""
        return carried


def escape(text: str) -> str:
    """Keep text from being taken for a heading or a quotation."""
    return "\n".join(map(escape_start, text.split("\n")))


def _strip_markup(block: str) -> str:
    if block.startswith("|"):
        rows = [line for line in block.split("\n") if not line.startswith("|---")]
        return " ".join(cell.strip() for row in rows for cell in row.strip("| ").split(" | ") if cell.strip())
    return re.sub(r"^(#{1,6} |\\(?=[#>]))", "", block)


def _is_joined_to_next(paragraph: etree._Element) -> bool:
    """Tell whether the end of a paragraph was deleted, or a large initial stands in front of its word."""
    mark = find(paragraph, "pPr/rPr")
    is_deleted = find(mark, "del") is not None or find(mark, "moveFrom") is not None
    frame = find(paragraph, "pPr/framePr")
    return is_deleted or (frame is not None and frame.get(f"{WORD}dropCap", "none") != "none")


def _are_fields_balanced(body: etree._Element) -> bool:
    kinds = [mark.get(f"{WORD}fldCharType") for mark in body.iter(f"{WORD}fldChar")]
    return kinds.count("begin") == kinds.count("end")
