"""Open office files: zip archives of XML parts, read under limits."""

from __future__ import annotations

import io
import zipfile
import zlib

from lxml import etree

from documents.errors import Encrypted, OverLimit, Unreadable

MAX_EXPANDED = 300 * 1024 * 1024
MAX_RATIO = 500  # Word's own parts reach 50; only padding made for it comes near deflate's limit of 1032.
RATIO_COUNTS_FROM = 10 * 1024 * 1024
IS_ENCRYPTED = 0x1

BROKEN = "The file is damaged or cut short. Open it in a word processor, save it again and upload that copy."
STRICT_NAMESPACES = {
    b"http://purl.oclc.org/ooxml/wordprocessingml/main": (
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    ),
    b"http://purl.oclc.org/ooxml/officeDocument/relationships": (
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    ),
    b"http://purl.oclc.org/ooxml/officeDocument/math": (
        b"http://schemas.openxmlformats.org/officeDocument/2006/math"
    ),
}


class Package:
    """The parts of one archive."""

    def __init__(self, content: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, EOFError) as error:
            raise Unreadable(BROKEN) from error
        self._entries = {entry.filename: entry for entry in self._archive.infolist()}
        _check_sizes(self._archive.infolist())

    def __contains__(self, path: str) -> bool:
        return path in self._entries

    def read(self, path: str) -> bytes:
        entry = self._entries.get(path)
        if entry is None or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Unreadable(BROKEN)
        if entry.flag_bits & IS_ENCRYPTED:
            raise Encrypted("The file is protected by a password. Remove the password and upload it again.")
        try:
            return self._archive.read(entry)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, EOFError, zlib.error) as error:
            raise Unreadable(BROKEN) from error

    def read_xml(self, path: str) -> etree._Element:
        return parse_xml(self.read(path))

    def find_xml(self, path: str) -> etree._Element | None:
        return self.read_xml(path) if path in self else None


def parse_xml(content: bytes) -> etree._Element:
    """Parse without entities, without the network, and under the parser's own limits."""
    for strict, usual in STRICT_NAMESPACES.items():
        content = content.replace(strict, usual)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(BROKEN) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise Unreadable(
            "The file declares XML entities, as no word processor does. Save it again in a word processor."
        )
    return root


def _check_sizes(entries: list[zipfile.ZipInfo]) -> None:
    expanded = sum(entry.file_size for entry in entries)
    if expanded > MAX_EXPANDED or any(_is_padded(entry) for entry in entries):
        raise OverLimit(
            "The file unpacks to more than a document holds. Split it, or save it without its media."
        )


def _is_padded(entry: zipfile.ZipInfo) -> bool:
    return entry.file_size > RATIO_COUNTS_FROM and entry.file_size > MAX_RATIO * max(entry.compress_size, 1)
