"""Read the lines and pictures that a page draws."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from documents.convert.pdf.words import rotate_box

MAX_OBJECTS = 5_000  # Per page; beyond, they are a drawing and no table.
MAX_RULES = 20_000
RULE_THICKNESS = 2.5
BOX_SEGMENTS = 5  # Of a path that is one line or one box.


@dataclass(frozen=True, slots=True)
class Rule:
    """A thin line that the page draws, in the coordinates of its upright words."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def is_level(self) -> bool:
        """Tell a line across from a line down."""
        return self.x1 - self.x0 >= self.y1 - self.y0


def _edges(left: float, bottom: float, right: float, top: float) -> Iterator[Rule]:
    """Yield the lines that a drawn path shows: itself when thin, else the four sides of its box."""
    if min(right - left, top - bottom) <= RULE_THICKNESS:
        yield Rule(left, bottom, right, top)
        return
    for y in (bottom, top):
        yield Rule(left, y, right, y)
    for x in (left, right):
        yield Rule(x, bottom, x, top)


def _segments(shape: object, count: int) -> Iterator[tuple[float, float, float, float]]:
    """Yield the boxes of the straight pieces of a path, on the page."""
    matrix, x, y = pdfium_c.FS_MATRIX(), ctypes.c_float(), ctypes.c_float()
    pdfium_c.FPDFPageObj_GetMatrix(shape, matrix)
    last: tuple[float, float] | None = None
    for index in range(min(count, MAX_OBJECTS)):
        segment = pdfium_c.FPDFPath_GetPathSegment(shape, index)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if last and pdfium_c.FPDFPathSegment_GetType(segment) == pdfium_c.FPDF_SEGMENT_LINETO:
            yield (
                min(last[0], point[0]),
                min(last[1], point[1]),
                max(last[0], point[0]),
                max(last[1], point[1]),
            )
        last = point


def _boxes(shape: object) -> Iterator[tuple[float, float, float, float]]:
    """Yield the box of a path, or of each of its pieces when it is more than a line or a box."""
    count = pdfium_c.FPDFPath_CountSegments(shape)
    if count > BOX_SEGMENTS:
        for box in _segments(shape, count):
            if min(box[2] - box[0], box[3] - box[1]) <= RULE_THICKNESS:
                yield box
        return
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if pdfium_c.FPDFPageObj_GetBounds(shape, left, bottom, right, top):
        yield left.value, bottom.value, right.value, top.value


def read_rules(page: pdfium.PdfPage, turn: int) -> list[Rule]:
    """Return the lines that a page draws, for words at this angle."""
    rules: list[Rule] = []
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page.raw), MAX_OBJECTS)):
        shape = pdfium_c.FPDFPage_GetObject(page.raw, index)
        if pdfium_c.FPDFPageObj_GetType(shape) != pdfium_c.FPDF_PAGEOBJ_PATH:
            continue
        for left, bottom, right, top in _boxes(shape):
            rules += _edges(*rotate_box(left, bottom, right, top, turn))
        if len(rules) > MAX_RULES:
            break
    return [rule for rule in rules if max(rule.x1 - rule.x0, rule.y1 - rule.y0) > 2 * RULE_THICKNESS]


def picture_share(page: pdfium.PdfPage) -> float:
    """Return how much of a page its largest picture covers, without decoding it."""
    width, height = page.get_size()
    largest = 0.0
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page.raw), MAX_OBJECTS)):
        shape = pdfium_c.FPDFPage_GetObject(page.raw, index)
        kind = pdfium_c.FPDFPageObj_GetType(shape)
        if kind not in (pdfium_c.FPDF_PAGEOBJ_IMAGE, pdfium_c.FPDF_PAGEOBJ_FORM):
            continue
        if pdfium_c.FPDFPageObj_GetBounds(shape, left, bottom, right, top):
            largest = max(largest, abs((right.value - left.value) * (top.value - bottom.value)))
    return float(largest / max(width * height, 1.0))
