"""The number that a browser prints before an item of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from documents.convert.blocks import STARTS_WITH_MARKER, squeeze
from documents.roman import write_roman

NO_MARKER = re.compile(r"list-style(?:-type)?\s*:[^;]*\bnone\b", re.IGNORECASE)
STYLE_TYPE = re.compile(r"list-style(?:-type)?\s*:[^;]*?\b(lower-alpha|lower-latin|upper-alpha|upper-latin|"
                        r"lower-roman|upper-roman|decimal)\b", re.IGNORECASE)  # fmt: skip
STYLES = {"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A", "lower-roman": "i",
          "upper-roman": "I", "decimal": "1"}  # fmt: skip
MAX_ROMAN = 4000


def list_markers(parent: etree._Element | None) -> Iterator[str]:
    """Yield for each item its marker with the space after it, or nothing where none is shown."""
    items = [] if parent is None else parent.findall("li")
    if parent is None or is_unmarked(parent, items):
        return
    numbers = count_items(parent, items)
    bullet = "  " * sum(1 for _ in parent.iterancestors("ul")) + "- "
    for item, number in zip(items, numbers, strict=True):
        if NO_MARKER.search(item.get("style", "")) or is_numbered(item):
            yield ""
        else:
            yield f"{write_number(number, list_type(item, parent))}. " if parent.tag == "ol" else bullet


def is_unmarked(parent: etree._Element, items: list[etree._Element]) -> bool:
    """See which lists print no markers, or have them in their texts."""
    numbered = [is_numbered(item) for item in items[:50]]
    return NO_MARKER.search(parent.get("style", "")) is not None or sum(numbered) * 2 > len(numbered)


def is_numbered(item: etree._Element) -> bool:
    return STARTS_WITH_MARKER.match(begin_of(item)) is not None


def begin_of(item: etree._Element) -> str:
    text = ""
    for piece in item.itertext():
        text += str(piece)
        if len(text.strip()) > 12:  # noqa: PLR2004
            break
    return squeeze(text) + " "


def count_items(parent: etree._Element, items: list[etree._Element]) -> Iterator[int]:
    """Count as browsers do: from `start`, each `value` anew, downwards where it is reversed."""
    step = -1 if "reversed" in parent.attrib else 1
    number = as_number(parent.get("start"), len(items) if step < 0 else 1) - step
    for item in items:
        number = as_number(item.get("value"), number + step)
        yield number


def as_number(text: str | None, default: int) -> int:
    match = re.match(r"\s*([+-]?\d{1,9})", text or "")
    return int(match[1]) if match else default


def list_type(item: etree._Element, parent: etree._Element) -> str:
    style = STYLE_TYPE.search(item.get("style", "")) or STYLE_TYPE.search(parent.get("style", ""))
    return STYLES[style[1].lower()] if style else item.get("type") or parent.get("type") or "1"


def write_number(number: int, kind: str) -> str:
    if kind in {"a", "A"} and number > 0:
        return letters(number) if kind == "a" else letters(number).upper()
    if kind in {"i", "I"} and 0 < number < MAX_ROMAN:
        return write_roman(number) if kind == "i" else write_roman(number).upper()
    return str(number)


def letters(number: int) -> str:
    text = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text
