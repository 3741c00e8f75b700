"""Forms of the pages of versions and baselines."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents.errors import ReadContextRefused
from documents.read_context import HEAD, Basis, ReadContext

CURRENT, RECORDED, EFFECTIVE, CHOSEN = "head", "recorded", "effective", "chosen"


class DayInput(forms.DateInput):
    input_type = "date"


class DatesForm(forms.Form):
    """On which days a version applies."""

    effective_from = forms.DateField(required=False, label=gettext_lazy("First day"), widget=DayInput)
    effective_to = forms.DateField(required=False, label=gettext_lazy("Last day"), widget=DayInput)


class ManyIdsField(forms.Field):
    """Any number of ids, of which some may be left empty."""

    widget = forms.SelectMultiple

    def clean(self, value: Any) -> list[UUID]:
        try:
            return [UUID(one) for one in value or [] if one]
        except ValueError as error:
            raise forms.ValidationError(_("These are no versions."), code="invalid") from error


class BaselineForm(forms.Form):
    """A name, and what it stands for."""

    name = forms.CharField(
        max_length=100, label=gettext_lazy("Name"), widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    description = forms.CharField(
        required=False,
        max_length=2000,
        label=gettext_lazy("Description"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    of = forms.ChoiceField(
        label=gettext_lazy("What it holds"),
        choices=[
            (CURRENT, gettext_lazy("What is current now")),
            (RECORDED, gettext_lazy("What was current on a day")),
            (EFFECTIVE, gettext_lazy("What applies on a day")),
            (CHOSEN, gettext_lazy("The versions chosen below")),
        ],
        initial=CURRENT,
        widget=forms.RadioSelect,
    )
    day = forms.DateField(required=False, label=gettext_lazy("Which day"), widget=DayInput)
    versions = ManyIdsField(required=False)

    def clean(self) -> dict[str, Any]:
        """Turn what was chosen into a read context, or into versions."""
        cleaned = super().clean() or self.cleaned_data
        of = cleaned.get("of")
        if of in {RECORDED, EFFECTIVE} and "day" not in self.errors:
            self._read_day(cleaned, Basis.EFFECTIVE if of == EFFECTIVE else Basis.RECORDED)
        if of == CHOSEN and not cleaned.get("versions") and "versions" not in self.errors:
            self.add_error("versions", _("Choose at least one version."))
        return cleaned

    def _read_day(self, cleaned: dict[str, Any], basis: Basis) -> None:
        if cleaned["day"] is None:
            self.add_error("day", _("Which day do you mean?"))
            return
        try:
            given = {"as_of": cleaned["day"], "basis": basis}
            cleaned["context"] = ReadContext.read(given, now=timezone.now())
        except ReadContextRefused as error:
            self.add_error("day", str(error))

    def chosen(self) -> dict[str, Any]:
        """Return what the service asks for."""
        fields = {name: self.cleaned_data[name] for name in ("name", "description")}
        if self.cleaned_data["of"] == CHOSEN:
            return {**fields, "versions": self.cleaned_data["versions"]}
        return {**fields, "context": self.cleaned_data.get("context", HEAD)}
