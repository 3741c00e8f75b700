"""Tools for the index: how it is, and to have it made anew."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from documents.models import Collection, Document
from documents.services import Reindexing, reindex
from search.api_asked import LONGEST_NAME
from search.ask import find_collections
from search.errors import NoSuchDocument
from search.health import IndexHealth, read_health
from search.mcp.arguments import Arguments, CollectionName
from search.mcp.texts import counted, listed, paragraphs
from search.mcp.tool import Tool
from search.mcp.tools.overview import NoArguments
from tenants.audit import Actor
from tenants.authentication import Program
from tenants.models import Scope, Tenant
from tenants.scope import within_tenant

NO_DOCUMENT = "There is no such document here."


class ReindexArguments(Arguments):
    collection: CollectionName | None = Field(
        default=None, description="Only this collection. Left out: all documents."
    )
    document: str | None = Field(
        default=None, max_length=LONGEST_NAME, description="Only this document: its id or its name."
    )


def health_of(program: Program, asked: NoArguments) -> IndexHealth:
    return read_health(tenant=program.tenant)


def start(program: Program, asked: ReindexArguments) -> Reindexing:
    tenant, actor = program.tenant, Actor(program.label, program.id if program.key else None)
    with within_tenant(tenant.pk):
        collection = find_collections(tenant, [asked.collection])[0] if asked.collection else None
        document = find_document(tenant, collection, asked.document) if asked.document else None
    return reindex(tenant=tenant, actor=actor, collection=collection, document=document)


def find_document(tenant: Tenant, collection: Collection | None, name: str) -> Document:
    """Return a document by its id or its name, in a collection if one is named."""
    rows = Document.objects.for_tenant(tenant).present()
    if collection is not None:
        rows = rows.filter(collection=collection)
    try:
        found = list(rows.filter(pk=UUID(name)))
    except ValueError:
        found = list(rows.filter(name=name)[:2])
    if not found:
        raise NoSuchDocument(NO_DOCUMENT)
    if len(found) > 1:
        raise NoSuchDocument("Several collections have a document of this name. Name one, or give its id.")
    return found[0]


def write_health(read: IndexHealth, tenant: Tenant) -> str:
    states = ", ".join(f"{count:,} {state}" for state, count in read.versions.items())
    spaces = (
        f"Vectors by {one.provider}/{one.model} ({one.dimensions}), {one.state}: {one.coverage:.1%} covered."
        for one in read.spaces
    )
    return paragraphs(
        f"The index is {read.status}. {counted(read.documents, 'document')}; versions: {states or 'none'}.",
        f"{counted(read.chunks.count, 'chunk')}, {read.chunks.placed:,} of them placed; "
        f"{counted(read.passages, 'passage')}; {counted(read.keywords.terms, 'word')} counted.",
        *spaces,
        *read.sentences,
        failures_of(read),
    )


def failures_of(read: IndexHealth) -> str:
    lines = [f"{one.document} in {one.collection}: {one.reason}" for one in read.failures.newest]
    return f"Failed:\n{listed(lines)}" if lines else ""


def write_reindexing(read: Reindexing, tenant: Tenant) -> str:
    return paragraphs(
        f"Started: {counted(read.versions, 'version')} will be indexed anew in the background.",
        "Searches go on meanwhile, and find what they found. getIndexHealth tells how the index is."
        if read.versions
        else "There is nothing that is ready in it.",
    )


GET_INDEX_HEALTH = Tool(
    name="getIndexHealth",
    title="Tell how the index is",
    description=(
        "Tell whether what is here can be found: documents by state, what waits and for how long, what "
        "failed and why, how much has vectors and counted words. Use it when a document that should be here "
        "is not found, or after reindex; not for questions about the content of documents. It takes no "
        "arguments."
    ),
    takes=NoArguments,
    gives=IndexHealth,
    answer=health_of,
    write=write_health,
)
REINDEX = Tool(
    name="reindex",
    title="Index documents anew",
    description=(
        "Have the index made anew from the documents: all of them, one collection or one document. It only "
        "starts work, which goes on in the background; searches go on meanwhile. Nothing is read from files "
        "again and no context is paid for again. Use it only if somebody asks for it, or getIndexHealth "
        "says that the index is incomplete. Comes back: how many versions it was started for."
    ),
    takes=ReindexArguments,
    gives=Reindexing,
    answer=start,
    write=write_reindexing,
    scope=Scope.MANAGE,
)
