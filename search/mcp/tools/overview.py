"""Tools that tell what there is: collections, documents, outlines."""

from __future__ import annotations

from pydantic import Field

from documents.models import State
from search.api_asked import LONGEST_NAME
from search.mcp.arguments import Arguments, CollectedArguments, PagedArguments
from search.mcp.texts import counted, listed, paragraphs, read_on, reading_of
from search.mcp.tool import Tool
from search.read import (
    CollectionRead,
    CollectionsRead,
    DocumentRead,
    DocumentsRead,
    OutlineRead,
    documents,
    list_collections,
    list_documents,
    outline,
    outline_of,
)
from search.read.cursor import LIMIT, MOST
from search.read.outline import OutlineUnit
from tenants.authentication import Program
from tenants.models import Tenant

LONGEST_UNIT = 120  # Characters of a line: a page of an outline has up to a thousand.


class NoArguments(Arguments):
    pass


class CollectionsArguments(PagedArguments):
    limit: int | None = Field(default=None, ge=1, le=MOST, description=f"How many; {LIMIT} if left out.")


class DocumentsArguments(CollectedArguments, PagedArguments):
    name: str | None = Field(
        default=None, max_length=LONGEST_NAME, description="A part of the name, such as “safety”."
    )
    state: State | None = Field(
        default=None, description="Only those whose newest version is in this state; with “head” alone."
    )
    limit: int | None = Field(
        default=None, ge=1, le=documents.MOST, description=f"How many; {documents.LIMIT} if left out."
    )


class OutlineArguments(CollectedArguments, PagedArguments):
    document: str = Field(
        max_length=LONGEST_NAME,
        description="Id or name of the document, from listDocuments or results: “harbour-safety-act.md”.",
    )
    under: str | None = Field(
        default=None, max_length=LONGEST_NAME, description="Only what is below this unit: “Chapter II”."
    )
    depth: int | None = Field(
        default=None, ge=1, le=outline.DEEPEST, description=f"How many levels; {outline.DEPTH} if left out."
    )
    limit: int | None = Field(
        default=None, ge=1, le=outline.MOST, description=f"How many units; {outline.LIMIT} if left out."
    )


def collections_of(program: Program, asked: CollectionsArguments) -> CollectionsRead:
    return list_collections(tenant=program.tenant, **asked.given())


def documents_of(program: Program, asked: DocumentsArguments) -> DocumentsRead:
    return list_documents(tenant=program.tenant, **asked.at(program.tenant))


def outline_for(program: Program, asked: OutlineArguments) -> OutlineRead:
    return outline_of(tenant=program.tenant, **asked.at(program.tenant))


def write_collections(read: CollectionsRead, tenant: Tenant) -> str:
    found = read.collections
    return paragraphs(
        counted(len(found), "collection") + ".", listed(map(collection_line, found)), read_on(read.next)
    )


def collection_line(one: CollectionRead) -> str:
    published = f"; published: {one.published}" if one.published else "; nothing published"
    return f"{one.name} ({counted(one.documents, 'document')}, {one.language}{published}): {one.description}"


def write_documents(read: DocumentsRead, tenant: Tenant) -> str:
    return paragraphs(
        f"{counted(len(read.documents), 'document')}. {reading_of(read.read_context)}",
        listed(map(document_line, read.documents)) if read.documents else "",
        read_on(read.next),
    )


def document_line(one: DocumentRead) -> str:
    facts, version = one.document, one.version
    state = f"version {version.number}" if version else one.state
    title = f": {version.title}" if version and version.title else ""
    return f"{facts.name} (id {facts.id}, collection {facts.collection}, {state}){title}"


def write_outline(read: OutlineRead, tenant: Tenant) -> str:
    return paragraphs(
        f"{counted(len(read.units), 'unit')} of document {read.document.id}. {reading_of(read.read_context)}",
        listed([read.version.title or read.document.name, *map(unit_line, read.units)], most=LONGEST_UNIT),
        read_on(read.next),
    )


def unit_line(one: OutlineUnit) -> str:
    unit = one.unit
    words = unit.title or unit.opening
    named = f"{unit.label}: {words}" if words and words not in unit.label else unit.label
    return f"{named} …" if one.has_children else named


LIST_COLLECTIONS = Tool(
    name="listCollections",
    title="List collections",
    description=(
        "List the collections of documents that can be searched, with what each holds, how many documents "
        "it has and whether a baseline of it is published. Use it first if you do not know what is here, or "
        "to choose “collections” for another tool. Comes back: a page of collections by name, and “next” if "
        "there are more."
    ),
    takes=CollectionsArguments,
    gives=CollectionsRead,
    answer=collections_of,
    write=write_collections,
)
LIST_DOCUMENTS = Tool(
    name="listDocuments",
    title="List documents",
    description=(
        "List documents by name, with their ids, titles and versions. Use it to see whether a document is "
        "here or to get its id; to find something by its content use semanticSearch. Comes back: a page of "
        "documents, and “next” if there are more."
    ),
    takes=DocumentsArguments,
    gives=DocumentsRead,
    answer=documents_of,
    write=write_documents,
)
GET_OUTLINE = Tool(
    name="getOutline",
    title="Get the outline of a document",
    description=(
        "Get the table of contents of a document, or of a part of it: labels that getSection takes, with "
        "titles or first words. Use it to see how a document is built or which units a section has. Comes "
        "back: units in their order; “…” marks those with more below them."
    ),
    takes=OutlineArguments,
    gives=OutlineRead,
    answer=outline_for,
    write=write_outline,
)
