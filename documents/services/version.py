"""Versions are cancelled, tried again, brought back, or read anew."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import tasks
from documents.errors import NothingToDo
from documents.models import State, Version
from documents.services.intake import Dates, copy_version, date_version, lock_document, try_again
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def cancel_version(*, version: Version, actor: Actor) -> Version:
    """Stop reading a version. What was done for it so far is kept, and not done again if it is retried."""
    with tenant_scope(version.tenant_id):
        document = lock_document(version.document)
        is_stopped = Version.objects.filter(pk=version.pk).cancel(timezone.now())
        current = _find(version)
        if not is_stopped:
            raise NothingToDo(
                _("%(version)s is not being read: it is %(state)s.")
                % {"version": version, "state": State(current.state).label.lower()}
            )
        current.document = document
        _record(current, "version.cancelled", actor)
        transaction.on_commit(lambda: _cancel_batches(current), robust=True)
    return current


def _cancel_batches(version: Version) -> None:
    tasks.cancel_batches.delay(str(version.pk), str(version.tenant_id))


def retry_version(*, version: Version, actor: Actor, is_queued: bool = True) -> Version:
    """Read a version again that has failed or was cancelled."""
    with tenant_scope(version.tenant_id):
        document = lock_document(version.document)
        current = _find(version)
        if current.state not in {State.FAILED, State.CANCELLED}:
            raise NothingToDo(
                _("%(version)s has not failed: it is %(state)s.")
                % {"version": version, "state": State(current.state).label.lower()}
            )
        current.document = document
        try_again(current, is_queued=is_queued)
        _record(current, "version.retried", actor)
    return current


def restore_version(*, version: Version, actor: Actor) -> Version:
    """Make what an older version said the newest version, from today on; the history keeps both."""
    with tenant_scope(version.tenant_id):
        document = lock_document(version.document)
        current = _find(version)
        if current.state != State.READY:
            raise NothingToDo(
                _("%(version)s was never ready, so there is nothing to bring back.") % {"version": version}
            )
        if current.superseded_at is None:
            raise NothingToDo(_("%(version)s is the current version.") % {"version": version})
        copy = copy_version(current, document, with_text=True, with_dates=False)
        _record(copy, "version.restored", actor, before=current.number)
    return copy


def withdraw_version(*, version: Version, actor: Actor) -> Version:
    """Take a version back: from now on it says nothing. What was read before can be read as of then.

    If it is the current one, the document says nothing until another version comes or one is restored.
    """
    with tenant_scope(version.tenant_id):
        document = lock_document(version.document)
        current = _find(version)
        if current.state != State.READY:
            raise NothingToDo(
                _("%(version)s was never ready, so there is nothing to withdraw. Cancel it.")
                % {"version": version}
            )
        if current.withdrawn_at is not None:
            raise NothingToDo(_("%(version)s is withdrawn already.") % {"version": version})
        current.withdrawn_at = timezone.now()
        current.superseded_at = current.superseded_at or current.withdrawn_at
        current.save(update_fields=["withdrawn_at", "superseded_at"])
        current.document = document
        _record(current, "version.withdrawn", actor)
    return current


def set_effective_dates(
    *, version: Version, effective_from: date | None, effective_to: date | None, actor: Actor
) -> Version:
    """Say on which days a version applies. It changes what is read as of a day in force, and no text."""
    with tenant_scope(version.tenant_id):
        document = lock_document(version.document)
        current = _find(version)
        current.document = document
        date_version(current, Dates(effective_from, effective_to), actor)
    return current


def reread_document(*, version: Version, actor: Actor) -> Version:
    """Convert the source of a version anew, as one does after an upgrade; what is ready stays as it is."""
    with tenant_scope(version.tenant_id):
        document = lock_document(version.document)
        current = _find(version)
        if State(current.state).is_open:
            raise NothingToDo(_("%(version)s is being read already.") % {"version": version})
        copy = copy_version(current, document, with_text=False)
        _record(copy, "version.reread", actor)
    return copy


def _find(version: Version) -> Version:
    current = Version.objects.filter(pk=version.pk).first()
    if current is None:
        raise NothingToDo(_("The version is gone: somebody else has deleted its document."))
    return current


def _record(version: Version, action: str, actor: Actor, **detail: object) -> None:
    record(
        tenant=version.document.tenant,
        actor=actor,
        action=action,
        target=version.document.name,
        collection=version.document.collection.name,
        number=version.number,
        **detail,
    )
