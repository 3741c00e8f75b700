"""Cut away what is not the document: scripts, navigation, hidden parts and struck-out text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from documents.convert.blocks import squeeze
from documents.convert.hypertext.tree import has, is_inside, text_of

NEVER_TEXT = frozenset({
    "script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "embed", "video", "audio",
    "map", "select", "textarea", "input", "datalist", "head", "dialog", "img", "link", "meta", "title",
})  # fmt: skip
STRUCK = frozenset({"s", "strike", "del"})
STRUCK_STYLE = re.compile(r"line-through", re.IGNORECASE)
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
STRUCK_RULE = re.compile(r"\.([\w-]+)\s*\{[^{}]*line-through[^{}]*\}", re.IGNORECASE)
SITE_TAGS = frozenset({"nav", "header", "footer", "aside"})
SITE_ROLES = frozenset({
    "navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu",
    "menubar", "toolbar", "tablist", "tooltip",
})  # fmt: skip
SITE_WORDS = frozenset({
    "nav", "navbar", "navigation", "menu", "submenu", "breadcrumb", "breadcrumbs", "cookie", "cookies",
    "consent", "share", "sharing", "social", "skip", "skiplink", "sidebar", "pagination", "pager", "toolbar",
    "footer", "masthead", "search", "newsletter", "feedback", "login", "signin", "toc", "links", "utilities",
    "tools", "editsection", "navbox", "noprint", "catlinks", "printfooter", "jump", "backtotop", "sitesub",
})  # fmt: skip
INLINE = frozenset({
    "a", "abbr", "b", "button", "cite", "em", "font", "i", "label", "small", "span", "strong", "u",
})  # fmt: skip
TO_TOP = re.compile(r"(?:back to |return to |go to )?(?:the )?top(?: of (?:the |this )?page)?|skip to .{,40}")
UNSEEN_WORDS = re.compile(
    r"visually-?hidden|sr-only|screen-?reader|show-for-sr|offscreen|accessibility-hidden"
)
CORE = ("main", "article")
CORE_PATHS = ("//main", "//*[@role='main']", "//article", "//*[@id='content' or @id='main-content']")
SENTENCE_END = re.compile(r"[.;:!?。]")
SENTENCE = 40
SMALL = 1000
MAX_BANNER = 4000
MAX_OUTSIDE = 2000
WORDS = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+")


def prune_page(root: etree._Element) -> tuple[etree._Element, int]:
    """Return the part of the page that is the document, and how many passages were struck out."""
    classes = struck_classes(root)
    remove(root, [element for element in elements(root) if element.tag in NEVER_TEXT])
    struck = outermost([element for element in elements(root) if is_struck(element, classes)])
    passages = sum(bool(squeeze(text_of(element))) for element in struck)
    remove(root, struck)
    whole = len(text_of(root))
    remove(root, [element for element in elements(root) if is_hidden(element) and is_part(element, whole)])
    remove(root, [element for element in elements(root) if is_site(element, whole)])
    return find_core(root), passages


def elements(root: etree._Element) -> Iterator[etree._Element]:
    """Walk the elements below the root, none of them a comment."""
    return (element for element in root.iter(etree.Element) if element is not root and element.tag != "body")


def remove(root: etree._Element, unwanted: list[etree._Element]) -> None:
    """Take elements out and leave in place the text that follows them."""
    for element in unwanted:
        parent = element.getparent()
        if parent is None:
            continue
        if element.tail:
            keep_tail(element, parent)
        parent.remove(element)


def keep_tail(element: etree._Element, parent: etree._Element) -> None:
    before = element.getprevious()
    if before is None:
        parent.text = (parent.text or "") + (element.tail or "")
    else:
        before.tail = (before.tail or "") + (element.tail or "")


def outermost(found: list[etree._Element]) -> list[etree._Element]:
    """Drop those inside others; found comes in document order, so a parent was seen before its children."""
    inside: set[etree._Element] = set()
    for element in found:
        if element not in inside:
            inside.update(child for child in element.iter(etree.Element) if child is not element)
    return [element for element in found if element not in inside]


def struck_classes(root: etree._Element) -> frozenset[str]:
    """Collect the classes that the page's own style sheet strikes out."""
    return frozenset(name for sheet in root.iter("style") for name in STRUCK_RULE.findall(text_of(sheet)))


