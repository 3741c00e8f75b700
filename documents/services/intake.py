"""Files come in: one, many, or a new version of one that is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from documents import tasks, unpack
from documents.errors import DocumentError, NothingToDo, TooLarge
from documents.models import Collection, Document, Outcome, Source, State, Version
from documents.names import clean_name
from documents.services.source import keep_source
from documents.unpack import MEGABYTE, Incoming, too_large
from tenants.audit import Actor, record
from tenants.scope import tenant_scope

AGAIN = (
    "state",
    "claim",
    "attempts",
    "failure",
    "text",
    "step_done",
    "step_total",
    "touched_at",
    "queued_at",
)
COPIED = ("source_id", "file_name", "text", "is_markdown", "pages", "title", "warnings")


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file of many: a version, or the problem with it."""

    name: str
    version: Version | None = None
    problem: str = ""


def largest_file() -> int:
    return int(settings.MAX_FILE_MB) * MEGABYTE


def expand_upload(name: str, content: bytes | IO[bytes]) -> Iterator[Incoming]:
    """Yield the files of an upload: those in a zip, or the one itself."""
    return unpack.expand_upload(name, content, largest=largest_file())


def add_document(
    *, collection: Collection, name: str, content: bytes, actor: Actor, is_queued: bool = True
) -> Version:
    """Add a document, or a version to the one of this name; `outcome` of what returns says which.

    Not queued, the version waits for a caller who reads it in its own process, and for the reconciler should
    that one die.
    """
    name = clean_name(name)
    with tenant_scope(collection.tenant_id):
        lock_intake(collection.tenant_id)
        lock_collection(collection)
        document, is_new = find_or_create(collection, name)
        version = add_version(document, file_name=name, content=content, is_queued=is_queued)
        if is_new:
            version.outcome = Outcome.ADDED
        if version.outcome is not Outcome.UNCHANGED:
            record_intake(version, actor)
    return version


def replace_document(
    *, document: Document, file_name: str, content: bytes, actor: Actor, is_queued: bool = True
) -> Version:
    """Add a version from a file of any name; the document keeps its own."""
    file_name = clean_name(file_name)
    with tenant_scope(document.tenant_id):
        lock_intake(document.tenant_id)
        current = lock_document(document)
        if current.deleted_at is not None:
            raise NothingToDo(f"{document.name} is in the bin. Restore it first.")
        version = add_version(current, file_name=file_name, content=content, is_queued=is_queued)
        if version.outcome is not Outcome.UNCHANGED:
            record_intake(version, actor)
    return version


def add_files(
    *, collection: Collection, files: Iterable[Incoming], actor: Actor, is_queued: bool = True
) -> Iterator[Added]:
    """Add many, each in a transaction of its own; one that is refused does not stop the others."""
    seen: set[str] = set()
    for file in files:
        try:
            yield Added(file.name, add_one(collection, file, seen, actor, is_queued=is_queued))
        except DocumentError as error:
            yield Added(file.name, problem=str(error))


def add_one(
    collection: Collection, file: Incoming, seen: set[str], actor: Actor, *, is_queued: bool
) -> Version:
    if file.problem:
        raise DocumentError(file.problem)
    name = clean_name(file.name)
    if name in seen:
        raise DocumentError(
            "Another file of this upload has the same name, and that one was taken. Rename this one."
        )
    seen.add(name)
    return add_document(
        collection=collection, name=name, content=file.content, actor=actor, is_queued=is_queued
    )


