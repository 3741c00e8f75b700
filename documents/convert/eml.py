"""Read e-mail, and web pages that were saved as mail: who wrote what to whom, and the words."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage

from documents.convert.blocks import escape_start, squeeze
from documents.convert.converted import Converted
from documents.convert.hypertext import convert_html
from documents.convert.text import clean, decode
from documents.errors import NoText, Unreadable

SHOWN = ("From", "To", "Cc", "Date")
MAX_NESTED = 20


def convert_eml(content: bytes, name: str) -> Converted:
    message = email.message_from_bytes(content.lstrip(), policy=email.policy.default)
    if not message.keys():
        raise Unreadable("The file has no headers of a message. Save the message again and upload that.")
    attached = list(name_attachments(message))
    blocks = list(read_message(message, 1))
    if not blocks:
        raise NoText("There is no text in the message. Upload its attachments instead.")
    named = ", ".join(attached)
    warnings = (f"Attachments were not read: {named}. Upload them separately.",) if attached else ()
    return Converted(text="\n\n".join(blocks), title=header(message, "Subject"), warnings=warnings)


def read_message(message: EmailMessage, level: int) -> Iterator[str]:
    """Yield subject, headers and text, then the messages inside this one."""
    if subject := header(message, "Subject"):
        yield f"{'#' * min(level, 6)} {subject}"
    if lines := [f"{name}: {value}" for name in SHOWN if (value := header(message, name))]:
        yield "\n".join(lines)
    if text := read_body(message):
        yield text
    if level < MAX_NESTED:
        for inner in inner_messages(message):
            yield from read_message(inner, level + 1)


def header(message: EmailMessage, name: str) -> str:
    """Read a header even where its writer broke the rules for headers."""
    try:
        return squeeze(str(message.get(name, "")))
    except (ValueError, IndexError, AttributeError):  # Raised by the standard library on malformed addresses.
        return ""


def read_body(message: EmailMessage) -> str:
    preference = ("plain", "html") if header(message, "From") else ("html", "plain")
    for kind in preference:
        part = message.get_body((kind,))
        if isinstance(part, EmailMessage) and (text := read_part(part)):
            return text
    return ""


def read_part(part: EmailMessage) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload.strip():
        return ""
    charset = part.get_content_charset()
    if part.get_content_subtype() == "html":
        try:
            return convert_html(with_charset(payload, charset), "").text
        except NoText:
            return ""
    return plain(decode_as(payload, charset))


def with_charset(payload: bytes, charset: str | None) -> bytes:
    """Let the header of the part outweigh what the page says of itself."""
    return decode_as(payload, charset).encode("utf-8-sig", "replace") if charset else payload


def decode_as(payload: bytes, charset: str | None) -> str:
    try:
        return payload.decode(charset or "utf-8")
    except (LookupError, UnicodeError):
        return decode(payload)


def plain(text: str) -> str:
    """Keep the lines; only a number sign must not become a heading."""
    lines = clean(text).replace("\f", "").split("\n")
    return "\n".join(escape_start(line) if line.startswith("#") else line for line in lines).strip("\n")


def inner_messages(message: EmailMessage) -> Iterator[EmailMessage]:
    """Find forwarded messages, not those inside them."""
    stack = list(reversed(parts_of(message)))
    while stack:
        part = stack.pop()
        if part.get_content_type() == "message/rfc822":
            yield from parts_of(part)
        elif part.is_multipart():
            stack.extend(reversed(parts_of(part)))


def parts_of(message: EmailMessage) -> list[EmailMessage]:
    payload = message.get_payload()
    return [part for part in payload if isinstance(part, EmailMessage)] if isinstance(payload, list) else []


def name_attachments(message: EmailMessage) -> Iterator[str]:
    for part in message.walk():
        name = part.get_filename()
        if name and part.get_content_disposition() == "attachment":
            yield squeeze(name)
