"""The zip around an archive: written so that the same content gives the same bytes, and read with distrust.

Nothing in it is compressed: what compresses, and how far, differs between versions of zlib, and a zip without
compression cannot unfold into more than it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from documents.archive.records import KIND_OF, BadArchive, write_moment
from documents.unpack import DAMAGES, IS_ENCRYPTED, MEGABYTE, too_large

FORMAT = "pandect-archive"
FORMAT_VERSION = 1
PRODUCT_VERSION = "0.1.0"
MANIFEST = "manifest.json"
TABLES = tuple(f"{name}.jsonl" for name in KIND_OF)
NAME = re.compile(r"(?:collections/[A-Za-z0-9_-]{1,100}\.yaml|(?:sources|texts)/[0-9a-f]{64})", re.ASCII)
LARGEST_TABLE = 200 * MEGABYTE
LARGEST_FILE = 1 * MEGABYTE  # Of a configuration.
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # Before this a zip knows no time.
PRIVATE = 0o600 << 16
UNIX = 3
PIECE = 1 << 20
DAMAGED = "The archive is damaged, or it is none of Pandect. Export it again."
REPACKED = (
    "It was not written by `manage.py export`, or it was packed anew. Import the file as it was written."
)
MANIFEST_KEYS = {"format", "format_version", "product_version", "as_of", "counts", "digests"}


def describe(counts: dict[str, int], as_of: datetime | None, digests: dict[str, str]) -> bytes:
    """Return the manifest. `as_of` is the last time that something in it happened, not that of the export."""
    facts = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "product_version": PRODUCT_VERSION,
        "as_of": None if as_of is None else write_moment(as_of),
        "counts": counts,
        "digests": dict(sorted(digests.items())),
    }
    return (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode()


def write_members(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write a file beside its place and then move it there: nobody finds half of one."""
    part = path.with_name(f".{path.name}.part")
    try:
        with (
            os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
        ):
            for name, content in members:
                entry = zipfile.ZipInfo(name, FIRST_DAY)
                entry.external_attr, entry.create_system = PRIVATE, UNIX
                archive.writestr(entry, content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@dataclass(frozen=True)
class Opened:
    """An archive whose members have sound names and sizes."""

    zip: zipfile.ZipFile
    largest: int

    @cached_property
    def sizes(self) -> dict[str, int]:
        return {entry.filename: entry.file_size for entry in self.zip.infolist()}

    def names(self, folder: str) -> set[str]:
        return {name.removeprefix(folder) for name in self.sizes if name.startswith(folder)}

    def read(self, name: str) -> bytes:
        """Return a member whole."""
        try:
            return self.zip.read(name)
        except (*DAMAGES, KeyError) as error:
            raise BadArchive(DAMAGED) from error

    def digest(self, name: str) -> str:
        """Return the SHA-256 of a member, without holding the whole of it."""
        found = hashlib.sha256()
        try:
            with self.zip.open(name) as file:
                while piece := file.read(PIECE):
                    found.update(piece)
        except (*DAMAGES, KeyError) as error:
            raise BadArchive(DAMAGED) from error
        return found.hexdigest()

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Return what the archive says of itself, if it is one that can be read here."""
        try:
            facts = json.loads(self.read(MANIFEST))
        except (ValueError, RecursionError) as error:
            raise BadArchive(DAMAGED) from error
        if not isinstance(facts, dict) or facts.get("format") != FORMAT:
            raise BadArchive(REPACKED)
        if facts.get("format_version") != FORMAT_VERSION:
            raise BadArchive(
                f"The archive is of format {str(facts.get('format_version'))[:20]}, and {FORMAT_VERSION} is "
                "read here. Import it into an installation of the version that wrote it, or a newer one."
            )
        if set(facts) != MANIFEST_KEYS:
            raise BadArchive(DAMAGED)
        return facts

    @cached_property
    def id(self) -> str:
        """What the archive is known by: its manifest has the hash of everything else."""
        return hashlib.sha256(self.read(MANIFEST)).hexdigest()


@contextmanager
def open_archive(path: Path, *, largest: int) -> Iterator[Opened]:
    """Open an archive; no source may have more than `largest` bytes."""
    try:
        size = path.stat().st_size
        archive = zipfile.ZipFile(path)
    except DAMAGES as error:
        raise BadArchive(DAMAGED) from error
    with archive:
        require_sound(archive, size, largest)
        yield Opened(archive, largest)


def require_sound(archive: zipfile.ZipFile, size: int, largest: int) -> None:
    """Refuse what `export` does not write: other names, compression, passwords, members over members."""
    names = archive.namelist()
    if len(set(names)) < len(names) or not {MANIFEST, *TABLES} <= set(names):
        raise BadArchive(REPACKED)
    if sum(entry.file_size for entry in archive.infolist()) > size:
        raise BadArchive(REPACKED)
    for entry in archive.infolist():
        is_stored = entry.compress_type == zipfile.ZIP_STORED and entry.file_size == entry.compress_size
        if not is_stored or entry.flag_bits & IS_ENCRYPTED or not is_known(entry.filename):
            raise BadArchive(REPACKED)
        if entry.file_size > (limit := limit_of(entry.filename, largest)):
            raise BadArchive(f"{entry.filename}: {too_large(entry.file_size, limit)}")


def is_known(name: str) -> bool:
    return name == MANIFEST or name in TABLES or NAME.fullmatch(name) is not None


def limit_of(name: str, largest: int) -> int:
    if name.startswith("sources/"):
        return largest
    if name.startswith("texts/"):
        return max(LARGEST_TABLE, 2 * largest)
    return LARGEST_FILE if name.startswith("collections/") else LARGEST_TABLE
