"""Read Word's binary format of 1997 to 2003 (MS-DOC): text, headings, tables, notes."""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import olefile  # type: ignore[import-untyped]

from documents.convert.blocks import MAX_HEADING
from documents.convert.converted import Converted
from documents.convert.docx.body import DEEPEST_HEADING, escape
from documents.convert.docx.inline import UNPRINTED_FIELDS, flatten, tidy
from documents.convert.docx.package import BROKEN
from documents.convert.docx.styles import BODY_TEXT
from documents.convert.docx.tables import write_table
from documents.errors import Encrypted, NoText, Unreadable, Unsupported

WORD_97 = 0xA5EC
FORMER_WORDS = {0xA5DC, 0xA59B, 0xA59C, 0xA5DB, 0xA697, 0xA698, 0xA699, 0xFE37}
IS_ENCRYPTED, IS_SECOND_TABLE = 0x0100, 0x0200
# Places in the file information block: lengths of the parts of the text, then (offset, length) of tables.
FLAGS, MAIN_LENGTH, FOOTNOTE_LENGTH, HEADER_LENGTH, COMMENT_LENGTH = 0x0A, 0x4C, 0x50, 0x54, 0x5C
ENDNOTE_LENGTH = 0x60
STYLES, FOOTNOTE_PLACES, PARAGRAPHS, PIECES, ENDNOTE_PLACES = 0xA2, 0xAA, 0x102, 0x1A2, 0x20A
LISTS = 0x2EA  # Begins with their number. Styles number paragraphs as well, and are not asked.
PAGE = 512
STYLE_HEAD = 4
UTF_8, WESTERN = 65001, 1252
IN_TABLE, ENDS_ROW, OUTLINE, LIST, STYLE_CHANGE = 0x2416, 0x2417, 0x2640, 0x460B, 0x4600
OPERAND_SIZES = (1, 1, 2, 4, 2, 2, -1, 3)
LONG_OPERAND = 0xD608
FIRST_CONTENTS, LAST_CONTENTS, TITLE = 19, 27, 62
HIGHEST_HEADING, LOWEST_HEADING = 1, 9
NOTE = "\x02"
FIELD = re.compile("\x13([^\x13\x14\x15]*)(?:\x14([^\x13\x14\x15]*))?\x15")
CHARACTERS = str.maketrans({"\x0b": "\n", "\x0c": " ", "\x0e": " ", "\x1e": "-", "\xa0": " "})
NUMBERS_ARE_MISSING = (
    "Numbers that Word gives to paragraphs automatically are not in the text of this format, so they are "
    "missing. Save the file as DOCX and upload that copy to have them."
)


