"""What is known of the place of each chunk: the units around it, or the lines that it is indented below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from documents.chunk import Piece
from documents.parse import Outline, Unit
from search.backends.contextualizers.base import Excerpt, Manuscript

LONGEST_STEP = 600
MOST_STEPS = 50  # Nobody nests deeper, but a hostile file may.
WORD = re.compile(r"[^\W\d_]{2}")
LINE = re.compile(r"[^\n]*\n?")
TAB = 4
LONGEST_LINE = 100
MOST_LINES = 2  # The outermost: a class and its method say more than the loops inside.
# What opens a block has two words and does not end like a sentence. "else {", "} catch (…) {" tell nothing.
BLOCK = re.compile(r"[^\W\d]\S*\s+\S*\w.*[{(\[:)>]$|<\w.*>$")


def manuscript_of(title: str, file_name: str, text: str, outline: Outline) -> Manuscript:
    """Return the document by its title; without one by its file, unless that is called by numbers alone."""
    whole = outline.units[0]
    heading = f"{whole.marker} {whole.title}".strip() if whole.title else ""
    known = title.strip() or heading or _name_of(file_name)
    return Manuscript(known, text, tuple(_outline_lines(outline.units)))


def _name_of(file_name: str) -> str:
    """Return a path as it is, since folders and endings tell what a file is about; of one file, its stem."""
    path = PurePosixPath(file_name)
    if not WORD.search(path.stem):
        return ""
    return file_name if len(path.parts) > 1 else " ".join(re.split(r"[\s_-]+", path.stem)).strip()


def _outline_lines(units: Sequence[Unit]) -> Iterator[str]:
    for unit in units[1:]:
        if unit.title:
            yield "  " * (min(unit.level, MOST_STEPS) - 1) + _step(unit)


def excerpts_of(text: str, outline: Outline, pieces: Sequence[Piece]) -> list[Excerpt]:
    """Return an excerpt per piece, in their order."""
    units = outline.units
    paths = _paths(units)
    around = _lines_around(text, [piece.start for piece in pieces if not piece.unit])
    return [
        Excerpt(
            text=_indexed(text, piece),
            path=paths[piece.unit] if piece.unit else around[piece.start],
            heading=_step(units[piece.unit]) if piece.unit else "",
            label=units[piece.unit].label,
            start=piece.start,
            end=piece.end,
        )
        for piece in pieces
    ]


def _indexed(text: str, piece: Piece) -> str:
    """Return what a chunk is found by: the header of its table, its overlap, and itself."""
    header = text[slice(*piece.header)] if piece.header else ""
    return header + text[piece.lead_start : piece.end]


def _paths(units: Sequence[Unit]) -> list[tuple[str, ...]]:
    """Return the steps down to each unit, without itself; the document is no step."""
    paths: list[tuple[str, ...]] = []
    for unit in units:
        if unit.parent:
            paths.append((*paths[unit.parent], _step(units[unit.parent]))[-MOST_STEPS:])
        else:
            paths.append(())
    return paths


def _step(unit: Unit) -> str:
    return (f"{unit.marker} {unit.title}".strip() or unit.label)[:LONGEST_STEP]


def _lines_around(text: str, places: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return for places in text without units the lines that they are indented below, the outermost first."""
    found: dict[int, tuple[str, ...]] = {}
    waiting = sorted(set(places), reverse=True)
    blocks: list[tuple[int, str]] = []  # Indentation and words of those that are open.
    for line in LINE.finditer(text) if waiting else ():
        if not (words := line[0].strip()):
            continue
        depth = _depth(line[0])
        while waiting and waiting[-1] < line.end():
            found[waiting.pop()] = tuple(said for indented, said in blocks[:MOST_LINES] if indented < depth)
        if BLOCK.match(words):
            while blocks and blocks[-1][0] >= depth:
                blocks.pop()
            blocks.append((depth, words[:LONGEST_LINE]))
    return found | dict.fromkeys(waiting, ())


def _depth(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(TAB))
