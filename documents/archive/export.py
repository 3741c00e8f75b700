"""What a tenant has been given and told, gathered into one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import CharField, Exists, F, Func, OuterRef, QuerySet

from definitions.models import DefinitionCorrection, DocumentName, ReferenceCorrection
from documents.archive.members import MANIFEST, describe, write_members
from documents.archive.outlines import outline_digests
from documents.archive.records import (
    KIND_OF,
    BadArchive,
    BaselineRecord,
    CollectionRecord,
    DefinitionRecord,
    DocumentRecord,
    NameRecord,
    OutlineRecord,
    PublicationRecord,
    Records,
    ReferenceRecord,
    TenantRecord,
    VersionRecord,
    write_line,
)
from documents.configuration import read_configuration, write_configuration
from documents.models import (
    Baseline,
    BaselineVersion,
    Collection,
    Document,
    OutlineCorrection,
    Publication,
    Source,
    Version,
)
from tenants.audit import Actor, record
from tenants.models import Tenant
from tenants.scope import tenant_scope

BATCH = 200


class TextDigest(Func):
    """The SHA-256 of a text, without fetching it."""

    template = "encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')"
    output_field = CharField()


@dataclass(frozen=True, slots=True)
class Exported:
    """What is in the file, and what is not."""

    counts: dict[str, int]
    left_out: dict[str, int]


def export_tenant(
    *, tenant: Tenant, path: Path, actor: Actor, collections: Sequence[Collection] | None = None
) -> Exported:
    """Write what a tenant has, in all collections or in some, as of one moment."""
    with one_moment(tenant):
        own = Collection.objects.for_tenant(tenant).order_by("name")
        if collections is not None:
            own = own.filter(pk__in=[one.pk for one in collections])
        records, left_out = gather(tenant, own)
        files = dict(configuration_files(own))
        write_members(path, members(tenant, records, files))
        record(
            tenant=tenant,
            actor=actor,
            action="tenant.exported",
            target=path.name,
            collections=[one.name for one in records.collections],
            documents=len(records.documents),
        )
    return Exported(records.counts(), left_out)


@contextmanager
def one_moment(tenant: Tenant) -> Iterator[None]:
    """Read for a tenant, all of it as of the moment at which reading begins."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with tenant_scope(tenant.pk):
            yield


def gather(tenant: Tenant, collections: QuerySet[Collection]) -> tuple[Records, dict[str, int]]:
    """Return all records, in an order that depends on nothing else, and what is left out."""
    inside = Document.objects.for_tenant(tenant).filter(collection__in=collections)
    ready = Version.objects.readable().filter(document=OuterRef("pk"))
    documents = inside.filter(Exists(ready))
    versions = Version.objects.for_tenant(tenant).filter(document__in=inside)
    told = partial(corrections_of, documents)
    references = list(told(ReferenceCorrection, ReferenceRecord, "label", "text", "occurrence"))
    kept = {None, *documents.values_list("pk", flat=True)}
    records = Records(
        tenant=(TenantRecord(keep_versions_days=kept_days(tenant)),),
        collections=tuple(take(CollectionRecord, collections.order_by("id"))),
        documents=tuple(map(document_record, documents.order_by("id").iterator())),
        versions=tuple(version_records(versions.readable())),
        baselines=tuple(baseline_records(collections)),
        publications=tuple(
            take(
                PublicationRecord,
                Publication.objects.filter(collection__in=collections).order_by("collection_id", "number"),
            )
        ),
        document_names=tuple(
            take(
                NameRecord,
                DocumentName.objects.filter(document__in=documents, is_given=True).order_by(
                    "document_id", "key"
                ),
            )
        ),
        outline_corrections=tuple(told(OutlineCorrection, OutlineRecord, "opening", "label")),
        definition_corrections=tuple(told(DefinitionCorrection, DefinitionRecord, "label", "key")),
        reference_corrections=tuple(one for one in references if one.target_document in kept),
    )
    return records, {
        "versions that are not ready": versions.count() - len(records.versions),
        "documents without a ready version": inside.count() - len(records.documents),
        "corrections that point out of what is exported": len(references)
        - len(records.reference_corrections),
    }


