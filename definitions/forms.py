"""Forms of the administration of definitions and references."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from definitions import services
from definitions.models import CrossReference, Definition
from documents.models import Document
from tenants.audit import Actor

WHOLE = gettext_lazy("Empty for the whole document.")


class DefinitionForm(forms.Form):
    """What a definition really is."""

    is_rejected = forms.BooleanField(required=False, label=gettext_lazy("This is no definition"))
    term = forms.CharField(max_length=300, help_text=gettext_lazy("As it stands in the unit."))
    variants = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Other forms of it, one in a line."),
    )
    scope_label = forms.CharField(
        max_length=300, required=False, label=gettext_lazy("Holds in"), help_text=WHOLE
    )
    meaning = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("The words of the meaning, copied from the unit."),
    )

    @staticmethod
    def initial_of(definition: Any) -> dict[str, Any]:
        scope = definition.scope
        return {
            "term": definition.term,
            "variants": "\n".join(definition.variants),
            "scope_label": scope.label if scope.position else "",
            "meaning": " ".join(definition.meaning.split()),
        }

    def clean(self) -> dict[str, Any]:
        return require_change(self)

    def clean_variants(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["variants"].splitlines() if line.strip()]

    def save(self, *, row: Definition, actor: Actor) -> None:
        """Keep what differs from what was found; the rest stays the extractor's."""
        if self.cleaned_data["is_rejected"]:
            services.reject_definition(definition=row, actor=actor)
            return
        changes = {name: self.cleaned_data[name] for name in self.changed_data if name != "is_rejected"}
        services.correct_definition(definition=row, actor=actor, **changes)


class NewDefinitionForm(forms.Form):
    """A definition that was not found."""

    document = forms.ModelChoiceField(Document.objects.none())
    label = forms.CharField(max_length=300, required=False, label=gettext_lazy("Unit"), help_text=WHOLE)
    term = forms.CharField(max_length=300, help_text=gettext_lazy("As it stands in the unit."))
    variants = DefinitionForm.base_fields["variants"]
    scope_label = DefinitionForm.base_fields["scope_label"]
    meaning = DefinitionForm.base_fields["meaning"]

    clean_variants = DefinitionForm.clean_variants

    def save(self, *, actor: Actor) -> None:
        services.add_definition(actor=actor, **self.cleaned_data)


class ReferenceForm(forms.Form):
    """Where a reference really points."""

    is_rejected = forms.BooleanField(required=False, label=gettext_lazy("This is no reference"))
    target_document = forms.ModelChoiceField(
        Document.objects.none(), required=False, help_text=gettext_lazy("Its own document if empty.")
    )
    target_label = forms.CharField(
        max_length=300, required=False, label=gettext_lazy("Unit"), help_text=WHOLE
    )

    @staticmethod
    def initial_of(reference: CrossReference) -> dict[str, Any]:
        is_own = reference.target_document_id == reference.version.document_id
        return {
            "target_document": None if is_own else reference.target_document_id,
            "target_label": reference.target_label,
        }

    def clean(self) -> dict[str, Any]:
        return require_change(self)

    def save(self, *, row: CrossReference, actor: Actor) -> None:
        if self.cleaned_data["is_rejected"]:
            services.reject_reference(reference=row, actor=actor)
            return
        services.correct_reference(
            reference=row,
            target_document=self.cleaned_data["target_document"],
            target_label=self.cleaned_data["target_label"],
            actor=actor,
        )


class NewReferenceForm(forms.Form):
    """A reference that was not found."""

    document = forms.ModelChoiceField(Document.objects.none())
    label = forms.CharField(max_length=300, required=False, label=gettext_lazy("In unit"), help_text=WHOLE)
    text = forms.CharField(max_length=300, help_text=gettext_lazy("The words of the reference, as printed."))
    occurrence = forms.IntegerField(
        min_value=1, initial=1, help_text=gettext_lazy("Which of these words in the unit.")
    )
    target_document = ReferenceForm.base_fields["target_document"]
    target_label = ReferenceForm.base_fields["target_label"]

    def save(self, *, actor: Actor) -> None:
        services.add_reference(actor=actor, **self.cleaned_data)


def require_change(form: forms.Form) -> dict[str, Any]:
    if not form.errors and not form.changed_data:
        raise forms.ValidationError(_("Nothing is different yet."), code="unchanged")
    return form.cleaned_data
