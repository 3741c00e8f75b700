"""Read what styles say about the paragraphs that wear them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from documents.convert.docx.names import WORD, find, is_on, number_of, value_of

BODY_TEXT = 9  # The outline level of what is not a heading.
HEADING_NAME = re.compile(r"heading\s*([1-9])$")
CONTENTS_NAME = re.compile(r"((toc|contents)( ?\d| heading)|table of (figures|authorities))$")


@dataclass(frozen=True, slots=True)
class Style:
    """One style, with None for what it leaves to the style it is based on."""

    id: str
    name: str = ""
    based_on: str = ""
    outline: int | None = None
    num_id: str | None = None
    level: int | None = None
    hidden: bool | None = None


class Styles:
    """All styles of a document; what is asked is answered along the chain of base styles."""

    def __init__(self, root: etree._Element | None) -> None:
        elements = [] if root is None else root.findall(f"{WORD}style")
        self._styles = {style.id: style for style in map(_read_style, elements)}
        self._default = next((_style_id(e) for e in elements if _is_default_paragraph(e)), "")

    def style_of(self, paragraph: etree._Element) -> str:
        return value_of(paragraph, "pPr/pStyle") or self._default

    def chain(self, style_id: str) -> Iterator[Style]:
        seen: set[str] = set()
        while style_id in self._styles and style_id not in seen:
            seen.add(style_id)
            yield self._styles[style_id]
            style_id = self._styles[style_id].based_on

    def outline(self, style_id: str) -> int | None:
        """Return the outline level, 0 for the highest."""
        for style in self.chain(style_id):
            if style.outline is not None:
                return None if style.outline >= BODY_TEXT else style.outline
            if match := HEADING_NAME.match(style.name):
                return int(match[1]) - 1
        return None

    def is_title(self, style_id: str) -> bool:
        return style_id in self._styles and self._styles[style_id].name == "title"

    def is_contents(self, style_id: str) -> bool:
        return any(CONTENTS_NAME.match(style.name) for style in self.chain(style_id))

    def is_hidden(self, *style_ids: str) -> bool:
        """Tell whether the first style that has a say hides its text."""
        chains = (style for style_id in style_ids for style in self.chain(style_id))
        return next((style.hidden for style in chains if style.hidden is not None), False)


def _read_style(element: etree._Element) -> Style:
    return Style(
        id=_style_id(element),
        name=value_of(element, "name").strip().lower(),
        based_on=value_of(element, "basedOn"),
        outline=number_of(element, "pPr/outlineLvl"),
        num_id=value_of(element, "pPr/numPr/numId") or None,
        level=number_of(element, "pPr/numPr/ilvl"),
        hidden=is_on(element, "rPr/vanish"),
    )


def _style_id(element: etree._Element) -> str:
    return element.get(f"{WORD}styleId", "")


def _is_default_paragraph(element: etree._Element) -> bool:
    is_paragraph = element.get(f"{WORD}type") == "paragraph"
    return is_paragraph and element.get(f"{WORD}default") in ("1", "true", "on")


def outline_of(paragraph: etree._Element, styles: Styles) -> int | None:
    """Return the outline level of a paragraph, which its own properties decide before its style."""
    own = number_of(paragraph, "pPr/outlineLvl")
    if own is not None:
        return None if own >= BODY_TEXT else own
    return styles.outline(styles.style_of(paragraph))


def is_mark_hidden(paragraph: etree._Element, styles: Styles) -> bool:
    own = is_on(find(paragraph, "pPr"), "rPr/vanish")
    return styles.is_hidden(styles.style_of(paragraph)) if own is None else own
