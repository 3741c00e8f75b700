"""References: what is mentioned, where that points, and why some point nowhere."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from definitions.admin.shared import CollectionFilter, FindingAdmin, VersionFilter
from definitions.forms import NewReferenceForm, ReferenceForm
from definitions.models import CrossReference, ReferenceKind
from tenants.admin_lists import TenantFilter


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("resolved", "Resolved"),
            ("unresolved", "Not resolved"),
            ("external", "Law that is not here"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: Any = queryset
        match self.value():
            case "resolved":
                rows = rows.resolved()
            case "unresolved":
                rows = rows.waiting().exclude(kind=ReferenceKind.EXTERNAL)
            case "external":
                rows = rows.filter(kind=ReferenceKind.EXTERNAL)
        found: QuerySet[Any] = rows
        return found


@admin.register(CrossReference)
class CrossReferenceAdmin(FindingAdmin[CrossReference]):
    list_display = ("text", "document", "place", "points_to", "state", "kind", "is_corrected", "tenant")
    list_filter = (VersionFilter, CollectionFilter, StateFilter, "kind", "is_corrected", TenantFilter)
    search_fields = ("text", "target", "target_label", "version__document__name")
    search_help_text = "Words, target or document"
    change_form_template = "admin/definitions/finding.html"
    fields = (
        ("text", "form", "is_corrected"),
        ("document", "place", "tenant"),
        ("points_to", "through_label", "kind"),
        ("target", "document_key"),
        "state",
    )
    correct_form = ReferenceForm
    add_form = NewReferenceForm

    @admin.display(description="Points to")
    def points_to(self, reference: CrossReference) -> str:
        if reference.target_document is None or (reference.reason and not reference.target_label):
            return f"nothing here: {reference.target}"
        document = reference.target_document.name if reference.kind != ReferenceKind.INTERNAL else ""
        return ", ".join(part for part in (document, reference.target_label) if part) or "the document"

    @admin.display
    def state(self, reference: CrossReference) -> str:
        if reference.is_resolved:
            return "Resolved"
        if reference.kind == ReferenceKind.EXTERNAL:
            return "Law that is not here"
        return reference.reason or "The document that was meant is gone."
