"""The names of WordprocessingML, and what reading needs to know of its wrappers."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

NAMESPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
}
WORD = f"{{{NAMESPACES['w']}}}"
MATH = f"{{{NAMESPACES['m']}}}"
COMPATIBILITY = f"{{{NAMESPACES['mc']}}}"
VALUE = f"{WORD}val"

ALTERNATE = f"{COMPATIBILITY}AlternateContent"
CONTROL = f"{WORD}sdt"
WRAPPERS = {
    f"{WORD}{name}"
    for name in ("sdtContent", "customXml", "smartTag", "ins", "moveTo", "hyperlink", "dir", "bdo")
}


def find(element: etree._Element | None, path: str) -> etree._Element | None:
    """Find a descendant by a path of names in Word's namespace: "pPr/numPr"."""
    if element is None:
        return None
    return element.find("/".join(WORD + name for name in path.split("/")))


def value_of(element: etree._Element | None, path: str, default: str = "") -> str:
    found = find(element, path)
    return default if found is None else found.get(VALUE, default)


def number_of(element: etree._Element | None, path: str) -> int | None:
    try:
        return int(value_of(element, path))
    except ValueError:
        return None


def is_on(element: etree._Element | None, path: str) -> bool | None:
    """Tell whether a switch is on, off, or (None) not mentioned."""
    found = find(element, path)
    return None if found is None else found.get(VALUE, "true") not in ("0", "false", "off")


def iterate(element: etree._Element) -> Iterator[etree._Element]:
    """Yield the children, those of wrappers in their place, and one branch of alternatives."""
    for child in element:
        if child.tag == ALTERNATE:
            yield from iterate(choose_branch(child))
        elif child.tag == CONTROL and not is_contents(child):
            yield from _iterate_control(child)
        elif child.tag in WRAPPERS:
            yield from iterate(child)
        else:
            yield child


def choose_branch(alternatives: etree._Element) -> etree._Element:
    for name in ("Choice", "Fallback"):
        branch = alternatives.find(COMPATIBILITY + name)
        if branch is not None and len(branch):
            return branch
    return etree.Element("none")


def is_contents(control: etree._Element) -> bool:
    """Tell whether a content control is an automatic table of contents."""
    return value_of(control, "sdtPr/docPartObj/docPartGallery") == "Table of Contents"


def _iterate_control(control: etree._Element) -> Iterator[etree._Element]:
    content = find(control, "sdtContent")
    return iter(()) if content is None else iterate(content)
