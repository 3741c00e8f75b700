"""Parse XML of strangers: no entities of their own, no other files, no network."""

from __future__ import annotations

import re
from html.entities import html5

from lxml import etree

from documents.errors import Unreadable

ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*;)")
OVERGROWN = re.compile("xcessive depth|amplification|XML_PARSE_HUGE")
XML_ENTITIES = frozenset({b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"})


def parse_xml(content: bytes) -> etree._Element:
    """Build the tree, without comments; what an entity of the file would expand to is left out."""
    declares = b"<!ENTITY" in content
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=not declares,  # Lifts the bounds that stop entities from multiplying.
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content if declares else ENTITY.sub(resolve_entity, content), parser)
    except etree.XMLSyntaxError as error:
        if OVERGROWN.search(error.msg):
            raise Unreadable(
                "The parts of the XML are nested too deeply or multiply themselves. Simplify it."
            ) from error
        raise Unreadable(
            f"The XML is not well formed ({error.msg}). Correct it, or export it again, and upload that."
        ) from error
    etree.strip_elements(root, etree.Entity, with_tail=False)
    return root


def resolve_entity(match: re.Match[bytes]) -> bytes:
    """Write the names that HTML gives to characters as numbers, which need no declaration."""
    if match[1] in XML_ENTITIES:
        return match[0]
    characters = html5.get(match[1].decode("ascii"), "")
    return "".join(f"&#{ord(character)};" for character in characters).encode() or match[0]


def local_name(element: etree._Element) -> str:
    return etree.QName(element).localname.lower()
