"""Read messages that Outlook saved: their properties are the streams of an OLE file."""

from __future__ import annotations

import io

import olefile  # type: ignore[import-untyped]

from documents.convert.blocks import squeeze
from documents.convert.converted import Converted
from documents.convert.eml import plain
from documents.convert.hypertext import convert_html
from documents.convert.text import decode
from documents.errors import NoText, Unreadable

SUBJECT, SENDER, RECEIVERS, COPIES, BODY, HTML = "0037", "0C1A", "0E04", "0E03", "1000", "1013"
ATTACHED_NAMES = ("3707", "3704")


def convert_msg(content: bytes, name: str) -> Converted:
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as storage:
            return read_storage(storage)
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise Unreadable("The message is damaged. Save it again in Outlook and upload that.") from error


def read_storage(storage: olefile.OleFileIO) -> Converted:
    subject = squeeze(read_text(storage, SUBJECT))
    people = (("From", SENDER), ("To", RECEIVERS), ("Cc", COPIES))
    lines = [f"{label}: {value}" for label, tag in people if (value := squeeze(read_text(storage, tag)))]
    parts = [f"# {subject}" if subject else "", "\n".join(lines), read_body(storage)]
    if not parts[2] and not subject:
        raise NoText("There is no text in the message. Upload its attachments instead.")
    names = [entry[0] for entry in storage.listdir(streams=False, storages=True) if len(entry) == 1]
    attached = [
        found for entry in names if entry.startswith("__attach") and (found := attached_name(storage, entry))
    ]
    warnings = (
        (f"Attachments were not read: {', '.join(attached)}. Upload them separately.",) if attached else ()
    )
    return Converted(text="\n\n".join(part for part in parts if part), title=subject, warnings=warnings)


def read_body(storage: olefile.OleFileIO) -> str:
    if text := plain(read_text(storage, BODY)):
        return text
    page = read_stream(storage, f"__substg1.0_{HTML}0102")
    return convert_html(page, "").text if page.strip() else ""


def attached_name(storage: olefile.OleFileIO, folder: str) -> str:
    return next((name for tag in ATTACHED_NAMES if (name := read_text(storage, tag, f"{folder}/"))), "")


def read_text(storage: olefile.OleFileIO, tag: str, folder: str = "") -> str:
    """Read a property in whichever of its two forms it is stored."""
    if wide := read_stream(storage, f"{folder}__substg1.0_{tag}001F"):
        return wide.decode("utf-16-le", "replace").rstrip("\x00")
    narrow = read_stream(storage, f"{folder}__substg1.0_{tag}001E")
    return decode(narrow).rstrip("\x00") if narrow.strip(b"\x00") else ""


def read_stream(storage: olefile.OleFileIO, path: str) -> bytes:
    return bytes(storage.openstream(path).read()) if storage.exists(path) else b""