def kept_days(tenant: Tenant) -> int | None:
    """Look it up: the tenant at hand may have been loaded a while ago."""
    return Tenant.objects.values_list("keep_versions_days", flat=True).get(pk=tenant.pk)


def take(kind: type[Any], rows: QuerySet[Any]) -> Iterator[Any]:
    """Yield records of rows whose columns have the names of the fields; lists become tuples."""
    names = [one.name for one in fields(kind)]
    for values in rows.values_list(*names).iterator():
        yield kind(**dict(zip(names, map(tupled, values), strict=True)))


def tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def document_record(document: Document) -> DocumentRecord:
    return DocumentRecord(
        id=document.pk,
        collection=document.collection_id,
        name=document.name,
        identity=document.identity,
        created_at=document.created_at,
        deleted_at=document.deleted_at,
        absences=tuple((one.lower, one.upper) for one in document.absences),
    )


def version_records(versions: QuerySet[Version]) -> Iterator[VersionRecord]:
    rows = versions.order_by("document_id", "number").annotate(
        source_digest=F("source__digest"), text_digest=TextDigest("text")
    )
    ids = list(rows.values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        outlines = outline_digests(batch)
        for version in rows.filter(pk__in=batch).defer("text"):
            yield version_record(version, outlines[version.pk])


def version_record(version: Any, outline: str) -> VersionRecord:
    return VersionRecord(
        id=version.pk,
        document=version.document_id,
        number=version.number,
        file_name=version.file_name,
        source=version.source_digest,
        text=version.text_digest,
        is_markdown=version.is_markdown,
        title=version.title,
        pages=tuple(version.pages),
        warnings=tuple(version.warnings),
        outline=outline,
        recorded_at=version.recorded_at,
        superseded_at=version.superseded_at,
        withdrawn_at=version.withdrawn_at,
        effective_from=version.effective_from,
        effective_to=version.effective_to,
    )


def baseline_records(collections: QuerySet[Collection]) -> Iterator[BaselineRecord]:
    for one in Baseline.objects.filter(collection__in=collections).order_by("id"):
        held = BaselineVersion.objects.filter(baseline=one).order_by("version_id")
        yield BaselineRecord(
            id=one.pk,
            collection=one.collection_id,
            name=one.name,
            description=one.description,
            created_at=one.created_at,
            created_by=one.created_by,
            versions=tuple(held.values_list("version_id", flat=True)),
        )


def corrections_of(
    documents: QuerySet[Document], model: type[Any], kind: type[Any], *keys: str
) -> Iterator[Any]:
    return take(kind, model.objects.filter(document__in=documents).order_by("document_id", *keys))


def configuration_files(collections: Iterable[Collection]) -> Iterator[tuple[str, bytes]]:
    """Yield each configuration as the file that would make it, if it can be read back."""
    for one in collections:
        settings: Any = one.configuration
        text = write_configuration(settings)
        again = read_configuration(text).configurations
        if [each.settings for each in again] != [settings]:
            raise BadArchive(
                f"The configuration of {one.name} cannot be written so that it is read again. Shorten its "
                "description in the administration."
            )
        yield f"collections/{one.name}.yaml", text.encode()


def members(tenant: Tenant, records: Records, files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the members in their order: the manifest, tables, configurations, sources, texts."""
    tables = {f"{name}.jsonl": table(getattr(records, name)) for name in KIND_OF}
    sources = sorted({one.source for one in records.versions})
    texts = {one.text: one.id for one in records.versions}
    digests = {name: sha256(content).hexdigest() for name, content in (tables | files).items()}
    counts = {**records.counts(), "sources": len(sources), "texts": len(texts)}
    yield MANIFEST, describe(counts, max(records.moments(), default=None), digests)
    yield from (tables | dict(sorted(files.items()))).items()
    for digest in sources:
        yield f"sources/{digest}", source_content(tenant.pk, digest)
    for digest, version in sorted(texts.items()):
        yield f"texts/{digest}", Version.objects.values_list("text", flat=True).get(pk=version).encode()


def table(records: Iterable[Any]) -> bytes:
    return "".join(map(write_line, records)).encode()


def source_content(tenant_id: UUID, digest: str) -> bytes:
    content = Source.objects.values_list("content", flat=True).get(tenant=tenant_id, digest=digest)
    return bytes(content)
