"""What other documents of a collection say of the same terms."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from definitions.readable import Readable
from search.enrich.texts import Stretch
from search.round_trips import Asking

FEW = 3  # Other definitions of a term that are compared with it.
OTHERS = """
    SELECT asked.number, other.version_id, other.text_start, other.text_end
    FROM unnest(%s::text[], %s::uuid[], %s::uuid[]) WITH ORDINALITY
        AS asked(key, document_id, collection_id, number)
    CROSS JOIN LATERAL (
        SELECT subject.version_id, subject.text_start, subject.text_end
        FROM (SELECT definition_id FROM definitions_termform WHERE key = asked.key OFFSET 0) AS form
        CROSS JOIN LATERAL (
            SELECT version_id, scope_id, given_start, text_start, text_end FROM definitions_definition
            WHERE id = form.definition_id OFFSET 0
        ) AS subject
        WHERE subject.given_start IS NULL
            AND EXISTS (
                SELECT FROM documents_version AS version
                JOIN documents_document AS document ON document.id = version.document_id
                WHERE version.id = subject.version_id AND document.id <> asked.document_id
                    AND document.collection_id = asked.collection_id
            )
            AND EXISTS (SELECT FROM documents_section WHERE id = subject.scope_id AND position = 0)
            AND {readable}
        LIMIT %s
    ) AS other
"""

Asked = tuple[str, UUID, UUID]  # The key of a term, its document and its collection.


def other_meanings(asked: Sequence[Asked], readable: Readable) -> Asking[list[list[Stretch]]]:
    """Return for each term where a few other documents, as a whole, say what it means."""
    found: list[list[Stretch]] = [[] for _ in asked]
    if not asked:
        return found
    columns = [list(column) for column in zip(*asked, strict=True)]
    (rows,) = yield [(OTHERS.format(readable=readable.sql), [*columns, *readable.parameters, FEW])]
    for number, *stretch in rows:
        found[number - 1].append((stretch[0], stretch[1], stretch[2]))
    return found


def say_the_same(meaning: str, other: str) -> bool:
    return _fold(meaning) == _fold(other)


def _fold(meaning: str) -> str:
    return " ".join(meaning.split()).casefold().rstrip(".;, ")