def lock_intake(tenant_id: UUID) -> None:
    """Let a tenant's uploads pass one after the other: two that share contents would wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"intake {tenant_id}"])


def lock_collection(collection: Collection) -> None:
    """Hold off whoever deletes the collection until what comes in is in."""
    if not Collection.objects.select_for_update(of=["self"], no_key=True).filter(pk=collection.pk).exists():
        raise NothingToDo("The collection is gone: somebody else has deleted it.")


def find_or_create(collection: Collection, name: str) -> tuple[Document, bool]:
    """Return the document of a name, locked, and whether it is new."""
    if not Collection.objects.filter(pk=collection.pk).exists():
        raise NothingToDo("The collection is gone: somebody else has deleted it.")
    _, is_new = Document.objects.get_or_create(
        collection=collection, name=name, deleted_at=None, defaults={"tenant_id": collection.tenant_id}
    )
    locked = Document.objects.select_for_update(of=["self"]).select_related("tenant", "collection")
    found = locked.filter(collection=collection, name=name, deleted_at=None).first()
    if found is None:
        raise NothingToDo(f"{name} was deleted at this moment. Upload it again.")
    return found, is_new


def lock_document(document: Document) -> Document:
    """Hold off whoever else changes a document; others may point to it meanwhile."""
    locked = Document.objects.select_for_update(of=["self"], no_key=True)
    current = locked.select_related("tenant", "collection").filter(pk=document.pk).first()
    if current is None:
        raise NothingToDo(f"{document.name} is gone: somebody else has deleted it for good.")
    return current


def add_version(document: Document, *, file_name: str, content: bytes, is_queued: bool) -> Version:
    """Add the next version of a locked document, unless its last one has the same content."""
    if len(content) > largest_file():
        raise TooLarge(too_large(len(content), largest_file()))
    source = keep_source(tenant=document.tenant, content=content)
    last = last_version(document)
    if last is not None and last.source_id == source.pk:
        last.document, last.source = document, source
        if last.state not in {State.FAILED, State.CANCELLED}:
            last.outcome = Outcome.UNCHANGED
            return last
        return try_again(last, is_queued=is_queued)
    return insert_version(document, last, source=source, file_name=file_name, is_queued=is_queued)


def insert_version(
    document: Document, last: Version | None, *, source: Source, file_name: str, is_queued: bool
) -> Version:
    number = 1 if last is None else last.number + 1
    version = Version(
        tenant=document.tenant, document=document, number=number, source=source, file_name=file_name
    )
    version.save(force_insert=True)
    version.outcome = Outcome.REPLACED
    if is_queued:
        enqueue(version)
    return version


def copy_version(version: Version, document: Document, *, with_text: bool) -> Version:
    """Add a version of a locked document from another's source, and from its text if that will do."""
    last = last_version(document)
    fields = {name: getattr(version, name) for name in (COPIED if with_text else COPIED[:2])}
    copy = Version(
        tenant=document.tenant, document=document, number=1 if last is None else last.number + 1, **fields
    )
    copy.save(force_insert=True)
    copy.outcome = Outcome.REPLACED
    enqueue(copy)
    return copy


def try_again(version: Version, *, is_queued: bool = True) -> Version:
    """Put a version that failed or was cancelled back to waiting, to be read from its source."""
    version.state = State.QUEUED
    version.claim = None
    version.attempts = 0
    version.failure = ""
    version.text = ""
    version.step_done = version.step_total = 0
    version.touched_at = version.queued_at = timezone.now()
    version.save(update_fields=AGAIN)
    version.outcome = Outcome.RETRIED
    if is_queued:
        enqueue(version)
    return version


def last_version(document: Document) -> Version | None:
    return Version.objects.without_text().filter(document=document).order_by("-number").first()


def enqueue(version: Version) -> None:
    """Tell a worker once this is committed. If the broker does not answer, the reconciler tells one later."""

    def tell_worker() -> None:  # No `partial`: Django logs the name of what failed, and that has none.
        tasks.read_next.delay()

    transaction.on_commit(tell_worker, robust=True)


def record_intake(version: Version, actor: Actor) -> None:
    action = {
        Outcome.ADDED: "document.added",
        Outcome.REPLACED: "document.replaced",
        Outcome.RETRIED: "version.retried",
    }[version.outcome]
    document = version.document
    record(
        tenant=document.tenant,
        actor=actor,
        action=action,
        target=document.name,
        collection=document.collection.name,
        number=version.number,
        digest=version.source.digest,
    )
