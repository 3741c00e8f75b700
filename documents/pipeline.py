"""From a file to a version that can be found: claim → convert → parse → extract → chunk → contextualize →
embed → publish.

Each step can be run again. Before the last one only the converted text is written, and what is kept by its
content: contexts, passages and vectors, which no reader sees until the last step has written everything else
in one transaction. Whoever has lost the claim to another worker writes nothing.

A version goes through `ingest_version` here and now, or through the queues: `read_waiting`,
`contextualize_waiting` and `embed_waiting` each take it one step further and leave it to wait for the next.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone
from opentelemetry import trace

from definitions.anchor import anchor_lists
from definitions.gather import Findings, gather_findings
from definitions.record import record_findings
from documents.chunk import Piece, chunk_outline
from documents.claim import (
    Claim,
    ClaimLost,
    advance,
    begin_step,
    claim_version,
    fail_version,
    hold_claim,
    kept_alive,
    release,
)
from documents.convert import Converted, convert_in_child
from documents.errors import ConversionError, DocumentError, NotIndexed, Unreadable
from documents.language import without_language
from documents.models import Collection, OutlineCorrection, Source, State, Version
from documents.parse import Correction, Outline, parse_outline
from documents.publish import publish_version, stamp_version
from documents.reading import Reading, stored_reading
from search import backends
from search.backends import BackendError
from search.backends.embedders.base import EmbedderError
from search.budget import record_embedding
from search.contextualize import Work, batch_under_way, contextualize_work
from search.embed import Embedded, count_missing, embed_some
from search.past import mark_past
from search.place import Situated, place_passages
from search.placed import is_placed
from search.prepare import prepare_passages
from tenants.scope import tenant_scope

logger = logging.getLogger(__name__)
tracer = trace.get_tracer("pandect")  # Does nothing until a collector is configured.

FAULT = (
    "Reading it ran into a fault of Pandect itself. Whoever runs this installation finds it in the log; "
    "other files are not affected."
)
MOST_BATCHES_LOST = 30  # Batches of a version that workers die of without one that ends, until it fails.
BATCHES_DIED = (
    "The worker died again and again while indexing it. Ask whoever runs this installation to look into the "
    "log of the worker."
)
NOT_INDEXED = "It cannot be indexed."
LONGEST_STEP = timedelta(days=1)  # Of batches that all fail.
PROVIDER_PAUSE = 10  # Seconds, until a provider is asked again how far it is.
PAUSE = 0.2  # Seconds, until passages are looked for again that another worker has in hand.


def ingest_version(version_id: UUID, tenant_id: UUID) -> None:
    """Read a version that waits, to its end. Told of one that does not wait, do nothing."""
    claim = claim_version(version_id, tenant_id)
    if claim is None:
        return
    with in_hand(claim), traced("pandect.ingest"):
        reading = read_version(claim)
        if is_provider_asked(reading.collection):
            begin_step(claim, State.CONTEXTUALIZING, len(reading.pieces))
        while (situated := contextualize_version(claim, reading)) is None:
            time.sleep(PROVIDER_PAUSE)
        place_version(claim, reading, situated)
        embed_version(claim)
        index_version(claim, reading)


def read_waiting(version_id: UUID, tenant_id: UUID) -> bool:
    """Take a version that came in as far as nobody has to be asked and nothing has to be embedded.

    Tell whether it waited.
    """
    claim = claim_version(version_id, tenant_id)
    if claim is None:
        return False
    with in_hand(claim), traced("pandect.ingest"):
        reading = read_version(claim)
        if is_provider_asked(reading.collection):
            begin_step(claim, State.CONTEXTUALIZING, len(reading.pieces))
            release(claim)
        else:
            go_on(claim, reading, contextualize_version(claim, reading) or [])
    return True


def contextualize_waiting(version_id: UUID, tenant_id: UUID) -> bool:
    """Have contexts written for a while; what is not finished then waits again, behind others.

    Tell whether it is finished.
    """
    claim = claim_version(version_id, tenant_id, state=State.CONTEXTUALIZING)
    if claim is None:
        return False
    with in_hand(claim), traced("pandect.ingest"):
        if batch := batch_under_way(version_id, tenant_id):
            release(claim, step_done=min(batch.done, batch.total))
            return False
        reading = read_version(claim)
        situated = contextualize_version(claim, reading)
        if situated is None:
            release(claim)
            return False
        go_on(claim, reading, situated)
    return True


def embed_waiting(version_id: UUID, tenant_id: UUID) -> bool:
    """Embed a batch of a version's passages, and publish it after the last; tell whether there was any.

    Others may embed other batches of it at the same time. A batch that fails is tried again later.
    """
    if not begin_batch(version_id, tenant_id):
        return False
    try:
        with traced("embed") as span:
            span.set_attribute("ingest.embedding_model", backends.embedder().model)
            embedded = embed_batch(version_id, tenant_id)
    except (EmbedderError, BackendError) as error:
        logger.warning("Version %s cannot be embedded now: %s", version_id, error)
        fewer = Greatest(F("attempts") - 1, 0)  # Nobody died of it.
        touch_embedding(version_id, tenant_id, attempts=fewer, failure=f"{NOT_INDEXED} {error}")
        return False
    done = Greatest(F("step_total") - embedded.left, 0)
    touch_embedding(version_id, tenant_id, attempts=0, failure="", step_done=done)
    if embedded.left:
        return embedded.done > 0
    publish_embedded(version_id, tenant_id)
    return True


def begin_batch(version_id: UUID, tenant_id: UUID) -> bool:
    """Count the batch until it has ended; give the version up when too many have not, or fail for a day."""
    if not touch_embedding(version_id, tenant_id, attempts=F("attempts") + 1):
        return False
    with tenant_scope(tenant_id):
        version = Version.objects.without_text().filter(pk=version_id).first()
    reason = None if version is None else why_hopeless(version)
    if reason is None:
        return version is not None
    claim = claim_version(version_id, tenant_id, state=State.EMBEDDING)
    if claim is not None:
        give_up(claim, reason)
    return False


def why_hopeless(version: Version) -> str | None:
    """Return why there is no use in a further batch, if so."""
    if version.failure and timezone.now() - version.step_began_at > LONGEST_STEP:
        return version.failure
    return BATCHES_DIED if version.attempts > MOST_BATCHES_LOST else None


def publish_embedded(version_id: UUID, tenant_id: UUID) -> None:
    """Make a version ready whose passages have their vectors."""
    claim = claim_version(version_id, tenant_id, state=State.EMBEDDING)
    if claim is None:
        return
    with in_hand(claim), traced("pandect.ingest"):
        reading = read_version(claim)
        index_version(claim, reading)


def go_on(claim: Claim, reading: Reading, situated: Sequence[Situated]) -> None:
    """Leave the version to wait for its vectors, or publish it if all of its passages are known."""
    place_version(claim, reading, situated)
    missing = missing_of(claim)
    begin_step(claim, State.EMBEDDING, missing)
    if missing:
        release(claim)
    else:
        index_version(claim, reading)


def situate_again(version_id: UUID, tenant_id: UUID) -> None:
    """Say anew what the chunks of a ready version are indexed as, from what is stored of it.

    Contexts that were paid for are taken up again; nobody is asked for new ones. What is new has its vectors
    before it is said.
    """
    with tenant_scope(tenant_id):
        reading = stored_reading(version_id)
    if reading is None:
        return
    language = reading.language.configuration
    situated = situate(work_of(version_id, tenant_id, reading), reading.collection, is_asking=False) or []
    prepare_passages(tenant_id, language, situated)
    place_passages(tenant_id=tenant_id, version_id=version_id, language=language, situated=situated)


@contextmanager
def in_hand(claim: Claim) -> Iterator[None]:
    """Work on a claimed version: show that somebody does, and say why where it cannot be read."""
    try:
        with kept_alive(claim):
            yield
    except ClaimLost:
        logger.info("Version %s is in other hands, or gone.", claim.version_id)
    except (ConversionError, NotIndexed) as error:
        give_up(claim, str(error))


def give_up(claim: Claim, reason: str) -> None:
    try:
        fail_version(claim, reason)
    except ClaimLost:
        logger.info("Version %s is in other hands, or gone.", claim.version_id)


def traced(name: str) -> AbstractContextManager[trace.Span]:
    """Open a span that keeps no error: its words may quote the document."""
    return tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False)


def read_version(claim: Claim) -> Reading:
    """Take a claimed version from its file to its chunks."""
    with traced("convert"):
        converted = convert_version(claim)
    version = version_of(claim)
    with traced("parse"):
        outline = parse_version(claim, converted)
    with traced("extract"):
        findings = extract_version(claim, version, converted, outline)
        outline = anchor_version(claim, outline, findings)
    with traced("chunk"):
        pieces = chunk_version(claim, version.document.collection, converted, outline, findings)
    return Reading(converted, outline, findings, pieces, version.file_name, version.document.collection)


def convert_version(claim: Claim) -> Converted:
    """Turn the source into text, unless an earlier attempt, or the version it was made from, has done so."""
    with tenant_scope(claim.tenant_id):
        version = Version.objects.filter(pk=claim.version_id).first()
        if version is None:
            raise ClaimLost
        content = b"" if version.text else content_of(version)
    if version.text:
        if version.state == State.CONVERTING:
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


def version_of(claim: Claim) -> Version:
    """Return the version with its collection, and without its text."""
    with tenant_scope(claim.tenant_id):
        versions = Version.objects.without_text().select_related("document__collection")
        version = versions.filter(pk=claim.version_id).first()
    if version is None:
        raise ClaimLost
    return version


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


def extract_version(claim: Claim, version: Version, converted: Converted, outline: Outline) -> Findings:
    """Find the definitions and references that the collection asks for."""
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
    claim: Claim, collection: Collection, converted: Converted, outline: Outline, findings: Findings
) -> tuple[Piece, ...]:
    with faults_named(claim):
        return chunk_outline(
            converted.text,
            outline,
            max_tokens=collection.max_chunk_tokens,
            overlap=collection.chunk_overlap,
            strategy=collection.chunking_strategy,
            definitions=[definition.body for definition in findings.definitions],
        )


def contextualize_version(claim: Claim, reading: Reading) -> list[Situated] | None:
    """Return each chunk with its context; nothing while a provider still has to be waited for."""
    with traced("contextualize") as span, faults_named(claim):
        span.set_attributes(
            {
                "ingest.context_generation_enabled": is_provider_asked(reading.collection),
                "ingest.context_model": backends.contextualizer().name,
            }
        )
        work = work_of(claim.version_id, claim.tenant_id, reading)
        return situate(
            work, reading.collection, on_progress=lambda done, total: tell_progress(claim, done, total)
        )


def situate(
    work: Work,
    collection: Collection,
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    is_asking: bool = True,
) -> list[Situated] | None:
    """Put chunks in context, if the collection asks for it."""
    if not collection.contextual_embeddings:
        return [Situated(excerpt.text) for excerpt in work.excerpts]
    return contextualize_work(work, on_progress=on_progress, is_asking=is_asking)


def is_provider_asked(collection: Collection) -> bool:
    return collection.contextual_embeddings and not backends.contextualizer().is_local


def work_of(version_id: UUID, tenant_id: UUID, reading: Reading) -> Work:
    return Work(
        tenant_id=tenant_id,
        version_id=version_id,
        manuscript=reading.manuscript(),
        excerpts=reading.excerpts(),
        max_tokens=reading.collection.context_max_tokens,
        concurrency=reading.collection.context_concurrency,
    )


def tell_progress(claim: Claim, done: int, total: int) -> None:
    advance(claim, step_done=done, step_total=total)


def place_version(claim: Claim, reading: Reading, situated: Sequence[Situated]) -> None:
    with faults_named(claim), tenant_scope(claim.tenant_id):
        hold_claim(claim)
        place_passages(
            tenant_id=claim.tenant_id,
            version_id=claim.version_id,
            language=reading.language.configuration,
            situated=situated,
        )
        tell_language(claim, reading)


def tell_language(claim: Claim, reading: Reading) -> None:
    """Warn of a language that words are not stemmed by; a warning of an earlier reading goes."""
    before = list(reading.converted.warnings)
    warnings = [*without_language(before), *filter(None, [reading.language.warning])]
    if warnings != before:
        advance(claim, warnings=warnings)


def embed_version(claim: Claim) -> None:
    """Embed all that lacks a vector, here and now."""
    total = missing_of(claim)
    begin_step(claim, State.EMBEDDING, total)
    with traced("embed") as span:
        span.set_attribute("ingest.embedding_model", backends.embedder().model)
        left = total
        while left:
            embedded = embed_here(claim)
            left = embedded.left
            tell_progress(claim, max(0, total - left), total)
            if left and not embedded.done:
                time.sleep(PAUSE)


def embed_here(claim: Claim) -> Embedded:
    try:
        return embed_batch(claim.version_id, claim.tenant_id)
    except (EmbedderError, BackendError) as error:
        raise NotIndexed(f"{NOT_INDEXED} {error}") from error


def embed_batch(version_id: UUID, tenant_id: UUID) -> Embedded:
    record_usage = partial(record_embedding, version_id=version_id)
    return embed_some(tenant_id=tenant_id, version_id=version_id, record_usage=record_usage)


def missing_of(claim: Claim) -> int:
    with tenant_scope(claim.tenant_id):
        return count_missing(claim.version_id)


def touch_embedding(version_id: UUID, tenant_id: UUID, **changes: object) -> bool:
    """Write to a version that waits for vectors and is in nobody's hand; tell whether it does."""
    with tenant_scope(tenant_id):
        waiting = Version.objects.filter(pk=version_id, state=State.EMBEDDING, claim=None)
        return waiting.update(touched_at=timezone.now(), **changes) > 0


def index_version(claim: Claim, reading: Reading) -> None:
    """Publish what was read, in one transaction, if what was embedded is what is read now.

    Settings and corrections may have changed while it waited; then it goes through its steps again.
    """
    text = reading.converted.text
    counts = {"ingest.document_count": 1, "ingest.chunk_count": len(reading.pieces)}
    trace.get_current_span().set_attributes(counts)
    with traced("index"), faults_named(claim), tenant_scope(claim.tenant_id):
        texts = [excerpt.text for excerpt in reading.excerpts()]
        if count_missing(claim.version_id) or not is_placed(claim.version_id, texts):
            release(claim, state=State.QUEUED)
            return
        publish_version(
            claim, text=text, pages=reading.converted.pages, outline=reading.outline, pieces=reading.pieces
        )
        record_findings(claim.version_id, text, reading.findings)
        stamp_version(claim)
    mark_past(claim.tenant_id, Version.objects.filter(document__versions=claim.version_id).superseded())


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
