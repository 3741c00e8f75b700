"""Read Word files as Word prints them."""

from __future__ import annotations

import posixpath

import olefile  # type: ignore[import-untyped]
from lxml import etree

from documents.convert.converted import Converted
from documents.convert.docx.body import BodyReader
from documents.convert.docx.inline import ENDNOTE, FOOTNOTE
from documents.convert.docx.names import WORD, find
from documents.convert.docx.numbering import Numbering
from documents.convert.docx.package import BROKEN, Package
from documents.convert.docx.styles import Styles
from documents.errors import Encrypted, NoText, Unreadable

TITLE = "{http://purl.org/dc/elements/1.1/}title"
NOT_WORD = "The file is not a Word document. Give it the ending of its real format, or save it as DOCX."


def convert_docx(content: bytes, name: str) -> Converted:
    """Convert a Word file; its pages' headers and footers, comments and deleted text are left out."""
    if content.startswith(olefile.MAGIC):
        _refuse_container(content)
    package = Package(content)
    main = _find_main_part(package)
    root = package.read_xml(main)
    body = find(root, "body")
    if root.tag != f"{WORD}document" or body is None:
        raise Unreadable(NOT_WORD)
    try:
        return _convert(package, main, body)
    except RecursionError as error:
        raise Unreadable("The file nests its parts too deeply. Save it again in a word processor.") from error


def _convert(package: Package, main: str, body: etree._Element) -> Converted:
    styles = Styles(_find_part(package, main, "styles"))
    reader = BodyReader(styles, Numbering(_find_part(package, main, "numbering"), styles), body)
    blocks = list(reader.read_blocks(body))
    for kind in (FOOTNOTE, ENDNOTE):
        blocks += reader.read_notes(kind, _find_part(package, main, f"{kind}s"))
    text = "\n\n".join(filter(None, blocks))
    if not text:
        raise NoText(
            "There is no text in the Word file. If it holds scanned pages, recognize their text first."
        )
    return Converted(text=text, title=_read_title(package) or reader.title)


def _refuse_container(content: bytes) -> None:
    """Tell a file under a password from one of Word's former format."""
    try:
        with olefile.OleFileIO(content) as container:
            if container.exists("EncryptedPackage") or container.exists("EncryptionInfo"):
                raise Encrypted(
                    "The Word file is protected by a password. Remove the password and upload it again."
                )
            is_former = container.exists("WordDocument")
    except (OSError, ValueError, TypeError, IndexError) as error:
        raise Unreadable(BROKEN) from error
    if is_former:
        raise Unreadable("The file is of Word's former format. Give it the ending .doc, or save it as DOCX.")
    raise Unreadable(NOT_WORD)


def _find_main_part(package: Package) -> str:
    if "_rels/.rels" not in package:
        raise Unreadable(NOT_WORD)
    found = _find_related(package.read_xml("_rels/.rels"), "", "officeDocument")
    if found is None or found not in package:
        raise Unreadable(NOT_WORD)
    return found


def _find_part(package: Package, main: str, kind: str) -> etree._Element | None:
    folder, file = posixpath.split(main)
    relations = package.find_xml(posixpath.join(folder, "_rels", f"{file}.rels"))
    path = None if relations is None else _find_related(relations, folder, kind)
    return None if path is None else package.find_xml(path)


def _find_related(relations: etree._Element, folder: str, kind: str) -> str | None:
    for relation in relations:
        if relation.get("Type", "").endswith(f"/{kind}"):
            return posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
    return None


def _read_title(package: Package) -> str:
    properties = package.find_xml("docProps/core.xml")
    return "" if properties is None else " ".join((properties.findtext(TITLE) or "").split())
