"""Read XML of any vocabulary by what its elements are called and how they hold text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from documents.convert.blocks import Block, squeeze, write_markdown, write_table
from documents.convert.converted import Converted
from documents.convert.xmltree import local_name, parse_xml

NUMBER = re.compile(
    r"num|number|no|nr|dt|enum|label|pnumber|designator|designation|marker|ordinal|enbez|no\.\w+"
)
TITLE = re.compile(
    r"title|titel|titletext|heading|head|caption|subtitle|rubric|catchline|marginalnote|s?ti(?:\.\w+)?|h[1-6]|"
    r"(?:long|short|doc|section|chapter|part)title"
)
DIVISION = re.compile(r"(?:sub)?(?:part|chapter|division|title|book)|schedule|annex|appendix")
POINT = re.compile(r"(?:sub)*(?:section|paragraph|clause|item|point)|p[2-9]|indent|alinea")
WITHOUT_TEXT = re.compile(r"meta|metadata|identification|proprietary|lifecycle|style|script|xref-index")
ROWS, CELLS = ("row", "tr"), ("entry", "td", "th", "cell")
MAX_TITLE = 200
MAX_NUMBER = 40


@dataclass(slots=True)
class Reader:
    """Where in the document the reading is: the depth of headings and the number still to be printed."""

    depth: int = 0
    number: list[str] = field(default_factory=list)

    def take_number(self, text: str) -> str:
        numbered = " ".join([*self.number, text])
        self.number.clear()
        return numbered


def convert_xml(content: bytes, name: str) -> Converted:
    root = parse_xml(content)
    blocks = [block for block in read_element(root, Reader()) if block.text]
    title = next((block.text for block in blocks if block.kind == "heading"), "")
    return Converted(text=write_markdown(blocks), title=title)


def read_element(element: etree._Element, reader: Reader) -> Iterator[Block]:
    """Read a table, a paragraph, or the parts of what is neither."""
    name = local_name(element)
    if WITHOUT_TEXT.fullmatch(name):
        return
    if name in {"table", "tgroup"} and (rows := read_rows(element)):
        yield Block(write_table(rows), "table")
    elif NUMBER.fullmatch(name) and len(text_of(element)) < MAX_NUMBER:
        reader.number.extend(filter(None, [squeeze(text_of(element))]))
    elif is_paragraph(element):
        yield from read_paragraph(element, reader)
    else:
        yield from read_container(element, reader)


def is_paragraph(element: etree._Element) -> bool:
    """Take an element with words of its own, or with nothing but words in marks, for a paragraph."""
    texts = [element.text, *(child.tail for child in element)]
    return any(text and text.strip() for text in texts) or len(element) == 0


def read_paragraph(element: etree._Element, reader: Reader) -> Iterator[Block]:
    """Write the text up to the first child that has structure of its own, then that child, and so on."""
    text = element.text or ""
    for child in element:
        if is_structured(child):
            yield from as_paragraph(text, reader)
            yield from read_element(child, reader)
            text = ""
        else:
            text += text_of(child)
        text += child.tail or ""
    yield from as_paragraph(text, reader)


def as_paragraph(text: str, reader: Reader) -> Iterator[Block]:
    if words := squeeze(text):
        yield Block(reader.take_number(words))


def is_structured(element: etree._Element) -> bool:
    """See whether an element holds numbers, rows or several paragraphs rather than words of a sentence."""
    names = [local_name(child) for child in element.iter(etree.Element) if child is not element]
    return any(
        NUMBER.fullmatch(name) or name in {*ROWS, "p", "para", "item", "li", "la", "listitem"}
        for name in names
    )


def text_of(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


def read_container(element: etree._Element, reader: Reader) -> Iterator[Block]:
    """Put number and title in front, as a heading if there is a title, and read the rest below it."""
    children = list(element)
    number = next((child for child in children[:3] if is_number(child)), None)
    title = find_title(element, children, number)
    if number is not None and (printed := print_number(element, squeeze(text_of(number)), title is not None)):
        reader.number.append(printed)
    if title is not None:
        yield Block(reader.take_number(squeeze(text_of(title))), "heading", reader.depth + 1)
        reader.depth += 1
    for child in children:
        if child is not number and child is not title:
            yield from read_element(child, reader)
    reader.depth -= title is not None
    if reader.number and number is not None:
        yield Block(reader.take_number("").strip())


def is_number(element: etree._Element) -> bool:
    name = local_name(element)
    return name != "dt" and NUMBER.fullmatch(name) is not None


def find_title(
    element: etree._Element, children: list[etree._Element], number: etree._Element | None
) -> etree._Element | None:
    """Find the title among the first parts; that of a division may be called a mere text."""
    for child in children[:4]:
        if TITLE.fullmatch(local_name(child)) and squeeze(text_of(child)) and not is_structured(child):
            return child
    rest = [child for child in children if child is not number]
    if number is None or not DIVISION.fullmatch(local_name(element)) or len(rest) < 2:  # noqa: PLR2004
        return None
    text = squeeze(text_of(rest[0]))
    is_short = 0 < len(text) < MAX_TITLE and text[-1] not in ".;:," and not is_structured(rest[0])
    return rest[0] if is_short else None


def print_number(element: etree._Element, number: str, has_title: bool) -> str:
    """Give a bare number the look it has in print: "Part 1" of a part, "(a)" of a paragraph."""
    name = local_name(element)
    if not re.fullmatch(r"\w{1,6}(?:\.\d{1,3})?", number):
        return number
    if DIVISION.fullmatch(name):
        return f"{name.capitalize()} {number}"
    return f"({number})" if POINT.fullmatch(name) and name != "section" and not has_title else number


def read_rows(table: etree._Element) -> list[list[str]]:
    rows = [row for row in table.iter(etree.Element) if local_name(row) in ROWS]
    return [[squeeze(text_of(cell)) for cell in row if local_name(cell) in CELLS] for row in rows]
