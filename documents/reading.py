"""What a text says and how it is divided: read anew from the text, or from the rows of a ready version."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from definitions.extract import FoundDefinition
from definitions.gather import Findings
from definitions.models import Definition
from definitions.outlines import load_outline
from documents.chunk import Piece
from documents.convert import Converted
from documents.models import Chunk, Collection, Grade, Version
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

    def manuscript(self) -> Manuscript:
        return manuscript_of(self.converted.title, self.file_name, self.converted.text, self.outline)

    def excerpts(self, *, has_terms: bool = False) -> list[Excerpt]:
        """Return the chunks in their places; with the defined terms that they use, which takes a while."""
        definitions = self.findings.definitions if has_terms else ()
        return excerpts_of(self.converted.text, self.outline, self.pieces, definitions)


def stored_reading(version_id: UUID) -> Reading | None:
    """Return what was read of a version that is ready; nothing if it is gone. Inside its tenant's scope."""
    versions = Version.objects.readable().select_related("document__collection")
    version = versions.filter(pk=version_id).first()
    if version is None:
        return None
    outline = load_outline(version_id)
    positions = {id_: position for position, id_ in enumerate(outline.ids)}
    return Reading(
        converted=Converted(text=version.text, is_markdown=version.is_markdown, title=version.title),
        outline=Outline(outline.units, Grade(version.grade)),
        findings=Findings(definitions=tuple(_definitions(version_id, positions))),
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


def _definitions(version_id: UUID, positions: dict[UUID, int]) -> list[FoundDefinition]:
    return [
        FoundDefinition(
            term=row.term,
            start=row.start,
            end=row.end,
            body=(row.text_start, row.text_end),
            unit=positions[row.section_id],
            scope=positions[row.scope_id],
            style=row.style,
            confidence=row.confidence,
            variants=tuple(row.variants),
        )
        for row in Definition.objects.filter(version=version_id).order_by("position")
    ]
