"""A person knows better than the parser where a unit begins and what it is called.

A version that is ready does not change, since citations point into it. A correction therefore makes a new
version with the same text and a new outline.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from documents.errors import NothingToDo
from documents.models import Document, OutlineCorrection, State, Version
from documents.services.intake import copy_version, last_version, lock_document
from tenants.audit import Actor, record
from tenants.scope import tenant_scope

CHANGEABLE = {"is_unit", "level", "new_label", "new_title"}


def correct_outline(
    *,
    document: Document,
    opening: str,
    actor: Actor,
    label: str = "",
    **changes: object,
) -> OutlineCorrection:
    """Say what a unit is, known by its opening words and label; a second correction adds to the first."""
    opening = " ".join(opening.split())
    with tenant_scope(document.tenant_id):
        current = lock_document(document)
        own = OutlineCorrection.objects.filter(document=current, opening=opening, label=label)
        correction = own.first() or OutlineCorrection(
            tenant=current.tenant, document=current, opening=opening, label=label
        )
        for name, value in changes.items():
            if name not in CHANGEABLE:
                raise TypeError(f"{name!r} of a unit cannot be corrected.")
            setattr(correction, name, value.strip() if isinstance(value, str) else value)
        correction.full_clean(exclude=["tenant", "document"], validate_constraints=False)
        correction.save()
        _renew_outline(current)
        _record(correction, "outline.corrected", actor)
    return correction


def remove_correction(*, correction: OutlineCorrection, actor: Actor) -> None:
    """Take a correction back. Doing so again changes nothing."""
    with tenant_scope(correction.tenant_id):
        current = lock_document(correction.document)
        if OutlineCorrection.objects.filter(pk=correction.pk).delete()[0]:
            _renew_outline(current)
            _record(correction, "outline.correction_removed", actor)


def _renew_outline(document: Document) -> None:
    """Add a version with the text of the last one, unless that one has not come to its outline yet."""
    last = last_version(document)
    if last is not None and _is_before_its_outline(last):
        return
    with_text = Version.objects.filter(document=document).exclude(text="").order_by("-number").first()
    if with_text is None:
        raise NothingToDo(
            _("%(name)s has no outline yet. Correct it once it is ready.") % {"name": document.name}
        )
    copy_version(with_text, document, with_text=True)


def _is_before_its_outline(version: Version) -> bool:
    """Locked, it does not get there before this correction is there too."""
    locked = Version.objects.select_for_update(of=["self"]).filter(pk=version.pk)
    return locked.values_list("state", flat=True).first() in {State.QUEUED, State.CONVERTING}


def _record(correction: OutlineCorrection, action: str, actor: Actor) -> None:
    record(
        tenant=correction.document.tenant,
        actor=actor,
        action=action,
        target=correction.document.name,
        opening=correction.opening,
    )
