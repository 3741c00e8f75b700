"""What versions are made of: files as they came in, units, chunks, and members of baselines. To be looked at.

Tables here can have millions of rows: lists sort by what an index sorts by, and leave out contents.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from documents.admin.baseline import SealedAdmin
from documents.models import BaselineVersion, Chunk, Section, Source
from tenants.admin_lists import TenantFilter

M = TypeVar("M", bound=Model)


class PartAdmin(SealedAdmin[M]):
    """Rows of a version, which is named and linked; its text stays where it is."""

    list_filter: ClassVar[tuple[Any, ...]] = (TenantFilter,)
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        rows = super().get_queryset(request).select_related("tenant", "version__document")
        return rows.defer("version__text", "version__pages")

    @admin.display(description="version")
    def version_link(self, row: Any) -> SafeString:
        url = reverse("admin:documents_version_change", args=[row.version_id])
        return format_html('<a href="{}">{}</a>', url, row.version)


@admin.register(Section)
class SectionAdmin(PartAdmin[Section]):
    list_display = ("label", "title", "kind", "level", "version_link", "tenant")
    search_fields = ("label__startswith",)
    search_help_text = "The beginning of the label, such as Section 12"
    fields = (
        ("label", "marker", "kind", "level", "position"),
        "title",
        "opening",
        ("version_link", "tenant"),
        ("start", "end", "first_page", "last_page"),
    )


@admin.register(Chunk)
class ChunkAdmin(PartAdmin[Chunk]):
    list_display = ("position", "type", "token_count", "place", "version_link", "tenant")
    list_filter = ("type", TenantFilter)
    search_fields = ("digest__startswith",)
    search_help_text = "The first characters of the digest"
    fields = (
        ("position", "type", "token_count"),
        ("version_link", "place", "tenant"),
        ("start", "end"),
        "digest",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chunk]:
        return super().get_queryset(request).select_related("section")

    @admin.display(description="unit")
    def place(self, chunk: Chunk) -> str:
        return chunk.section.label


@admin.register(BaselineVersion)
class BaselineVersionAdmin(PartAdmin[BaselineVersion]):
    list_display = ("baseline", "version_link", "tenant")
    search_fields = ("baseline__name",)
    fields = ("baseline", "version_link", "tenant")

    def get_queryset(self, request: HttpRequest) -> QuerySet[BaselineVersion]:
        return super().get_queryset(request).select_related("baseline").order_by("pk")


@admin.register(Source)
class SourceAdmin(SealedAdmin[Source]):
    list_display = ("digest", "size", "created_at", "tenant")
    list_filter = (TenantFilter,)
    search_fields = ("digest__startswith",)
    search_help_text = "The first characters of the SHA-256"
    sortable_by = ()
    ordering = ("-pk",)
    fields = (("digest", "size"), ("created_at", "tenant"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Source]:
        return super().get_queryset(request).select_related("tenant").defer("content")
