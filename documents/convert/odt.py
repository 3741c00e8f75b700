"""Read OpenDocument text with its lists and headings numbered as printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from documents.convert.blocks import MAX_HEADING
from documents.convert.converted import Converted
from documents.convert.docx.body import DEEPEST_HEADING, escape
from documents.convert.docx.inline import ENDNOTE, FOOTNOTE, Notes, flatten, tidy
from documents.convert.docx.numbering import BULLET, SEPARATORS, Counters, Level, List
from documents.convert.docx.package import Package, parse_xml
from documents.convert.docx.tables import MAX_SPAN, write_table
from documents.errors import Encrypted, NoText, Unreadable

ODF = "{urn:oasis:names:tc:opendocument:xmlns:"
TEXT, STYLE, TABLE, OFFICE = (
    f"{ODF}text:1.0}}",
    f"{ODF}style:1.0}}",
    f"{ODF}table:1.0}}",
    f"{ODF}office:1.0}}",
)
DRAW, MANIFEST = f"{ODF}drawing:1.0}}", f"{ODF}manifest:1.0}}"
EXTENSION = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
TITLE = "{http://purl.org/dc/elements/1.1/}title"
NUMERALS = {
    "": "none", "1": "decimal", "i": "lowerRoman", "I": "upperRoman", "1st": "ordinal", "One": "cardinalText",
    "First": "ordinalText", "01, 02, 03, ...": "decimalZero", "一, 二, 三, ...": "chineseCountingThousand",
    "①, ②, ③, ...": "decimalEnclosedCircle", "１, ２, ３, ...": "decimalFullWidth",
    "壹, 贰, 叁, ...": "chineseLegalSimplified", "壹, 貳, 參, ...": "ideographLegalTraditional",
    "甲, 乙, 丙, ...": "ideographTraditional", "子, 丑, 寅, ...": "ideographZodiac",
    "ア, イ, ウ, ...": "aiueoFullWidth", "イ, ロ, ハ, ...": "irohaFullWidth", "ｱ, ｲ, ｳ, ...": "aiueo",
    "ｲ, ﾛ, ﾊ, ...": "iroha", "가, 나, 다, ...": "ganada", "ㄱ, ㄴ, ㄷ, ...": "chosung",
    "일, 이, 삼, ...": "koreanCounting", "А, Б, .., Аа, Бб, ... (ru)": "russianUpper",
}  # fmt: skip
SKIPPED_TEXT = (
    "tracked-changes", "sequence-decls", "variable-decls", "user-field-decls", "table-of-content",
    "illustration-index", "table-index", "alphabetical-index", "object-index", "user-index", "page-number",
    "page-count", "number", "note-citation", "hidden-text", "ruby-text", "toc-mark",
)  # fmt: skip
SKIPPED = {f"{TEXT}{name}" for name in SKIPPED_TEXT}
SKIPPED |= {f"{OFFICE}annotation", f"{OFFICE}forms", f"{DRAW}object", f"{DRAW}image"}
BROKEN_KIND = (
    "The file is not an OpenDocument text. Give it the ending of its real format, or save it as ODT."
)


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    parent: str = ""
    name: str = ""
    list_style: str | None = None
    hidden: bool | None = None


@dataclass(slots=True)
class Item:
    """The list item that is being read: only its first paragraph bears the number."""

    style: str
    counter: str
    level: int
    start: int | None = None
    is_counted: bool = True


@dataclass(slots=True)
class Styles:
    """The styles of both parts that have them."""

    paragraphs: dict[str, ParagraphStyle] = field(default_factory=dict)
    lists: dict[str, dict[int, Level]] = field(default_factory=dict)
    outline: dict[int, Level] = field(default_factory=dict)

    def add(self, root: etree._Element | None) -> None:
        for element in (
            () if root is None else root.iter(f"{STYLE}style", f"{TEXT}list-style", f"{TEXT}outline-style")
        ):
            if element.tag == f"{STYLE}style":
                self.paragraphs[element.get(f"{STYLE}name", "")] = _read_style(element)
            elif element.tag == f"{TEXT}outline-style":
                self.outline = _read_levels(element)
            else:
                self.lists[element.get(f"{STYLE}name", "")] = _read_levels(element)

    def chain(self, name: str) -> Iterator[ParagraphStyle]:
        seen: set[str] = set()
        while name in self.paragraphs and name not in seen:
            seen.add(name)
            yield self.paragraphs[name]
            name = self.paragraphs[name].parent

    def is_title(self, name: str) -> bool:
        own = self.paragraphs.get(name)
        named = {name, own.name, own.parent} if own else {name}
        return "Title" in named

    def is_hidden(self, name: str) -> bool:
        return next((style.hidden for style in self.chain(name) if style.hidden is not None), False)

    def list_style(self, name: str) -> str | None:
        return next((style.list_style for style in self.chain(name) if style.list_style is not None), None)


class Reader:
    """Reads blocks in the order of the document."""

    def __init__(self, styles: Styles) -> None:
        self.title = ""
        self._styles = styles
        self._counters = Counters()
        self._notes = Notes()
        self._note_bodies: dict[str, etree._Element] = {}
        self._boxes: list[etree._Element] = []
        self._roots: dict[str, str] = {}
        self._last_of_style: dict[str, str] = {}
        self._readers: dict[str, Callable[[etree._Element], str]] = {
            f"{TEXT}s": lambda _element: " ",
            f"{TEXT}tab": lambda _element: " ",
            f"{TEXT}line-break": lambda _element: "\n",
            f"{TEXT}note": self._read_note,
            f"{DRAW}text-box": self._keep_box,
        }

    def read_blocks(self, parent: etree._Element, item: Item | None = None) -> Iterator[str]:
        for element in parent:
            if element.tag in SKIPPED or element.get(f"{TEXT}display") == "none":
                continue
            if element.tag in (f"{TEXT}p", f"{TEXT}h"):
                yield from self._read_paragraph(element, item)
            elif element.tag == f"{TEXT}list":
                yield from self._read_list(element, item)
            elif element.tag == f"{TABLE}table":
                yield write_table(self._read_rows(element))
            else:
                yield from self.read_blocks(element, item)

    def read_notes(self) -> Iterator[str]:
        for kind in (FOOTNOTE, ENDNOTE):
            for (known, note_id), label in list(self._notes.found.items()):
                if known == kind:
                    yield f"{label}: {self._read_flat(self._note_bodies[note_id])}".rstrip()

    def _read_paragraph(self, element: etree._Element, item: Item | None) -> Iterator[str]:
        self._boxes = []
        style = element.get(f"{TEXT}style-name", "")
        text = "" if self._styles.is_hidden(style) else tidy(self._read_text(element))
        boxes = self._boxes
        number = self._count(element, style, item)
        if text or number.strip() not in ("", BULLET):
            yield self._write_paragraph(element, style, text, number)
        for box in boxes:
            yield from self.read_blocks(box)

    def _write_paragraph(self, element: etree._Element, style: str, text: str, number: str) -> str:
        level = _integer(element, f"{TEXT}outline-level", 1) if element.tag == f"{TEXT}h" else 0
        if self._styles.is_title(style):
            self.title, level = self.title or flatten(text), 1
        if not level or len(text) > MAX_HEADING:
            return escape(number + text).rstrip()
        number = "" if number.strip() == BULLET else number
        return f"{'#' * min(level, DEEPEST_HEADING)} {number}{flatten(text)}".rstrip()

    def _count(self, element: etree._Element, style: str, item: Item | None) -> str:
        if item is not None:
            return self._count_item(item, style)
        if element.tag != f"{TEXT}h" or element.get(f"{TEXT}is-list-header") == "true":
            return ""
        level = _integer(element, f"{TEXT}outline-level", 1) - 1
        if self._styles.list_style(style) == "" or level not in self._styles.outline:
            return ""
        numbered = List(id="outline", counter="outline", levels=self._styles.outline)
        if element.get(f"{TEXT}restart-numbering") == "true":
            self._counters.restart(numbered, level, _integer(element, f"{TEXT}start-value", 1))
        return self._counters.advance(numbered, level)

    def _count_item(self, item: Item, style: str) -> str:
        levels = self._styles.lists.get(item.style or self._styles.list_style(style) or "", {})
        if not item.is_counted or item.level not in levels:
            return ""
        item.is_counted = False
        numbered = List(id=item.counter, counter=item.counter, levels=levels)
        if item.start is not None:
            self._counters.restart(numbered, item.level, item.start)
        return self._counters.advance(numbered, item.level)

    def _read_list(self, element: etree._Element, outer: Item | None) -> Iterator[str]:
        style = element.get(f"{TEXT}style-name", "") or (outer.style if outer else "")
        counter = outer.counter if outer else self._find_counter(element, style)
        level = outer.level + 1 if outer else 0
        for child in element:
            item = Item(
                style=child.get(f"{TEXT}style-override", style),
                counter=counter,
                level=level,
                start=_integer(child, f"{TEXT}start-value", -1)
                if f"{TEXT}start-value" in child.attrib
                else None,
                is_counted=child.tag == f"{TEXT}list-item",
            )
            yield from self.read_blocks(child, item)

    def _find_counter(self, element: etree._Element, style: str) -> str:
        """Return whose count a list continues, or a new one."""
        own = f"list {len(self._roots)}"
        continued = element.get(f"{TEXT}continue-list", "")
        if continued in self._roots:
            own = self._roots[continued]
        elif element.get(f"{TEXT}continue-numbering") == "true":
            own = self._last_of_style.get(style, own)
        self._roots[element.get(XML_ID, own)] = own
        self._last_of_style[style] = own
        return own

    def _read_rows(self, table: etree._Element) -> list[list[str]]:
        spans: dict[int, tuple[int, str]] = {}
        rows = (row for row in table.iter(f"{TABLE}table-row") if _table_of(row) is table)
        return [self._read_row(row, spans) for row in rows]

    def _read_row(self, row: etree._Element, spans: dict[int, tuple[int, str]]) -> list[str]:
        """Read cells; those covered by a cell above repeat its text."""
        texts: list[str] = []
        for cell in row:
            repeated = min(_integer(cell, f"{TABLE}number-columns-repeated", 1), MAX_SPAN)
            for _ in range(repeated):
                left, above = spans.get(len(texts), (0, ""))
                is_covered = cell.tag == f"{TABLE}covered-table-cell"
                text = above if is_covered and left else self._read_flat(cell)
                left = left - 1 if is_covered else _integer(cell, f"{TABLE}number-rows-spanned", 1) - 1
                spans[len(texts)] = (max(left, 0), text)
                texts.append(text)
        return texts

    def _read_flat(self, parent: etree._Element) -> str:
        blocks = (re.sub(r"^#+ ", "", block) for block in self.read_blocks(parent))
        return flatten(" ".join(block.replace("|---", "").replace("|", " ") for block in blocks))

    def _read_text(self, element: etree._Element) -> str:
        parts = [_collapse(element.text)]
        for child in element:
            parts += [self._read_inline(child), _collapse(child.tail)]
        return "".join(parts)

    def _read_inline(self, element: etree._Element) -> str:
        if element.tag in self._readers:
            return self._readers[element.tag](element)
        is_hidden = element.tag in SKIPPED or self._styles.is_hidden(element.get(f"{TEXT}style-name", ""))
        return "" if is_hidden else self._read_text(element)

    def _read_note(self, note: etree._Element) -> str:
        body = note.find(f"{TEXT}note-body")
        if body is None:
            return ""
        note_id = str(len(self._note_bodies))
        self._note_bodies[note_id] = body
        return self._notes.refer(ENDNOTE if note.get(f"{TEXT}note-class") == "endnote" else FOOTNOTE, note_id)

    def _keep_box(self, element: etree._Element) -> str:
        self._boxes.append(element)
        return ""


def convert_odt(content: bytes, name: str) -> Converted:
    """Convert an OpenDocument text, packed or flat."""
    roots = [parse_xml(content)] if content.lstrip().startswith(b"<") else _open(content)
    body = next(
        (body for root in roots if (body := root.find(f"{OFFICE}body/{OFFICE}text")) is not None), None
    )
    if body is None:
        raise Unreadable(BROKEN_KIND)
    styles = Styles()
    for root in roots:
        styles.add(root)
    try:
        return _convert(Reader(styles), body, roots)
    except RecursionError as error:
        raise Unreadable("The file nests its parts too deeply. Save it again in a word processor.") from error


def _open(content: bytes) -> list[etree._Element]:
    package = Package(content)
    _refuse_encrypted(package)
    return [package.read_xml(part) for part in ("styles.xml", "content.xml", "meta.xml") if part in package]


def _convert(reader: Reader, body: etree._Element, roots: list[etree._Element]) -> Converted:
    blocks = [*reader.read_blocks(body)]
    text = "\n\n".join(filter(None, [*blocks, *reader.read_notes()]))
    if not text:
        raise NoText("There is no text in the file. If it holds scanned pages, recognize their text first.")
    titles = (flatten(e.text or "") for root in roots for e in root.iterfind(f"{OFFICE}meta/{TITLE}"))
    return Converted(text=text, title=next(titles, "") or reader.title)


def _refuse_encrypted(package: Package) -> None:
    manifest = package.find_xml("META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter(f"{MANIFEST}encryption-data"), None) is not None:
        raise Encrypted("The file is protected by a password. Remove the password and upload it again.")


def _read_style(element: etree._Element) -> ParagraphStyle:
    text = element.find(f"{STYLE}text-properties")
    display = None if text is None else text.get(f"{TEXT}display")
    return ParagraphStyle(
        parent=element.get(f"{STYLE}parent-style-name", ""),
        name=element.get(f"{STYLE}display-name", ""),
        list_style=element.get(f"{STYLE}list-style-name"),
        hidden=None if display is None else display == "none",
    )


def _read_levels(element: etree._Element) -> dict[int, Level]:
    formats = {_integer(child, f"{TEXT}level", 1): child.get(f"{STYLE}num-format", "") for child in element}
    return {_integer(child, f"{TEXT}level", 1) - 1: _read_level(child, formats) for child in element}


def _read_level(element: etree._Element, formats: dict[int, str]) -> Level:
    alignment = element.find(f"{STYLE}list-level-properties/{STYLE}list-level-label-alignment")
    followed = "listtab" if alignment is None else alignment.get(f"{TEXT}label-followed-by", "listtab")
    if not element.tag.endswith("-number") and not element.tag.endswith("outline-level-style"):
        return Level(style="bullet", pattern="•")
    return Level(
        start=_integer(element, f"{TEXT}start-value", 1),
        style=_read_format(element),
        pattern=_read_pattern(element, formats),
        separator=SEPARATORS.get(followed, " "),
    )


def _read_format(element: etree._Element) -> str:
    written = element.get(f"{STYLE}num-format", "")
    if written in ("a", "A"):
        case = "lower" if written == "a" else "upper"
        return f"{case}{'Letter' if element.get(f'{STYLE}num-letter-sync') == 'true' else 'Positional'}"
    return NUMERALS.get(written, "decimal")


def _read_pattern(element: etree._Element, formats: dict[int, str]) -> str:
    """Return the pattern as Word would write it: `%1.%2`."""
    written = element.get(f"{EXTENSION}num-list-format")
    if written is not None:
        return re.sub("%([0-9]+)%", r"%\1", written)
    level = _integer(element, f"{TEXT}level", 1)
    shown = range(max(1, level - _integer(element, f"{TEXT}display-levels", 1) + 1), level + 1)
    numbers = ".".join(f"%{number}" for number in shown if formats.get(number))
    return element.get(f"{STYLE}num-prefix", "") + numbers + element.get(f"{STYLE}num-suffix", "")


def _table_of(row: etree._Element) -> etree._Element | None:
    return next(row.iterancestors(f"{TABLE}table"), None)


def _integer(element: etree._Element, name: str, default: int) -> int:
    try:
        return int(element.get(name, ""))
    except ValueError:
        return default


def _collapse(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")
