"""Lay given units out as the text of one document, in which each is an exact span and a chunk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.chunk import Piece
from documents.chunk.classify import classify_chunk
from documents.models import Grade
from documents.parse import Outline, Unit
from documents.tokens import count_tokens
from search.evaluation.units import GivenDocument, GivenUnit

STEP = re.compile(r"\([^()]*\)|[^.()]+")
LONGEST_HEADING = 120
SENTENCE_ENDS = (".", ";", ":", ",", "?", "!")


@dataclass(frozen=True, slots=True)
class Layout:
    """The text of a document, its outline, its chunks, and which unit each chunk is."""

    text: str
    outline: Outline
    pieces: tuple[Piece, ...]
    unit_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A given unit where it stands in the text."""

    given: GivenUnit
    start: int
    end: int


def lay_out(document: GivenDocument) -> Layout:
    """Join the units of a document. One without words is no chunk, but others may stand below its number."""
    placed, text = _join(document)
    units, owners = _outline(document, placed, len(text))
    chunks = [(one, owner) for one, owner in zip(placed, owners, strict=True) if one.given.text.strip()]
    return Layout(
        text=text,
        outline=Outline(units, Grade.HIGH if document.is_numbered else Grade.NONE),
        pieces=tuple(_piece(one, owner, units[owner]) for one, owner in chunks),
        unit_ids=tuple(one.given.id for one, _ in chunks),
    )


def _join(document: GivenDocument) -> tuple[list[Placed], str]:
    placed, parts, length = list[Placed](), list[str](), 0
    for unit in document.units:
        placed.append(Placed(unit, length, length + len(unit.text)))
        if unit.text:
            gap = "" if unit.text.endswith("\n") else document.between
            parts.append(unit.text + gap)
            length += len(parts[-1])
    return placed, "".join(parts)


def _piece(one: Placed, owner: int, unit: Unit) -> Piece:
    has_body = not owner or one.given.text.strip() != unit.title
    return Piece(
        start=one.start,
        end=one.end,
        lead_start=one.start,
        unit=owner,
        type=classify_chunk(one.given.text, title=unit.title, has_body=has_body),
        token_count=count_tokens(one.given.text),
    )


def _outline(
    document: GivenDocument, placed: Sequence[Placed], length: int
) -> tuple[tuple[Unit, ...], list[int]]:
    """Return the document and a unit for each number, and the index of the unit of each given one."""
    whole = Unit(0, length, None, 0, "document", "", document.title, document.title or "Document")
    units, owners = [whole], list[int]()
    for one, parent, level, end in _nested(placed, length):
        if one.given.number:
            owners.append(len(units))
            units.append(_unit(one, parent, level, end))
        else:
            owners.append(0)
    return tuple(units), owners


def _unit(one: Placed, parent: int, level: int, end: int) -> Unit:
    number = one.given.number.strip()
    return Unit(
        one.start, end, parent, level, "section", number, _title(one.given.text), label_of(number) or number
    )


def _nested(placed: Sequence[Placed], length: int) -> Iterator[tuple[Placed, int, int, int]]:
    """Yield each with the index of the unit that it stands below, how deep it is, and where it ends.

    A unit ends where the next one begins that does not stand below it.
    """
    steps = [number_steps(one.given.number) for one in placed]
    index, stack = 0, list[tuple[tuple[str, ...], int]]()
    for place, (one, own) in enumerate(zip(placed, steps, strict=True)):
        if not own:
            yield one, 0, 0, one.end
            continue
        while stack and not is_below(own, stack[-1][0]):
            stack.pop()
        index += 1
        end = next(
            (placed[n].start for n in range(place + 1, len(placed)) if not is_below(steps[n], own)), length
        )
        yield one, stack[-1][1] if stack else 0, len(stack) + 1, end
        stack.append((own, index))


def number_steps(number: str) -> tuple[str, ...]:
    """Return the steps down to a unit: of "1.2.(3)" 1, 2 and (3)."""
    return tuple(step.strip() for step in STEP.findall(number) if step.strip())


def is_below(steps: Sequence[str], above: Sequence[str]) -> bool:
    return len(steps) > len(above) and steps[: len(above)] == above


def label_of(number: str) -> str:
    """Return a number as it is cited: "1.2(3)"."""
    return number.strip(". ").replace(".(", "(").replace(").", ")")


def _title(text: str) -> str:
    """Return the words of a unit that is a heading and nothing more."""
    words = text.strip()
    is_heading = 0 < len(words) <= LONGEST_HEADING and "\n" not in words and not words.endswith(SENTENCE_ENDS)
    return words if is_heading else ""
