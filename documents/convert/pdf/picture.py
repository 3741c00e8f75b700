"""Draw a page of a PDF as a picture, of a size that is known before."""

from __future__ import annotations

import struct
import zlib

import pypdfium2 as pdfium

from documents.convert.pdf.source import UNREADABLE, open_pdf
from documents.errors import Unreadable

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 4_000_000
RGB = 2  # As PNG numbers its kinds of colour.


def draw_page(content: bytes, number: int, width: int) -> bytes:
    """Return a page as PNG, so many pixels wide; a page that is very long is drawn smaller."""
    document = open_pdf(content)
    try:
        if not 1 <= number <= len(document):
            raise Unreadable(f"The PDF has {len(document)} pages.")
        page = document.get_page(number - 1)
        across, along = page.get_size()
        if across < 1 or along < 1:
            raise Unreadable(UNREADABLE)
        scale = min(width / across, (MOST_PIXELS / (across * along)) ** 0.5)
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
        return write_png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride)
    except pdfium.PdfiumError as error:
        raise Unreadable(UNREADABLE) from error
    finally:
        document.close()


def write_png(pixels: bytes, width: int, height: int, stride: int) -> bytes:
    """Write rows of red, green and blue. Nothing but this needs a library of pictures."""
    rows = b"".join(b"\0" + pixels[row * stride : row * stride + 3 * width] for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, RGB, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
