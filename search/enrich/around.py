"""What stands around results: the units that they are in, and the chunks before and behind them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from search.enrich.found import Neighbour, Parent
from search.enrich.texts import read_texts
from search.round_trips import Asking

DEEPEST = 60  # Nobody nests deeper, but a hostile file may.
# The document itself is no step: where a result comes from says which it is.
UP = """
    WITH RECURSIVE up AS (
        SELECT id AS origin, 0 AS steps, id, parent_id, version_id, position,
            label, marker, title, start, "end"
        FROM documents_section WHERE id = ANY(%s)
        UNION ALL
        SELECT up.origin, up.steps + 1, above.id, above.parent_id, above.version_id, above.position,
            above.label, above.marker, above.title, above.start, above."end"
        FROM up JOIN documents_section AS above ON above.id = up.parent_id WHERE up.steps < %s
    )
    SELECT origin, id, version_id, label, marker, title, start, "end" FROM up
    WHERE position > 0 ORDER BY origin, steps DESC
"""
BESIDE = """
    SELECT asked.number, chunk.*, unit.label, passage.text
    FROM unnest(%s::uuid[], %s::int[]) WITH ORDINALITY AS asked(version_id, position, number)
    CROSS JOIN LATERAL (
        SELECT id, section_id, position, start, "end" FROM documents_chunk
        WHERE version_id = asked.version_id AND position <> asked.position
            AND position BETWEEN asked.position - %s AND asked.position + %s
    ) AS chunk
    CROSS JOIN LATERAL (SELECT label FROM documents_section WHERE id = chunk.section_id OFFSET 0) AS unit
    LEFT JOIN LATERAL (
        SELECT right(text, chunk."end" - chunk.start) AS text FROM search_placement AS placement
        JOIN search_passage ON search_passage.id = placement.passage_id
        WHERE placement.version_id = asked.version_id AND placement.position = chunk.position
    ) AS passage ON true
    ORDER BY asked.number, chunk.position
"""


def parents_of(section_ids: Sequence[UUID], *, characters: int = 0) -> Asking[list[tuple[Parent, ...]]]:
    """Return the units from the outermost down to each section, with their first words if they are asked for.

    One query, and one for the words.
    """
    chains: dict[UUID, list[Parent]] = {pk: [] for pk in section_ids}
    (rows,) = yield [(UP, [list(chains), DEEPEST])]
    stretches = {
        pk: (version_id, start, min(end, start + characters)) for _, pk, version_id, *_, start, end in rows
    }
    texts = dict.fromkeys(stretches, "")
    if characters:
        texts = dict(zip(stretches, (yield from read_texts(list(stretches.values()))), strict=True))
    for origin, pk, _, label, marker, title, start, end in rows:
        chains[origin].append(Parent(pk, label, marker, title, (start, end), texts[pk]))
    return [tuple(chains[pk]) for pk in section_ids]


def neighbours_of(chunks: Sequence[tuple[UUID, int]], *, count: int) -> Asking[list[tuple[Neighbour, ...]]]:
    """Return the chunks before and behind some, which are named by version and position, in one query."""
    found: list[list[Neighbour]] = [[] for _ in chunks]
    if not chunks or count < 1:
        return [()] * len(chunks)
    (rows,) = yield [(BESIDE, [*map(list, zip(*chunks, strict=True)), count, count])]
    for number, pk, section_id, position, start, end, label, text in rows:
        distance = position - chunks[number - 1][1]
        one = Neighbour(pk, section_id, label, position, distance, (start, end), text or "")
        found[number - 1].append(one)
    return [tuple(own) for own in found]
