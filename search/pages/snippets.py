"""Words of documents as pages show them: pieces of text, marked or not. Whoever shows them escapes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from search.answer import Hit
from search.highlight import Highlight

HEADING = re.compile(r"(?m)^[ \t]*#{1,6}[ \t]+")
EMPHASIS = re.compile(r"\*\*|__")
TABLE_RULE = re.compile(r"\|(?:[ \t]*:?-{2,}:?[ \t]*\|)+")
CELLS = re.compile(r"\s*(?:\|\s*)+")
EDGES = " ·"  # What a snippet neither begins nor ends with.
AMID = "x"  # Stands before a part that does not begin a line.
BLANKS = re.compile(r"\s+")
GAP = re.compile(r"\n\s*\n\s*")
SHOWN_WHOLE = 1_200  # Characters of a unit that was asked for by its name: whoever names it wants to read it.
OPENING = 240


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a result, where its words that matter stand in the version's text, and how many there are."""

    pieces: tuple[Piece, ...]
    place: int
    marks: int


def snippets_of(hit: Hit) -> tuple[Snippet, ...]:
    """Return what is shown of a result: the places that have the question's words, or its beginning."""
    shown = hit.highlights or (Highlight(hit.content[:OPENING], 0, min(OPENING, len(hit.content)), ()),)
    found = ((one, _snippet(one, len(hit.content), hit.is_cut)) for one in shown)
    return tuple(
        Snippet(pieces, hit.span[0] + one.start + (one.marks[0][0] if one.marks else 0), len(one.marks))
        for one, pieces in found
        if pieces
    )


def whole_of(hit: Hit) -> tuple[str, ...]:
    """Return the paragraphs of a unit that was asked for by its name, up to where they get long."""
    text = plain(hit.content[:SHOWN_WHOLE])
    if hit.is_cut or len(hit.content) > SHOWN_WHOLE:
        text = f"{text.rpartition(' ')[0] or text} …"
    return tuple(part for part in (BLANKS.sub(" ", one).strip() for one in GAP.split(text)) if part)


def plain(text: str) -> str:
    """Return a text without the signs of Markdown that stand for its look alone."""
    unruled = TABLE_RULE.sub("", EMPHASIS.sub("", HEADING.sub("", text)))
    return CELLS.sub(" · ", unruled) if "|" in unruled else unruled


def _snippet(one: Highlight, length: int, is_cut: bool) -> tuple[Piece, ...]:
    """Join what stands between marks, with an ellipsis where the text goes on."""
    pieces = [piece for piece in _pieces(one.text, one.marks) if piece.text]
    if not any(piece.text.strip(EDGES) for piece in pieces):
        return ()
    pieces[0] = replace(pieces[0], text=pieces[0].text.lstrip(EDGES))
    pieces[-1] = replace(pieces[-1], text=pieces[-1].text.rstrip(EDGES))
    before = [Piece("… ")] if one.start > 0 else []
    behind = [Piece(" …")] if one.end < length or is_cut else []
    return (*before, *pieces, *behind)


def _pieces(text: str, marks: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    done = 0
    for start, end in _joined(text, marks):
        yield Piece(_folded(text[done:start], is_first=done == 0))
        yield Piece(_folded(text[start:end]), is_marked=True)
        done = end
    yield Piece(_folded(text[done:], is_first=done == 0))


def _joined(text: str, marks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join marks with nothing but blanks between them: they read as one."""
    joined: list[tuple[int, int]] = []
    for start, end in marks:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _folded(part: str, *, is_first: bool = False) -> str:
    """Fold blanks into one each; what begins amid a line is no heading, whatever its signs."""
    cleaned = plain(part) if is_first else plain(f"{AMID}{part}")[1:]
    folded = BLANKS.sub(" ", cleaned)
    return folded.lstrip() if is_first else folded
