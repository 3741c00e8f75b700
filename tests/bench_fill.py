"""Fill a private database with a corpus, as the pipeline would leave it, by the quickest way there is.

As superuser, which row-level security lets copy; the columns of words are made by the product's own SQL.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
from django.conf import settings
from django.db import connection as django_connection
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql

from config.embedded.postgres import SUPERUSER, connection_parameters
from config.prepare import Login
from search.backends.embedders.base import Embedder, Vector
from search.backends.embedders.windows import Piece
from search.backends.keyword_indexes.postgres import ADD, OF_ALL
from search.fill import index_space
from search.lexemes import LEXEMES
from search.models import EmbeddingSpace
from search.past import mark_past
from search.place import Situated, digest_of
from search.spaces import ensure_space
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.corpus import Corpus, Floats, Law, Question

LAWS = 50  # At a time.
SECTION = 4  # Passages in an article.
INDEXES = {
    "passages_by_words": "full_text",
    "current_passages_by_words": "full_text",
    "passages_by_exact_words": "exact",
}
QUESTIONS = "questions.npz"
NOW = datetime(2025, 1, 1, tzinfo=UTC)
Rows = list[tuple[Any, ...]]
Connection = psycopg.Connection[tuple[Any, ...]]
History = Callable[[Law], Iterable[Law]]  # The versions of a law, the current one last.
COLUMNS = {
    "documents_source": "id tenant_id digest size content created_at",
    "documents_document": "id tenant_id collection_id name created_at identity absences",
    "documents_version": "id tenant_id document_id number source_id file_name state failure attempts claim"
    " touched_at queued_at step_done step_total step_began_at title text is_markdown pages warnings grade"
    " recorded_at language superseded_at",
    "documents_section": "id tenant_id version_id parent_id position kind label marker title opening level"
    " path start end",
    "documents_chunk": "id tenant_id version_id section_id position type start end lead_start token_count"
    " digest",
    "given": "id digest text",
    "search_placement": "id tenant_id version_id position passage_id fallback",
    "search_embedding": "id tenant_id space_id passage_id window vector",
}


class GivenEmbedder(Embedder):
    """Looks vectors of questions up. What a model would take is no part of what is measured."""

    provider, model, dimensions, max_tokens = "tests", "given", 384, 8192

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    @cached_property
    def known(self) -> dict[str, Vector]:
        kept = np.load(self.folder / QUESTIONS)
        return dict(zip(json.loads(str(kept["texts"])), kept["vectors"].tolist(), strict=True))

    def split(self, text: str) -> list[Piece]:
        return [Piece(0, len(text), 1)] if text else []

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        return [self.known.get(text) or [1.0, *[0.0] * (self.dimensions - 1)] for text in texts]


def keep_questions(folder: Path, questions: Sequence[Question]) -> None:
    texts = json.dumps([one.text for one in questions])
    np.savez(folder / QUESTIONS, texts=texts, vectors=np.stack([one.vector for one in questions]))


def only_once(law: Law) -> Iterable[Law]:
    return [law]


def fill_tenant(
    slug: str, corpus: Corpus, passages: int, *, first: int = 0, history: History = only_once
) -> Tenant:
    """Make a tenant with so many passages or a few more, from the laws that begin with a number.

    With a history, each law is there in several versions, the last one current, and so many are current.
    """
    tenant = factories.tenant(slug)
    space = ensure_space(tenant.pk)
    filled = every = 0
    with connect() as connection:
        collection = factories.collection(tenant).pk
        drop_indexes(connection)
        for batch in batches(corpus, first):
            wanted = batch[: needed(batch, passages - filled)]
            filled += sum(len(law.passages) for law in wanted)
            every += insert_laws(connection, tenant.pk, collection, space.pk, wanted, history=history)
            if filled >= passages:
                break
        finish(connection, tenant.pk)
    index_vectors(space, every)
    return tenant


def needed(batch: Sequence[Law], passages: int) -> int:
    """Return how many laws have so many passages."""
    sums = np.cumsum([len(law.passages) for law in batch])
    return int(np.searchsorted(sums, passages)) + 1


def batches(corpus: Corpus, first: int) -> Iterator[list[Law]]:
    while True:
        yield [corpus.law(number) for number in range(first, first + LAWS)]
        first += LAWS


def connect() -> Connection:
    parameters = connection_parameters(settings.HOME, Login(SUPERUSER))
    connection = psycopg.connect(**parameters, autocommit=True)  # type: ignore[arg-type]
    register_vector(connection)
    connection.execute("SET session_replication_role = replica")  # Keys are right by construction.
    connection.execute("SET maintenance_work_mem = '2GB'")
    connection.execute("CREATE TEMP TABLE given (id uuid, digest text, text text)")
    return connection


def drop_indexes(connection: Connection) -> None:
    for name in INDEXES:
        connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(name)))


def insert_laws(
    connection: Connection,
    tenant: UUID,
    collection: UUID,
    space: UUID,
    laws: Sequence[Law],
    *,
    history: History = only_once,
) -> int:
    """Insert laws, each in all its versions; return how many distinct passages they have."""
    rows: dict[str, Rows] = {table: [] for table in COLUMNS}
    for law in laws:
        document, known = uuid4(), dict[str, UUID]()
        rows["documents_document"].append((document, tenant, collection, law.name, NOW, "", []))
        versions = list(history(law))
        for number, version in enumerate(versions, 1):
            ended = None if number == len(versions) else NOW
            place = Edition(tenant, space, document, number, ended, known)
            describe_law(rows, place, version)
    for table, added in rows.items():
        copy(connection, table, added)
    connection.execute(
        f"""
        INSERT INTO search_passage
            (id, tenant_id, digest, language, context, text, created_at, full_text, exact, weights)
        SELECT id, tenant_id, digest, language, context, text, now(), full_text, exact, weights
        FROM (SELECT *, %s::uuid AS tenant_id, 'english' AS language, '' AS context, '' AS extra
              FROM given) AS new
        {LEXEMES}
        """,
        [tenant],
    )
    connection.execute("TRUNCATE given")
    return len(rows["given"])


@dataclass(frozen=True)
class Edition:
    """A version of a document, and the passages that are there before it."""

    tenant: UUID
    space: UUID
    document: UUID
    number: int
    superseded_at: datetime | None
    known: dict[str, UUID]


def describe_law(rows: dict[str, Rows], edition: Edition, law: Law) -> None:
    version, source, root = (uuid4() for _ in range(3))
    tenant, document = edition.tenant, edition.document
    title, text = f"Law {law.number}", "\n\n".join([*law.passages, ""])
    digest = sha256(text.encode()).hexdigest()
    rows["documents_source"].append((source, tenant, digest, 0, b"", NOW))
    rows["documents_version"].append(
        (version, tenant, document, edition.number, source, law.name, "ready", "", 1, None, NOW, NOW, 0, 0,
         NOW, title, text, True, [], [], "high", NOW, "english", edition.superseded_at)
    )  # fmt: skip
    sections = [(root, None, "document", "", "", title, 0, len(text))]
    start = 0
    for position, (said, vector) in enumerate(zip(law.passages, law.vectors, strict=True)):
        end = start + len(said) + 2
        sections += articles(position, start, end, root, sections[-1 - position % SECTION][0])
        describe_passage(
            rows,
            edition,
            version=version,
            section=sections[-1][0],
            position=position,
            span=(start, end),
            text=said,
            vector=vector,
        )
        start = end
    rows["documents_section"] += [
        (one, tenant, version, parent, number, kind, label, marker, heading, "", 0, [], first, last)
        for number, (one, parent, kind, label, marker, heading, first, last) in enumerate(sections)
    ]


def articles(position: int, start: int, end: int, root: UUID, before: UUID) -> Rows:
    """Return the paragraph of a passage, and before it the article that begins with it."""
    number, paragraph = divmod(position, SECTION)
    label = f"Article {number + 1}"
    opened = [] if paragraph else [(uuid4(), root, "article", label, label, "", start, end)]
    article = opened[0][0] if opened else before
    marker = f"({paragraph + 1})"
    return [*opened, (uuid4(), article, "paragraph", label + marker, marker, "", start, end)]


def describe_passage(
    rows: dict[str, Rows],
    edition: Edition,
    *,
    version: UUID,
    section: UUID,
    position: int,
    span: tuple[int, int],
    text: str,
    vector: Floats,
) -> None:
    tenant, digest = edition.tenant, sha256(text.encode()).hexdigest()
    rows["documents_chunk"].append(
        (uuid4(), tenant, version, section, position, "content", *span, span[0], len(text) // 4, digest)
    )
    if text not in edition.known:
        passage = edition.known[text] = uuid4()
        rows["given"].append((passage, digest_of("english", Situated(text)), text))
        embedded = (uuid4(), tenant, edition.space, passage, 0, HalfVector(vector))
        rows["search_embedding"].append(embedded)
    passage = edition.known[text]
    rows["search_placement"].append((uuid4(), tenant, version, position, passage, ""))


def copy(connection: Connection, table: str, rows: Rows) -> None:
    names = COLUMNS[table].split()
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), columns)
    with connection.cursor() as cursor:
        if table == "search_embedding":
            with cursor.copy(statement + sql.SQL(" (FORMAT BINARY)")) as stream:
                stream.set_types(["uuid", "uuid", "uuid", "uuid", "int2", "halfvec"])
                for row in rows:
                    stream.write_row(row)
            return
        with cursor.copy(statement) as stream:
            for row in rows:
                stream.write_row(row)


def finish(connection: Connection, tenant: UUID) -> None:
    """Count words, and make the indexes and statistics that the migrations and the server would have made."""
    connection.execute(ADD.format(counted=OF_ALL), {"tenant": tenant})
    mark_past(tenant)
    for name, column in INDEXES.items():
        statement = "CREATE INDEX {} ON search_passage USING gin ({}) WITH (fastupdate = off)"
        statement += " WHERE NOT is_past" if name.startswith("current") else ""
        connection.execute(sql.SQL(statement).format(*map(sql.Identifier, (name, column))))
        connection.execute(sql.SQL("ALTER INDEX {} OWNER TO pandect_owner").format(sql.Identifier(name)))
    connection.execute("VACUUM ANALYZE")
    connection.execute("CHECKPOINT")


def index_vectors(space: EmbeddingSpace, passages: int) -> None:
    """Make the space's index at once, with the memory that this takes. In the product it grows by itself."""
    if passages < settings.SEARCH_HNSW_FROM:
        return
    with tenant_scope(space.tenant_id):
        with django_connection.cursor() as cursor:
            cursor.execute("SET LOCAL maintenance_work_mem = '4GB'")
            cursor.execute("SET LOCAL max_parallel_maintenance_workers = 2")
        index_space(space)
