"""Write the licence as a Word file whose clause numbers are counted by Word and never typed."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from itertools import groupby
from xml.sax.saxutils import escape

from documents.demo.docx_parts import FOOTNOTES, PARTS, W, numbering_xml, styles_xml
from documents.demo.read_licence import Block, number_blocks, read_blocks

WRITTEN = (2025, 3, 3, 0, 0, 0)
INLINE = re.compile(r"\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*|\{(?P<to>[a-z-]+)\}|\^\[(?P<note>.+?)\]")
BODY_WIDTH = 9026  # In twentieths of a point: A4 less two margins of an inch.


def write_docx(source: str) -> bytes:
    """Return the same bytes for the same source, on every machine."""
    blocks = tuple(read_blocks(source))
    parts = {
        **PARTS,
        "word/document.xml": document_xml(blocks),
        "word/footnotes.xml": footnotes_xml(source),
        "word/numbering.xml": numbering_xml(),
        "word/styles.xml": styles_xml(),
    }
    return zip_parts(parts)


def zip_parts(parts: Mapping[str, str]) -> bytes:
    """Store the parts without compressing them, because the bytes of a deflated part depend on the zlib."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, WRITTEN)
            info.create_system = 0
            archive.writestr(info, text.encode())
    return buffer.getvalue()


def document_xml(blocks: tuple[Block, ...]) -> str:
    """Lay out the blocks; neighbouring rows make one table."""
    references = number_references(blocks)
    body = "".join(
        table_xml(list(group)) if is_row else "".join(paragraph_xml(block, references) for block in group)
        for is_row, group in groupby(blocks, lambda block: block.style == "Row")
    )
    page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" '
    page += 'w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr>'
    return f"{W.declaration}<w:document {W.namespaces}><w:body>{body}{page}</w:body></w:document>"


def number_references(blocks: tuple[Block, ...]) -> dict[str, tuple[int, str]]:
    """Map each anchor to the number of its bookmark and to what Word shows in a field that points to it."""
    pairs = zip(blocks, number_blocks(blocks), strict=True)
    anchored = [(block.anchor, number) for block, number in pairs if block.anchor]
    return {anchor: (place, number.rstrip(".")) for place, (anchor, number) in enumerate(anchored, start=1)}


def paragraph_xml(block: Block, references: Mapping[str, tuple[int, str]]) -> str:
    """Write a paragraph; headings take their list from their style, other numbered ones carry it."""
    listed = f'<w:numPr><w:ilvl w:val="{block.level}"/><w:numId w:val="{block.list_id}"/></w:numPr>'
    properties = f'<w:pStyle w:val="{block.style}"/>{listed if block.level else ""}'
    runs = "".join(inline_xml(block.text, references))
    if block.anchor:
        place, _ = references[block.anchor]
        start = f'<w:bookmarkStart w:id="{place}" w:name="{bookmark(place)}"/>'
        runs = f'{start}{runs}<w:bookmarkEnd w:id="{place}"/>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def inline_xml(text: str, references: Mapping[str, tuple[int, str]]) -> Iterator[str]:
    """Yield runs for plain, bold and italic text, fields for references, and the mark of a footnote."""
    end = 0
    for found in INLINE.finditer(text):
        yield run_xml(text[end : found.start()])
        yield marked_xml(found, references)
        end = found.end()
    yield run_xml(text[end:])


def marked_xml(found: re.Match[str], references: Mapping[str, tuple[int, str]]) -> str:
    """Write what one inline mark stands for."""
    if found["to"]:
        return field_xml(*references[found["to"]])
    if found["note"]:
        return (
            '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="1"/></w:r>'
        )
    return run_xml(found["bold"], "<w:b/>") if found["bold"] else run_xml(found["italic"], "<w:i/>")


def run_xml(text: str, properties: str = "") -> str:
    """Write one run, or nothing for no text."""
    formatting = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{formatting}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""


def field_xml(place: int, shown: str) -> str:
    """Write a cross-reference as Word inserts it: the instruction, then the number as last computed."""
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
    code = f'<w:r><w:instrText xml:space="preserve"> REF {bookmark(place)} \\r \\h </w:instrText></w:r>'
    return f"{mark('begin')}{code}{mark('separate')}{run_xml(shown)}{mark('end')}"


def bookmark(place: int) -> str:
    """Name a bookmark as Word names those that it makes for cross-references."""
    return f"_Ref{100000000 + place}"


def table_xml(rows: list[Block]) -> str:
    """Write a table whose first row is its header."""
    cells = [[cell.strip() for cell in row.text.strip(" |").split("|")] for row in rows]
    width = BODY_WIDTH // len(cells[0])
    grid = f'<w:gridCol w:w="{width}"/>' * len(cells[0])
    properties = '<w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/></w:tblPr>'
    body = "".join(row_xml(row, width, is_header=place == 0) for place, row in enumerate(cells))
    return f"<w:tbl>{properties}<w:tblGrid>{grid}</w:tblGrid>{body}</w:tbl>"


def row_xml(cells: list[str], width: int, *, is_header: bool) -> str:
    """Write one row; a header row is bold and repeats on each page."""
    mark, bold = ("<w:trPr><w:tblHeader/></w:trPr>", "<w:b/>") if is_header else ("", "")
    size = f'<w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>'
    return f"<w:tr>{mark}{''.join(f'<w:tc>{size}{cell_xml(cell, bold)}</w:tc>' for cell in cells)}</w:tr>"


def cell_xml(text: str, bold: str) -> str:
    """Write the one paragraph of a cell."""
    return f'<w:p><w:pPr><w:pStyle w:val="TableText"/></w:pPr>{run_xml(text, bold)}</w:p>'


def footnotes_xml(source: str) -> str:
    """Write the one footnote, after the two separators that Word expects."""
    (note,) = re.findall(r"\^\[(.+?)\]", source)
    return FOOTNOTES.format(note=escape(note))
