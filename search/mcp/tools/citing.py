"""Tools for citations: are those in a text right, and does what was cited still stand?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve
from django.utils import timezone
from pydantic import Field, WithJsonSchema

from documents.models import Version
from documents.visible import usual_context
from search.citations.check import MOST_CHARACTERS, check_text
from search.citations.checked import Checked, Checks
from search.citations.given import FIELDS, GivenCitation, read_citation
from search.citations.verification import Reading, Verification
from search.citations.verify import verify_citation
from search.errors import CitationRefused
from search.mcp.arguments import CollectedArguments, ReadingArguments
from search.mcp.texts import QUOTED, counted, fenced, listed, paragraphs, reading_of, shorten
from search.mcp.tool import Tool
from tenants.authentication import Program
from tenants.models import Tenant
from tenants.scope import within_tenant

LONGEST_PERMALINK = 1_000
LONGEST_READING = 4_000
ONE_OF_TWO = "Give either “permalink” or “citation”, as an answer before had it."
NO_PERMALINK = "This is no permalink of a citation here. Copy it from an answer, as it is."
SIGNS = {"removed": "[-{}-]", "added": "{{+{}+}}", "same": "{}"}
CITATION_SCHEMA = {
    "type": "object",
    "description": "The object “citation” of a result, as it is.",
    "properties": {
        "version_id": {"type": "string", "format": "uuid"},
        "span": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        "content_hash": {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"},
        **{name: {} for name in FIELDS if name not in {"version_id", "span", "content_hash"}},
    },
    "required": ["version_id", "span", "content_hash"],
}


class CheckArguments(CollectedArguments):
    text: str = Field(
        max_length=MOST_CHARACTERS,
        description="The text to be checked, such as your draft answer: with its references (“Section 2(a) "
        "of the Harbour Safety Act”) and quotations in quotation marks or indented.",
    )


class VerifyArguments(ReadingArguments):
    permalink: str | None = Field(
        default=None,
        max_length=LONGEST_PERMALINK,
        description="The path or address behind “citation” in an answer: /t/…/cite/…/.",
    )
    citation: Annotated[dict[str, Any] | None, WithJsonSchema(CITATION_SCHEMA)] = Field(
        default=None, description="Or the object “citation” of a result, as it is."
    )


def check(program: Program, asked: CheckArguments) -> Checks:
    return check_text(tenant=program.tenant, **asked.at(program.tenant))


def verify(program: Program, asked: VerifyArguments) -> Verification:
    given = given_citation(asked, program.tenant)
    context = asked.read_context or usual_context(
        tenant=program.tenant, document=document_of(given, program.tenant)
    )
    return verify_citation(given, tenant=program.tenant, context=context)


def given_citation(asked: VerifyArguments, tenant: Tenant) -> GivenCitation:
    if (asked.permalink is None) == (asked.citation is None):
        raise CitationRefused("permalink", ONE_OF_TWO)
    if asked.permalink is None:
        return read_citation(asked.citation, now=timezone.now())
    return read_permalink(asked.permalink, tenant)


def read_permalink(permalink: str, tenant: Tenant) -> GivenCitation:
    """Read the address of a citation; of another tenant, it looks like none."""
    try:
        match = resolve(urlsplit(permalink.strip()).path)
    except (Resolver404, ValueError) as error:
        raise CitationRefused("permalink", NO_PERMALINK) from error
    named: Mapping[str, Any] = match.kwargs
    if match.url_name != "citation" or named["slug"] != tenant.slug:
        raise CitationRefused("permalink", NO_PERMALINK)
    return GivenCitation(
        version_id=named["pk"], span=(named["start"], named["end"]), content_hash=named["digest"]
    )


def document_of(given: GivenCitation, tenant: Tenant) -> Any:
    """Return the id of the document that is cited, if it is here."""
    with within_tenant(tenant.pk):
        versions = Version.objects.for_tenant(tenant).filter(pk=given.version_id)
        return versions.values_list("document_id", flat=True).first() or given.document_id


def write_checks(read: Checks, tenant: Tenant) -> str:
    said = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in read.counts.items())
    verdict = "Everything is right" if read.is_right else "Not everything is right"
    return paragraphs(
        f"{verdict}: {said or 'there is neither a reference nor a quotation in it'}. "
        f"{reading_of(read.read_context)}",
        listed(checked_line(one) for one in read.checked) if read.checked else "",
    )


def checked_line(one: Checked) -> str:
    there = f" There are: {'; '.join(one.existing)}." if one.existing else ""
    says = "".join(SIGNS[each.kind].format(each.text) for each in one.difference)
    difference = f" It says: {says}" if says else ""
    return f"[{one.status}] {one.kind} “{shorten(one.text, 80)}”: {one.sentence}{there}{difference}"


def write_verification(read: Verification, tenant: Tenant) -> str:
    now = read.now if read.now != read.then else None
    return paragraphs(
        f"{read.status}. {reading_of(read.read_context)}",
        QUOTED,
        fenced(read.sentence),
        write_reading(read.then, "as cited"),
        write_reading(now, "as it is read now"),
        f"It stands in {counted(read.place_count, 'place')} now." if read.place_count > 1 else "",
        *(f"Changed in version {one.version}." for one in read.since),
    )


def write_reading(reading: Reading | None, mark: str) -> str:
    if reading is None:
        return ""
    heading = ", ".join(filter(None, [reading.document, reading.section_label, f"version {reading.version}"]))
    text = shorten(reading.text, LONGEST_READING)
    is_part = reading.is_cut or text != reading.text
    return paragraphs(
        fenced(text, heading=heading, mark=f"{mark}{', in part' if is_part else ''}"),
        f"citation {reading.permalink}",
    )


CHECK_CITATIONS = Tool(
    name="checkCitations",
    title="Check the citations in a text",
    description=(
        "Check a text before you hand it to anybody: each reference in it is looked up (resolved, ambiguous "
        "or missing, with what exists instead), and each quotation is compared word for word with the "
        "documents (found, elsewhere, nearly with the difference, not found). Use it on your own draft "
        "answers. To ask whether one citation from an earlier answer still stands, use verifyCitation."
    ),
    takes=CheckArguments,
    gives=Checks,
    answer=check,
    write=write_checks,
)
VERIFY_CITATION = Tool(
    name="verifyCitation",
    title="Verify a citation",
    description=(
        "Replay a citation from an earlier answer: do the cited words still stand? Comes back: stands, "
        "moved, changed, removed, withdrawn, altered (the citation itself was tampered with) or gone, with "
        "the words as cited and as they are now. Give the permalink (/t/…/cite/…/) or the citation object."
    ),
    takes=VerifyArguments,
    gives=Verification,
    answer=verify,
    write=write_verification,
)
