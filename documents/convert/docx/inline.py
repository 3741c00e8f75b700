"""Read the words of a paragraph: what is printed, and nothing that is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from documents.convert.docx.names import MATH, WORD, find, is_on, iterate, value_of
from documents.convert.docx.styles import Styles
from documents.convert.docx.symbols import read_symbol

# Their results are page numbers, or whole tables of them.
UNPRINTED_FIELDS = {"PAGE", "NUMPAGES", "SECTIONPAGES", "PAGEREF", "TOC", "TOA", "INDEX"}
SPACES = re.compile("[^\\S\n]+")
INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1f]")
NO_BREAK_HYPHEN = "\u2011"
FOOTNOTE, ENDNOTE = "footnote", "endnote"


@dataclass(slots=True)
class Field:
    """A field that has begun: first its instruction, then its result."""

    instruction: str = ""
    has_result: bool = False

    @property
    def is_printed(self) -> bool:
        name = self.instruction.split()[:1]
        return self.has_result and not (name and name[0].upper() in UNPRINTED_FIELDS)


@dataclass(slots=True)
class Notes:
    """The notes that have been referred to, in the order of their references."""

    found: dict[tuple[str, str], str] = field(default_factory=dict)

    def refer(self, kind: str, note_id: str) -> str:
        count = sum(known == kind for known, _ in self.found) + 1
        label = f"[^{'e' if kind == ENDNOTE else ''}{count}]"
        return self.found.setdefault((kind, note_id), label)


@dataclass(slots=True)
class Words:
    """The text of a paragraph and the text boxes that hang on it."""

    text: str
    boxes: list[etree._Element]


class InlineReader:
    """Reads one paragraph after another: fields may begin in one and end in another."""

    def __init__(self, styles: Styles, notes: Notes, *, fields_are_balanced: bool = True) -> None:
        self._styles = styles
        self._notes = notes
        self._balanced = fields_are_balanced
        self._fields: list[Field] = []
        self._boxes: list[etree._Element] = []
        self._paragraph_style = ""
        self._readers: dict[str, Callable[[etree._Element], str]] = {
            f"{WORD}r": self._read_run,
            f"{WORD}fldSimple": self._read_simple_field,
            f"{WORD}t": lambda element: (element.text or "").replace("\n", " "),
            f"{WORD}tab": lambda _element: " ",
            f"{WORD}ptab": lambda _element: " ",
            f"{WORD}br": lambda element: " " if element.get(f"{WORD}type") in ("page", "column") else "\n",
            f"{WORD}cr": lambda _element: "\n",
            f"{WORD}noBreakHyphen": lambda _element: "-",
            f"{WORD}sym": lambda e: read_symbol(e.get(f"{WORD}font", ""), e.get(f"{WORD}char", "")),
            f"{WORD}footnoteReference": lambda e: self._notes.refer(FOOTNOTE, e.get(f"{WORD}id", "")),
            f"{WORD}endnoteReference": lambda e: self._notes.refer(ENDNOTE, e.get(f"{WORD}id", "")),
            f"{WORD}ruby": self._read_ruby,
            f"{WORD}fldChar": self._read_field_mark,
            f"{WORD}instrText": self._read_instruction,
            f"{WORD}drawing": self._keep_boxes,
            f"{WORD}pict": self._keep_boxes,
            f"{WORD}object": self._keep_boxes,
            f"{WORD}tbl": self._keep_box,
            f"{MATH}oMath": read_formula,
            f"{MATH}oMathPara": read_formula,
        }

    def read(self, paragraph: etree._Element) -> Words:
        if not self._balanced:
            self._fields.clear()
        self._boxes = []
        self._paragraph_style = self._styles.style_of(paragraph)
        text = self._read_children(paragraph)
        return Words(text=text, boxes=self._boxes)

    def _read_children(self, element: etree._Element) -> str:
        return "".join(self._read_element(child) for child in iterate(element))

    def _read_element(self, element: etree._Element) -> str:
        read = self._readers.get(element.tag)
        if read is None:
            return ""
        text = read(element)
        return text if all(entered.is_printed for entered in self._fields) else ""

    def _read_run(self, run: etree._Element) -> str:
        text = self._read_children(run)
        return "" if self._is_hidden(run) else text

    def _is_hidden(self, run: etree._Element) -> bool:
        properties = find(run, "rPr")
        own = is_on(properties, "vanish")
        if own is not None:
            return own
        return self._styles.is_hidden(value_of(properties, "rStyle"), self._paragraph_style)

    def _read_simple_field(self, element: etree._Element) -> str:
        entered = Field(element.get(f"{WORD}instr", ""), has_result=True)
        text = self._read_children(element)
        return text if entered.is_printed else ""

    def _read_field_mark(self, mark: etree._Element) -> str:
        kind = mark.get(f"{WORD}fldCharType")
        if kind == "begin":
            self._fields.append(Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].has_result = True
        elif kind == "end" and self._fields:
            self._fields.pop()
        return ""

    def _read_instruction(self, element: etree._Element) -> str:
        if self._fields and not self._fields[-1].has_result:
            self._fields[-1].instruction += element.text or ""
        return ""

    def _read_ruby(self, ruby: etree._Element) -> str:
        """Read the base text; the small reading aid above it is not part of the sentence."""
        base = find(ruby, "rubyBase")
        return "" if base is None else self._read_children(base)

    def _keep_boxes(self, element: etree._Element) -> str:
        self._boxes.extend(_find_boxes(element))
        return ""

    def _keep_box(self, element: etree._Element) -> str:
        self._boxes.append(element)
        return ""


def _find_boxes(element: etree._Element) -> Iterator[etree._Element]:
    """Yield the outermost text boxes; those inside them are read with their text."""
    for child in iterate(element):
        if child.tag == f"{WORD}txbxContent":
            yield child
        else:
            yield from _find_boxes(child)


def read_formula(element: etree._Element) -> str:
    """Write a formula on one line."""
    name = etree.QName(element).localname
    parts = [read_formula(child) for child in element]
    if name == "t":
        return element.text or ""
    joints = {"f": "/", "sSup": "^", "sSub": "_", "rad": "√"}
    if name in joints:
        return joints[name].join(filter(None, parts)) if name != "rad" else f"√({''.join(parts)})"
    return "".join(parts)


def tidy(text: str) -> str:
    """Leave one space between words, line breaks where they are, and hyphens that can be searched."""
    text = SPACES.sub(" ", INVISIBLE.sub("", text)).replace(NO_BREAK_HYPHEN, "-")
    return "\n".join(line for line in (part.strip() for part in text.split("\n")) if line)


def flatten(text: str) -> str:
    return " ".join(text.split())
