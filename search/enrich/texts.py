"""Words of versions by their spans, read from passages.

A span of a version's own text would be found by counting its characters from the first on, which takes
milliseconds for each span of a long text. The words of a chunk are the last ones of its passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from search.round_trips import Asking

Stretch = tuple[UUID, int, int]  # A version, and a span of its text.

# OFFSET keeps the order of the joins. Without statistics PostgreSQL chooses one that takes far longer. And
# the first chunk is looked up by itself: compared with a query in its place, all before it would be read.
READ = """
    SELECT asked.number, string_agg(
        substr(
            right(passage.text, chunk."end" - chunk.start),
            greatest(asked.start - chunk.start, 0) + 1,
            least(asked."end", chunk."end") - greatest(asked.start, chunk.start)
        ), '' ORDER BY chunk.position
    )
    FROM unnest(%s::uuid[], %s::int[], %s::int[]) WITH ORDINALITY AS asked(version_id, start, "end", number)
    CROSS JOIN LATERAL (
        SELECT coalesce(max(start), 0) AS start FROM documents_chunk
        WHERE version_id = asked.version_id AND start <= asked.start OFFSET 0
    ) AS first
    CROSS JOIN LATERAL (
        SELECT position, start, "end" FROM documents_chunk
        WHERE version_id = asked.version_id AND start >= first.start AND start < asked."end" OFFSET 0
    ) AS chunk
    CROSS JOIN LATERAL (
        SELECT passage_id FROM search_placement
        WHERE version_id = asked.version_id AND position = chunk.position OFFSET 0
    ) AS placement
    CROSS JOIN LATERAL (SELECT text FROM search_passage WHERE id = placement.passage_id OFFSET 0) AS passage
    GROUP BY asked.number
"""


def read_texts(stretches: Sequence[Stretch]) -> Asking[list[str]]:
    """Return the words of each stretch. A chunk of blanks, which is no passage, is left out."""
    if not stretches:
        return []
    texts = [""] * len(stretches)
    (rows,) = yield [(READ, [list(column) for column in zip(*stretches, strict=True)])]
    for number, text in rows:
        texts[number - 1] = text
    return texts
