"""Documents go to the bin, come back, or go for good."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone
from django.utils.translation import gettext as _
from psycopg.errors import UniqueViolation

from documents.errors import KeptForGood, NameTaken, NothingToDo
from documents.forget import forgetting_passages
from documents.models import Baseline, Document, Version
from documents.services.intake import lock_document
from documents.services.source import forget_sources, sources_of
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def delete_document(*, document: Document, actor: Actor) -> None:
    """Move it to the bin, out of every search but those as of before. Deleting it again changes nothing."""
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
            current.absences = [*current.absences, DateTimeTZRange(current.deleted_at, timezone.now())]
            current.deleted_at = None
            _save_unless_taken(current)
            _record(current, "document.restored", actor)
        document.deleted_at = None


def purge_document(*, document: Document, actor: Actor) -> None:
    """Delete it for good, with its versions and with the files that nothing else needs."""
    with tenant_scope(document.tenant_id):
        current = lock_document(document)
        if current.deleted_at is None:
            raise NothingToDo(_("%(name)s is not in the bin. Delete it first.") % {"name": document.name})
        _require_in_no_baseline(current)
        own = Document.objects.filter(pk=current.pk)
        versions = Version.objects.filter(document=current)
        with forgetting_passages(versions):
            sources = sources_of(versions)
            own.delete()
            forget_sources(sources)
        _record(current, "document.purged", actor)


def _require_in_no_baseline(document: Document) -> None:
    held = Baseline.objects.filter(members__version__document=document).order_by("created_at").first()
    if held is not None:
        raise KeptForGood(
            _("The baseline %(baseline)r holds %(name)s, so it stays in the bin.")
            % {"baseline": held.name, "name": document.name}
        )


def _save_unless_taken(document: Document) -> None:
    try:
        with transaction.atomic():
            document.save(update_fields=["deleted_at", "absences"])
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise
        is_identity = error.__cause__.diag.constraint_name == "document_identity_is_unique"
        other = f"document known as “{document.identity}”" if is_identity else document.name
        raise NameTaken(
            _(
                "There is another %(other)s in %(collection)s by now. "
                "Delete that one first, or leave this one in the bin."
            )
            % {"other": other, "collection": document.collection.name}
        ) from error


def _record(document: Document, action: str, actor: Actor) -> None:
    record(
        tenant=document.tenant,
        actor=actor,
        action=action,
        target=document.name,
        collection=document.collection.name,
    )
