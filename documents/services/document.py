"""Documents go to the bin, come back, or go for good."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone
from psycopg.errors import UniqueViolation

from documents.errors import NameTaken, NothingToDo
from documents.forget import forgetting_passages
from documents.models import Document
from documents.services.intake import lock_document
from documents.services.source import forget_sources, sources_of
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def delete_document(*, document: Document, actor: Actor) -> None:
    """Move it to the bin, out of every search. Deleting it again changes nothing."""
    with tenant_scope(document.tenant_id):
        current = lock_document(document)
        if current.deleted_at is None:
            current.deleted_at = timezone.now()
            current.save(update_fields=["deleted_at"])
            _record(current, "document.deleted", actor)
        document.deleted_at = current.deleted_at


def restore_document(*, document: Document, actor: Actor) -> None:
    """Take it out of the bin, with all its versions. Restoring it again changes nothing."""
    with tenant_scope(document.tenant_id):
        current = lock_document(document)
        if current.deleted_at is not None:
            current.deleted_at = None
            _save_unless_taken(current)
            _record(current, "document.restored", actor)
        document.deleted_at = None


def purge_document(*, document: Document, actor: Actor) -> None:
    """Delete it for good, with its versions and with the files that nothing else needs."""
    with tenant_scope(document.tenant_id):
        current = lock_document(document)
        if current.deleted_at is None:
            raise NothingToDo(f"{document.name} is not in the bin. Delete it first.")
        own = Document.objects.filter(pk=current.pk)
        with forgetting_passages(own):
            sources = sources_of(own)
            own.delete()
            forget_sources(sources)
        _record(current, "document.purged", actor)


def _save_unless_taken(document: Document) -> None:
    try:
        with transaction.atomic():
            document.save(update_fields=["deleted_at"])
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise
        raise NameTaken(
            f"There is another {document.name} in {document.collection.name} by now. Delete that one first, "
            "or leave this one in the bin."
        ) from error


def _record(document: Document, action: str, actor: Actor) -> None:
    record(
        tenant=document.tenant,
        actor=actor,
        action=action,
        target=document.name,
        collection=document.collection.name,
    )
