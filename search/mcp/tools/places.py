"""Tools that read at a place: a unit, what a term means there, what refers to what."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from search.context.render import name_place
from search.enrich import DefinitionInForce, ReferenceMade
from search.mcp.arguments import PagedArguments, PlaceArguments
from search.mcp.texts import (
    QUOTED,
    counted,
    fenced,
    listed,
    paragraphs,
    permalink,
    read_on,
    reading_of,
    shorten,
)
from search.mcp.tool import Tool
from search.read import (
    DefinitionRead,
    DefinitionsRead,
    ReferencesRead,
    SectionRead,
    definitions,
    list_references_at,
    lookup_definition_at,
    read_section,
    references,
    section,
)
from search.read.facts import UnitFacts
from tenants.authentication import Program
from tenants.models import Tenant

OTHER = "another"  # A definition that does not govern.
LONGEST_MEANING = 500  # Of such a one.
MOST_LISTED = 30  # Of what stands around a unit; getOutline and listReferences tell all.


class SectionArguments(PlaceArguments):
    with_text: bool | None = Field(default=None, description="With its words; true if left out.")
    with_children: bool | None = Field(default=None, description="With what is below it; true if left out.")
    with_parents: bool | None = Field(default=None, description="With what is above it; true if left out.")
    offset: int | None = Field(
        default=None, ge=0, description="The character to read on from; “next_offset”."
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        le=section.MOST_CHARACTERS,
        description=f"How many characters; {section.CHARACTERS:,} if left out.",
    )


class DefinitionArguments(PlaceArguments, PagedArguments):
    term: str = Field(
        min_length=1,
        max_length=definitions.LONGEST_TERM,
        description="The term as it is defined: “personal data”, “vessel”.",
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        le=definitions.MOST,
        description=f"How many others; {definitions.LIMIT} if left out.",
    )


class ReferencesArguments(PlaceArguments, PagedArguments):
    direction: Literal["in", "out"] | None = Field(
        default=None,
        description="“out”: what the unit refers to (if left out); “in”: what refers to the unit.",
    )
    limit: int | None = Field(
        default=None, ge=1, le=references.MOST, description=f"How many; {references.LIMIT} if left out."
    )


def section_at(program: Program, asked: SectionArguments) -> SectionRead:
    return read_section(tenant=program.tenant, **asked.at(program.tenant))


def definition_at(program: Program, asked: DefinitionArguments) -> DefinitionsRead:
    return lookup_definition_at(tenant=program.tenant, **asked.at(program.tenant))


def references_at(program: Program, asked: ReferencesArguments) -> ReferencesRead:
    return list_references_at(tenant=program.tenant, **asked.at(program.tenant))


def write_section(read: SectionRead, tenant: Tenant) -> str:
    following = f"Read on with offset={read.next_offset} (of {read.length:,})." if read.next_offset else ""
    return paragraphs(
        f"Document {read.document.id}, version {read.version.number}. {reading_of(read.read_context)}",
        QUOTED,
        fenced(read.text, heading=heading_of(read), mark="in part" if read.is_cut else ""),
        following,
        f"citation {permalink(read.citation, tenant)}",
        around("Below it", [unit_line(one) for one in read.children]),
        around("Terms in force", [term_line(one) for one in read.definitions]),
        around("It refers to", [reference_line(one) for one in read.references]),
        around(
            f"{counted(read.referenced_by_count, 'reference')} to it, such as",
            [referring_line(one) for one in read.referenced_by],
        ),
    )


def heading_of(read: SectionRead) -> str:
    place = name_place(read.version.title or read.document.name, read.path, read.label)
    return f"{place} › {read.title}" if read.label and read.title else place


def around(heading: str, lines: list[str]) -> str:
    if not lines:
        return ""
    more = f" (the first {MOST_LISTED} of {len(lines)})" if len(lines) > MOST_LISTED else ""
    return f"{heading}{more}:\n{listed(lines[:MOST_LISTED])}"


def unit_line(unit: UnitFacts) -> str:
    words = unit.title or unit.opening
    return f"{unit.label}: {words}" if words and words not in unit.label else unit.label


def term_line(one: DefinitionInForce) -> str:
    conflict = " (another document says something else)" if one.is_conflicting else ""
    return f"“{one.term}”, {one.section_label} of {one.document_name}{conflict}: {one.meaning}"


def reference_line(one: ReferenceMade) -> str:
    return f"“{one.text}” → {target_of(one)}"


def target_of(one: ReferenceMade) -> str:
    target = " of ".join(filter(None, [one.target_label, one.target_document_name]))
    return target or one.reason or "not here"


def referring_line(one: ReferenceMade) -> str:
    return f"“{one.text}” in {one.section_label or 'the beginning'} of {one.document_name}"


def write_definitions(read: DefinitionsRead, tenant: Tenant) -> str:
    governing = [] if read.definition is None else [read.definition]
    return paragraphs(
        f"{summary(read)} {reading_of(read.read_context)}",
        QUOTED if governing or read.given or read.others else "",
        *(write_definition(one, "governs", tenant) for one in governing),
        *(write_definition(one, "its meaning is given here", tenant) for one in read.given),
        *(write_definition(one, OTHER, tenant) for one in read.others),
        read_on(read.next),
    )


def summary(read: DefinitionsRead) -> str:
    if read.definition is None and not read.others_count:
        return "Nothing that is read defines this term."
    if read.definition is None:
        return f"No single definition governs; {counted(read.others_count, 'place')} define it."
    conflict = " They do not say the same." if read.is_conflicting else ""
    return f"One definition governs here; {counted(read.others_count, 'other')}.{conflict}"


def write_definition(one: DefinitionRead, role: str, tenant: Tenant) -> str:
    scope = f"holds in {one.scope_label}" if one.scope_label else "holds in the whole document"
    heading = f"“{one.term}”, {one.section_label} of {one.document.name}; {scope}"
    meaning = shorten(one.meaning, LONGEST_MEANING) if role == OTHER else one.meaning
    mark = f"{role}{', in part' if one.is_cut or meaning != one.meaning else ''}"
    return f"{fenced(meaning, heading=heading, mark=mark)}\ncitation {permalink(one.citation, tenant)}"


def write_references(read: ReferencesRead, tenant: Tenant) -> str:
    said = "made in the unit" if read.direction == "out" else "to the unit from elsewhere"
    return paragraphs(
        f"{counted(len(read.references), 'reference')} {said}. {reading_of(read.read_context)}",
        listed(whole_line(one) for one in read.references) if read.references else "",
        read_on(read.next),
    )


def whole_line(one: ReferenceMade) -> str:
    return f"{referring_line(one)} (document {one.document_id}) → {target_of(one)}"


GET_SECTION = Tool(
    name="getSection",
    title="Read a unit",
    description=(
        "Read a unit of a document word for word: a section, an article, a paragraph, a schedule, or the "
        "whole. Use it when you know which unit you want, by a citation such as “Article 6(1)(f) GDPR” or "
        "by document and label; to find one, use semanticSearch. Comes back: its text (long ones in parts), "
        "what stands above and below it, terms in force, references both ways, a citation. A unit that does "
        "not exist is answered with those that do."
    ),
    takes=SectionArguments,
    gives=SectionRead,
    answer=section_at,
    write=write_section,
)
LOOKUP_DEFINITION = Tool(
    name="lookupDefinition",
    title="Look up a definition",
    description=(
        "Find out what a term means: everywhere, or at a place (“citation”, or “document” with “label”), "
        "where the definition of the nearest scope governs. Use it before you explain a term that a "
        "document may define in its own way. Comes back: the definition that governs, others, whether they "
        "conflict, and citations. Nothing comes back for words that nobody defines: search for those."
    ),
    takes=DefinitionArguments,
    gives=DefinitionsRead,
    answer=definition_at,
    write=write_definitions,
)
LIST_REFERENCES = Tool(
    name="listReferences",
    title="Walk references",
    description=(
        "List what a unit refers to (direction “out”), or what refers to it from anywhere (direction “in”). "
        "Use it to follow “subject to section 5”, or to see what an amendment of a unit would touch. Comes "
        "back: each reference as printed, where it stands, and the unit it means or why it leads nowhere."
    ),
    takes=ReferencesArguments,
    gives=ReferencesRead,
    answer=references_at,
    write=write_references,
)
