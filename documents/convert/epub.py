"""Read books: the chapters in the order of the spine, each as the page that it is."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from documents.convert.blocks import squeeze
from documents.convert.converted import Converted
from documents.convert.formats import open_zip
from documents.convert.hypertext import convert_html
from documents.convert.xmltree import local_name, parse_xml
from documents.errors import Encrypted, NoText, Unreadable

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def convert_epub(content: bytes, name: str) -> Converted:
    with open_zip(content) as archive:
        refuse_encrypted(archive)
        path = find_package(archive)
        package = parse_xml(read_part(archive, path))
        chapters = list(read_chapters(archive, package, posixpath.dirname(path)))
    if not chapters:
        raise NoText("There is no text in the book. If it is made of pictures, recognize its text.")
    return Converted(
        text="\n\n".join(chapter.text for chapter in chapters),
        title=find_title(package),
        warnings=tuple(dict.fromkeys(warning for chapter in chapters for warning in chapter.warnings)),
    )


def refuse_encrypted(archive: zipfile.ZipFile) -> None:
    """Let books pass whose fonts alone are scrambled."""
    if ENCRYPTION not in archive.namelist():
        return
    methods = [
        str(element.get("Algorithm"))
        for element in parse_xml(read_part(archive, ENCRYPTION)).iter(etree.Element)
        if local_name(element) == "encryptionmethod"
    ]
    if any(not method.startswith(FONT_ALGORITHMS) for method in methods):
        raise Encrypted("The book is protected against copying. Upload it without the protection.")


def read_part(archive: zipfile.ZipFile, path: str) -> bytes:
    try:
        return archive.read(path)
    except RuntimeError as error:
        raise Encrypted(
            "The book is protected by a password. Remove it and upload the book again."
        ) from error
    except (KeyError, zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise Unreadable(
            "A part of the book is missing or damaged. Export it again and upload that."
        ) from error


def find_package(archive: zipfile.ZipFile) -> str:
    root = parse_xml(read_part(archive, CONTAINER))
    for element in root.iter(etree.Element):
        if local_name(element) == "rootfile" and (path := element.get("full-path")):
            return str(path)
    raise Unreadable("The book does not say where its chapters are. Export it again and upload that.")


def read_chapters(archive: zipfile.ZipFile, package: etree._Element, folder: str) -> Iterator[Converted]:
    names = set(archive.namelist())
    for path in spine_paths(package, folder):
        if path in names:
            try:
                yield convert_html(read_part(archive, path), path)
            except NoText:
                continue  # A cover is a picture.


def spine_paths(package: etree._Element, folder: str) -> Iterator[str]:
    """Follow the reading order, past the table of contents."""
    items = {
        str(element.get("id")): element
        for element in package.iter(etree.Element)
        if local_name(element) == "item"
    }
    for reference in package.iter(etree.Element):
        item = items.get(str(reference.get("idref"))) if local_name(reference) == "itemref" else None
        if (
            item is not None
            and item.get("media-type") in PAGES
            and "nav" not in item.get("properties", "").split()
        ):
            yield posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))


def find_title(package: etree._Element) -> str:
    titles = (element for element in package.iter(etree.Element) if local_name(element) == "title")
    return next((squeeze(title.text or "") for title in titles), "")
