"""Passages of a version: each distinct text once, and which chunk says which."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from typing import TypeVar
from uuid import UUID, uuid4

from django.db import connection

from documents.models import Version
from documents.publish import BATCH, Row
from search.backends import keyword_index
from search.lexemes import LEXEMES
from search.lock import lock_passages
from search.models import Context, Passage, Placement
from search.past import mark_current
from search.words import extra_words
from tenants.scope import tenant_scope

FALLBACK = 300  # The length of the field.
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Situated:
    """A chunk's text with the context that it is indexed with."""

    text: str
    context: str = ""
    written: UUID | None = None  # The kept context that it is, if a provider wrote it.
    fallback: str = ""  # Why the context is structural although another was asked for.


def place_passages(*, tenant_id: UUID, version_id: UUID, language: str, situated: Sequence[Situated]) -> None:
    """Say what the chunks of a version are indexed as, in their order; make the passages that are new.

    Run again with the same texts it changes nothing; with others, the version's placements are replaced.
    A chunk of blanks is indexed as nothing, and so is a version that is gone.
    """
    placed = {position: one for position, one in enumerate(situated) if one.text.strip()}
    digests = {position: digest_of(language, one) for position, one in placed.items()}
    passages = {digests[position]: one for position, one in placed.items()}
    with tenant_scope(tenant_id):
        if not hold_version(version_id):
            return
        lock_passages(tenant_id)
        new = add_passages(tenant_id, language, passages)
        if new:
            keyword_index().add(tenant_id, new)
        placements = [
            {"position": position, "digest": digests[position], "fallback": one.fallback[:FALLBACK]}
            for position, one in placed.items()
        ]
        replace_placements(tenant_id, version_id, placements)
        mark_current(tenant_id, [version_id])
        # The last thing of all: until the transaction ends, nobody can touch the version.
        Version.objects.filter(pk=version_id).exclude(language=language).update(language=language)


def hold_version(version_id: UUID) -> bool:
    """Keep a version from being deleted under its placements; tell whether it is there. It can be touched."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM documents_version WHERE id = %s FOR KEY SHARE", [version_id])
        return cursor.fetchone() is not None


def digest_of(language: str, one: Situated) -> str:
    return sha256(json.dumps([language, one.context, one.text]).encode()).hexdigest()


def add_passages(tenant_id: UUID, language: str, passages: dict[str, Situated]) -> list[UUID]:
    """Insert those that are not there yet, by their digests; return the ids of these."""
    passages = without_lost_contexts(passages)
    known = set[str]()
    for digests in in_batches(passages):
        rows = Passage.objects.filter(tenant=tenant_id, digest__in=digests)
        known.update(rows.values_list("digest", flat=True))
    credit_contexts(tenant_id, {digest: passages[digest].written for digest in known})
    new = {digest: one for digest, one in passages.items() if digest not in known}
    return [made for batch in in_batches(new) for made in insert_passages(tenant_id, language, new, batch)]


def without_lost_contexts(passages: dict[str, Situated]) -> dict[str, Situated]:
    """Forget who wrote a context if that was swept away since it was looked up: its words are at hand."""
    written = {one.written for one in passages.values() if one.written is not None}
    kept = set(Context.objects.filter(pk__in=written).values_list("pk", flat=True)) if written else set()
    return {
        digest: one if one.written is None or one.written in kept else replace(one, written=None)
        for digest, one in passages.items()
    }


def insert_passages(
    tenant_id: UUID, language: str, passages: dict[str, Situated], digests: Sequence[str]
) -> list[UUID]:
    rows = [describe_passage(digest, passages[digest]) for digest in digests]
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO search_passage
                (id, tenant_id, digest, language, context, text, written_context_id, created_at,
                 full_text, exact, weights)
            SELECT id, tenant_id, digest, language, context, text, written, now(), full_text, exact, weights
            FROM (SELECT *, %s::uuid AS tenant_id, %s AS language FROM json_to_recordset(%s)
                    AS given(id uuid, digest text, context text, text text, written uuid, extra text)) AS new
            {LEXEMES}
            RETURNING id
            """,  # noqa: S608
            [tenant_id, language, json.dumps(rows, default=str)],
        )
        return [made for (made,) in cursor.fetchall()]


def describe_passage(digest: str, one: Situated) -> Row:
    return {
        "id": uuid4(),
        "digest": digest,
        "context": one.context,
        "text": one.text,
        "written": one.written,
        "extra": extra_words(f"{one.context} {one.text}"),
    }


def credit_contexts(tenant_id: UUID, written: dict[str, UUID | None]) -> None:
    """Remember who wrote the context of passages that were there before; what is named stays."""
    for digest, context_id in written.items():
        if context_id is not None:
            unnamed = Passage.objects.filter(tenant=tenant_id, digest=digest, written_context=None)
            unnamed.update(written_context=context_id)


def replace_placements(tenant_id: UUID, version_id: UUID, placements: Sequence[Row]) -> None:
    """Make the version's placements these, and leave alone the rows that are right."""
    positions = [row["position"] for row in placements]
    Placement.objects.filter(version=version_id).exclude(position__in=positions).delete()
    with connection.cursor() as cursor:
        for batch in in_batches(placements):
            cursor.execute(
                """
                INSERT INTO search_placement AS old
                    (id, tenant_id, version_id, position, passage_id, fallback)
                SELECT gen_random_uuid(), passage.tenant_id, %s, new.position, passage.id, new.fallback
                FROM json_to_recordset(%s) AS new(position int, digest text, fallback text)
                JOIN search_passage AS passage ON passage.tenant_id = %s AND passage.digest = new.digest
                ON CONFLICT (version_id, position) DO UPDATE
                SET passage_id = excluded.passage_id, fallback = excluded.fallback
                WHERE (old.passage_id, old.fallback) <> (excluded.passage_id, excluded.fallback)
                """,
                [version_id, json.dumps(batch), tenant_id],
            )


def in_batches(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        yield batch
