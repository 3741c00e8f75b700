"""Documents, units and definitions as resources: what an application attaches, and no model asks for."""

from __future__ import annotations

from typing import Any

from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from pydantic import ValidationError

from documents.visible import usual_context
from search.errors import BadCursor
from search.mcp.arguments import describe_problems
from search.mcp.refusals import REFUSED, refusal_lines
from search.mcp.tool import Tool, line_of
from search.mcp.tools.places import GET_SECTION, LOOKUP_DEFINITION
from search.read import DocumentRead, list_documents, section
from tenants.authentication import Program

PAGE = 50
KIND = "text/markdown"
DOCUMENT = UriTemplate.parse("pandect://documents/{collection}/{document}{?read_context}")
SECTION = UriTemplate.parse("pandect://sections/{collection}/{document}/{label}{?read_context}")
DEFINITION = UriTemplate.parse("pandect://definitions/{term}{?read_context}")
TEMPLATES = [
    ResourceTemplate(
        name="document",
        title="A document",
        uri_template=DOCUMENT.template,
        mime_type=KIND,
        description="The beginning of a document and its units, such as "
        "pandect://documents/acts/harbour-safety-act.md. Names are percent-encoded: a%2Fb.md is “a/b.md”.",
    ),
    ResourceTemplate(
        name="section",
        title="A unit of a document",
        uri_template=SECTION.template,
        mime_type=KIND,
        description="A unit word for word, with what stands around it, such as "
        "pandect://sections/acts/harbour-safety-act.md/Section%202%28a%29.",
    ),
    ResourceTemplate(
        name="definition",
        title="What a term means",
        uri_template=DEFINITION.template,
        mime_type=KIND,
        description="All definitions of a term, such as pandect://definitions/personal%20data.",
    ),
]
NO_RESOURCE = "There is no such resource. resources/list and resources/templates/list tell which there are."


def list_resources(program: Program, cursor: str | None) -> ListResourcesResult:
    """Return a page of the documents that can be read."""
    tenant = program.tenant
    try:
        read = list_documents(
            tenant=tenant, read_context=usual_context(tenant=tenant), after=cursor, limit=PAGE
        )
    except BadCursor as error:
        raise MCPError(INVALID_PARAMS, f"cursor: {error}") from error
    return ListResourcesResult(resources=[describe(one) for one in read.documents], next_cursor=read.next)


def describe(one: DocumentRead) -> Resource:
    facts, version = one.document, one.version
    return Resource(
        uri=DOCUMENT.expand({"collection": facts.collection, "document": facts.name}),
        name=facts.name,
        title=(version.title if version else "") or facts.name,
        description=f"In the collection {facts.collection}"
        + (f", version {version.number}" if version else ""),
        mime_type=KIND,
    )


def read_resource(program: Program, uri: str) -> ReadResourceResult:
    """Return a document, a unit or the definitions of a term, as the tools say them."""
    if named := DOCUMENT.match(uri) or SECTION.match(uri):
        text = answer(GET_SECTION, program, {**place_of(named), "limit": section.MOST_CHARACTERS})
    elif named := DEFINITION.match(uri):
        text = answer(LOOKUP_DEFINITION, program, named)
    else:
        raise MCPError(INVALID_PARAMS, NO_RESOURCE)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=KIND, text=text)])


def place_of(named: dict[str, Any]) -> dict[str, Any]:
    """Return what an address names, as the tools take it."""
    return {"collections": [named.pop("collection")], **named}


def answer(tool: Tool[Any, Any], program: Program, arguments: dict[str, Any]) -> str:
    """Return what a tool says; what it refuses is an error here, where there are no results of errors."""
    try:
        read = tool.answer(program, tool.takes.model_validate(arguments))
    except ValidationError as error:
        problems = describe_problems(error.errors(), tool.takes)
        raise MCPError(INVALID_PARAMS, " ".join(map(line_of, problems))) from error
    except REFUSED as error:
        raise MCPError(INVALID_PARAMS, "\n".join(refusal_lines(error))) from error
    return tool.write(read, program.tenant)
