"""Words of versions by their spans, to the character."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from search.enrich.texts import Stretch, read_texts
from search.round_trips import ask

# From the text itself, for stretches that hold a chunk of blanks, which no passage says.
READ = """
    SELECT asked.number, substr(version.text, asked.start + 1, asked."end" - asked.start)
    FROM unnest(%s::uuid[], %s::int[], %s::int[]) WITH ORDINALITY AS asked(version_id, start, "end", number)
    JOIN documents_version AS version ON version.id = asked.version_id
"""


def read_stretches(stretches: Sequence[Stretch]) -> list[str]:
    """Return the words of each stretch as far as there are any, in one query, or in two."""
    texts = ask(read_texts(stretches))
    short = [
        number for number, (text, one) in enumerate(zip(texts, stretches, strict=True)) if _lacks(text, one)
    ]
    for number, text in zip(short, _read([stretches[number] for number in short]), strict=True):
        texts[number] = text
    return texts


def _lacks(text: str, stretch: Stretch) -> bool:
    return len(text) < stretch[2] - stretch[1]


def _read(stretches: Sequence[Stretch]) -> list[str]:
    texts = [""] * len(stretches)
    if stretches:
        with connection.cursor() as cursor:
            cursor.execute(READ, [list(column) for column in zip(*stretches, strict=True)])
            for number, text in cursor.fetchall():
                texts[number - 1] = text
    return texts
