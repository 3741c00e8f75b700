"""Read the chunks of a version: what is found, where it stands, and with what context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.functions import Substr

from documents.models import Chunk, Version
from search.cite import label_of
from search.errors import NotHere
from search.models import Placement
from search.read.cursor import position, read_cursor, write_cursor
from tenants.models import Tenant
from tenants.scope import within_tenant

LIMIT, MOST = 50, 200
NO_VERSION = "There is no such version here."
NO_CHUNK = "There is no such chunk here."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRead:
    """A piece of a version's text: an exact span of it, and what it is indexed with."""

    id: UUID
    version_id: UUID
    position: int
    type: str
    span: tuple[int, int]
    tokens: int
    section_id: UUID
    section_label: str
    path: tuple[str, ...]  # Marker and title of each unit above it.
    content_hash: str  # SHA-256 of the text.
    text: str
    context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunksRead:
    """A page of the chunks of a version; none before it is ready."""

    version_id: UUID
    state: str
    chunks: tuple[ChunkRead, ...]
    next: str | None


def list_chunks(*, tenant: Tenant, version: UUID, after: str | None = None, limit: int = LIMIT) -> ChunksRead:
    """Return the chunks of a version in their order."""
    last = read_cursor(after, position)
    with within_tenant(tenant.pk):
        found = Version.objects.for_tenant(tenant).without_text().filter(pk=version).first()
        if found is None:
            raise NotHere(NO_VERSION)
        rows = Chunk.objects.filter(version=found).select_related("section").order_by("position")
        if last:
            rows = rows.filter(position__gt=last[0])
        chunks = list(rows[: limit + 1])
        shown = chunks[:limit]
        return ChunksRead(
            version_id=found.pk,
            state=found.state,
            chunks=tuple(_describe(shown)),
            next=write_cursor(shown[-1].position) if len(chunks) > limit else None,
        )


def read_chunk(*, tenant: Tenant, chunk: UUID) -> ChunkRead:
    with within_tenant(tenant.pk):
        own = Chunk.objects.filter(tenant=tenant).select_related("section")
        found = own.filter(pk=chunk).first()
        if found is None:
            raise NotHere(NO_CHUNK)
        return _describe([found])[0]


def _describe(chunks: Sequence[Chunk]) -> list[ChunkRead]:
    """Tell of chunks that follow each other in one version."""
    if not chunks:
        return []
    version, start = chunks[0].version_id, chunks[0].start
    text = _text(version, start, chunks[-1].end)
    placed = Placement.objects.filter(version=version, position__in=[one.position for one in chunks])
    contexts = dict(placed.values_list("position", "passage__context"))
    return [
        ChunkRead(
            id=one.pk,
            version_id=version,
            position=one.position,
            type=one.type,
            span=(one.start, one.end),
            tokens=one.token_count,
            section_id=one.section_id,
            section_label=label_of(one.section),
            path=tuple(one.section.path),
            content_hash=one.digest,
            text=text[one.start - start : one.end - start],
            context=contexts.get(one.position, ""),
        )
        for one in chunks
    ]


def _text(version_id: UUID, start: int, end: int) -> str:
    """Take a part of a text that stays in the database."""
    part: Any = Substr("text", start + 1, end - start)
    return str(Version.objects.filter(pk=version_id).values_list(part, flat=True).get())
