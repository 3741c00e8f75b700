"""Have a page of a PDF drawn where files are read: in a process of its own."""

from __future__ import annotations

import json
import struct
from typing import IO

from documents import errors
from documents.convert.child import DAMAGED, REPORTED, Limits, ask_child
from documents.convert.converted import clean_text

SIGNATURE = b"\x89PNG\r\n\x1a\n"
WIDTH = 1200
MOST_BYTES = 8_000_000
MOST_PIXELS = 5_000_000
SIZE = slice(16, 24)  # Where a PNG says how wide and how high it is.


def draw_page_in_child(
    content: bytes, page: int, *, width: int = WIDTH, seconds: float = 20, megabytes: int = 1024
) -> bytes:
    """Return a page as PNG; refused, with the reason, if it cannot be drawn within limits."""
    limits = Limits(seconds, megabytes, MOST_BYTES)
    return ask_child({"draw": {"page": page, "width": width}}, content, limits, _read_picture)


def _read_picture(answer: IO[bytes], limits: Limits) -> bytes:
    """Check what came back: the process that wrote it had read a file of a stranger."""
    answer.seek(0)
    picture = answer.read(limits.characters + 1)
    if picture.startswith(SIGNATURE) and len(picture) <= limits.characters:
        width, height = struct.unpack(">II", picture[SIZE])
        if 0 < width * height <= MOST_PIXELS:
            return picture
        raise errors.Unreadable(DAMAGED)
    try:
        report = json.loads(picture)
        raise REPORTED[report["error"]](clean_text(str(report["message"])))
    except (ValueError, KeyError, TypeError) as error:
        raise errors.Unreadable(DAMAGED) from error
