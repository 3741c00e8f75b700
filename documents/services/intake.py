"""Files come in: one, many, or a new version of one that is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import IO, Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import tasks, unpack
from documents.errors import BadDates, DocumentError, NameTaken, NothingToDo, TooLarge
from documents.models import BaselineVersion, Collection, Document, Outcome, Source, State, Version
from documents.names import clean_name
from documents.services.source import keep_source
from documents.unpack import MEGABYTE, Incoming, too_large
from tenants.audit import Actor, record
from tenants.scope import tenant_scope

COPIED = ("source_id", "file_name")
COPIED_TEXT = ("text", "is_markdown", "pages", "title", "warnings")
COPIED_DATES = ("effective_from", "effective_to")


class Dates(NamedTuple):
    """The first and the last day on which a version applies."""

    effective_from: date | None = None
    effective_to: date | None = None

    def over(self, others: Dates) -> Dates:
        """Return these, and those of others that are not said here."""
        return Dates(*(day or other for day, other in zip(self, others, strict=True)))


UNDATED = Dates()


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
    *,
    collection: Collection,
    name: str,
    content: bytes,
    actor: Actor,
    identity: str = "",
    dates: Dates = UNDATED,
    is_queued: bool = True,
) -> Version:
    """Add a document, or a version to the one of this identity or name; `outcome` says which.

    Not queued, the version waits for a caller who reads it in its own process, and for the reconciler should
    that one die.
    """
    name = clean_name(name)
    with tenant_scope(collection.tenant_id):
        lock_intake(collection.tenant_id)
        lock_collection(collection)
        document, is_new = find_or_create(collection, name, " ".join(identity.split()))
        version = add_version(
            document, file_name=name, content=content, dates=dates, actor=actor, is_queued=is_queued
        )
        if is_new:
            version.outcome = Outcome.ADDED
        record_intake(version, actor)
    return version


def replace_document(
    *,
    document: Document,
    file_name: str,
    content: bytes,
    actor: Actor,
    dates: Dates = UNDATED,
    is_queued: bool = True,
) -> Version:
    """Add a version from a file of any name; the document keeps its own."""
    file_name = clean_name(file_name)
    with tenant_scope(document.tenant_id):
        lock_intake(document.tenant_id)
        current = lock_document(document)
        if current.deleted_at is not None:
            raise NothingToDo(_("%(name)s is in the bin. Restore it first.") % {"name": document.name})
        version = add_version(
            current, file_name=file_name, content=content, dates=dates, actor=actor, is_queued=is_queued
        )
        record_intake(version, actor)
    return version


def add_files(
    *,
    collection: Collection,
    files: Iterable[Incoming],
    actor: Actor,
    document: Document | None = None,
    identity: str = "",
    dates: Dates = UNDATED,
    is_queued: bool = True,
) -> Iterator[Added]:
    """Add many, each in a transaction of its own; one that is refused does not stop the others.

    Whose version it is can be said of one file only, by its document or its identity.
    """
    seen: set[str] = set()
    is_alone = document is not None or bool(identity)
    for file in files:
        try:
            name = require_new_name(file, seen, is_alone=is_alone)
            given: dict[str, Any] = {"content": file.content, "actor": actor, "dates": dates}
            if document is not None:
                version = replace_document(document=document, file_name=name, is_queued=is_queued, **given)
            else:
                version = add_document(
                    collection=collection, name=name, identity=identity, is_queued=is_queued, **given
                )
            yield Added(file.name, version)
        except DocumentError as error:
            yield Added(file.name, problem=str(error))


def require_new_name(file: Incoming, seen: set[str], *, is_alone: bool) -> str:
    """Return the name of a file of an upload, if none before it stands in its way."""
    if file.problem:
        raise DocumentError(file.problem)
    name = clean_name(file.name)
    if name in seen:
        raise DocumentError(
            _("Another file of this upload has the same name, and that one was taken. Rename this one.")
        )
    if seen and is_alone:
        raise DocumentError(_("One file can be the next version of a document, and another one was taken."))
    seen.add(name)
    return name


def lock_intake(tenant_id: UUID) -> None:
    """Let a tenant's uploads pass one after the other: two that share contents would wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"intake {tenant_id}"])


def lock_collection(collection: Collection) -> None:
    """Hold off whoever deletes the collection until what comes in is in."""
    if not Collection.objects.select_for_update(of=["self"], no_key=True).filter(pk=collection.pk).exists():
        raise NothingToDo(_("The collection is gone: somebody else has deleted it."))


def find_or_create(collection: Collection, name: str, identity: str) -> tuple[Document, bool]:
    """Return the document of an identity, or else of a name, locked, and whether it is new.

    A document of the name gets the identity, unless it has another: then they are two, and one name is taken.
    """
    present = Document.objects.present().filter(collection=collection)
    known = present.filter(identity=identity).first() if identity else None
    found, is_new = (
        (known, False)
        if known is not None
        else Document.objects.get_or_create(
            collection=collection,
            name=name,
            deleted_at=None,
            defaults={"tenant_id": collection.tenant_id, "identity": identity},
        )
    )
    locked = present.select_for_update(of=["self"]).select_related("tenant", "collection")
    document = locked.filter(pk=found.pk).first()
    if document is None:
        raise NothingToDo(_("%(name)s was deleted at this moment. Upload it again.") % {"name": name})
    if identity and document.identity != identity:
        take_identity(document, identity)
    return document, is_new


def take_identity(document: Document, identity: str) -> None:
    if document.identity:
        raise NameTaken(
            _("%(name)s is known as “%(identity)s”, not as “%(given)s”. Rename the file.")
            % {"name": document.name, "identity": document.identity, "given": identity}
        )
    document.identity = identity
    document.clean_fields(exclude=["tenant", "collection"])
    document.save(update_fields=["identity"])


