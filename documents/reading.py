"""What a text says and how it is divided: read anew from the text, or from the rows of a ready version."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from definitions.gather import Findings
from definitions.outlines import load_outline
from documents.chunk import Piece
from documents.convert import Converted
from documents.language import Language, choose_language
from documents.models import Chunk, Collection, Grade, Version, text_search_configurations
from documents.parse import Outline
from search.backends.contextualizers.base import Excerpt, Manuscript
from search.situate import excerpts_of, manuscript_of


@dataclass(frozen=True)
class Reading:
    """A text with its outline, its findings and its chunks."""

    converted: Converted
    outline: Outline
    findings: Findings
    pieces: tuple[Piece, ...]
    file_name: str
    collection: Collection

    @cached_property
    def language(self) -> Language:
        """By which configuration its words are stemmed, and what its owner should know of that."""
        return choose_language(self.converted.text, self.collection.language, text_search_configurations())

    def manuscript(self) -> Manuscript:
        return manuscript_of(self.converted.title, self.file_name, self.converted.text, self.outline)

    def excerpts(self) -> list[Excerpt]:
        """Return the chunks in their places."""
        return excerpts_of(self.converted.text, self.outline, self.pieces)


def stored_reading(version_id: UUID) -> Reading | None:
    """Return the text, outline and chunks of a version that is ready; nothing if it is gone.

    Inside its tenant's scope. Its findings, which no context needs, are left out.
    """
    versions = Version.objects.readable().select_related("document__collection")
    version = versions.filter(pk=version_id).first()
    if version is None:
        return None
    outline = load_outline(version_id)
    positions = {id_: position for position, id_ in enumerate(outline.ids)}
    return Reading(
        converted=Converted(text=version.text, is_markdown=version.is_markdown, title=version.title),
        outline=Outline(outline.units, Grade(version.grade)),
        findings=Findings(),
        pieces=tuple(_pieces(version_id, positions)),
        file_name=version.file_name,
        collection=version.document.collection,
    )


def _pieces(version_id: UUID, positions: dict[UUID, int]) -> list[Piece]:
    return [
        Piece(
            start=chunk.start,
            end=chunk.end,
            lead_start=chunk.lead_start,
            unit=positions[chunk.section_id],
            type=chunk.type,
            token_count=chunk.token_count,
            header=None if chunk.header_start is None else (chunk.header_start, chunk.header_end or 0),
        )
        for chunk in Chunk.objects.filter(version=version_id).order_by("position")
    ]
