"""Corrections of definitions and references: listed, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest

from definitions import services
from definitions.models import DefinitionCorrection, ReferenceCorrection
from documents.admin.shared import ReadOnlyAdmin
from documents.errors import DocumentError
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor

M = TypeVar("M", bound=models.Model)


class CorrectionAdmin(ReadOnlyAdmin[M]):
    """A correction begins at what was found; here it only ends."""

    remove: Callable[..., None]

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return self.has_change_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        try:
            self.remove(correction=obj, actor=Actor.of_request(request))
        except DocumentError as error:
            messages.error(request, str(error))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> None:
        for correction in queryset.select_related("document"):
            self.delete_model(request, correction)


@admin.register(DefinitionCorrection)
class DefinitionCorrectionAdmin(CorrectionAdmin[DefinitionCorrection]):
    list_display = ("key", "document", "label", "is_rejected", "is_added", "term", "scope_label", "tenant")
    list_filter = ("is_rejected", "is_added", TenantFilter)
    list_select_related = ("document", "tenant")
    search_fields = ("key", "term", "document__name")
    fields = (
        ("document", "label", "key"),
        ("is_rejected", "is_added"),
        ("term", "variants", "scope_label"),
        "meaning",
        "created_at",
    )
    remove = staticmethod(services.remove_definition_correction)


@admin.register(ReferenceCorrection)
class ReferenceCorrectionAdmin(CorrectionAdmin[ReferenceCorrection]):
    list_display = ("text", "document", "label", "is_rejected", "is_added", "aim", "tenant")
    list_filter = ("is_rejected", "is_added", TenantFilter)
    list_select_related = ("document", "target_document", "tenant")
    search_fields = ("text", "document__name")
    fields = (
        ("document", "label", "text", "occurrence"),
        ("is_rejected", "is_added"),
        ("target_document", "target_label"),
        "created_at",
    )
    remove = staticmethod(services.remove_reference_correction)

    @admin.display(description="Points to")
    def aim(self, correction: ReferenceCorrection) -> str:
        document = correction.target_document
        return ", ".join(
            part for part in (document.name if document else "", correction.target_label) if part
        )
