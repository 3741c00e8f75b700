"""What a tool cannot do, as a result that a model can read: what is wrong, where, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_types import CallToolResult, TextContent

from documents.errors import ReadContextRefused
from search.errors import (
    BadCursor,
    BudgetRefused,
    CitationRefused,
    NoSuchCollection,
    NoSuchDocument,
    NoSuchSection,
    PlaceRefused,
    SearchError,
    SeveralSections,
)
from search.mcp.texts import listed

REFUSED = (SearchError, ReadContextRefused)
MOST_NAMED = 20
# What helps, beside what the error says itself.
CURES: dict[type[Exception], str] = {
    NoSuchCollection: "listCollections tells which there are.",
    NoSuchDocument: "listDocuments tells which there are; name another read_context to read other versions.",
    NoSuchSection: "getOutline tells which units a document has; semanticSearch finds by words.",
    PlaceRefused: "Give “citation”, or “document” with “label”.",
}
FIELDS: dict[type[Exception], str] = {
    NoSuchCollection: "collections",
    NoSuchDocument: "document",
    BudgetRefused: "max_tokens",
    BadCursor: "after",
}


def refuse(*lines: str) -> CallToolResult:
    """Return an error of a tool. It is a result, not an error of the protocol: models see these."""
    return CallToolResult(content=[TextContent(text="\n".join(lines))], is_error=True)


def describe_refusal(error: Exception) -> CallToolResult:
    return refuse(*refusal_lines(error))


def refusal_lines(error: Exception) -> Iterator[str]:
    match error:
        case ReadContextRefused():
            yield f"read_context.{error.field}: {error}"
        case CitationRefused():
            yield f"{error.field}: {error}"
        case SeveralSections():
            yield "citation: This is more than one unit. Read one at a time, by “document” and “label”:"
            yield listed(
                f"{label} of {name} (document {pk})" for pk, name, label in error.candidates[:MOST_NAMED]
            )
        case NoSuchSection():
            yield from no_section(error)
        case _:
            field = FIELDS.get(type(error), "")
            yield f"{field}: {error}" if field else str(error)
    if cure := CURES.get(type(error)):
        yield cure


def no_section(error: NoSuchSection) -> Iterator[str]:
    yield "There is no such unit in what is read:"
    yield listed([str(error)])
    if error.existing:
        yield f"What there is nearby{' in the document' if error.document else ''}:"
        yield listed(error.existing[:MOST_NAMED])
