"""A person knows better where a reference points, or that it is none."""

from __future__ import annotations

from definitions.correct import find_words
from definitions.errors import DefinitionError, NotInText, OutOfDate
from definitions.models import PRINTED, CrossReference, ReferenceCorrection
from definitions.services.current import Current, hold_current, require_target
from documents.models import Document
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def correct_reference(
    *,
    reference: CrossReference,
    actor: Actor,
    target_label: str,
    target_document: Document | None = None,
) -> ReferenceCorrection:
    """Say which unit is meant: of another document of the collection, or of its own."""
    with tenant_scope(reference.tenant_id):
        current, correction = _hold(reference)
        correction.is_rejected = False
        _aim(current, correction, target_document, target_label)
        _keep(current, correction, "reference.corrected", actor)
    return correction


def reject_reference(*, reference: CrossReference, actor: Actor) -> ReferenceCorrection:
    """Say that it is no reference."""
    with tenant_scope(reference.tenant_id):
        current, correction = _hold(reference)
        correction.is_rejected = True
        _keep(current, correction, "reference.rejected", actor)
    return correction


def add_reference(
    *,
    document: Document,
    label: str,
    text: str,
    actor: Actor,
    target_label: str,
    target_document: Document | None = None,
    occurrence: int = 1,
) -> ReferenceCorrection:
    """Show a reference that was not found, by its words in a unit of the current version."""
    with tenant_scope(document.tenant_id):
        current = hold_current(document)
        unit = current.unit_of(label.strip())
        text = " ".join(text.split())
        if not text:
            raise DefinitionError("Name the words of the reference, as they stand in the text.")
        if current.page.find(text, unit, occurrence) is None:
            raise NotInText(
                f"“{text}” does not stand {_times(occurrence)} in {label.strip() or document.name}. "
                "Copy the words as they are printed there."
            )
        correction = _find(current, current.outline.labels[unit], text, occurrence)
        correction.is_added, correction.is_rejected = True, False
        _aim(current, correction, target_document, target_label)
        _keep(current, correction, "reference.added", actor)
    return correction


def _times(occurrence: int) -> str:
    return "at all" if occurrence == 1 else f"{occurrence} times"


def _hold(reference: CrossReference) -> tuple[Current, ReferenceCorrection]:
    row = CrossReference.objects.with_places().filter(pk=reference.pk).first()
    if row is None:
        raise OutOfDate(f"“{reference.text}” was found anew meanwhile. Open it again and correct that.")
    current = hold_current(row.version.document)
    label = current.label_of(row.section_id)
    text = " ".join(current.version.text[row.start : row.end].split())[:PRINTED]
    spans = find_words(text, current.version.text, current.outline.units[current.unit_of(label)])
    places = [number for number, span in enumerate(spans, 1) if span == (row.start, row.end)]
    if not places:
        raise NotInText(
            f"“{text}” cannot be told from the words around it. Add the reference by longer words."
        )
    return current, _find(current, label, text, places[0])


def _find(current: Current, label: str, text: str, occurrence: int) -> ReferenceCorrection:
    known = {"document": current.document, "label": label, "text": text, "occurrence": occurrence}
    own = ReferenceCorrection.objects.filter(**known).first()
    return own or ReferenceCorrection(tenant=current.document.tenant, **known)


def _aim(
    current: Current, correction: ReferenceCorrection, target_document: Document | None, target_label: str
) -> None:
    label = target_label.strip()
    if target_document is None or target_document.pk == current.document.pk:
        correction.target_document = None
        correction.target_label = current.outline.labels[current.unit_of(label)]
        return
    target = Document.objects.present().filter(pk=target_document.pk).first()
    if target is None or target.collection_id != current.document.collection_id:
        raise DefinitionError(
            f"{target_document.name} is not in {current.document.collection.name}. "
            "References stay within a collection: add the document to it first."
        )
    require_target(target, label)
    correction.target_document, correction.target_label = target, label


def _keep(current: Current, correction: ReferenceCorrection, action: str, actor: Actor) -> None:
    correction.full_clean(exclude=["tenant", "document", "target_document"], validate_constraints=False)
    correction.save()
    current.renew()
    record(
        tenant=current.document.tenant,
        actor=actor,
        action=action,
        target=current.document.name,
        text=correction.text,
        label=correction.label,
        goal=correction.target_label,
    )
