"""What the lists of findings have in common: they are long, and about one version of many."""

from __future__ import annotations

from typing import Any, TypeVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from definitions.models import ReferenceCorrection
from documents.admin.shared import ReadOnlyAdmin
from documents.errors import DocumentError
from documents.models import Collection, Document, Section, Version
from tenants.audit import Actor

M = TypeVar("M", bound=models.Model)
MOST_CHOICES = 200


class CollectionFilter(admin.SimpleListFilter):
    title = "collection"
    parameter_name = "collection"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        found = Collection.objects.order_by("tenant__slug", "name")[:MOST_CHOICES]
        rows = found.values_list("pk", "tenant__slug", "name")
        return [(str(pk), f"{slug}: {name}") for pk, slug, name in rows]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        try:
            return queryset.filter(version__document__collection=self.value())
        except ValidationError:
            return queryset.none()


class VersionFilter(admin.SimpleListFilter):
    """Shows current versions unless all are asked for."""

    title = "version"
    parameter_name = "versions"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("all", "All versions")]

    def choices(self, changelist: Any) -> Any:
        all_choice, *others = super().choices(changelist)
        return [{**all_choice, "display": "Current versions"}, *others]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "all":
            return queryset
        return queryset.filter(version__in=Version.objects.head().values("pk"))


class FindingAdmin(ReadOnlyAdmin[M]):
    """A long list of what was found, with a form that corrects one and a form that adds one."""

    list_per_page = 50
    sortable_by = ()
    correct_form: type[Any]
    add_form: type[Any]

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        rows: Any = self.model._default_manager
        found: QuerySet[M] = rows.with_places().select_related("tenant")
        return found

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_change_permission(request)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        hidden = {"show_save_and_add_another": False}
        return super().change_view(request, object_id, form_url, {**hidden, **(extra_context or {})})

    @admin.display
    def document(self, row: Any) -> SafeString:
        url = reverse("admin:documents_version_change", args=[row.version_id])
        return format_html('<a href="{}">{}</a>', url, row.version.document.name)

    @admin.display
    def place(self, row: Any) -> str:
        return shown_label(row.section)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.correct_view)
        name = f"definitions_{self.opts.model_name}_correct"
        return [path("<path:object_id>/correct/", view, name=name), *super().get_urls()]

    def correct_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: Any = self.get_object(request, object_id)
        if row is None:
            raise Http404
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        form = self.correct_form(request.POST or None, initial=self.correct_form.initial_of(row))
        title = f"Correct “{row}” in {shown_label(row.section)} of {row.version.document.name}"
        return self._handle(request, form, title, row=row)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = self.add_form(request.POST or None)
        return self._handle(request, form, f"Add a {self.opts.verbose_name} that was not found")

    def _handle(self, request: HttpRequest, form: Any, title: str, **row: Any) -> HttpResponse:
        for name in ("document", "target_document"):
            if name in form.fields:
                choose_document(form.fields[name], name, self.admin_site)
        if form.is_valid():
            try:
                form.save(actor=Actor.of_request(request), **row)
            except DocumentError as error:
                form.add_error(None, str(error))
            else:
                messages.success(request, "The correction holds now, and for the versions to come.")
                return redirect(f"admin:definitions_{self.opts.model_name}_changelist")
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": title, "form": form}
        return TemplateResponse(
            request, "admin/definitions/form.html", {**context, "original": row.get("row")}
        )


def choose_document(field: forms.ModelChoiceField[Document], name: str, site: admin.AdminSite) -> None:
    """Let a document be found by typing: a list of all would be long."""
    field.queryset = Document.objects.present().select_related("collection")
    related: Any = ReferenceCorrection._meta.get_field(name)
    field.widget = AutocompleteSelect(related, site, choices=field.choices)


def shown_label(section: Section) -> str:
    return section.label if section.position else "the document"
