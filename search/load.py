"""Load what is shown of results: chunks and where they stand, passages, units.

By SQL of its own: Django would take longer to write the query, and PostgreSQL to plan it, than it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Model

from documents.models import Chunk, Collection, Document, Section, Version
from search.models import Passage
from search.round_trips import Asking, Row

# Columns that are enough; Django loads others when somebody asks for them.
ENOUGH: dict[type[Model], set[str]] = {
    Version: {
        *("id", "tenant_id", "document_id", "number", "title", "file_name", "language", "pages"),
        *("recorded_at", "superseded_at"),
    },
    Document: {"id", "tenant_id", "collection_id", "name"},
    Collection: {"id", "tenant_id", "name"},
}
# OFFSET keeps the order: each row leads to one row of the next table.
LOAD = """
    SELECT chunk.*, section.*, version.*, document.*, collection.*
    FROM (SELECT {chunk} FROM documents_chunk WHERE id = ANY(%s) OFFSET 0) AS chunk
    CROSS JOIN LATERAL (
        SELECT {section} FROM documents_section WHERE id = chunk.section_id OFFSET 0
    ) AS section
    CROSS JOIN LATERAL (
        SELECT {version} FROM documents_version WHERE id = chunk.version_id OFFSET 0
    ) AS version
    CROSS JOIN LATERAL (
        SELECT {document} FROM documents_document WHERE id = version.document_id OFFSET 0
    ) AS document
    CROSS JOIN LATERAL (
        SELECT {collection} FROM documents_collection WHERE id = document.collection_id OFFSET 0
    ) AS collection
"""

PASSAGES = "SELECT id, language, context, text FROM search_passage WHERE id = ANY(%s)"

M = TypeVar("M", bound=Model)


def load_chunks(ids: Sequence[UUID]) -> Asking[dict[UUID, Chunk]]:
    """Return chunks by their ids, each with its section, and its version with document and collection."""
    if not ids:
        return {}
    versions: dict[UUID, Version] = {}
    (rows,) = yield [(_statement(), [list(ids)])]
    return {chunk.pk: chunk for chunk in (_read(row, versions) for row in rows)}


def load_passages(ids: Sequence[UUID]) -> Asking[dict[UUID, Passage]]:
    """Return passages by their ids, with their words and nothing that is for searching."""
    if not ids:
        return {}
    columns = ("id", "language", "context", "text")
    (rows,) = yield [(PASSAGES, [list(ids)])]
    return {row[0]: Passage.from_db(connection.alias, columns, row) for row in rows}


def load_units(ids: Sequence[UUID]) -> dict[UUID, Section]:
    return {section.pk: section for section in Section.objects.filter(pk__in=ids)} if ids else {}


def _read(row: Row, versions: dict[UUID, Version]) -> Chunk:
    """Make a chunk of a row; those of one version share it."""
    columns = iter(row)
    chunk = _make(Chunk, columns)
    chunk.section = _make(Section, columns)
    if chunk.version_id not in versions:
        versions[chunk.version_id] = _read_version(columns)
    chunk.version = versions[chunk.version_id]
    return chunk


def _read_version(columns: Iterator[Any]) -> Version:
    version = _make(Version, columns)
    version.document = _make(Document, columns)
    version.document.collection = _make(Collection, columns)
    return version


def _make(model: type[M], columns: Iterator[Any]) -> M:
    names = _columns(model)
    return model.from_db(connection.alias, names, list(islice(columns, len(names))))


@cache
def _statement() -> str:
    models = (Chunk, Section, Version, Document, Collection)
    return LOAD.format(**{str(model._meta.model_name): _listed(_columns(model)) for model in models})


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


@cache
def _columns(model: type[Model]) -> dict[str, None]:
    """Return the names of the columns that are loaded of a model, in its own order, as Django wants them."""
    names = [field.attname for field in model._meta.concrete_fields]
    wanted = ENOUGH.get(model, names)
    return dict.fromkeys(name for name in names if name in wanted)
