"""Write what was read: sections, chunks and the new state, in one transaction."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any
from uuid import uuid4

from django.db import connection, models
from django.utils import timezone

from documents.chunk import Piece
from documents.claim import Claim, advance
from documents.models import Chunk, Document, Section, State, Version
from documents.parse import Outline, Unit
from documents.webhooks.outbox import announce_version
from tenants.scope import tenant_scope

BATCH = 1000
KIND, MARKER, LABEL, OPENING, TITLE, STEP = 20, 100, 300, 120, 500, 600  # Lengths of the fields of a section.
DEEPEST = 32_767
MOST_STEPS = 50  # Nobody nests deeper, but a hostile file may.

Row = dict[str, Any]


def publish_version(
    claim: Claim, *, text: str, pages: Sequence[int], outline: Outline, pieces: Sequence[Piece]
) -> None:
    """Make a version ready and supersede the one before it: others see all of it from then on, or nothing."""
    sections = build_sections(claim, text, pages, outline)
    chunks = build_chunks(claim, text, sections, pieces)
    with tenant_scope(claim.tenant_id):
        make_current(claim, outline)
        insert_rows(Section, sections)
        insert_rows(Chunk, chunks)


def insert_rows(model: type[models.Model], rows: Iterable[Row]) -> None:
    """Insert by the thousand. `bulk_create` takes many times as long, and row-level security forbids COPY."""
    table = connection.ops.quote_name(model._meta.db_table)
    rest = iter(rows)
    with connection.cursor() as cursor:
        while batch := list(islice(rest, BATCH)):
            cursor.execute(
                f"INSERT INTO {table} SELECT * FROM json_populate_recordset(NULL::{table}, %s)",  # noqa: S608
                [json.dumps(batch, default=str)],
            )


def update_rows(model: type[models.Model], columns: Iterable[str], rows: Iterable[Row]) -> None:
    """Set the columns of rows, which name their ids, by the thousand."""
    table = connection.ops.quote_name(model._meta.db_table)
    values = ", ".join(f'"{column}" = new."{column}"' for column in columns)
    rest = iter(rows)
    with connection.cursor() as cursor:
        while batch := list(islice(rest, BATCH)):
            cursor.execute(
                f"UPDATE {table} SET {values} FROM json_populate_recordset(NULL::{table}, %s) new"  # noqa: S608
                f" WHERE {table}.id = new.id",
                [json.dumps(batch, default=str)],
            )


def make_current(claim: Claim, outline: Outline) -> None:
    """Lock the document, so that two versions of it that end at once do so one after the other.

    Not its key: other documents may point to it meanwhile.
    """
    Document.objects.select_for_update(of=["self"], no_key=True).filter(versions=claim.version_id).first()
    version = Version.objects.only("document_id", "number", "title").filter(pk=claim.version_id).first()
    now = timezone.now()
    superseded_at = None
    title = ""
    if version is not None:
        ready = Version.objects.readable().filter(document=version.document_id)
        if ready.filter(number__gt=version.number).exists():
            superseded_at = now  # A newer one was faster; this one is part of the history only.
        ready.filter(number__lt=version.number, superseded_at=None).update(superseded_at=now)
        title = version.title or outline.units[0].title[:TITLE]
    advance(
        claim,
        state=State.READY,
        claim=None,
        failure="",
        grade=outline.grade,
        title=title,
        recorded_at=now,
        superseded_at=superseded_at,
    )
    announce_version(claim.version_id, claim.tenant_id)


def stamp_version(claim: Claim) -> None:
    """Say once more when a version became ready, as the last thing before others see it.

    Whoever reads as of a moment has to find what was read at that moment, and to write a long version takes
    seconds. What is left to check is checked before, and not at the end of the transaction.
    """
    connection.check_constraints()
    version = Version.objects.only("document_id", "recorded_at").get(pk=claim.version_id)
    now = timezone.now()
    superseded = Version.objects.filter(document=version.document_id, superseded_at=version.recorded_at)
    superseded.update(superseded_at=now)
    Version.objects.filter(pk=version.pk).update(recorded_at=now)


def build_sections(claim: Claim, text: str, pages: Sequence[int], outline: Outline) -> list[Row]:
    ids = [uuid4() for _ in outline.units]
    paths: list[list[str]] = []
    rows = []
    for position, (unit, label) in enumerate(zip(outline.units, unique_labels(outline.units), strict=True)):
        paths.append([] if unit.parent is None else path_below(outline.units, unit.parent, paths))
        first_page, last_page = page_range(text, pages, unit)
        rows.append(
            {
                "id": ids[position],
                "tenant_id": claim.tenant_id,
                "version_id": claim.version_id,
                "parent_id": None if unit.parent is None else ids[unit.parent],
                "position": position,
                "kind": unit.kind[:KIND],
                "label": label,
                "marker": unit.marker[:MARKER],
                "title": unit.title[:TITLE],
                "opening": opening_words(text, unit),
                "level": min(unit.level, DEEPEST),
                "path": paths[position],
                "start": unit.start,
                "end": unit.end,
                "first_page": first_page,
                "last_page": last_page,
            }
        )
    return rows


def opening_words(text: str, unit: Unit) -> str:
    """Return the first words of a unit, for lists of units that mostly have no title."""
    words = text[unit.start : min(unit.end, unit.start + 4 * OPENING)].lstrip("#*_>- \t")
    words = " ".join(words.removeprefix(unit.marker).lstrip("*_.:—– \t").split())
    return words if len(words) <= OPENING else words[: OPENING - 1].rsplit(" ", 1)[0][: OPENING - 1] + "…"


def build_chunks(claim: Claim, text: str, sections: Sequence[Row], pieces: Sequence[Piece]) -> Iterator[Row]:
    for position, piece in enumerate(pieces):
        header_start, header_end = piece.header or (None, None)
        yield {
            "id": uuid4(),
            "tenant_id": claim.tenant_id,
            "version_id": claim.version_id,
            "section_id": sections[piece.unit]["id"],
            "position": position,
            "type": piece.type,
            "start": piece.start,
            "end": piece.end,
            "lead_start": piece.lead_start,
            "header_start": header_start,
            "header_end": header_end,
            "token_count": piece.token_count,
            "digest": sha256(text[piece.start : piece.end].encode()).hexdigest(),
        }


def path_below(units: Sequence[Unit], index: int, paths: Sequence[list[str]]) -> list[str]:
    """Return the path of a unit's children; the document itself is no step of it."""
    unit = units[index]
    if unit.parent is None:
        return []
    return [*paths[index], (f"{unit.marker} {unit.title}".strip() or unit.label)[:STEP]][-MOST_STEPS:]


def unique_labels(units: Sequence[Unit]) -> Iterator[str]:
    """Yield labels that fit their field, with a number behind those that are then alike."""
    seen: set[str] = set()
    for position, unit in enumerate(units):
        label = unit.label[:LABEL]
        if label in seen:
            suffix = f" [{position}]"
            label = label[: LABEL - len(suffix)] + suffix
        seen.add(label)
        yield label


def page_range(text: str, pages: Sequence[int], unit: Unit) -> tuple[int | None, int | None]:
    """Return the first and the last page that a unit has words on."""
    if not pages:
        return None, None
    last = unit.end - 1
    while last > unit.start and text[last].isspace():
        last -= 1
    return max(1, bisect_right(pages, unit.start)), max(1, bisect_right(pages, last))
