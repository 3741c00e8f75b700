"""Documents: how far they are read, and what can be done with them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Max, OuterRef, Prefetch, QuerySet, Subquery
from django.http import HttpRequest
from django.template.defaultfilters import truncatechars
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from documents import services
from documents.admin.shared import SHOWN_FAILURE, ReadOnlyAdmin, act_on_each
from documents.models import Document, State, Version
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor

MOST_VERSIONS = 50


class VersionInline(admin.TabularInline[Version, Document]):
    model = Version
    fields = ("shown", "state", "grade", "failure", "attempts", "recorded_at", "superseded_at")
    readonly_fields = fields
    extra = 0
    max_num = 0
    can_delete = False
    verbose_name_plural = f"Versions, the last {MOST_VERSIONS}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Version]:
        last = Version.objects.filter(document=OuterRef("document")).order_by()
        newest = last.values("document").annotate(number=Max("number")).values("number")
        recent = Version.objects.without_text().filter(number__gt=Subquery(newest) - MOST_VERSIONS)
        return recent.select_related("document").order_by("-number")

    @admin.display(description="Version")
    def shown(self, version: Version) -> SafeString:
        url = reverse("admin:documents_version_change", args=[version.pk])
        return format_html('<a href="{}">{}</a>', url, version.number)


class DocumentStateFilter(admin.SimpleListFilter):
    title = "state of the last version"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(state), str(state.label)) for state in State]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if (value := self.value()) is None or value not in State.values:
            return queryset
        return queryset & Document.objects.in_state(State(value))


class BinFilter(admin.SimpleListFilter):
    title = "bin"
    parameter_name = "bin"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("in", "In the bin"), ("out", "Not in the bin")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "in":
                return queryset.exclude(deleted_at=None)
            case "out":
                return queryset.filter(deleted_at=None)
        return queryset


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin[Document]):
    list_display = ("name", "state", "grade", "collection", "tenant", "deleted_at", "failure")
    list_filter = (DocumentStateFilter, BinFilter, TenantFilter)
    list_select_related = ("tenant", "collection")
    search_fields = ("name",)
    fields = ("name", "collection", "tenant", "created_at", "deleted_at")
    inlines = (VersionInline,)
    actions = ("retry", "reread", "move_to_bin", "restore", "purge")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        newest = Prefetch("versions", Version.objects.newest().without_text(), to_attr="newest")
        return super().get_queryset(request).select_related("tenant", "collection").prefetch_related(newest)

    @admin.display
    def state(self, document: Any) -> str:
        return ", ".join(version.get_state_display() for version in document.newest)

    @admin.display(description="Structure")
    def grade(self, document: Any) -> str:
        return ", ".join(str(v.get_grade_display()) for v in document.newest if v.state == State.READY)

    @admin.display
    def failure(self, document: Any) -> str:
        return truncatechars(", ".join(version.reason for version in document.newest), SHOWN_FAILURE)

    @admin.action(description="Read the selected failed or cancelled documents again", permissions=["change"])
    def retry(self, request: HttpRequest, documents: QuerySet[Document]) -> None:
        failed = last_versions(documents).filter(state__in=[State.FAILED, State.CANCELLED])
        actor = Actor.of_request(request)
        act_on_each(
            request,
            failed,
            lambda version: services.retry_version(version=version, actor=actor),
            "document{s} read again",
        )

    @admin.action(description="Convert the selected documents anew (a new version)", permissions=["change"])
    def reread(self, request: HttpRequest, documents: QuerySet[Document]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            last_versions(documents),
            lambda version: services.reread_document(version=version, actor=actor),
            "document{s} read anew",
        )

    @admin.action(description="Move the selected documents to the bin", permissions=["change"])
    def move_to_bin(self, request: HttpRequest, documents: QuerySet[Document]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            documents,
            lambda document: services.delete_document(document=document, actor=actor),
            "document{s} in the bin",
        )

    @admin.action(description="Take the selected documents out of the bin", permissions=["change"])
    def restore(self, request: HttpRequest, documents: QuerySet[Document]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            documents,
            lambda document: services.restore_document(document=document, actor=actor),
            "document{s} out of the bin",
        )

    @admin.action(description="Delete the selected documents in the bin for good", permissions=["change"])
    def purge(self, request: HttpRequest, documents: QuerySet[Document]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            documents,
            lambda document: services.purge_document(document=document, actor=actor),
            "document{s} deleted for good",
        )


def last_versions(documents: QuerySet[Document]) -> QuerySet[Version]:
    newest = Version.objects.newest().without_text()
    return newest.filter(document__in=documents.values("pk")).select_related("document")
