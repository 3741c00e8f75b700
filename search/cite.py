"""Turn what was found into results: the words, where they stand, and a citation that can be replayed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Func, QuerySet, TextField
from django.db.models.functions import Substr

from documents.models import Chunk, Section, Version
from search.answer import Citation, Hit, Source
from search.load import load_chunks, load_passages, load_units
from search.models import Passage
from search.permalink import permalink_of
from search.round_trips import ask, together
from tenants.models import Tenant

MOST_SHOWN = 8_000  # Characters of a unit. Whoever cites a whole part wants its place, not all of it at once.
SHA256 = "encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A chunk that is a result, or the unit in it that is one, and what is known of why."""

    chunk: UUID
    document: UUID
    passage: UUID | None
    unit: UUID | None = None
    span: tuple[int, int] | None = None  # Of the unit; without one, the chunk is the result.
    score: float
    is_exact: bool = False
    ranks: Mapping[str, int] = field(default_factory=dict)
    semantic_score: float | None = None
    keyword_score: float | None = None
    rerank_score: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a result, and its hash if only a part of it is shown."""

    content: str
    content_hash: str
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the database has of a result."""

    chunk: Chunk
    section: Section  # The unit that is the result, or that the chunk begins in.
    passage: Passage | None
    words: Words


def cite_found(
    found: Sequence[Found], *, tenant: Tenant, read_context: Mapping[str, Any]
) -> list[tuple[Hit, Loaded]]:
    """Return the results in their order, with their rows for whoever adds more. In the tenant's scope."""
    chunks, passages = ask(
        together(
            load_chunks([one.chunk for one in found]),
            load_passages([one.passage for one in found if one.passage is not None]),
        )
    )
    units = load_units([one.unit for one in found if one.unit is not None])
    cited: list[tuple[Hit, Loaded]] = []
    for one in found:
        if (chunk := chunks.get(one.chunk)) is None:
            continue  # Deleted at this moment.
        passage = None if one.passage is None else passages.get(one.passage)
        section = chunk.section if one.unit is None else units.get(one.unit, chunk.section)
        loaded = Loaded(chunk, section, passage, words_of(one, chunk, passage))
        hit = describe(one, loaded, tenant=tenant, read_context=read_context, rank=len(cited) + 1)
        cited.append((hit, loaded))
    return cited


def words_of(one: Found, chunk: Chunk, passage: Passage | None) -> Words:
    """Return the text of a chunk as its passage ends with it, or that of a unit as its version says it."""
    if one.span is not None:
        return read_span(chunk.version_id, one.span)
    length = chunk.end - chunk.start
    if passage is None:
        return read_span(chunk.version_id, (chunk.start, chunk.end))
    return Words(passage.text[-length:], chunk.digest)


def read_span(version_id: UUID, span: tuple[int, int]) -> Words:
    start, end = span
    row = hashed(Version.objects.filter(pk=version_id), start, end).first()
    content, digest = row if row is not None else ("", "")
    return Words(content, digest, end - start > MOST_SHOWN)


def hashed(versions: QuerySet[Version], start: int, end: int) -> QuerySet[Version, tuple[str, str]]:
    """Take the beginning of a span, and the hash of all of it, from a text that stays in the database."""
    whole = Substr("text", start + 1, max(end - start, 0))
    digest = Func(whole, template=SHA256, output_field=TextField())
    shown = Substr("text", start + 1, min(max(end - start, 0), MOST_SHOWN))
    return versions.annotate(shown=shown, digest=digest).values_list("shown", "digest")


def describe(
    one: Found, loaded: Loaded, *, tenant: Tenant, read_context: Mapping[str, Any], rank: int
) -> Hit:
    chunk, passage, words = loaded.chunk, loaded.passage, loaded.words
    version, document = chunk.version, chunk.version.document
    span = one.span or (chunk.start, chunk.end)
    label = label_of(loaded.section)
    return Hit(
        rank=rank,
        chunk_id=chunk.pk,
        passage_id=one.passage,
        document_id=document.pk,
        version_id=version.pk,
        document_name=document.name,
        position=chunk.position,
        span=span,
        content=words.content,
        is_cut=words.is_cut,
        context="" if passage is None else passage.context,
        score=one.score,
        semantic_score=one.semantic_score,
        keyword_score=one.keyword_score,
        rerank_score=one.rerank_score,
        exact_match=one.is_exact,
        ranks=dict(one.ranks),
        source=source_of(chunk, loaded.section),
        section_label=label,
        pages=pages_of(version.pages, span),
        chunk_type=chunk.type,
        language=version.language if passage is None else passage.language,
        why=one.why,
        citation=Citation(
            tenant=tenant.pk,
            collection_id=document.collection_id,
            document_id=document.pk,
            version_id=version.pk,
            section_label=label,
            span=span,
            content_hash=words.content_hash,
            read_context=read_context,
        ),
        permalink=permalink_of(tenant.slug, version.pk, span, words.content_hash),
    )


def source_of(chunk: Chunk, section: Section) -> Source:
    version, document = chunk.version, chunk.version.document
    return Source(
        document_id=document.pk,
        document=document.name,
        title=version.title,
        collection=document.collection.name,
        version=version.number,
        file_name=version.file_name,
        recorded_at=version.recorded_at,
        path=(*section.path, *([step_of(section)] if section.position else [])),
    )


def step_of(section: Section) -> str:
    return f"{section.marker} {section.title}".strip() or section.label


def label_of(section: Section) -> str:
    """Return the label; the document itself has none, since its title may change."""
    return section.label if section.position else ""


def pages_of(pages: Sequence[int], span: tuple[int, int]) -> tuple[int, int] | None:
    """Return the first and the last page of a span, if the file has pages."""
    if not pages:
        return None
    return max(1, bisect_right(pages, span[0])), max(1, bisect_right(pages, max(span[1] - 1, span[0])))
