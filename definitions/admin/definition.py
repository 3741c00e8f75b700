"""Definitions: what is defined, where it holds, and how sure that is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import truncatechars

from definitions.admin.shared import CollectionFilter, FindingAdmin, VersionFilter, shown_label
from definitions.forms import DefinitionForm, NewDefinitionForm
from definitions.models import Definition
from tenants.admin_lists import MOST_COUNTED, TenantFilter

BANDS = {"high": (0.85, 1.01), "medium": (0.6, 0.85), "low": (0.0, 0.6)}
SHOWN_MEANING = 2000


class ConfidenceFilter(admin.SimpleListFilter):
    title = "confidence"
    parameter_name = "band"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("high", "High: from 85 %"), ("medium", "Medium: from 60 %"), ("low", "Low")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if (band := BANDS.get(self.value() or "")) is None:
            return queryset
        return queryset.filter(confidence__gte=band[0], confidence__lt=band[1])


class StyleFilter(admin.SimpleListFilter):
    """Offers the styles of the first many rows: looking through all takes too long."""

    title = "style"
    parameter_name = "style"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        some = Definition.objects.order_by().values("pk")[:MOST_COUNTED]
        styles = Definition.objects.order_by("style").filter(pk__in=some)
        return [(style, style) for style in styles.values_list("style", flat=True).distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else queryset.filter(style=self.value())


@admin.register(Definition)
class DefinitionAdmin(FindingAdmin[Definition]):
    list_display = ("term", "document", "place", "holds_in", "style", "sure", "is_corrected", "tenant")
    list_filter = (
        VersionFilter,
        CollectionFilter,
        StyleFilter,
        ConfidenceFilter,
        "is_corrected",
        TenantFilter,
    )
    search_fields = ("term", "key", "version__document__name")
    search_help_text = "Term or document"
    change_form_template = "admin/definitions/finding.html"
    fields = (
        ("term", "variants", "is_corrected"),
        ("document", "place", "holds_in"),
        ("style", "sure", "tenant"),
        "meaning",
    )
    correct_form = DefinitionForm
    add_form = NewDefinitionForm

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Definition | None:
        """Fetch the words of the meaning with a definition, and not the whole text."""
        rows: Any = self.get_queryset(request)
        try:
            found: Definition | None = rows.with_text().filter(pk=object_id).first()
        except ValidationError:
            return None
        return found

    @admin.display(description="Holds in")
    def holds_in(self, definition: Definition) -> str:
        return shown_label(definition.scope)

    @admin.display(description="Confidence")
    def sure(self, definition: Definition) -> str:
        return f"{definition.confidence:.0%}"

    @admin.display
    def meaning(self, definition: Any) -> str:
        return truncatechars(definition.meaning, SHOWN_MEANING)
