"""Corrections of outlines."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from documents import services
from documents.models import OutlineCorrection
from tenants.admin import AuditedAdmin
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor


@admin.register(OutlineCorrection)
class OutlineCorrectionAdmin(AuditedAdmin[OutlineCorrection]):
    list_display = ("opening", "document", "tenant", "is_unit", "level", "new_label", "new_title")
    list_filter = ("is_unit", TenantFilter)
    list_select_related = ("document", "tenant")
    search_fields = ("opening", "document__name", "new_label", "new_title")
    fields = ("document", "opening", "label", "is_unit", "level", "new_label", "new_title")
    readonly_fields = ("document", "opening", "label")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A correction begins at a unit: on the page of a version."""
        return False

    def save_model(
        self,
        request: HttpRequest,
        obj: OutlineCorrection,
        form: ModelForm[OutlineCorrection],
        change: bool,
    ) -> None:
        services.correct_outline(
            document=obj.document,
            opening=obj.opening,
            label=obj.label,
            actor=Actor.of_request(request),
            **form.cleaned_data,
        )

    def delete_model(self, request: HttpRequest, obj: OutlineCorrection) -> None:
        services.remove_correction(correction=obj, actor=Actor.of_request(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[OutlineCorrection]) -> None:
        for correction in queryset.select_related("document"):
            self.delete_model(request, correction)
