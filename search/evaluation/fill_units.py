"""Index given units as they are: the steps of the pipeline, for many small documents at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from uuid import UUID, uuid4

from django.utils import timezone

from definitions.gather import Findings, gather_findings
from definitions.record import record_findings
from documents.claim import Claim
from documents.convert import Converted
from documents.models import Chunk, Collection, Document, Section, Source, State, Version
from documents.pipeline import PROVIDER_PAUSE, situate, work_of
from documents.publish import Row, build_chunks, build_sections, insert_rows
from documents.reading import Reading
from documents.services import create_collection, delete_collection, update_collection
from search.backends import keyword_index
from search.budget import record_embedding
from search.evaluation.lay_out import Layout, lay_out
from search.evaluation.scratch import ACTOR, find_collection
from search.evaluation.units import GivenDocument, digest_given, read_given
from search.lock import lock_passages
from search.place import FALLBACK, Situated, add_passages, digest_of, in_batches, replace_placements
from search.spaces import count_lacking, ensure_space, fill_space
from search.sweep import sweep_passages
from tenants.models import Tenant
from tenants.scope import tenant_scope

NAME = "units"
UNFINISHED = "Units that manage.py score was given, on their way."
LONGEST_TITLE = 500
TOLD_EVERY = 30  # Seconds.

Tell = Callable[[str], None]
Laid = tuple[GivenDocument, Layout, UUID]  # With the id of its version.


def fill_units(
    tenant: Tenant, folder: Path, *, is_fresh: bool, is_contextual: bool = True, tell: Tell = print
) -> Collection:
    """Return a collection in which each unit of a folder is a chunk. What is there already is kept."""
    finished = f"Units that manage.py score was given, {digest_given(folder)}."
    collection = find_collection(tenant, NAME)
    if collection is not None and is_fresh:
        delete_collection(collection=collection, actor=ACTOR)
        collection = None
    if collection is None:
        collection = create_collection(
            tenant=tenant,
            name=NAME,
            description=UNFINISHED,
            contextual_embeddings=is_contextual,
            actor=ACTOR,
        )
    if collection.description != finished:
        update_collection(collection=collection, description=UNFINISHED, actor=ACTOR)
        _fill(collection, read_given(folder), tell)
        update_collection(collection=collection, description=finished, actor=ACTOR)
    return collection


def _fill(collection: Collection, documents: Sequence[GivenDocument], tell: Tell) -> None:
    """Passages first, then vectors, then all that readers see. Vectors of an earlier attempt are kept."""
    laid = [(document, lay_out(document), uuid4()) for document in documents]
    with tenant_scope(collection.tenant_id):
        Document.objects.filter(collection=collection).delete()
    for batch in in_batches(laid):
        with tenant_scope(collection.tenant_id):
            _add_versions(collection, batch)
        _place(collection, batch)
    sweep_passages(collection.tenant_id)
    _embed(collection.tenant_id, tell)
    for batch in in_batches(laid):
        _publish(collection, batch)


def _add_versions(collection: Collection, laid: Iterable[Laid]) -> None:
    """Add documents whose versions count as cancelled until they are published: no worker takes them up."""
    texts = {version_id: layout.text.encode() for _, layout, version_id in laid}
    sources = _keep_sources(collection.tenant_id, texts.values())
    documents, versions = list[Document](), list[Version]()
    for given, layout, version_id in laid:
        document = Document(tenant_id=collection.tenant_id, collection=collection, name=given.name)
        documents.append(document)
        versions.append(
            Version(
                id=version_id,
                tenant_id=collection.tenant_id,
                document=document,
                number=1,
                source_id=sources[_digest(texts[version_id])],
                file_name=given.name,
                state=State.CANCELLED,
                title=given.title[:LONGEST_TITLE],
                text=layout.text,
                is_markdown=False,
            )
        )
    Document.objects.bulk_create(documents)
    Version.objects.bulk_create(versions)


def _keep_sources(tenant_id: UUID, contents: Iterable[bytes]) -> dict[str, UUID]:
    rows = {
        digest: Source(tenant_id=tenant_id, digest=digest, size=len(content), content=content)
        for content in contents
        for digest in [_digest(content)]
    }
    Source.objects.bulk_create(rows.values(), ignore_conflicts=True)
    kept = Source.objects.filter(tenant_id=tenant_id, digest__in=list(rows))
    return dict(kept.values_list("digest", "pk"))


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _place(collection: Collection, laid: Iterable[Laid]) -> None:
    """Make the passages of many versions in one go, and say which chunk is which."""
    tenant_id, language = collection.tenant_id, collection.language
    situated = {
        version_id: _situate(collection, given, layout, version_id) for given, layout, version_id in laid
    }
    passages = {digest_of(language, one): one for ours in situated.values() for one in ours}
    with tenant_scope(tenant_id):
        lock_passages(tenant_id)
        if new := add_passages(tenant_id, language, passages):
            keyword_index().add(tenant_id, new)
        for version_id, ours in situated.items():
            placements = [
                {
                    "position": position,
                    "digest": digest_of(language, one),
                    "fallback": one.fallback[:FALLBACK],
                }
                for position, one in enumerate(ours)
            ]
            replace_placements(tenant_id, version_id, placements)


def _situate(
    collection: Collection, given: GivenDocument, layout: Layout, version_id: UUID
) -> Sequence[Situated]:
    converted = Converted(text=layout.text, is_markdown=False, title=given.title)
    reading = Reading(converted, layout.outline, Findings(), layout.pieces, given.name, collection)
    work = work_of(version_id, collection.tenant_id, reading)
    while (situated := situate(work, collection)) is None:
        time.sleep(PROVIDER_PAUSE)
    return situated


def _embed(tenant_id: UUID, tell: Tell) -> None:
    """Give all passages of the tenant their vectors, and say now and then how far it is."""
    space = ensure_space(tenant_id)
    total, done, told = count_lacking(space), 0, time.monotonic()
    while filled := fill_space(space, record_usage=record_embedding):
        done += filled
        if time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            tell(f"{done:,} of {total:,} passages are embedded.")


def _publish(collection: Collection, laid: Sequence[Laid]) -> None:
    """Make versions ready in one transaction. Those with numbers have their definitions and references."""
    sections, chunks = list[Row](), list[Row]()
    for _, layout, version_id in laid:
        claim = Claim(version_id, collection.tenant_id, version_id)
        own = build_sections(claim, layout.text, (), layout.outline)
        sections += own
        chunks += build_chunks(claim, layout.text, own, layout.pieces)
    with tenant_scope(collection.tenant_id):
        insert_rows(Section, sections)
        insert_rows(Chunk, chunks)
        versions = Version.objects.filter(pk__in=[version_id for _, _, version_id in laid])
        versions.update(state=State.READY, recorded_at=timezone.now(), grade=laid[0][1].outline.grade)
        for given, layout, version_id in laid:
            if given.is_numbered:
                record_findings(version_id, layout.text, _findings(given, layout))


def _findings(given: GivenDocument, layout: Layout) -> Findings:
    units = layout.outline.units
    return gather_findings(layout.text, units, title=given.title, file_name=given.name)