@dataclass(frozen=True, slots=True)
class Properties:
    """What the file says about a paragraph."""

    style: int = 0
    outline: int | None = None
    in_table: bool = False
    ends_row: bool = False
    is_numbered: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that lies in one place of the file."""

    start: int
    end: int
    offset: int
    is_narrow: bool

    def place(self, position: int) -> int:
        return self.offset + (position - self.start) * (1 if self.is_narrow else 2)

    def decode(self, stream: bytes) -> str:
        raw = stream[self.offset : self.place(self.end)]
        text = raw.decode("cp1252" if self.is_narrow else "utf-16-le", "replace")
        return text[: self.end - self.start].ljust(self.end - self.start)


@dataclass(frozen=True, slots=True)
class Binary:
    """The two streams of a file."""

    stream: bytes
    table: bytes

    def number(self, place: int) -> int:
        return int(struct.unpack_from("<I", self.stream, place)[0])

    def entry(self, place: int) -> bytes:
        offset, length = struct.unpack_from("<II", self.stream, place)
        return self.table[offset : offset + length]


def convert_doc(content: bytes, name: str) -> Converted:
    """Convert a Word file of the years 1997 to 2003."""
    try:
        binary = _open(content)
        blocks, is_numbered = _read_blocks(binary)
    except (OSError, ValueError, TypeError, IndexError, struct.error) as error:
        raise Unreadable(BROKEN) from error
    text = "\n\n".join(filter(None, blocks))
    if not text:
        raise NoText(
            "There is no text in the Word file. If it holds scanned pages, recognize their text first."
        )
    return Converted(
        text=text, title=_read_title(content), warnings=(NUMBERS_ARE_MISSING,) if is_numbered else ()
    )


def _open(content: bytes) -> Binary:
    if not content.startswith(olefile.MAGIC):
        _refuse(content)
    with olefile.OleFileIO(content) as container:
        if not container.exists("WordDocument"):
            raise Unreadable("The file is not a Word document. Give it the ending of its real format.")
        stream = container.openstream("WordDocument").read()
        magic, flags = struct.unpack_from("<H", stream)[0], struct.unpack_from("<H", stream, FLAGS)[0]
        if flags & IS_ENCRYPTED:
            raise Encrypted(
                "The Word file is protected by a password. Remove the password and upload it again."
            )
        if magic != WORD_97:
            _refuse(stream)
        table = container.openstream("1Table" if flags & IS_SECOND_TABLE else "0Table").read()
    return Binary(stream, table)


def _refuse(content: bytes) -> None:
    if len(content) > 1 and struct.unpack_from("<H", content)[0] in FORMER_WORDS:
        raise Unsupported("The file is of a Word before 1997. Save it as DOCX and upload that copy.")
    raise Unreadable(
        "The file is not a Word document. Give it the ending of its real format, or save it as DOCX."
    )


def _read_blocks(binary: Binary) -> tuple[list[str], bool]:
    pieces = list(_read_pieces(binary.entry(PIECES)))
    _check_pieces(pieces, binary.stream)
    text = "".join(piece.decode(binary.stream) for piece in pieces)
    main = _mark_notes(text[: binary.number(MAIN_LENGTH)], binary)
    styles = _read_styles(binary.entry(STYLES))
    paragraphs = list(_read_paragraphs(main, pieces, _read_properties(binary)))
    blocks = list(_write_blocks(paragraphs, styles))
    has_lists = any(binary.entry(LISTS)[:4]) or any(properties.is_numbered for _, properties in paragraphs)
    return blocks + list(_read_notes(text, binary)), has_lists


def _read_pieces(table: bytes) -> Iterator[Piece]:
    place = 0
    while table[place] == 1:
        place += 3 + int(struct.unpack_from("<H", table, place + 1)[0])
    length = struct.unpack_from("<I", table, place + 1)[0]
    count = (length - 4) // 12
    ends = struct.unpack_from(f"<{count + 1}I", table, place + 5)
    for number in range(count):
        offset = struct.unpack_from("<I", table, place + 5 + 4 * (count + 1) + 8 * number + 2)[0]
        is_narrow = bool(offset & 0x40000000)
        offset &= 0x3FFFFFFF
        yield Piece(ends[number], ends[number + 1], offset // 2 if is_narrow else offset, is_narrow)


def _check_pieces(pieces: list[Piece], stream: bytes) -> None:
    """Refuse pieces that are not in the file: they would be filled with blanks."""
    if any(not 0 <= piece.offset <= piece.place(piece.end) <= len(stream) for piece in pieces):
        raise Unreadable(BROKEN)


def _read_properties(binary: Binary) -> list[tuple[int, Properties]]:
    """Return what holds from each place of the stream on, in order."""
    table = binary.entry(PARAGRAPHS)
    count = max(0, (len(table) - 4) // 8)
    found: list[tuple[int, Properties]] = []
    for number in struct.unpack(f"<{count}I", table[4 * (count + 1) :][: 4 * count]):
        page = binary.stream[(number & 0x3FFFFF) * PAGE :][:PAGE]
        runs = page[-1]
        starts = struct.unpack_from(f"<{runs}I", page)
        offsets = (page[4 * (runs + 1) + 13 * run] * 2 for run in range(runs))
        found += [
            (start, _read_paragraph_properties(page, at)) for start, at in zip(starts, offsets, strict=True)
        ]
    return sorted(found, key=lambda pair: pair[0])


def _read_paragraph_properties(page: bytes, place: int) -> Properties:
    if not place:
        return Properties()
    size, start = (page[place] * 2 - 1, place + 1) if page[place] else (page[place + 1] * 2, place + 2)
    raw = page[start : start + size]
    operations = dict(_read_operations(raw[2:]))
    style = struct.unpack_from("<H", raw)[0]
    return Properties(
        style=operations.get(STYLE_CHANGE, style),
        outline=operations.get(OUTLINE),
        in_table=bool(operations.get(IN_TABLE)),
        ends_row=bool(operations.get(ENDS_ROW)),
        is_numbered=bool(operations.get(LIST)),
    )


def _read_operations(raw: bytes) -> Iterator[tuple[int, int]]:
    place = 0
    while place + 3 <= len(raw):
        operation = struct.unpack_from("<H", raw, place)[0]
        size = OPERAND_SIZES[operation >> 13]
        if operation == LONG_OPERAND:
            size = struct.unpack_from("<H", raw.ljust(place + 4, b"\0"), place + 2)[0] + 1
        elif size < 0:
            size = raw[place + 2] + 1
        yield operation, int.from_bytes(raw[place + 2 : place + 2 + min(size, 2)], "little")
        place += 2 + size


def _read_styles(table: bytes) -> dict[int, int]:
    """Return which built-in style each style is, or descends from."""
    if not table:
        return {}
    size, count, _base = struct.unpack_from("<HHH", table)
    place, kinds, bases = 2 + size, {}, {}
    for number in range(count):
        length = struct.unpack_from("<H", table, place)[0]
        if length >= STYLE_HEAD:
            kind, base = struct.unpack_from("<HH", table, place + 2)
            kinds[number], bases[number] = kind & 0xFFF, base >> 4
        place += 2 + length + length % 2
    return {number: _find_builtin(number, kinds, bases) for number in kinds}


def _find_builtin(number: int, kinds: dict[int, int], bases: dict[int, int]) -> int:
    for _ in range(len(kinds)):
        kind = kinds.get(number, 0)
        if (
            HIGHEST_HEADING <= kind <= LOWEST_HEADING
            or FIRST_CONTENTS <= kind <= LAST_CONTENTS
            or kind == TITLE
        ):
            return kind
        number = bases.get(number, -1)
    return 0


def _mark_notes(text: str, binary: Binary) -> str:
    """Write the references to notes where their marks stand."""
    marks = {}
    for label, place in (("", FOOTNOTE_PLACES), ("e", ENDNOTE_PLACES)):
        table = binary.entry(place)
        count = max(0, (len(table) - 4) // 6)
        for number, position in enumerate(struct.unpack_from(f"<{count}I", table), start=1):
            marks[position] = f"\x00{label}{number}\x01"
    return "".join(marks.get(n, char) if char == NOTE else char for n, char in enumerate(text))


def _read_paragraphs(
    text: str, pieces: list[Piece], properties: list[tuple[int, Properties]]
) -> Iterator[tuple[str, Properties]]:
    starts, piece_starts = [start for start, _ in properties], [piece.start for piece in pieces]
    position = 0
    for match in re.finditer("[^\r\x07]*[\r\x07]|[^\r\x07]+$", text):
        marks = sum(len(mark) - 1 for mark in re.findall("\x00[^\x01]*\x01", match[0]))
        position += len(match[0]) - marks
        piece = pieces[max(0, bisect_right(piece_starts, position - 1) - 1)]
        found = bisect_right(starts, piece.place(position - 1)) - 1
        yield match[0], properties[found][1] if found >= 0 else Properties()


def _write_blocks(paragraphs: list[tuple[str, Properties]], styles: dict[int, int]) -> Iterator[str]:
    rows: list[list[str]] = []
    cells: list[str] = []
    cell: list[str] = []
    for text, properties in _resolve_fields(paragraphs):
        if properties.ends_row:
            rows, cells = [*rows, cells], []
        elif properties.in_table or text.endswith("\x07"):
            cell.append(_clean(text))
            if text.endswith("\x07"):
                cells, cell = [*cells, " ".join(cell)], []
        else:
            yield write_table([*rows, cells])
            rows, cells = [], []
            yield _write_paragraph(_clean(text), properties, styles.get(properties.style, 0))
    yield write_table([*rows, cells])


def _resolve_fields(paragraphs: list[tuple[str, Properties]]) -> Iterator[tuple[str, Properties]]:
    """Leave the results of fields, also of those that begin in one paragraph and end in another."""
    for text, properties in paragraphs:
        resolved, count = text, 1
        while count:
            resolved, count = FIELD.subn(_show_result, resolved)
        yield re.sub("\x13[^\x14\x15\r\x07]*(\x14|(?=[\r\x07]))", "", resolved), properties


def _show_result(match: re.Match[str]) -> str:
    name = match[1].split()[:1]
    return "" if name and name[0].upper() in UNPRINTED_FIELDS else match[2] or ""


def _write_paragraph(text: str, properties: Properties, kind: int) -> str:
    if not text or FIRST_CONTENTS <= kind <= LAST_CONTENTS:
        return ""
    outline = properties.outline
    if outline is None and kind:
        outline = 0 if kind == TITLE else kind - 1
    if outline is None or outline >= BODY_TEXT or len(text) > MAX_HEADING:
        return escape(text)
    return f"{'#' * min(outline + 1, DEEPEST_HEADING)} {flatten(text)}"


def _read_notes(text: str, binary: Binary) -> Iterator[str]:
    start = binary.number(MAIN_LENGTH)
    footnotes = binary.number(FOOTNOTE_LENGTH)
    endnotes_start = start + footnotes + binary.number(HEADER_LENGTH) + binary.number(COMMENT_LENGTH)
    endnotes = text[endnotes_start : endnotes_start + binary.number(ENDNOTE_LENGTH)]
    for label, notes in (("", text[start : start + footnotes]), ("e", endnotes)):
        for number, note in enumerate(notes.split(NOTE)[1:], start=1):
            yield f"[^{label}{number}]: {flatten(_clean(note))}".rstrip()


def _clean(text: str) -> str:
    text = re.sub("\x00([^\x01]*)\x01", r"[^\1]", text).translate(CHARACTERS)
    return tidy(text.replace("\r", "\n"))


def _read_title(content: bytes) -> str:
    """Read the title among the properties; where they are damaged, the text is none the worse."""
    try:
        with olefile.OleFileIO(content) as container:
            metadata = container.get_metadata()
        codepage = (metadata.codepage or WESTERN) % 0x10000
        title = (metadata.title or b"").decode("utf-8" if codepage == UTF_8 else f"cp{codepage}", "replace")
    except (OSError, ValueError, TypeError, LookupError, AttributeError, struct.error):
        return ""
    return flatten(title.replace("\x00", " "))
