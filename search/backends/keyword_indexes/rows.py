"""What keyword indexes read from and write to the rows of passages themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db import connection

from search.lexemes import COLUMNS, LEXEMES, LONGEST, MOST_CHARACTERS
from search.models import Passage
from search.words import extra_words
from tenants.scope import tenant_scope

BATCH = 1000
WORDS = "SELECT lexeme, positions FROM unnest(to_tsvector(%s::regconfig, %s))"
REMEMBERED = 100  # Questions: each search reads the words of its own several times.

Words = Sequence[tuple[str, Sequence[int]]]
_remembered: dict[tuple[str, str], Words] = {}


def lexemes_of(question: str, *, language: str) -> list[str]:
    """Return the distinct words of a question as passages of a language have them, in their order.

    Any text will do.
    """
    read = _read_words(language, words_of(question))
    ordered = sorted(read, key=lambda word: word[1][0])
    return list(dict.fromkeys(lexeme[:LONGEST] for lexeme, _ in ordered))


def words_of(question: str) -> str:
    """Return what is read of a question: its words, and the parts of those that are put together."""
    words = clean(question)[:MOST_CHARACTERS]
    return f"{words} {extra_words(words)}".rstrip()


def placed_lexemes(question: str, *, language: str) -> list[tuple[str, int]]:
    """Return the words of a question, each wherever it stands, in the order of their places."""
    read = _read_words(language, clean(question)[:MOST_CHARACTERS].rstrip())
    placed = [(lexeme[:LONGEST], place) for lexeme, places in read for place in places]
    return sorted(placed, key=lambda word: word[1])


def remember_words(language: str, text: str, words: Words) -> None:
    """Take note of the lexemes of a text, each with its places, for those who ask for them soon."""
    if len(_remembered) >= REMEMBERED:
        _remembered.clear()
    _remembered[language, text] = words


def _read_words(language: str, text: str) -> Words:
    if (words := _remembered.get((language, text))) is None:
        with connection.cursor() as cursor:
            cursor.execute(WORDS, [language, text])
            words = cursor.fetchall()
        remember_words(language, text, words)
    return words


def clean(question: str) -> str:
    """Take out what PostgreSQL cannot hold: NUL and halves of characters."""
    return question.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def rewrite_lexemes(tenant_id: UUID) -> None:
    """Work out the words of all passages anew, some at a time; rows that are right stay as they are."""
    for batch in _passages(tenant_id):
        with tenant_scope(tenant_id):
            _rewrite(batch)


def _passages(tenant_id: UUID) -> Iterator[Sequence[Passage]]:
    last = UUID(int=0)
    while True:
        with tenant_scope(tenant_id):
            rest = Passage.objects.filter(tenant=tenant_id, pk__gt=last).order_by("pk")
            batch = list(rest.only("pk", "context", "text")[:BATCH])
        if not batch:
            return
        yield batch
        last = batch[-1].pk


def _rewrite(batch: Sequence[Passage]) -> None:
    rows = [{"id": str(row.pk), "extra": extra_words(f"{row.context} {row.text}")} for row in batch]
    old, made = (", ".join(f"{table}.{column}" for column in COLUMNS) for table in ("old", "made"))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE search_passage AS old SET ({", ".join(COLUMNS)}) = ROW ({made})
            FROM (
                SELECT new.id, {", ".join(COLUMNS)}
                FROM (SELECT passage.id, tenant_id, language, context, text, given.extra
                      FROM search_passage AS passage
                      JOIN json_to_recordset(%s) AS given(id uuid, extra text) ON given.id = passage.id)
                  AS new
                {LEXEMES}
            ) AS made
            WHERE old.id = made.id AND ({old}) IS DISTINCT FROM ({made})
            """,  # noqa: S608
            [json.dumps(rows)],
        )
