"""From a file to a version that can be read: claim → convert → parse → extract → chunk → publish.

Each step can be run again: nothing but the converted text is written before the last one, and that one
writes everything or nothing. Whoever has lost the claim to another worker writes nothing either.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from uuid import UUID

from django.db import InterfaceError, OperationalError
from opentelemetry import trace

from definitions.anchor import anchor_lists
from definitions.gather import Findings, gather_findings
from definitions.record import record_findings
from documents.chunk import Piece, chunk_outline
from documents.claim import Claim, ClaimLost, advance, claim_version, fail_version
from documents.convert import Converted, convert_in_child
from documents.errors import ConversionError, DocumentError, Unreadable
from documents.models import Collection, OutlineCorrection, Source, State, Version
from documents.parse import Correction, Outline, parse_outline
from documents.publish import publish_version
from tenants.scope import tenant_scope

logger = logging.getLogger(__name__)
tracer = trace.get_tracer("pandect")  # Does nothing until a collector is configured.

FAULT = (
    "Reading it ran into a fault of Pandect itself. Whoever runs this installation finds it in the log; "
    "other files are not affected."
)


def ingest_version(version_id: UUID, tenant_id: UUID) -> None:
    """Read a version that waits. Told of one that does not wait, or twice of the same one, do nothing."""
    claim = claim_version(version_id, tenant_id)
    if claim is None:
        return
    try:
        read_version(claim)
    except ClaimLost:
        logger.info("Version %s is in other hands, or gone.", version_id)


def read_version(claim: Claim) -> None:
    try:
        with traced("pandect.ingest") as span:
            with traced("convert"):
                converted = convert_version(claim)
            with traced("parse"):
                outline = parse_version(claim, converted)
            with traced("extract"):
                findings = extract_version(claim, converted, outline)
                outline = anchor_version(claim, outline, findings)
            with traced("chunk"):
                pieces = chunk_version(claim, converted, outline, findings)
            with traced("index"), faults_named(claim), tenant_scope(claim.tenant_id):
                publish_version(
                    claim, text=converted.text, pages=converted.pages, outline=outline, pieces=pieces
                )
                record_findings(claim.version_id, converted.text, findings)
            span.set_attributes({"ingest.document_count": 1, "ingest.chunk_count": len(pieces)})
    except ConversionError as error:
        fail_version(claim, str(error))


def traced(name: str) -> AbstractContextManager[trace.Span]:
    """Open a span that keeps no error: its words may quote the document."""
    return tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False)


def convert_version(claim: Claim) -> Converted:
    """Turn the source into text, unless an earlier attempt, or the version it was made from, has done so."""
    with tenant_scope(claim.tenant_id):
        version = Version.objects.filter(pk=claim.version_id).first()
        if version is None:
            raise ClaimLost
        content = b"" if version.text else content_of(version)
    if version.text:
        advance(claim, state=State.PARSING)
        return text_of(version)
    with faults_named(claim):
        converted = convert_in_child(content, version.file_name)
        advance(
            claim,
            state=State.PARSING,
            text=converted.text,
            is_markdown=converted.is_markdown,
            pages=list(converted.pages),
            title=converted.title[: Version._meta.get_field("title").max_length],
            warnings=list(converted.warnings),
        )
    return converted


def content_of(version: Version) -> bytes:
    source = Source.objects.filter(pk=version.source_id).first()
    if source is None:  # Purged at this moment, and the version with it.
        raise ClaimLost
    return bytes(source.content)


def text_of(version: Version) -> Converted:
    return Converted(
        text=version.text,
        is_markdown=version.is_markdown,
        pages=tuple(version.pages),
        title=version.title,
        warnings=tuple(version.warnings),
    )


def parse_version(claim: Claim, converted: Converted) -> Outline:
    with tenant_scope(claim.tenant_id):
        found = list(OutlineCorrection.objects.filter(document__versions=claim.version_id))
    corrections = [
        Correction(
            opening=correction.opening,
            label=correction.label,
            is_unit=correction.is_unit,
            level=correction.level,
            new_label=correction.new_label,
            new_title=correction.new_title,
        )
        for correction in found
    ]
    with faults_named(claim):
        return parse_outline(converted.text, is_markdown=converted.is_markdown, corrections=corrections)


def extract_version(claim: Claim, converted: Converted, outline: Outline) -> Findings:
    """Find the definitions and references that the collection asks for."""
    with tenant_scope(claim.tenant_id):
        versions = Version.objects.without_text().select_related("document__collection")
        version = versions.filter(pk=claim.version_id).first()
    if version is None:
        raise ClaimLost
    with faults_named(claim):
        return gather_findings(
            converted.text,
            outline.units,
            title=converted.title or outline.units[0].title,
            file_name=version.file_name,
            has_definitions=version.document.collection.extract_definitions,
            has_references=version.document.collection.extract_cross_references,
        )


def anchor_version(claim: Claim, outline: Outline, findings: Findings) -> Outline:
    with faults_named(claim):
        return anchor_lists(outline, findings.definitions)


def chunk_version(
    claim: Claim, converted: Converted, outline: Outline, findings: Findings
) -> tuple[Piece, ...]:
    with tenant_scope(claim.tenant_id):
        collection = Collection.objects.filter(documents__versions=claim.version_id).first()
    if collection is None:
        raise ClaimLost
    with faults_named(claim):
        return chunk_outline(
            converted.text,
            outline,
            max_tokens=collection.max_chunk_tokens,
            overlap=collection.chunk_overlap,
            strategy=collection.chunking_strategy,
            definitions=[definition.body for definition in findings.definitions],
        )


@contextmanager
def faults_named(claim: Claim) -> Iterator[None]:
    """A fault of ours in one file must neither stop a batch nor be met again and again, nor be hidden.

    A database that does not answer is no fault of the file: that is for whoever called to see.
    """
    try:
        yield
    except (DocumentError, OperationalError, InterfaceError):
        raise
    except Exception as error:
        logger.exception("Version %s of tenant %s cannot be read.", claim.version_id, claim.tenant_id)
        raise Unreadable(FAULT) from error