def lock_document(document: Document) -> Document:
    """Hold off whoever else changes a document; others may point to it meanwhile."""
    locked = Document.objects.select_for_update(of=["self"], no_key=True)
    current = locked.select_related("tenant", "collection").filter(pk=document.pk).first()
    if current is None:
        raise NothingToDo(
            _("%(name)s is gone: somebody else has deleted it for good.") % {"name": document.name}
        )
    return current


def add_version(
    document: Document, *, file_name: str, content: bytes, dates: Dates, actor: Actor, is_queued: bool
) -> Version:
    """Add the next version of a locked document, unless its last one has the same content and stands.

    It is compared with the last one alone: if that has failed, what was sent before it and is sent again is
    what is wanted now, and whoever tries everything again that failed must not put the other in its place.
    """
    require_forward(*dates)
    if len(content) > largest_file():
        raise TooLarge(too_large(len(content), largest_file()))
    source = keep_source(tenant=document.tenant, content=content)
    last = last_version(document)
    if last is not None and last.source_id == source.pk and last.withdrawn_at is None:
        last.document, last.source = document, source
        dates = dates.over(Dates(last.effective_from, last.effective_to))
        if has_dates(last, dates) or not is_held(last):
            return keep_version(last, dates=dates, actor=actor, is_queued=is_queued)
    return insert_version(
        document, last, source=source, file_name=file_name, dates=dates, is_queued=is_queued
    )


def keep_version(version: Version, *, dates: Dates, actor: Actor, is_queued: bool) -> Version:
    """Take the same content again: it may be said to apply on other days, or have failed before."""
    is_dated = date_version(version, dates, actor)
    if version.state in {State.FAILED, State.CANCELLED}:
        return try_again(version, is_queued=is_queued)
    version.outcome = Outcome.DATED if is_dated else Outcome.UNCHANGED
    return version


def date_version(version: Version, dates: Dates, actor: Actor) -> bool:
    """Say on which days a version of a locked document applies, on the record; tell if they are others."""
    require_forward(*dates)
    if has_dates(version, dates):
        return False
    version.effective_from, version.effective_to = dates
    version.save(update_fields=COPIED_DATES)
    told = {name: str(day or "") for name, day in dates._asdict().items()}
    record(
        tenant=version.document.tenant,
        actor=actor,
        action="version.dated",
        target=version.document.name,
        collection=version.document.collection.name,
        number=version.number,
        **told,
    )
    return True


def has_dates(version: Version, dates: Dates) -> bool:
    return (version.effective_from, version.effective_to) == dates


def is_held(version: Version) -> bool:
    """Tell whether a version is in a baseline, and so stays as it is."""
    return BaselineVersion.objects.filter(version=version).exists()


def require_forward(effective_from: date | None, effective_to: date | None) -> None:
    if effective_from is not None and effective_to is not None and effective_to < effective_from:
        raise BadDates(
            _("The last day on which it applies, %(last)s, is before the first, %(first)s.")
            % {"last": effective_to, "first": effective_from}
        )


def insert_version(
    document: Document,
    last: Version | None,
    *,
    source: Source,
    file_name: str,
    dates: Dates,
    is_queued: bool,
) -> Version:
    number = 1 if last is None else last.number + 1
    version = Version(
        tenant=document.tenant,
        document=document,
        number=number,
        source=source,
        file_name=file_name,
        effective_from=dates.effective_from,
        effective_to=dates.effective_to,
    )
    version.save(force_insert=True)
    version.outcome = Outcome.REPLACED
    if is_queued:
        enqueue(version)
    return version


def copy_version(
    version: Version, document: Document, *, with_text: bool, with_dates: bool = True
) -> Version:
    """Add a version of a locked document from another's source, and from its text if that will do."""
    last = last_version(document)
    names = (*COPIED, *(COPIED_TEXT if with_text else ()), *(COPIED_DATES if with_dates else ()))
    fields = {name: getattr(version, name) for name in names}
    copy = Version(
        tenant=document.tenant, document=document, number=1 if last is None else last.number + 1, **fields
    )
    copy.save(force_insert=True)
    copy.outcome = Outcome.REPLACED
    enqueue(copy)
    return copy


def try_again(version: Version, *, is_queued: bool = True) -> Version:
    """Put a version that failed or was cancelled back to waiting, to be read from its source."""
    again = waiting_again(timezone.now())
    for name, value in again.items():
        setattr(version, name, value)
    version.save(update_fields=again)
    version.outcome = Outcome.RETRIED
    if is_queued:
        enqueue(version)
    return version


def waiting_again(now: datetime) -> dict[str, object]:
    """Return what a version is that is to be read from its source, whatever became of it before."""
    return {
        "state": State.QUEUED,
        "claim": None,
        "attempts": 0,
        "failure": "",
        "text": "",
        "step_done": 0,
        "step_total": 0,
        "touched_at": now,
        "queued_at": now,
    }


def last_version(document: Document) -> Version | None:
    return Version.objects.without_text().filter(document=document).order_by("-number").first()


def enqueue(version: Version) -> None:
    """Tell a worker once this is committed. If the broker does not answer, the reconciler tells one later."""

    def tell_worker() -> None:  # No `partial`: Django logs the name of what failed, and that has none.
        tasks.read_next.delay()

    transaction.on_commit(tell_worker, robust=True)


def record_intake(version: Version, actor: Actor) -> None:
    """Record what came in. Nothing did if it was there; and other dates are on the record already."""
    if version.outcome in {Outcome.UNCHANGED, Outcome.DATED}:
        return
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
