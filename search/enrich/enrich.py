"""Definitions in force and references for a page of results, in as many queries as for one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from definitions.readable import Holder, Readable, holders_of
from search.enrich.definitions import definitions_in_force
from search.enrich.found import Enrichment, Place
from search.enrich.references import references_made, references_to
from search.enrich.texts import read_texts
from search.round_trips import Asking, together

MOST_CHARACTERS = 20_000  # Of one result that are looked at; a chunk has a tenth of that.


def enrich_chunks(
    chunks: Sequence[Place], readable: Readable, *, holders: dict[UUID, Holder] | None = None
) -> Asking[list[Enrichment]]:
    """Return what comes with each chunk.

    Whoever knows whose the versions are says so; otherwise that is asked for.
    """
    if not chunks:
        return []
    if holders is None:
        holders = holders_of(place.version_id for place in chunks)
    present = [place for place in chunks if place.version_id in holders]  # Others have just been deleted.
    enriched: Iterator[Enrichment] = iter(())
    if present:
        places = yield from _with_texts(present)
        enriched = iter((yield from _enrich(places, holders, readable)))
    return [next(enriched) if place.version_id in holders else Enrichment() for place in chunks]


def _enrich(
    places: Sequence[Place], holders: dict[UUID, Holder], readable: Readable
) -> Asking[list[Enrichment]]:
    definitions, made, referring = yield from together(
        definitions_in_force(places, holders, readable),
        references_made(places, holders, readable),
        references_to(places, holders, readable),
    )
    return [
        Enrichment(own, out, shown, count)
        for own, out, (shown, count) in zip(definitions, made, referring, strict=True)
    ]


def _with_texts(places: Sequence[Place]) -> Asking[list[Place]]:
    """Read the words of those that come without; of a large unit, only its beginning is looked at."""
    cut = [_cut(place) for place in places]
    missing = [(place.version_id, place.start, place.end) for place in cut if not place.text]
    read = iter((yield from read_texts(missing)))
    return [place if place.text else replace(place, text=next(read)) for place in cut]


def _cut(place: Place) -> Place:
    end = min(place.end, place.start + MOST_CHARACTERS)
    return replace(place, end=end, text=place.text[:MOST_CHARACTERS])
