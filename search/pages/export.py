"""Results as a file: a table, JSON, or Markdown to put into a memorandum, each with its citation."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.utils import timezone

from documents.read_context import HEAD
from search.answer import Answer, Hit
from search.pages.asked import Asked
from search.pages.shown import cite_hit, why_of
from search.pages.snippets import plain
from tenants.models import Tenant

FORMATS = {"csv": "CSV", "json": "JSON", "md": "Markdown"}
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
}
COLUMNS = (
    "rank",
    "section",
    "document",
    "title",
    "path",
    "collection",
    "version",
    "recorded",
    "pages",
    "text",
    "why",
    "score",
    "citation",
    "permalink",
    "content_hash",
    "read_context",
    "read_at",
)
# What a spreadsheet would take for a formula, wherever it is opened; also as Asia's wide letters have it.
FORMULA = re.compile(r"^[\s\"']*[=+\-@＝＋－＠\t\r]")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$^=])")
LISTED = re.compile(r"^(\s*\d*)([-+.)])(?=\s)")
BLANKS = re.compile(r"\s+")
Absolute = Callable[[str], str]


def export_results(
    kind: str, answer: Answer, asked: Asked, tenant: Tenant, absolute: Absolute
) -> HttpResponse:
    rows = [row_of(hit, answer, asked, absolute) for hit in answer.hits]
    write = {"csv": write_csv, "json": write_json, "md": write_markdown}[kind]
    response = HttpResponse(write(rows, answer, asked), content_type=TYPES[kind])
    name = f"search-{tenant.slug}-{timezone.now():%Y-%m-%d}.{kind}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def row_of(hit: Hit, answer: Answer, asked: Asked, absolute: Absolute) -> dict[str, Any]:
    permalink = absolute(hit.permalink) if hit.permalink else ""
    return {
        "rank": hit.rank,
        "section": hit.section_label,
        "document": hit.document_name,
        "title": hit.source.title,
        "path": " › ".join(hit.source.path),
        "collection": hit.source.collection,
        "version": hit.source.version,
        "recorded": hit.source.recorded_at.isoformat() if hit.source.recorded_at else "",
        "pages": "–".join(map(str, dict.fromkeys(hit.pages))) if hit.pages else "",
        "text": hit.content,
        "why": why_of(hit),
        "score": round(hit.score, 4),
        "citation": cite_hit(hit, permalink),
        "permalink": permalink,
        "content_hash": hit.citation.content_hash,
        "read_context": asked.read or HEAD.words,
        "read_at": answer.read_at.isoformat() if answer.read_at else "",
    }


def write_csv(rows: list[dict[str, Any]], answer: Answer, asked: Asked) -> bytes:
    """Write a table that spreadsheets open as UTF-8, and whose cells are never formulas."""
    lines = io.StringIO()
    table = csv.writer(lines)
    table.writerow(COLUMNS)
    table.writerows([cell_of(row[name]) for name in COLUMNS] for row in rows)
    return lines.getvalue().encode("utf-8-sig")


def cell_of(value: object) -> object:
    if not isinstance(value, str):
        return value
    return f"'{value}" if FORMULA.match(value) else value


def write_json(rows: list[dict[str, Any]], answer: Answer, asked: Asked) -> str:
    cited = [asdict(hit.citation) for hit in answer.hits]
    told = {
        "query": asked.query,
        "read_context": answer.read_context,
        "read_at": answer.read_at,
        "confidence": answer.confidence,
        "not_found": [asdict(one) for one in answer.not_found],
        "results": [row | {"citation_fields": one} for row, one in zip(rows, cited, strict=True)],
    }
    return json.dumps(told, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)


def write_markdown(rows: list[dict[str, Any]], answer: Answer, asked: Asked) -> str:
    return "".join(_markdown(rows, answer, asked))


def _markdown(rows: list[dict[str, Any]], answer: Answer, asked: Asked) -> Iterator[str]:
    yield f"# {in_markdown(asked.query)}\n\n"
    yield f"Read: {in_markdown(asked.read or HEAD.words)}"
    yield f", at {answer.read_at:%Y-%m-%d %H:%M} UTC.\n" if answer.read_at else ".\n"
    for missing in answer.not_found:
        yield f"\n{in_markdown(missing.reason)}\n"
    for row in rows:
        yield f"\n## {row['rank']}. {in_markdown(row['section'] or row['title'] or row['document'])}\n\n"
        place = (row["title"] or row["document"], row["path"])
        yield f"{in_markdown(' › '.join(filter(None, place)))}\n\n"
        yield "\n>\n".join(f"> {in_markdown(part)}" for part in paragraphs(row["text"]))
        yield f"\n\n{cite_in_markdown(row)}\n"


def paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", plain(text)) if part.strip()]


def cite_in_markdown(row: dict[str, Any]) -> str:
    """Return the citation with an address that can be followed."""
    address = row["permalink"]
    if not address:
        return in_markdown(row["citation"])
    before, _, behind = row["citation"].partition(address)
    return f"{in_markdown(before)}<{address}>{in_markdown(behind)}"


def in_markdown(text: str) -> str:
    """Return words as Markdown shows them, whatever they are: no link, no HTML, no list."""
    flat = BLANKS.sub(" ", text)
    return LISTED.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", flat))
