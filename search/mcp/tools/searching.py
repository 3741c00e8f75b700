"""Tools that search: results, or one text made of them."""

from __future__ import annotations

from pydantic import Field

from search.answer import Answer, Hit
from search.ask import ask
from search.context.assemble import (
    FEWEST_TOKENS,
    MAX_TOKENS,
    MOST_TOKENS,
    AssembledContext,
    assemble_context,
)
from search.context.render import name_place
from search.mcp.arguments import CollectedArguments, Filters
from search.mcp.texts import (
    QUOTED,
    counted,
    fenced,
    missing,
    paragraphs,
    permalink,
    reading_of,
    share_of,
    shorten,
)
from search.mcp.tool import Tool
from search.models import Door
from search.request import MOST_CHARACTERS, MOST_RESULTS, Mode
from tenants.authentication import Program
from tenants.models import Tenant

FILTERS = "Let only some documents, units, kinds of passages, formats, languages or days through."


class SearchArguments(CollectedArguments):
    query: str = Field(
        max_length=MOST_CHARACTERS,
        description="A question or words in the user's own language; a citation (“Art. 6(1)(f) GDPR”); "
        "“a phrase in quotes” for exact words; “what does X mean”. Ask for one thing at a time.",
    )
    top_k: int | None = Field(
        default=None, ge=1, le=MOST_RESULTS, description="How many results; the collection's own number (10)."
    )
    min_score: float | None = Field(
        default=None, ge=0, le=1, description="Leave out results that score less."
    )
    mode: Mode | None = Field(
        default=None,
        description="“hybrid” (usual) looks by meaning, words and exactly; “semantic”, “keyword” and "
        "“exact” in one way alone.",
    )
    filters: Filters | None = Field(default=None, description=FILTERS)
    explain: bool | None = Field(default=None, description="With ranks and scores of each way of looking.")


class ContextArguments(CollectedArguments):
    query: str = Field(max_length=MOST_CHARACTERS, description="The question to be answered, as a sentence.")
    max_tokens: int | None = Field(
        default=None,
        ge=FEWEST_TOKENS,
        le=MOST_TOKENS,
        description=f"The most that the text may have; {MAX_TOKENS:,} if left out.",
    )
    include_relationships: bool | None = Field(
        default=None, description="With definitions in force and with what is referred to; true if left out."
    )
    filters: Filters | None = Field(default=None, description=FILTERS)
    top_k: int | None = Field(default=None, ge=1, le=MOST_RESULTS, description="How many results to look at.")


def search(program: Program, asked: SearchArguments) -> Answer:
    return ask(tenant=program.tenant, door=Door.MCP, **asked.at(program.tenant))


def assemble(program: Program, asked: ContextArguments) -> AssembledContext:
    return assemble_context(tenant=program.tenant, door=Door.MCP, **asked.at(program.tenant))


def write_answer(answer: Answer, tenant: Tenant) -> str:
    most = share_of([hit.content for hit in answer.hits])
    return paragraphs(
        f"{counted(len(answer.hits), 'result')}, confidence: {answer.confidence}. "
        f"{reading_of(answer.read_context)}",
        QUOTED if answer.hits or answer.not_found else "",
        *(write_hit(hit, most) for hit in answer.hits),
        missing(answer.not_found),
        f"Did you mean: {fenced(answer.suggestion)}" if answer.suggestion else "",
        *(f"Missing: {leg}, {why}" for leg, why in answer.degraded.items()),
    )


def write_hit(hit: Hit, most: int) -> str:
    source = hit.source
    text = shorten(hit.content, most)
    is_part = hit.is_cut or text != hit.content
    heading = name_place(source.title or source.document, source.path, hit.section_label)
    return paragraphs(
        fenced(text, mark=f"[{hit.rank}]{', in part' if is_part else ''}", heading=heading),
        f"[{hit.rank}] document {hit.document_id}, score {hit.score:.3f}"
        f"{f', found by {hit.why}' if hit.why else ''}; citation {hit.permalink}",
    )


def write_context(assembled: AssembledContext, tenant: Tenant) -> str:
    """The text as it is, and below it how to cite each mark."""
    cited = (f"{one.mark} citation {permalink(one.citation, tenant)}" for one in assembled.sources)
    return paragraphs(
        f"{counted(assembled.tokens, 'token')}, confidence: {assembled.confidence}. "
        f"{reading_of(assembled.read_context)}",
        assembled.context.rstrip(),
        *cited,
        missing(assembled.not_found),
        *(f"Missing: {leg}, {why}" for leg, why in assembled.degraded.items()),
    )


SEMANTIC_SEARCH = Tool(
    name="semanticSearch",
    title="Search documents",
    description=(
        "Search laws, contracts, standards and other structured documents, by meaning, by words and by "
        "citation at once. Use it to find which passages exist on a subject, or a unit by its citation, "
        "e.g. “§ 1024.37(d)(2)”. Comes back: ranked passages, each with its document, its path, a score and "
        "a citation that can be verified; citations that do not exist, with what does; how far to trust it. "
        "To answer a question from the documents, getContext is better; to read a unit whole, getSection."
    ),
    takes=SearchArguments,
    gives=Answer,
    answer=search,
    write=write_answer,
    renamed={"hits": "results"},  # As REST has it.
)
GET_CONTEXT = Tool(
    name="getContext",
    title="Get context for a question",
    description=(
        "Get one text from which to answer a question, within a budget of tokens: the best passages in the "
        "order of their documents, the definitions that govern there, and what they refer to. Prefer it to "
        "semanticSearch whenever you are about to write an answer. Comes back: the text with marks such as "
        "[1], and the source and citation of each mark. Cite by these marks; say so if the confidence is "
        "low."
    ),
    takes=ContextArguments,
    gives=AssembledContext,
    answer=assemble,
    write=write_context,
)
