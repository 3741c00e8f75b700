"""Many files at once: a zip, a folder, or a file that is neither.

What comes out is a file to read or the reason why it is none, so that one bad file never stops the others.
"""

from __future__ import annotations

import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

MEGABYTE = 1_000_000
MOST_FILES = 10_000
MOST_TOTAL = 2_000 * MEGABYTE
MOST_RATIO = 200
SMALL = 10 * MEGABYTE  # A table of zeros may well shrink a thousandfold; below this it harms nobody.
# What a zip holds that is one document: Office, OpenDocument and EPUB.
PARTS_OF_DOCUMENTS = {"[Content_Types].xml", "mimetype"}
IS_ENCRYPTED = 0x1
IS_UTF8 = 0x800
# What `zipfile` and the decompressors raise on bytes that are no sound archive.
DAMAGES = (
    zipfile.BadZipFile,
    lzma.LZMAError,
    struct.error,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file on its way in: its content, or the problem with it."""

    name: str
    content: bytes = b""
    problem: str = ""


def expand_upload(name: str, content: bytes | IO[bytes], *, largest: int) -> Iterator[Incoming]:
    """Yield the files in a zip, or the file itself if it is none. No file may exceed `largest` bytes."""
    file = BytesIO(content) if isinstance(content, bytes) else content
    if is_archive(name, file):
        yield from expand_archive(file, largest=largest)
        return
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    yield Incoming(name, problem=too_large(size, largest)) if size > largest else Incoming(name, file.read())


def read_path(path: Path, *, largest: int) -> Iterator[Incoming]:
    """Yield a file, the files in a zip, or those in a folder."""
    if path.is_dir():
        yield from read_folder(path, largest=largest)
        return
    with path.open("rb") as file:
        if is_archive(path.name, file):
            yield from expand_archive(file, largest=largest)
            return
    yield read_file(path, path.name, largest=largest)


def count_files(path: Path) -> int:
    """Say how many files there are; a zip inside a folder counts as one until it is opened."""
    if path.is_dir():
        return sum(1 for _ in walk(path))
    with path.open("rb") as file:
        if not is_archive(path.name, file):
            return 1
        with zipfile.ZipFile(file) as archive:
            return sum(is_wanted(entry) for entry in archive.infolist())


def read_folder(folder: Path, *, largest: int) -> Iterator[Incoming]:
    """Yield the files below a folder in the order of their names. Links to elsewhere are not followed."""
    closed: list[OSError] = []
    for path in walk(folder, closed.append):
        name = path.relative_to(folder).as_posix()
        try:
            yield from read_member(path, name, largest=largest)
        except OSError as error:
            yield unopened(name, error)
    for refusal in closed:
        yield unopened(Path(refusal.filename).relative_to(folder).as_posix(), refusal)


def unopened(name: str, error: OSError) -> Incoming:
    return Incoming(name, problem=f"It cannot be opened: {error.strerror}. Check its permissions.")


def read_member(path: Path, name: str, *, largest: int) -> Iterator[Incoming]:
    with path.open("rb") as file:
        if is_archive(name, file):
            for part in expand_archive(file, largest=largest):
                yield Incoming(f"{name}/{part.name}", part.content, part.problem)
            return
    yield read_file(path, name, largest=largest)


def walk(folder: Path, on_error: Callable[[OSError], None] | None = None) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder, onerror=on_error):
        folders[:] = sorted(name for name in folders if not is_clutter(name))
        for name in sorted(names):
            path = Path(parent, name)
            if not is_clutter(name) and stat.S_ISREG(path.lstat().st_mode):
                yield path


def read_file(path: Path, name: str, *, largest: int) -> Incoming:
    if (size := path.stat().st_size) > largest:
        return Incoming(name, problem=too_large(size, largest))
    return Incoming(name, path.read_bytes())


def too_large(size: int, largest: int) -> str:
    return (
        f"The file has {size / MEGABYTE:,.1f} MB, and {largest / MEGABYTE:,.0f} MB is the most. "
        "Split it, or have the limit raised (PANDECT_MAX_FILE_MB)."
    )


def is_archive(name: str, file: IO[bytes]) -> bool:
    if not name.lower().endswith(".zip") or not zipfile.is_zipfile(file):
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            return PARTS_OF_DOCUMENTS.isdisjoint(archive.namelist())
    except DAMAGES:
        return False  # Not one that we can open: whoever converts it says so.


def expand_archive(file: IO[bytes], *, largest: int) -> Iterator[Incoming]:
    left = MOST_TOTAL
    with zipfile.ZipFile(file) as archive:
        entries = [entry for entry in archive.infolist() if is_wanted(entry)]
        entries.sort(key=entry_name)
        for number, entry in enumerate(entries):
            if number == MOST_FILES:
                problem = (
                    f"The archive holds {len(entries):,} files, and {MOST_FILES:,} is the most. Split it."
                )
                yield Incoming(entry_name(entry), problem=problem)
                return
            found = read_entry(archive, entry, largest=min(largest, left), limit=largest)
            left -= len(found.content)
            yield found


def is_wanted(entry: zipfile.ZipInfo) -> bool:
    return not entry.is_dir() and not any(is_clutter(part) for part in entry_name(entry).split("/"))


def is_clutter(part: str) -> bool:
    """What systems leave in folders, and nobody means to upload."""
    is_hidden = part.startswith(".") and part not in {".", ".."}
    return is_hidden or part in {"__MACOSX", "Thumbs.db", "desktop.ini"}


def entry_name(entry: zipfile.ZipInfo) -> str:
    """Return the name of an entry; many tools write UTF-8 without saying so, and some write “\\”."""
    name = entry.filename
    if not entry.flag_bits & IS_UTF8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, *, largest: int, limit: int) -> Incoming:
    name = entry_name(entry)
    if problem := problem_of(entry, name, largest=largest, limit=limit):
        return Incoming(name, problem=problem)
    try:
        with archive.open(entry) as opened:
            content = opened.read(largest + 1)  # What the archive says of its sizes may be a lie.
    except DAMAGES:
        return Incoming(name, problem="It is damaged in the archive. Make the archive again and upload it.")
    problem = size_problem(len(content), largest=largest, limit=limit)
    return Incoming(name, b"" if problem else content, problem)


def problem_of(entry: zipfile.ZipInfo, name: str, *, largest: int, limit: int) -> str:
    """Say why an entry is not even opened; nothing if it may be."""
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        return "Its path leads out of the archive. Make the archive again from inside the folder."
    if entry.flag_bits & IS_ENCRYPTED:
        return "It is protected by a password. Make the archive without a password and upload it again."
    if name.lower().endswith(".zip"):
        return "An archive inside an archive is not opened. Unpack it and upload its files."
    if entry.file_size > SMALL and entry.file_size > MOST_RATIO * max(1, entry.compress_size):
        return "It unpacks to far more than it seems, as attacks do. Upload it unpacked if it is meant."
    return size_problem(entry.file_size, largest=largest, limit=limit)


def size_problem(size: int, *, largest: int, limit: int) -> str:
    if size > limit:
        return too_large(size, limit)
    if size > largest:
        return f"The archive unpacks to more than {MOST_TOTAL / MEGABYTE:,.0f} MB. Split it."
    return ""
