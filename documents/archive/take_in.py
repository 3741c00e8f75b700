"""An archive becomes documents of a tenant again: begun in one transaction, read by the pipeline, version by
version, and shown in one transaction at the end.

Until that end its documents are in the bin, so that nobody reads half of it. Whoever is interrupted imports
the same file again and goes on where it stopped: the record says what was begun and not finished.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any
from uuid import UUID, uuid4, uuid5

from django.db import IntegrityError, connection, models, transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone
from psycopg.errors import UniqueViolation

from definitions.extract.names import document_key
from definitions.link import lock_references
from definitions.mend import mend_references
from definitions.models import DOCUMENT_KEY, DefinitionCorrection, DocumentName, ReferenceCorrection
from documents.archive.check import Checked
from documents.archive.outlines import outline_digests
from documents.archive.records import (
    BadArchive,
    DefinitionRecord,
    OutlineRecord,
    Records,
    ReferenceRecord,
    VersionRecord,
)
from documents.language import AUTO
from documents.models import (
    Baseline,
    Collection,
    Document,
    OutlineCorrection,
    Publication,
    State,
    Version,
    VersionQuerySet,
    text_search_configurations,
)
from documents.publish import Row, insert_rows, update_rows
from documents.services.baseline import ADD_VERSIONS
from documents.services.intake import lock_intake
from documents.services.source import keep_source
from documents.webhooks.outbox import announce_arrived
from search.past import mark_current
from tenants.audit import Actor, record
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope

BEGUN, FINISHED = "archive.import_begun", "archive.imported"
TAKEN = (
    "Ids of the archive are taken in this installation: it was imported before, or exported from here. "
    "Import it with --new-ids to have a second copy; citations of the first one do not lead to it."
)
CHANGED = (
    "Since the import was begun, somebody has deleted or restored some of what it had made. Delete its "
    "collections, and import it anew."
)
CROSSED = (
    "Meanwhile somebody has added a document or a baseline of the same name to a collection that is being "
    "imported. Delete it for good, and run the same command again."
)
STAMPS = ("recorded_at", "superseded_at", "withdrawn_at")
Corrected = OutlineRecord | DefinitionRecord | ReferenceRecord
CORRECTIONS: dict[
    type[Corrected], tuple[type[models.Model], tuple[str, ...]]
] = {  # And what each is known by.
    OutlineRecord: (OutlineCorrection, ("opening", "label")),
    DefinitionRecord: (DefinitionCorrection, ("label", "key")),
    ReferenceRecord: (ReferenceCorrection, ("label", "text", "occurrence")),
}


@dataclass(frozen=True, slots=True)
class Import:
    """An archive on its way into a tenant. Ids stay, or are made from the tenant's and the old ones."""

    tenant: Tenant
    archive: Checked
    is_new: bool
    corrections: Mapping[UUID, Sequence[Corrected]]  # By document, as the archive names it.

    def id(self, old: UUID) -> UUID:
        return uuid5(self.tenant.pk, str(old)) if self.is_new else old

    def maybe_id(self, old: UUID | None) -> UUID | None:
        return None if old is None else self.id(old)

    @property
    def known_as(self) -> str:
        return f"{self.archive.opened.id}{' with new ids' if self.is_new else ''}"


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in: how many versions have another outline than where they came from."""

    differing: list[VersionRecord]
    is_retention_taken: bool


def begin_import(*, tenant: Tenant, archive: Checked, actor: Actor, is_new: bool = False) -> Import:
    """Make everything but what is read from texts, hidden; or find what an earlier run has made."""
    own = Import(tenant, archive, is_new, _corrections_of(archive.records))
    with tenant_scope(tenant.pk):
        lock_intake(tenant.pk)
        if _unfinished(own) is not None and _is_there(own):
            return own
        _require_languages(archive)
        _require_free_names(own)
        is_empty = not Collection.objects.for_tenant(tenant).exists()
        try:
            with transaction.atomic():
                _insert_all(own)
        except IntegrityError as error:
            if not isinstance(error.__cause__, UniqueViolation):
                raise
            raise BadArchive(TAKEN) from error
        counts = archive.records.counts()
        record(tenant=tenant, actor=actor, action=BEGUN, target=own.known_as, is_empty=is_empty, **counts)
    return own


def _unfinished(own: Import) -> AuditEvent | None:
    """Return the record of an import of this archive that was begun and not finished."""
    events = AuditEvent.objects.for_tenant(own.tenant).filter(target=own.known_as)
    last = events.filter(action__in=[BEGUN, FINISHED]).order_by("-at").first()
    return last if last is not None and last.action == BEGUN else None


def _is_there(own: Import) -> bool:
    """Tell whether what was begun is there, still hidden, or all of it gone."""
    found = _begun_versions(own).count()
    if 0 < found < len(own.archive.records.versions):
        raise BadArchive(CHANGED)
    return found == len(own.archive.records.versions)


def _begun_versions(own: Import) -> VersionQuerySet:
    ids = [own.id(one.id) for one in own.archive.records.versions]
    return Version.objects.filter(pk__in=ids, document__deleted_at__isnull=False)


def _require_languages(archive: Checked) -> None:
    known = {AUTO, *text_search_configurations()}
    wanted = {str(one.values["language"]) for one in archive.configurations.values()}
    if missing := sorted(wanted - known):
        raise BadArchive(
            f"PostgreSQL knows no “{missing[0]}” here, by which a collection is indexed. Add this "
            "text-search configuration to the database, or change the language before exporting."
        )


def _require_free_names(own: Import) -> None:
    names = [one.name for one in own.archive.records.collections]
    taken = Collection.objects.for_tenant(own.tenant).filter(name__in=names)
    if found := sorted(taken.values_list("name", flat=True)):
        raise BadArchive(
            f"{own.tenant.slug} has a collection {', '.join(found)} already. Import into another tenant, or "
            "rename that one."
        )


def _insert_all(own: Import) -> None:
    """Make collections, documents in the bin, versions that wait for nobody, and try the ids of baselines."""
    records, now = own.archive.records, timezone.now()
    insert_rows(Collection, _collection_rows(own))
    documents = [
        Document(
            id=own.id(one.id),
            tenant=own.tenant,
            collection_id=own.id(one.collection),
            name=one.name,
            identity=one.identity,
            created_at=one.created_at,
            deleted_at=now,
        )
        for one in records.documents
    ]
    insert_rows(Document, map(row_of, documents))
    sources: dict[str, UUID] = {}
    for version in records.versions:
        if version.source not in sources:
            content = own.archive.source(version.source)
            sources[version.source] = keep_source(tenant=own.tenant, content=content).pk
        insert_rows(Version, [_version_row(own, version, sources[version.source])])
    insert_rows(DocumentName, _name_rows(own))
    _try_baselines(own)


def _collection_rows(own: Import) -> Iterator[Row]:
    for one in own.archive.records.collections:
        settings: dict[str, Any] = dict(own.archive.configurations[one.id].settings)
        yield row_of(Collection(id=own.id(one.id), tenant=own.tenant, created_at=one.created_at, **settings))


def _version_row(own: Import, one: VersionRecord, source: UUID) -> Row:
    """As cancelled: no worker takes it up before its turn has come."""
    return row_of(
        Version(
            id=own.id(one.id),
            tenant=own.tenant,
            document_id=own.id(one.document),
            number=one.number,
            source_id=source,
            file_name=one.file_name,
            state=State.CANCELLED,
            title=one.title,
            text=own.archive.text(one.text),
            is_markdown=one.is_markdown,
            pages=list(one.pages),
            warnings=list(one.warnings),
            effective_from=one.effective_from,
            effective_to=one.effective_to,
        )
    )


def _name_rows(own: Import) -> Iterator[Row]:
    seen = set()
    for one in own.archive.records.document_names:
        key = document_key(one.name)[:DOCUMENT_KEY]
        if key.strip() and (one.document, key) not in seen:
            seen.add((one.document, key))
            name = DocumentName(
                tenant=own.tenant, document_id=own.id(one.document), name=one.name, key=key, is_given=True
            )
            yield row_of(name)


def _try_baselines(own: Import) -> None:
    """See whether the ids of baselines are free. They are made at the end: they hold ready versions only."""
    point = transaction.savepoint()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS baseline_is_filled DEFERRED")
        insert_rows(Baseline, _baseline_rows(own))
    finally:
        transaction.savepoint_rollback(point)


def _baseline_rows(own: Import) -> Iterator[Row]:
    for one in own.archive.records.baselines:
        yield row_of(
            Baseline(
                id=own.id(one.id),
                tenant=own.tenant,
                collection_id=own.id(one.collection),
                name=one.name,
                description=one.description,
                size=len(one.versions),
                created_at=one.created_at,
                created_by=one.created_by,
            )
        )


def row_of(instance: models.Model) -> Row:
    """Return the columns of a row as they are: saving would set the times at which it was made."""
    return {str(one.column): getattr(instance, one.attname) for one in instance._meta.concrete_fields}


def versions_to_read(own: Import) -> list[VersionRecord]:
    """Return what is not ready yet in the order of its time: old versions refer to what was there then."""
    with tenant_scope(own.tenant.pk):
        ready = set(Version.objects.readable().for_tenant(own.tenant).values_list("pk", flat=True))
    waiting = [one for one in own.archive.records.versions if own.id(one.id) not in ready]
    return sorted(waiting, key=lambda one: (one.recorded_at, one.number, one.id))


def release_version(own: Import, one: VersionRecord) -> Version:
    """Let a version be read from its text, under the corrections that held when it was read first."""
    with tenant_scope(own.tenant.pk):
        lock_intake(own.tenant.pk)
        _insert_corrections(own, one.document, lambda correction: _is_due(correction, one))
        now = timezone.now()
        closed = Version.objects.filter(pk=own.id(one.id), state__in=[State.CANCELLED, State.FAILED])
        closed.update(state=State.QUEUED, claim=None, attempts=0, failure="", touched_at=now, queued_at=now)
        version = Version.objects.without_text().filter(pk=own.id(one.id)).first()
    if version is None:
        raise BadArchive(CHANGED)
    return version


def _is_due(correction: Corrected, version: VersionRecord) -> bool:
    """Outlines are corrected in versions to come; what was found in them, also in the one that is current."""
    if isinstance(correction, OutlineRecord):
        return correction.created_at <= version.recorded_at
    return version.superseded_at is None or correction.created_at < version.superseded_at


def _corrections_of(records: Records) -> Mapping[UUID, Sequence[Corrected]]:
    tables: tuple[Sequence[Corrected], ...] = (
        records.outline_corrections,
        records.definition_corrections,
        records.reference_corrections,
    )
    found: defaultdict[UUID, list[Corrected]] = defaultdict(list)
    for one in chain.from_iterable(tables):
        found[one.document].append(one)
    return found


def _insert_corrections(own: Import, document: UUID, is_due: Callable[[Corrected], bool]) -> None:
    """Add those of a document that are due and not there."""
    due = [one for one in own.corrections.get(document, ()) if is_due(one)]
    for kind, (model, key) in CORRECTIONS.items():
        wanted = [one for one in due if isinstance(one, kind)]
        if wanted:
            there = set(model._default_manager.filter(document=own.id(document)).values_list(*key))
            missing = [one for one in wanted if tuple(getattr(one, name) for name in key) not in there]
            insert_rows(model, [row_of(model(**_told(own, one))) for one in missing])


def _told(own: Import, one: Corrected) -> dict[str, Any]:
    facts = {each.name: getattr(one, each.name) for each in fields(one) if each.name != "document"}
    if isinstance(one, ReferenceRecord):
        facts["target_document_id"] = own.maybe_id(facts.pop("target_document"))
    return {**facts, "tenant": own.tenant, "document_id": own.id(one.document)}


def finish_import(own: Import, *, actor: Actor) -> Imported:
    """Set the times as they were, take documents out of the bin, make baselines: all is seen from then on."""
    with tenant_scope(own.tenant.pk):
        lock_intake(own.tenant.pk)
        begun = _unfinished(own)
        if begun is None:
            raise BadArchive("The import is finished already.")
        if _begun_versions(own).readable().count() < len(own.archive.records.versions):
            raise BadArchive(CHANGED)
        try:
            with transaction.atomic():
                _show(own)
        except IntegrityError as error:
            if not isinstance(error.__cause__, UniqueViolation):
                raise
            raise BadArchive(CROSSED) from error
        is_empty = bool(begun.detail["is_empty"])
        if is_empty:
            days = own.archive.records.tenant[0].keep_versions_days
            Tenant.objects.filter(pk=own.tenant.pk).update(keep_versions_days=days)
        counts = own.archive.records.counts()
        announce_arrived(own.tenant.pk, [own.id(one.id) for one in own.archive.records.documents])
        record(tenant=own.tenant, actor=actor, action=FINISHED, target=own.known_as, **counts)
        return Imported(list(_differing(own)), is_empty)


def _show(own: Import) -> None:
    for document in own.corrections:
        _insert_corrections(own, document, lambda _: True)
    _stamp_versions(own)
    _show_documents(own)
    _make_baselines(own)
    insert_rows(Publication, _publication_rows(own))
    _mend(own)


def _stamp_versions(own: Import) -> None:
    """Say when each version became ready and ceased to be current: then, and not at this import."""
    rows = [
        {"id": own.id(one.id), **{name: getattr(one, name) for name in STAMPS}}
        for one in own.archive.records.versions
    ]
    past = [row for row in rows if row["superseded_at"] is not None]
    update_rows(Version, STAMPS, past)  # First: a document has one current version at most.
    current = [row for row in rows if row["superseded_at"] is None]
    update_rows(Version, STAMPS, current)
    mark_current(own.tenant.pk, [row["id"] for row in current])


def _show_documents(own: Import) -> None:
    for one in own.archive.records.documents:
        Document.objects.filter(pk=own.id(one.id)).update(
            deleted_at=one.deleted_at, absences=[DateTimeTZRange(*period) for period in one.absences]
        )


def _make_baselines(own: Import) -> None:
    """Make each whole, with what it held; a trigger sees to that at the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS baseline_is_filled DEFERRED")
        insert_rows(Baseline, _baseline_rows(own))
        for one in own.archive.records.baselines:
            held = [own.id(version) for version in one.versions]
            cursor.execute(ADD_VERSIONS, [own.tenant.pk, own.id(one.id), held])


def _publication_rows(own: Import) -> Iterator[Row]:
    for one in own.archive.records.publications:
        yield row_of(
            Publication(
                id=uuid4(),
                tenant=own.tenant,
                collection_id=own.id(one.collection),
                number=one.number,
                baseline_id=own.maybe_id(one.baseline),
                published_at=one.published_at,
                published_by=one.published_by,
            )
        )


def _mend(own: Import) -> None:
    """Link references anew, now that documents are where they belong, in the bin or not."""
    for collection in sorted(own.id(one.id) for one in own.archive.records.collections):
        lock_references(collection)
    ids = [own.id(one.id) for one in own.archive.records.documents]
    for document in Document.objects.filter(pk__in=ids).order_by("pk"):
        mend_references(document)


def _differing(own: Import) -> Iterator[VersionRecord]:
    versions = own.archive.records.versions
    found = outline_digests([own.id(one.id) for one in versions])
    yield from (one for one in versions if found[own.id(one.id)] != one.outline)
