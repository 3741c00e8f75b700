"""Forms of the pages and the administration of documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models.functions import Substr
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from documents.convert.converted import clean_text
from documents.models import Collection, OutlineCorrection, Section, Version
from documents.parse.correct import LONGEST_OPENING, opening_of
from documents.services import Dates, correct_outline, expand_upload
from documents.unpack import MOST_FILES, Incoming
from tenants.audit import Actor
from tenants.models import LONGEST_KEPT


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Any number of files."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        return [super(ManyFilesField, self).clean(one, initial) for one in data or []]


class DatesForm(forms.Form):
    """On which days what comes in applies."""

    effective_from = forms.DateField(
        required=False,
        label=gettext_lazy("Applies from"),
        help_text=gettext_lazy("The first day on which it applies. Empty: today."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    effective_to = forms.DateField(
        required=False,
        label=gettext_lazy("Applies until"),
        help_text=gettext_lazy("The last day, if it is known."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        begins, ends = cleaned.get("effective_from"), cleaned.get("effective_to")
        if begins and ends and ends < begins:
            self.add_error("effective_to", _("The last day is before the first."))
        return cleaned

    def dates(self) -> Dates:
        return Dates(self.cleaned_data["effective_from"], self.cleaned_data["effective_to"])


class ReplaceForm(DatesForm):
    """A file of any name as the next version of a document."""

    file = forms.FileField(allow_empty_file=True, label=gettext_lazy("File"))
    field_order = ("file",)


class UploadForm(DatesForm):
    documents = ManyFilesField(
        required=False,
        allow_empty_file=True,
        label=gettext_lazy("Files"),
        help_text=gettext_lazy(
            "One or many; a zip is unpacked. A file of a name that is there becomes its next version."
        ),
    )
    folder = ManyFilesField(
        required=False,
        allow_empty_file=True,
        label=gettext_lazy("Or a folder"),
        help_text=format_lazy(
            gettext_lazy("Up to {most} files. A zip may hold {packed}."),
            most=f"{settings.DATA_UPLOAD_MAX_NUMBER_FILES:,}",
            packed=f"{MOST_FILES:,}",
        ),
        widget=ManyFilesInput(attrs={"webkitdirectory": True, "data-paths": "id_paths"}),
    )
    # Where the files of the folder are in it, filled in by a script: Django keeps the names of files only.
    paths = forms.CharField(required=False, widget=forms.HiddenInput)
    field_order = ("documents", "folder")

    def clean_paths(self) -> list[str]:
        try:
            paths = json.loads(self.cleaned_data["paths"] or "[]")
        except (ValueError, RecursionError):
            return []
        is_list = isinstance(paths, list) and all(isinstance(path, str) for path in paths)
        return [clean_text(path) for path in paths] if is_list else []

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("documents") and not cleaned.get("folder"):
            raise forms.ValidationError(_("Choose at least one file."), code="no_file")
        return cleaned

    def files_chosen(self) -> list[UploadedFile[Any]]:
        return [*self.cleaned_data["documents"], *self.cleaned_data["folder"]]

    def incoming(self) -> Iterator[Incoming]:
        """Yield what was chosen, in the order of names, lest two uploads wait for each other."""
        folder, paths = self.cleaned_data["folder"], self.cleaned_data["paths"]
        names = paths if len(paths) == len(folder) else [file.name for file in folder]
        chosen = [(str(file.name), file) for file in self.cleaned_data["documents"]]
        chosen += [(inside_folder(name), file) for name, file in zip(names, folder, strict=True)]
        for name, file in sorted(chosen, key=lambda one: one[0]):
            yield from expand_upload(name, file)


def inside_folder(path: str) -> str:
    """Drop the folder that was chosen from the path of a file in it."""
    return path.split("/", 1)[-1]


class CollectionForm(forms.ModelForm[Collection]):
    class Meta:
        model = Collection
        fields = ("name", "description")
        labels = {"name": gettext_lazy("Name"), "description": gettext_lazy("Description")}
        widgets = {
            "name": forms.TextInput(attrs={"autocomplete": "off", "placeholder": "harbour-rules"}),
            "description": forms.TextInput(attrs={"autocomplete": "off"}),
        }


class RetentionForm(forms.Form):
    days = forms.IntegerField(
        min_value=1,
        max_value=LONGEST_KEPT,
        required=False,
        label=gettext_lazy("Days"),
        help_text=gettext_lazy("Empty: for ever. The newest version stays, and so does what a baseline has."),
    )


class CorrectionForm(forms.Form):
    """What one unit of an outline really is."""

    is_unit = forms.BooleanField(
        required=False,
        label=gettext_lazy("A unit begins here"),
        help_text=gettext_lazy("Clear this where none does."),
    )
    level = forms.IntegerField(
        min_value=1,
        max_value=20,
        help_text=gettext_lazy("How deep it is: 1 stands directly below the document."),
    )
    new_label = forms.CharField(max_length=300, label=gettext_lazy("Label"), required=False)
    new_title = forms.CharField(max_length=500, label=gettext_lazy("Title"), required=False)

    @staticmethod
    def initial_of(unit: Section) -> dict[str, Any]:
        return {"is_unit": True, "level": unit.level, "new_label": unit.label, "new_title": unit.title}

    def clean(self) -> dict[str, Any]:
        if not self.errors and not self.changed_data:
            raise forms.ValidationError(_("Nothing is different yet."), code="unchanged")
        return self.cleaned_data

    def save(self, *, version: Version, unit: Section, actor: Actor) -> OutlineCorrection:
        """Keep what differs from what was found; the rest stays the parser's."""
        changes = {name: self.cleaned_data[name] for name in self.changed_data}
        return correct_outline(
            document=version.document,
            opening=opening_of_unit(unit),
            label=unit.label,
            actor=actor,
            **changes,
        )


def opening_of_unit(unit: Section) -> str:
    """Fetch the words with which a unit begins, and not the whole text."""
    begin = Substr("text", unit.start + 1, 4 * LONGEST_OPENING)
    text = Version.objects.filter(pk=unit.version_id).values_list(begin, flat=True).get()
    return opening_of(str(text), 0)
