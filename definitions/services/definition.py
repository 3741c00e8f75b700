"""A person knows better what is defined, where it holds, or that nothing is."""

from __future__ import annotations

from collections.abc import Sequence

from definitions.errors import DefinitionError, NotInText, OutOfDate
from definitions.models import Definition, DefinitionCorrection
from definitions.services.current import Current, hold_current
from definitions.terms import term_key
from documents.models import Document
from tenants.audit import Actor, record
from tenants.scope import tenant_scope


def correct_definition(
    *,
    definition: Definition,
    actor: Actor,
    term: str = "",
    variants: Sequence[str] | None = None,
    scope_label: str | None = None,
    meaning: str = "",
) -> DefinitionCorrection:
    """Say what a definition really is; what is not said stays. A second correction adds to the first."""
    with tenant_scope(definition.tenant_id):
        current, correction = _hold(definition)
        correction.is_rejected = False
        correction.term = _one_line(term) or correction.term
        correction.meaning = _one_line(meaning) or correction.meaning
        if variants is not None:
            correction.variants = _keys(variants)
        if scope_label is not None:
            correction.scope_label = _scope_label(current, scope_label)
        _check_words(current, correction)
        _keep(current, correction, "definition.corrected", actor)
    return correction


def reject_definition(*, definition: Definition, actor: Actor) -> DefinitionCorrection:
    """Say that it is no definition."""
    with tenant_scope(definition.tenant_id):
        current, correction = _hold(definition)
        correction.is_rejected = True
        _keep(current, correction, "definition.rejected", actor)
    return correction


def add_definition(
    *,
    document: Document,
    label: str,
    term: str,
    actor: Actor,
    variants: Sequence[str] = (),
    scope_label: str = "",
    meaning: str = "",
) -> DefinitionCorrection:
    """Show a definition that was not found, by the words of its term in a unit of the current version."""
    with tenant_scope(document.tenant_id):
        current = hold_current(document)
        unit = current.unit_of(label.strip())
        term = _one_line(term)
        if not term_key(term):
            raise DefinitionError("Name the term, as it stands in the text.")
        correction = _find(current, current.outline.labels[unit], term_key(term))
        correction.is_added, correction.is_rejected = True, False
        correction.term, correction.meaning = term, _one_line(meaning)
        correction.variants = _keys(variants)
        correction.scope_label = _scope_label(current, scope_label)
        _check_words(current, correction)
        _keep(current, correction, "definition.added", actor)
    return correction


def _hold(definition: Definition) -> tuple[Current, DefinitionCorrection]:
    row = Definition.objects.with_places().filter(pk=definition.pk).first()
    if row is None:
        raise OutOfDate(f"“{definition.term}” was found anew meanwhile. Open it again and correct that.")
    current = hold_current(row.version.document)
    return current, _find(current, current.label_of(row.section_id), row.key)


def _find(current: Current, label: str, key: str) -> DefinitionCorrection:
    """Return the correction that a definition has: it may be known by another term since."""
    own = DefinitionCorrection.objects.filter(document=current.document, label=label)
    for correction in own:
        if key in {correction.key, term_key(correction.term)}:
            return correction
    return DefinitionCorrection(
        tenant=current.document.tenant, document=current.document, label=label, key=key
    )


def _check_words(current: Current, correction: DefinitionCorrection) -> None:
    page, unit = current.page, current.unit_of(correction.label)
    for words in (correction.term, correction.meaning):
        if words and page.find(words, unit) is None:
            raise NotInText(
                f"“{words}” does not stand in {correction.label or correction.document.name}. "
                "Copy the words as they are printed there."
            )


def _scope_label(current: Current, label: str) -> str:
    return current.outline.labels[current.unit_of(label.strip())]


def _keep(current: Current, correction: DefinitionCorrection, action: str, actor: Actor) -> None:
    correction.full_clean(exclude=["tenant", "document"], validate_constraints=False)
    correction.save()
    current.renew()
    record(
        tenant=current.document.tenant,
        actor=actor,
        action=action,
        target=current.document.name,
        term=correction.term or correction.key,
        label=correction.label,
    )


def _keys(variants: Sequence[str]) -> list[str]:
    return [key for key in dict.fromkeys(map(term_key, variants)) if key]


def _one_line(words: str) -> str:
    return " ".join(words.split())
