"""From the bytes of a web page to Markdown."""

from __future__ import annotations

import codecs
import re

from lxml import etree

from documents.convert.blocks import join_markers, squeeze, write_markdown
from documents.convert.converted import Converted
from documents.convert.hypertext.prune import prune_page
from documents.convert.hypertext.render import render_blocks
from documents.convert.hypertext.tree import text_of
from documents.convert.text import MARKS, decode
from documents.convert.xmltree import local_name, parse_xml
from documents.errors import NoText, Unreadable

CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
XML_ENCODING = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w:.-]+)", re.IGNORECASE)
DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>", re.IGNORECASE)
LAYOUT_TAG = re.compile(
    r"</?(?:div|section|table|tbody|tr|td|th|ul|ol|li|dl|center|blockquote)\b[^<>]*>", re.IGNORECASE
)
INLINE_TAG = re.compile(r"</?(?:span|font|a|b|i|u|em|strong|small|big|tt|ins|label)\b[^<>]*>", re.IGNORECASE)
# Browsers read these names as their larger Windows siblings.
WIDENED = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "iso8859-9": "cp1254", "utf-16": "utf-8", "utf-16-le": "utf-8",
}  # fmt: skip


def convert_html(content: bytes, name: str) -> Converted:
    return read_page(decode_page(content))


def read_page(page: str) -> Converted:
    """Read a page whose characters are known."""
    root, warnings = parse_page(page)
    title = find_title(root)
    body, struck = prune_page(root)
    text = write_markdown(join_markers(render_blocks(body)))
    if not text.strip():
        raise NoText("There is no text in the page. If scripts build it, save it from the browser as PDF.")
    if struck:
        warnings.append(f"{struck} struck-out passages were left out.")
    return Converted(text=text, title=title, warnings=tuple(warnings))


def decode_page(content: bytes) -> str:
    """Decode by mark, by declaration, or by what the bytes look like."""
    declared = CHARSET.search(content) or XML_ENCODING.match(content.lstrip())
    if declared is None or content.startswith(tuple(mark for mark, _ in MARKS)):
        return decode(content)
    try:
        encoding = codecs.lookup(declared[1].decode("ascii")).name
        return content.decode(WIDENED.get(encoding, encoding))
    except (LookupError, UnicodeError):
        return decode(content)


def parse_page(page: str) -> tuple[etree._Element, list[str]]:
    """Build the tree; XHTML as the XML it is, for the HTML parser loses the place of its closed tags."""
    declaration = DECLARATION.match(page)
    page = page[declaration.end() :] if declaration else page
    if declaration and (root := parse_xhtml(page)) is not None:
        return root, []
    root, is_whole = parse_html(page)
    if is_whole:
        return root, []
    root, _ = parse_html(LAYOUT_TAG.sub("<p>", INLINE_TAG.sub("", page)))
    return root, ["The page is nested so deeply that only its paragraphs were read."]


def parse_html(page: str) -> tuple[etree._Element, bool]:
    """Parse as browsers do, and tell whether the parser reached the bottom of the page."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(page.encode("utf-8", "replace"), parser)
    if root is None:
        raise Unreadable("The page has no markup that can be read. Save it again from the browser.")
    return root, all("xcessive depth" not in entry.message for entry in parser.error_log)


def parse_xhtml(page: str) -> etree._Element | None:
    """Parse as XML, without namespaces; what only claims to be XML is left to the other parser."""
    try:
        root = parse_xml(page.encode("utf-8", "replace"))
    except Unreadable:
        return None
    for element in root.iter(etree.Element):
        element.tag = local_name(element)
    return root if root.tag == "html" else None


def find_title(root: etree._Element) -> str:
    """Prefer the heading when the title of the window is that heading with the site's name around it."""
    title = squeeze(text_of(next(root.iter("title"), etree.Element("title"))))
    headings = [squeeze(text_of(heading)) for heading in root.iter("h1")]
    return next((heading for heading in headings if heading and (not title or heading in title)), title)
