"""All tools, in the order in which they are listed: what to try first comes first."""

from typing import Any

from search.mcp.tool import Tool
from search.mcp.tools.citing import CHECK_CITATIONS, VERIFY_CITATION
from search.mcp.tools.index import GET_INDEX_HEALTH, REINDEX
from search.mcp.tools.overview import GET_OUTLINE, LIST_COLLECTIONS, LIST_DOCUMENTS
from search.mcp.tools.places import GET_SECTION, LIST_REFERENCES, LOOKUP_DEFINITION
from search.mcp.tools.searching import GET_CONTEXT, SEMANTIC_SEARCH

TOOLS: dict[str, Tool[Any, Any]] = {
    tool.name: tool
    for tool in (
        SEMANTIC_SEARCH,
        GET_CONTEXT,
        GET_SECTION,
        LOOKUP_DEFINITION,
        LIST_REFERENCES,
        CHECK_CITATIONS,
        VERIFY_CITATION,
        LIST_COLLECTIONS,
        LIST_DOCUMENTS,
        GET_OUTLINE,
        GET_INDEX_HEALTH,
        REINDEX,
    )
}
