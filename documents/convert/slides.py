"""Read presentations slide by slide, each shape in reading order, with the speaker's notes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from pptx import Presentation
from pptx.exc import PackageNotFoundError

from documents.convert.blocks import escape_start, squeeze, write_table
from documents.convert.converted import Converted
from documents.convert.hypertext.number import write_number
from documents.convert.xmltree import parse_xml
from documents.errors import NoText, Unreadable

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
RELATIONSHIP = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
NUMBERS = {"arabic": "1", "alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
FRAMES = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Plain": "{}"}
BETWEEN = "\n\n"


def convert_pptx(content: bytes, name: str) -> Converted:
    try:
        deck = Presentation(io.BytesIO(content))
        slides = [BETWEEN.join(read_slide(slide, n)) for n, slide in enumerate(deck.slides, start=1)]
        title = squeeze(deck.core_properties.title or "")
    except (KeyError, ValueError, TypeError, AttributeError, SyntaxError, IndexError, zipfile.BadZipFile,
            PackageNotFoundError) as error:  # fmt: skip
        raise Unreadable(
            "The presentation is damaged or unusually written. Save it again as .pptx and upload that."
        ) from error
    if all(slide == f"## Slide {n}" for n, slide in enumerate(slides, start=1)):
        raise NoText("There is no text on the slides. If they are pictures, recognize their text.")
    starts = accumulate((len(slide) + len(BETWEEN) for slide in slides[:-1]), initial=0)
    return Converted(text=BETWEEN.join(slides), pages=tuple(starts), title=title)


def read_slide(slide: Any, number: int) -> Iterator[str]:
    title = slide.shapes.title
    heading = squeeze(title.text_frame.text) if title is not None and title.has_text_frame else ""
    yield f"## {heading or f'Slide {number}'}"
    for shape in in_reading_order(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            yield from read_shape(shape)
    if (
        slide.has_notes_slide
        and (frame := slide.notes_slide.notes_text_frame) is not None
        and frame.text.strip()
    ):
        yield "Notes:"
        yield from read_frame(frame)


def in_reading_order(shapes: Iterable[Any]) -> Iterator[Any]:
    """Read from the top down, then from the left; a group counts as one shape."""
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if hasattr(shape, "shapes"):
            yield from in_reading_order(shape.shapes)
        else:
            yield shape


def read_shape(shape: Any) -> Iterator[str]:
    if getattr(shape, "has_table", False) and shape.has_table:
        rows = [[squeeze(cell.text) for cell in row.cells] for row in shape.table.rows]
        if table := write_table(rows):
            yield table
    elif getattr(shape, "has_text_frame", False) and shape.has_text_frame:
        yield from read_frame(shape.text_frame)
    else:
        yield from read_diagram(shape)


def read_frame(frame: Any) -> Iterator[str]:
    """Print the numbers that PowerPoint counts and a dash for its bullets."""
    counts: dict[int, int] = {}
    for paragraph in frame.paragraphs:
        text = squeeze(paragraph.text)
        if not text:
            continue
        level = paragraph.level
        counts = {depth: count for depth, count in counts.items() if depth <= level}
        marker = read_marker(paragraph, counts, level)
        yield f"{marker}{text}" if marker else escape_start(text)


def read_marker(paragraph: Any, counts: dict[int, int], level: int) -> str:
    style = paragraph._p.pPr
    numbered = style.find(f"{DRAWING}buAutoNum") if style is not None else None
    if numbered is None:
        counts.pop(level, None)
        bullet = style is not None and style.find(f"{DRAWING}buChar") is not None
        return f"{'  ' * level}- " if bullet or level else ""
    counts[level] = counts[level] + 1 if level in counts else int(numbered.get("startAt", "1"))
    return f"{write_marker(counts[level], numbered.get('type', 'arabicPeriod'))} "


def write_marker(number: int, scheme: str) -> str:
    kind = next((kind for prefix, kind in NUMBERS.items() if scheme.startswith(prefix)), "1")
    frame = next((frame for suffix, frame in FRAMES.items() if scheme.endswith(suffix)), "{}.")
    return frame.format(write_number(number, kind))


def read_diagram(shape: Any) -> Iterator[str]:
    """Read the words of a diagram, which are in a part of their own."""
    for link in shape._element.iter(f"{DIAGRAM}relIds"):
        part = shape.part.related_part(link.get(f"{RELATIONSHIP}dm"))
        root = parse_xml(part.blob)
        for point in root.iter(f"{DIAGRAM}t"):
            if text := squeeze("".join(str(run.text or "") for run in point.iter(f"{DRAWING}t"))):
                yield f"- {text}"
