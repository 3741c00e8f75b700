"""Placeholder until the measured one is there."""

from __future__ import annotations

from collections.abc import Sequence

from definitions.extract import FoundDefinition
from documents.chunk import Piece
from documents.parse import Outline
from search.backends.contextualizers.base import Excerpt, Manuscript


def excerpts_of(
    text: str, outline: Outline, pieces: Sequence[Piece], definitions: Sequence[FoundDefinition]
) -> list[Excerpt]:
    return [Excerpt(text[piece.start : piece.end], start=piece.start, end=piece.end) for piece in pieces]


def manuscript_of(title: str, file_name: str, text: str, outline: Outline) -> Manuscript:
    return Manuscript(title or file_name, text)