def is_struck(element: etree._Element, classes: frozenset[str]) -> bool:
    if element.tag in STRUCK or STRUCK_STYLE.search(element.get("style", "")):
        return True
    return bool(classes) and not classes.isdisjoint(element.get("class", "").split())


def is_hidden(element: etree._Element) -> bool:
    if "hidden" in element.attrib and element.get("hidden") != "until-found":
        return True
    if UNSEEN_WORDS.search(element.get("class", "").lower()):
        return len(text_of(element)) < 200  # noqa: PLR2004  # Whole texts are hidden so only by mistake.
    return bool(HIDDEN_STYLE.search(element.get("style", "")))


def is_part(element: etree._Element, whole: int) -> bool:
    """Tell a fold of the page from the page itself: some show their document only once a script has run."""
    size = len(text_of(element))
    return size < SMALL or size * 5 < whole


def is_site(element: etree._Element, whole: int) -> bool:
    """Tell what belongs to the site; running prose never does, whatever its element is called."""
    if not (is_named_site(element) or is_contents(element) or is_control(element)) or has(element, *CORE):
        return False
    if element.tag in INLINE:
        return not is_in_sentence(element)
    if is_inside(element, *CORE):
        return not has_prose(element) and not has(element, "h1")
    size, certain = len(text_of(element)), element.tag in SITE_TAGS or is_contents(element)
    if not has_prose(element):
        return certain or size * 2 < whole
    banner = certain or "cookie" in text_of(element).lower()
    return banner and size < MAX_BANNER and size * 5 < whole


def is_named_site(element: etree._Element) -> bool:
    if element.tag in SITE_TAGS or element.get("role", "") in SITE_ROLES:
        return True
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return any(word.lower() in SITE_WORDS for word in WORDS.findall(names))


def is_contents(element: etree._Element) -> bool:
    """Recognize a table of contents: a list of nothing but links into the page."""
    if element.tag not in {"ul", "ol", "table"}:
        return False
    links = [link for link in element.iter("a") if link.get("href", "").startswith("#")]
    linked = sum(len(squeeze(text_of(link))) for link in links)
    return len(links) > 2 and linked * 10 > len(squeeze(text_of(element))) * 8  # noqa: PLR2004


def is_control(element: etree._Element) -> bool:
    """Recognize what one presses: buttons, and links that only move the window."""
    if element.tag == "a" and element.get("href", "").startswith("#"):
        return TO_TOP.fullmatch(squeeze(text_of(element)).lower()) is not None
    return element.tag == "button"


def is_in_sentence(element: etree._Element) -> bool:
    """See whether the words are part of a sentence: a term that opens its definition is a button too."""
    block = next((outer for outer in element.iterancestors() if outer.tag not in INLINE), None)
    return block is not None and block.tag not in {"body", "form"} and has_prose(block)


def has_prose(element: etree._Element) -> bool:
    """Look for a sentence that is seen, outside links."""
    *sentences, _ = SENTENCE_END.split(squeeze("".join(unlinked(element))))
    return any(len(sentence) >= SENTENCE for sentence in sentences)


def unlinked(element: etree._Element) -> Iterator[str]:
    inside = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        skipped = node.tag in {"a", "button"} or node.get("aria-hidden") == "true"
        if event == "start":
            inside += skipped
            text = node.text
        else:
            inside -= skipped
            text = node.tail if node is not element else None
        if text and not inside:
            yield text
        elif text:
            yield "\n"


def find_core(root: etree._Element) -> etree._Element:
    """Take the element that says it is the document, unless more is outside it than a site has to say."""
    whole = len(squeeze(text_of(root)))
    for path in CORE_PATHS:
        found = root.xpath(path)
        if isinstance(found, list) and len(found) == 1 and isinstance(core := found[0], etree._Element):
            size = len(squeeze(text_of(core)))
            if size * 2 > whole and whole - size < max(MAX_OUTSIDE, whole // 10):
                return core
    return root
