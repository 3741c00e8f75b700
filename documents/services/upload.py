"""A large file comes in part by part, and may break off and go on.

Nothing of this is on the record until the file is whole: then it comes in as any other does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from documents.errors import DocumentError, NothingToDo, TooLarge, WrongOffset
from documents.models import Collection, Document, Upload, UploadPart, UploadState
from documents.names import clean_name
from documents.services.intake import (
    UNDATED,
    Added,
    Dates,
    add_files,
    expand_upload,
    largest_file,
    lock_collection,
    lock_document,
    lock_intake,
    require_forward,
)
from documents.unpack import MEGABYTE, too_large
from tenants.audit import Actor
from tenants.models import Tenant
from tenants.scope import tenant_scope

MOST_PART = 20 * MEGABYTE
MOST_PARTS = 1_000  # Of one upload: who sends byte by byte would fill a table.
KEPT_FOR = timedelta(days=1)  # After the last part.
REFUSED = "refused"
NOTHING_TAKEN = "No file was taken: see `files`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of a file, in words that can be kept."""

    name: str
    outcome: str  # Of `Outcome`, or that it was refused.
    problem: str = ""
    document_id: str | None = None
    version_id: str | None = None
    number: int | None = None


def describe_added(added: Added) -> Taken:
    version = added.version
    if version is None:
        return Taken(name=added.name, outcome=REFUSED, problem=added.problem)
    return Taken(
        name=added.name,
        outcome=str(version.outcome),
        document_id=str(version.document_id),
        version_id=str(version.pk),
        number=version.number,
    )


def begin_upload(
    *,
    collection: Collection,
    name: str,
    size: int,
    digest: str = "",
    document: Document | None = None,
    identity: str = "",
    dates: Dates = UNDATED,
) -> Upload:
    """Announce a file, of which nothing has arrived yet."""
    name = clean_name(name)
    require_forward(*dates)
    if size > largest_file():
        raise TooLarge(too_large(size, largest_file()))
    with tenant_scope(collection.tenant_id):
        _require_room(collection.tenant)
        _lock_owners(collection, document)
        return Upload.objects.create(
            tenant=collection.tenant,
            collection=collection,
            document=document,
            name=name,
            identity=" ".join(identity.split()),
            effective_from=dates.effective_from,
            effective_to=dates.effective_to,
            size=size,
            digest=digest,
            expires_at=timezone.now() + KEPT_FOR,
        )


def append_part(*, upload: Upload, offset: int, content: bytes, actor: Actor) -> Upload:
    """Add what follows. With the last part the file comes in, and `files` says what became of it.

    Of two that send the same part at once, the second one waits, and is told that it has arrived.
    """
    with tenant_scope(upload.tenant_id):
        if offset + len(content) >= upload.size:  # Whoever deletes these deletes the upload after them.
            lock_intake(upload.tenant_id)
            _lock_owners(upload.collection, upload.document)
        current = _lock(upload)
        if offset != current.offset:
            raise WrongOffset(current.offset)
        if offset + len(content) > current.size:
            raise TooLarge(f"{current.size:,} bytes were announced, and this is more. Begin anew.")
        if content:
            _require_few_parts(current)
            _insert(current, content)
            current.offset += len(content)
            current.expires_at = timezone.now() + KEPT_FOR
            if current.offset == current.size:
                _finish(current, actor)
            current.save(update_fields=["offset", "expires_at", "state", "problem", "files"])
    return current


def cancel_upload(*, upload: Upload) -> None:
    """Forget an upload with what has arrived of it. What became of a whole one stays."""
    with tenant_scope(upload.tenant_id):
        Upload.objects.filter(pk=upload.pk).delete()


def _require_room(tenant: Tenant) -> None:
    """Count under a lock of the tenant, so that two who begin at once are counted one after the other."""
    Tenant.objects.select_for_update(no_key=True).get(pk=tenant.pk)
    own = Upload.objects.for_tenant(tenant)
    own.expired(timezone.now()).delete()
    if own.filter(state=UploadState.OPEN).count() >= settings.OPEN_UPLOADS:
        raise NothingToDo(
            f"{settings.OPEN_UPLOADS} uploads are open, and there can be no more. Finish or delete one, or "
            "have the limit raised (PANDECT_OPEN_UPLOADS)."
        )


def _lock_owners(collection: Collection, document: Document | None) -> None:
    """Hold off whoever deletes what a file comes into, or say that somebody has."""
    lock_collection(collection)
    if document is not None:
        lock_document(document)


def _lock(upload: Upload) -> Upload:
    locked = Upload.objects.select_for_update(of=["self"]).select_related("collection__tenant", "document")
    current = locked.filter(pk=upload.pk).first()
    if current is None:
        raise NothingToDo("The upload is gone: somebody else has deleted it.")
    return current


def _require_few_parts(upload: Upload) -> None:
    if UploadPart.objects.filter(upload=upload).count() >= MOST_PARTS:
        raise DocumentError(f"It came in {MOST_PARTS:,} parts so far. Begin anew, with larger ones.")


def _insert(upload: Upload, content: bytes) -> None:
    """Send the content as it is: Django would write it into the statement, in hexadecimal."""
    with connection.wrap_database_errors:
        psycopg.Cursor(connection.connection).execute(
            "INSERT INTO documents_uploadpart (id, tenant_id, upload_id, start, content)"
            " VALUES (%s, %s, %s, %s, %b)",
            [uuid4(), upload.tenant_id, upload.pk, upload.offset, content],
        )


def _finish(upload: Upload, actor: Actor) -> None:
    whole = _collect(upload.pk)
    arrived = sha256(whole).hexdigest()
    if upload.digest and arrived != upload.digest:
        upload.state = UploadState.FAILED
        upload.problem = (
            f"What arrived is not what was announced: its SHA-256 is {arrived}, not {upload.digest}. "
            "Upload the file anew."
        )
        return
    taken = list(_take_in(upload, whole, actor))
    upload.files = [asdict(one) for one in taken]
    if any(one.version_id for one in taken):
        upload.state = UploadState.DONE
    else:
        upload.state, upload.problem = UploadState.FAILED, NOTHING_TAKEN


def _collect(upload_id: UUID) -> bytes:
    """Put the parts together, and forget them. Django would fetch them in hexadecimal."""
    parts = UploadPart.objects.filter(upload=upload_id).order_by("start")
    with connection.wrap_database_errors:
        cursor = psycopg.Cursor(connection.connection)
        statement = "SELECT content FROM documents_uploadpart WHERE id = %s"
        whole = b"".join(
            cursor.execute(statement, [pk], binary=True).fetchall()[0][0]
            for pk in parts.values_list("pk", flat=True)
        )
    parts.delete()
    return whole


def _take_in(upload: Upload, whole: bytes, actor: Actor) -> Iterator[Taken]:
    given: dict[str, Any] = {
        "document": upload.document,
        "identity": upload.identity,
        "dates": Dates(upload.effective_from, upload.effective_to),
    }
    files = expand_upload(upload.name, whole)
    for added in add_files(collection=upload.collection, files=files, actor=actor, **given):
        yield describe_added(added)
