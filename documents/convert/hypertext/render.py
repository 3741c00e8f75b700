"""Turn the elements of a page into blocks, without recursion: pages nest as deep as they like."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from documents.convert.blocks import STARTS_WITH_MARKER, Block, Kind, is_marker, squeeze, write_table
from documents.convert.hypertext.number import list_markers
from documents.convert.hypertext.tables import is_data_table, read_table
from documents.convert.hypertext.tree import has, is_inside, text_of

HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html",
    "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "ul", *HEADINGS,
})  # fmt: skip
BREAK = "\x00"
MARKER_PIECES = 4
EMPTY_LINES = re.compile(r"\n{2,}")
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
QUOTES = ('"', "“", "„", "«", "‘", "「")


@dataclass(slots=True)
class Writer:
    """What has been written, and the paragraph that is being written."""

    blocks: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    marker: str = ""
    heading: int = 0
    quotes: int = 0
    lists: dict[etree._Element | None, Iterator[str]] = field(default_factory=dict)

    def take_term(self, definition: etree._Element) -> None:
        """Begin a definition with its term where one sentence runs through both."""
        before = definition.getprevious()
        if (
            before is None
            or before.tag != "dt"
            or not self.blocks
            or not squeeze(text_of(definition))[:1].islower()
        ):
            return
        if self.blocks[-1].kind == "paragraph":
            self.pieces.append(f"{self.blocks.pop().text} ")

    def next_marker(self, item: etree._Element) -> str:
        """Take the next of the markers that a list gives its items."""
        parent = item.getparent()
        if parent not in self.lists:
            self.lists[parent] = list_markers(parent)
        return next(self.lists[parent], "")

    def add(self, text: str) -> None:
        if 0 < len(self.pieces) <= MARKER_PIECES and is_unspaced("".join(self.pieces), text):
            self.pieces.append(" ")
        self.pieces.append(text)

    def flush(self) -> None:
        """End the paragraph, put the number of its list item in front, and begin another."""
        lines = [squeeze(line) for line in "".join(self.pieces).split(BREAK)]
        self.pieces.clear()
        text = "\n".join(lines).strip("\n")
        for part in split_heading(text) if self.heading else EMPTY_LINES.split(text):
            if part:
                self.blocks.append(self.finished(part))

    def finished(self, text: str) -> Block:
        marker, self.marker = self.marker, ""
        kind: Kind = "heading" if self.heading else ("item" if marker.strip() == "-" else "paragraph")
        return Block(
            f"{'' if self.heading and kind == 'item' else marker}{text}", kind, self.heading, self.quotes > 0
        )


def is_unspaced(before: str, text: str) -> bool:
    """See whether only a style sheet parts a number from its text; editors split words into pieces, too."""
    marker = before.strip()
    if before[-1:].isspace() or not text[:1].isalpha() or not is_marker(marker):
        return False
    return not marker.isdigit() or len(text.strip()) > len("4th")


def split_heading(text: str) -> list[str]:
    """Part a heading whose second line has a number of its own: the act, then its section."""
    first, _, rest = text.partition("\n")
    return [first, rest] if STARTS_WITH_MARKER.match(rest) and not is_marker(first) else [text]


def render_blocks(root: etree._Element) -> list[Block]:
    """Walk the page once, starting and ending blocks where elements do."""
    write_superscripts(root)
    writer = Writer()
    done: set[etree._Element] = set()
    for event, element in walk(root, done):
        if event == "start":
            start(writer, element, done)
        elif event == "end":
            end(writer, element, done)
        else:
            writer.add(event.removeprefix("text:"))
    writer.flush()
    return writer.blocks


def walk(root: etree._Element, done: set[etree._Element]) -> Iterator[tuple[str, etree._Element]]:
    """Yield each element's start, texts and end; the insides of those in `done` are skipped."""
    stack: list[tuple[etree._Element, Iterator[etree._Element]]] = []
    yield "start", root
    stack.append((root, iter(root)))
    if root.text:
        yield f"text:{root.text}", root
    while stack:
        parent, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield "end", parent
            if stack and parent.tail:
                yield f"text:{parent.tail}", parent
        else:
            yield "start", child
            if child in done:
                stack.append((child, iter(())))
                continue
            stack.append((child, iter(child)))
            if child.text:
                yield f"text:{child.text}", child


def start(writer: Writer, element: etree._Element, done: set[etree._Element]) -> None:
    tag = str(element.tag)
    if tag in BLOCKS:
        writer.flush()
    if tag in HEADINGS:
        writer.heading = HEADINGS[tag]
    elif tag == "li":
        writer.marker = writer.next_marker(element)
    elif tag == "blockquote":
        writer.quotes += is_quotation(element)
    elif tag == "br":
        writer.pieces.append(BREAK)
    elif tag == "q":
        writer.add("“")
    elif tag == "dd":
        writer.take_term(element)
    elif tag in {"pre", "table"} and render_whole(writer, element):
        done.add(element)


def render_whole(writer: Writer, element: etree._Element) -> bool:
    """Write at once what is not made of paragraphs; false leaves the element to be walked through."""
    if element.tag == "pre":
        writer.blocks.extend(verbatim(element))
        return True
    if not is_data_table(element):
        return False
    caption, rows = read_table(element)
    if caption:
        writer.blocks.append(Block(caption))
    writer.blocks.append(Block(write_table(rows), "table"))
    return True


def verbatim(element: etree._Element) -> Iterator[Block]:
    """Keep the lines of typewritten text; blank ones part its paragraphs."""
    text = textwrap.dedent(text_of(element).replace("\xa0", " ").replace("\r\n", "\n").expandtabs())
    for part in text.split("\n\n"):
        if part.strip():
            yield Block("\n".join(line.rstrip() for line in part.strip("\n").split("\n")), "verbatim")


def write_superscripts(root: etree._Element) -> None:
    """Bracket the numbers of notes and raise other figures: article 5¹ is not article 51."""
    for element in root.iter("sup"):
        text = squeeze(text_of(element))
        if text.isascii() and text.isdigit():
            note = has(element, "a") or is_inside(element, "a")
            del element[:]
            element.text = f"[{text}]" if note else raise_number(element, text)


def raise_number(element: etree._Element, text: str) -> str:
    """Raise a figure, unless it begins its paragraph: Swiss acts print the numbers of paragraphs so."""
    parent = element.getparent()
    if parent is None or parent.tag not in BLOCKS or element.getprevious() is not None:
        return text.translate(SUPERSCRIPTS)
    return text.translate(SUPERSCRIPTS) if (parent.text or "").strip() else f"{text} "


def end(writer: Writer, element: etree._Element, done: set[etree._Element]) -> None:
    tag = str(element.tag)
    if tag in BLOCKS:
        writer.flush()
    if tag in HEADINGS:
        writer.heading = 0
    elif tag == "li":
        writer.marker = ""
    elif tag == "blockquote":
        writer.quotes -= is_quotation(element)
    elif tag == "q":
        writer.add("”")


def is_quotation(element: etree._Element) -> bool:
    """Tell a quotation from an indent, for which many pages of law use this element."""
    return "cite" in element.attrib or squeeze(text_of(element))[:1] in QUOTES
