"""Corrections are taken back: what the extractor found is found again."""

from __future__ import annotations

from definitions.models import DefinitionCorrection, ReferenceCorrection
from definitions.services.current import hold_current
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def remove_definition_correction(*, correction: DefinitionCorrection, actor: Actor) -> None:
    """Doing so again changes nothing."""
    _remove(correction, actor, "definition.correction_removed", term=correction.term or correction.key)


def remove_reference_correction(*, correction: ReferenceCorrection, actor: Actor) -> None:
    """Doing so again changes nothing."""
    _remove(correction, actor, "reference.correction_removed", text=correction.text)


def _remove(
    correction: DefinitionCorrection | ReferenceCorrection, actor: Actor, action: str, **detail: str
) -> None:
    with tenant_scope(correction.tenant_id):
        current = hold_current(correction.document)
        own = type(correction)._default_manager.filter(pk=correction.pk)
        if not own.delete()[0]:
            return
        current.renew()
        record(
            tenant=current.document.tenant,
            actor=actor,
            action=action,
            target=current.document.name,
            label=correction.label,
            **detail,
        )
