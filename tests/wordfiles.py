"""Word files written by hand, with nothing in them but what a test is about."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

WORD_NS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS_NS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE_NS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = (
    f'xmlns:w="{WORD_NS}" xmlns:r="{OFFICE_NS}" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)
CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return target.getvalue()


def docx(body: str, *, title: str = "", **parts: str) -> bytes:
    """Build a Word file from the inside of its body and of further parts (`styles`, `numbering`, …)."""
    files = {f"word/{kind}.xml": _part(kind, inside) for kind, inside in parts.items()}
    files["word/document.xml"] = _part("document", f"<w:body>{body}</w:body>")
    files["_rels/.rels"] = _relations({"officeDocument": "word/document.xml"})
    files["word/_rels/document.xml.rels"] = _relations({kind: f"{kind}.xml" for kind in parts})
    files["[Content_Types].xml"] = _content_types(parts)
    if title:
        files["docProps/core.xml"] = (
            f'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c>'
        )
    return zipped(files)


def _part(kind: str, inside: str) -> str:
    return f"{DECLARATION}<w:{kind} {NAMESPACES}>{inside}</w:{kind}>"


def _relations(targets: Mapping[str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE_NS}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets.items())
    )
    return f'{DECLARATION}<Relationships xmlns="{RELATIONS_NS}">{rows}</Relationships>'


def _content_types(parts: Mapping[str, str]) -> str:
    rows = "".join(
        f'<Override PartName="/word/{kind}.xml" ContentType="{CONTENT_TYPE}.{kind}+xml"/>' for kind in parts
    )
    return (
        f'{DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{CONTENT_TYPE}.document.main+xml"/>'
        f"{rows}</Types>"
    )


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(content: str = "", *, style: str = "", properties: str = "") -> str:
    """Build a paragraph from text or from runs."""
    inside = content if content.startswith("<") or not content else run(content)
    worn = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{worn}{properties}</w:pPr>{inside}</w:p>"


def item(text: str, num_id: int = 1, level: int = 0) -> str:
    """Build a paragraph of a list."""
    return paragraph(text, properties=numbered(num_id, level))


def numbered(num_id: int, level: int | None = None) -> str:
    ilvl = "" if level is None else f'<w:ilvl w:val="{level}"/>'
    return f'<w:numPr>{ilvl}<w:numId w:val="{num_id}"/></w:numPr>'


def level(index: int, style: str, pattern: str, *, start: int = 1, more: str = "") -> str:
    """Build a level of a list; `more` are elements like `<w:isLgl/>`."""
    return (
        f'<w:lvl w:ilvl="{index}"><w:start w:val="{start}"/><w:numFmt w:val="{style}"/>{more}'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
    )


def definition(abstract_id: int, levels: Sequence[str], more: str = "") -> str:
    inside = "".join(levels)
    return (
        f'<w:abstractNum w:abstractNumId="{abstract_id}"><w:multiLevelType w:val="multilevel"/>{more}{inside}'
        "</w:abstractNum>"
    )


def instance(num_id: int, abstract_id: int, more: str = "") -> str:
    return f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="{abstract_id}"/>{more}</w:num>'


def restart(index: int, start: int = 1) -> str:
    return f'<w:lvlOverride w:ilvl="{index}"><w:startOverride w:val="{start}"/></w:lvlOverride>'


def style(
    style_id: str, name: str, properties: str = "", *, based_on: str = "", kind: str = "paragraph"
) -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="{kind}" w:styleId="{style_id}"><w:name w:val="{name}"/>{base}'
        f"<w:pPr>{properties}</w:pPr></w:style>"
    )


def table(*rows: Sequence[str], heading_rows: int = 0) -> str:
    """Build a table from cells that are texts or whole `<w:tc>` elements."""
    lines = []
    for number, cells in enumerate(rows):
        mark = "<w:trPr><w:tblHeader/></w:trPr>" if number < heading_rows else ""
        lines.append(f"<w:tr>{mark}{''.join(c if c.startswith('<w:tc>') else cell(c) for c in cells)}</w:tr>")
    return f"<w:tbl>{''.join(lines)}</w:tbl>"


def cell(content: str = "", properties: str = "") -> str:
    inside = content if content.startswith(("<w:p>", "<w:tbl>")) else paragraph(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def odt(body: str, *, styles: str = "", automatic: str = "", **files: str) -> bytes:
    """Build an OpenDocument text from the inside of its body and of its styles."""
    parts = {
        "content.xml": _open_document(
            "document-content",
            f"<office:automatic-styles>{automatic}</office:automatic-styles>"
            f"<office:body><office:text>{body}</office:text></office:body>",
        ),
        "styles.xml": _open_document("document-styles", f"<office:styles>{styles}</office:styles>"),
    }
    return zipped(parts | {path.replace("__", "/") + ".xml": content for path, content in files.items()})


def flat_odt(body: str) -> bytes:
    inside = f"<office:body><office:text>{body}</office:text></office:body>"
    return (DECLARATION + _open_document("document", inside)).encode()


def _open_document(kind: str, inside: str) -> str:
    names = ("office", "text", "style", "table")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    spaces += ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
    return f"<office:{kind} {spaces}>{inside}</office:{kind}>"


SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def ole(streams: Mapping[str, bytes]) -> bytes:
    """Build a compound file; its streams are padded to 4096 bytes, below which they would lie elsewhere."""
    sectors: list[bytes] = [b"", b""]  # The allocation table and the directory come first.
    chains = [FAT, END]
    entries = [_entry("Root Entry", 5, END, 0, child=1)]
    for number, (name, content) in enumerate(streams.items(), start=1):
        padded = content.ljust(4096, b"\0")
        count = -(-len(padded) // SECTOR)
        first = len(sectors)
        sectors += [padded[n * SECTOR :][:SECTOR].ljust(SECTOR, b"\0") for n in range(count)]
        chains += [*range(first + 1, first + count), END]
        following = number + 1 if number < len(streams) else FREE
        entries.append(_entry(name, 2, first, len(padded), right=following))
    sectors[0] = struct.pack("<128I", *chains, *[FREE] * (128 - len(chains)))
    sectors[1] = b"".join(entries).ljust(SECTOR, b"\0")
    head = struct.pack(
        "<8s16sHHHHH6xIIIIIIIIII", OLE_MAGIC, b"", 62, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, END, 0, END, 0, 0
    )
    return head.ljust(SECTOR, b"\xff") + b"".join(sectors)


def _entry(name: str, kind: int, first: int, size: int, *, right: int = FREE, child: int = FREE) -> bytes:
    encoded = name.encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ",
        encoded,
        len(encoded) + 2,
        kind,
        1,
        FREE,
        right,
        child,
        b"",
        0,
        0,
        0,
        first,
        size,
    )


OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def doc(
    text: str,
    *,
    footnotes: str = "",
    marks: Sequence[int] = (),
    paragraphs: Sequence[bytes] = (),
    styles: Sequence[tuple[int, int]] = (),
    flags: int = 0,
    magic: int = 0xA5EC,
) -> bytes:
    """Build a Word 97 file: the first half of its text in one byte a character, the second in two.

    `marks` are where footnotes are referred to, `paragraphs` their styles and properties in binary,
    `styles` the number of each style's built-in namesake and the style it is based on.
    """
    whole = text + footnotes
    half = len(whole) // 2
    narrow, wide = whole[:half].encode("cp1252"), whole[half:].encode("utf-16-le")
    pieces = struct.pack("<III", 0, half, len(whole))
    pieces += struct.pack("<HIHHIH", 0, (TEXT_AT * 2) | 0x40000000, 0, 0, TEXT_AT + half, 0)
    ends = [n + 1 for n, char in enumerate(text) if char in "\r\x07"]
    places = [TEXT_AT + n + max(0, n - half) for n in [0, *ends]]
    tables = {
        0x1A2: b"\x02" + struct.pack("<I", len(pieces)) + pieces,
        0xAA: struct.pack(f"<{len(marks) + 1}I", *marks, len(text)) + b"\1\0" * len(marks) if marks else b"",
        0x102: struct.pack("<III", places[0], places[-1], PAGE_NUMBER) if paragraphs else b"",
        0xA2: struct.pack("<HHH", 4, len(styles), 4) + b"".join(_style_entry(*entry) for entry in styles),
    }
    stream = bytearray(TEXT_AT)
    struct.pack_into("<H", stream, 0, magic)
    struct.pack_into("<H", stream, 0x0A, flags)
    struct.pack_into("<II", stream, 0x4C, len(text), len(footnotes))
    table = b""
    for place, content in tables.items():
        struct.pack_into("<II", stream, place, len(table), len(content))
        table += content
    stream[PAGE_NUMBER * 512 : TEXT_AT] = _paragraph_page(places, paragraphs)
    return ole({"WordDocument": bytes(stream) + narrow + wide, "0Table": table})


PAGE_NUMBER, TEXT_AT = 3, 2048


def _style_entry(builtin: int, base: int) -> bytes:
    return struct.pack("<HHH", 4, builtin, base << 4)


def _paragraph_page(places: Sequence[int], paragraphs: Sequence[bytes]) -> bytes:
    page = bytearray(512)
    struct.pack_into(f"<{len(paragraphs) + 1}I", page, 0, *places[: len(paragraphs) + 1])
    at = 256
    for number, properties in enumerate(paragraphs):
        page[4 * (len(paragraphs) + 1) + 13 * number] = at // 2
        page[at : at + 2 + len(properties)] = bytes([0, -(-len(properties) // 2)]) + properties
        at += 32
    page[511] = len(paragraphs)
    return bytes(page)
