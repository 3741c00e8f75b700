"""Small questions to elements of a page."""

from __future__ import annotations

from lxml import etree


def text_of(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


def has(element: etree._Element, *tags: str) -> bool:
    """Tell whether the element is or holds one of the tags."""
    return next(element.iter(*tags), None) is not None


def is_inside(element: etree._Element, *tags: str) -> bool:
    return next(element.iterancestors(*tags), None) is not None
