"""The administration of what is derived from documents: to be looked at, except for budgets.

Tables here can have millions of rows, and their rows vectors of thousands of numbers. Lists count no further
than anybody turns pages, sort by what an index sorts by, and leave out vectors and texts.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from documents.admin.shared import ReadOnlyAdmin
from search import services
from search.budget import limit_of, this_month
from search.models import (
    Budget,
    Call,
    Context,
    ContextBatch,
    Embedding,
    EmbeddingSpace,
    EvaluationRun,
    Passage,
    Placement,
    QueryRecord,
    SavedSearch,
    TermStatistics,
)
from tenants.admin import AuditedAdmin
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor

M = TypeVar("M", bound=models.Model)
SHOWN_TEXT = 100
MOST_PLACES = 20


class DerivedAdmin(ReadOnlyAdmin[M]):
    """Rows that are made from others, and made again rather than mended."""

    list_filter: ClassVar[tuple[Any, ...]] = (TenantFilter,)
    sortable_by = ()

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


class OfVersionAdmin(DerivedAdmin[M]):
    """Rows that belong to a version: it is named in the list, and its text stays where it is."""

    @admin.display(description="version")
    def version_link(self, row: Any) -> SafeString | str:
        if row.version_id is None:
            return "–"
        return format_html('<a href="{}">{}</a>', change_url(row.version), row.version)

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        rows = super().get_queryset(request).select_related("tenant", "version__document")
        return rows.defer("version__text", "version__pages")


@admin.register(Passage)
class PassageAdmin(DerivedAdmin[Passage]):
    list_display = ("__str__", "beginning", "language", "tenant")
    list_select_related = ("tenant",)
    ordering = ("-pk",)
    search_fields = ("digest__startswith",)
    search_help_text = "The first characters of the digest"
    fields = (
        ("digest", "tenant", "language", "created_at"),
        "context",
        "text",
        "written_by",
        "places",
        "vectors",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Passage]:
        rows = super().get_queryset(request).select_related("tenant")
        return rows.defer("full_text", "exact", "weights", "context", "text").annotate(
            text_start=Left("text", SHOWN_TEXT)
        )

    @admin.display(description="text")
    def beginning(self, passage: Any) -> str:
        return str(passage.text_start)

    @admin.display(description="context by")
    def written_by(self, passage: Passage) -> SafeString | str:
        if passage.written_context_id is None:
            return "the structure alone"
        url = reverse("admin:search_context_change", args=[passage.written_context_id])
        return format_html('<a href="{}">a provider</a>', url)

    @admin.display(description=f"Where it stands, {MOST_PLACES} places at most")
    def places(self, passage: Passage) -> SafeString:
        found = passage.placements.select_related("version__document")
        shown = found.defer("version__text", "version__pages").order_by("pk")[:MOST_PLACES]
        rows = [(change_url(one.version), one.version, one.position) for one in shown]
        return format_html_join(" ", '<a href="{}">{}, chunk {}</a>', rows)

    @admin.display(description="Vectors")
    def vectors(self, passage: Passage) -> SafeString:
        rows = passage.embeddings.values_list("space__provider", "space__model", "window").order_by("pk")
        return format_html_join(", ", "{}/{} (window {})", rows[:MOST_PLACES])


@admin.register(Placement)
class PlacementAdmin(OfVersionAdmin[Placement]):
    list_display = ("version_link", "position", "passage_link", "fallback", "tenant")
    fields = ("version_link", "position", "passage_link", "fallback", "tenant")
    list_display_links = ("position",)

    @admin.display(description="passage")
    def passage_link(self, placement: Placement) -> SafeString:
        url = reverse("admin:search_passage_change", args=[placement.passage_id])
        return format_html('<a href="{}">{}</a>', url, placement.passage_id)


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(DerivedAdmin[EmbeddingSpace]):
    list_display = ("__str__", "tenant", "state", "is_indexed", "created_at", "activated_at")
    list_filter = ("state", "provider", TenantFilter)
    list_select_related = ("tenant",)
    fields = (
        ("provider", "model", "dimensions"),
        "tenant",
        ("state", "is_indexed"),
        ("created_at", "activated_at"),
    )
    actions = ("embed_anew",)

    def has_embed_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("search.change_embeddingspace")

    @admin.action(description="Make the vectors of these tenants anew", permissions=["embed"])
    def embed_anew(self, request: HttpRequest, spaces: QuerySet[EmbeddingSpace]) -> None:
        tenants = {space.tenant_id: space.tenant for space in spaces}
        for tenant in tenants.values():
            services.embed_anew(tenant=tenant, actor=Actor.of_request(request))
        count = len(tenants)
        messages.success(
            request,
            f"The vectors of {count} tenant{pluralize(count)} are being made anew.",
        )


@admin.register(Context)
class ContextAdmin(OfVersionAdmin[Context]):
    list_display = ("__str__", "beginning", "contextualizer", "is_oversized", "version_link", "tenant")
    ordering = ("-pk",)
    search_fields = ("key__startswith",)
    search_help_text = "The first characters of the key"
    fields = (("key", "tenant"), "contextualizer", "text", "is_oversized", "version_link", "created_at")

    @admin.display(description="text")
    def beginning(self, context: Context) -> str:
        return context.text[:SHOWN_TEXT]


@admin.register(ContextBatch)
class ContextBatchAdmin(OfVersionAdmin[ContextBatch]):
    list_display = (
        "__str__",
        "contextualizer",
        "reserved",
        "version_link",
        "tenant",
        "created_at",
        "ended_at",
    )
    list_filter = (("ended_at", admin.EmptyFieldListFilter), TenantFilter)
    ordering = ("-created_at",)
    fields = (
        "provider_id",
        "contextualizer",
        "reserved",
        "version_link",
        "tenant",
        ("created_at", "ended_at"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[ContextBatch]:
        return super().get_queryset(request).defer("keys")


@admin.register(Call)
class CallAdmin(OfVersionAdmin[Call]):
    list_display = ("at", "role", "backend", "state", "texts", "cost", "version_link", "tenant", "failure")
    list_filter = ("state", "is_batch", TenantFilter)
    fields = (
        ("at", "tenant"),
        ("role", "backend", "is_batch"),
        ("state", "failure"),
        ("texts", "input_tokens", "cache_write_tokens", "cache_read_tokens", "output_tokens"),
        "cost",
        "version_link",
    )


@admin.register(EvaluationRun)
class EvaluationRunAdmin(DerivedAdmin[EvaluationRun]):
    list_display = ("created_at", "name", "collection", "question_count", "best", "code", "tenant")
    list_select_related = ("tenant",)
    fields = (
        ("name", "collection", "question_count"),
        ("tenant", "created_at", "code"),
        "measures",
        "latency",
        "settings",
    )

    @admin.display(description="nDCG@10")
    def best(self, run: EvaluationRun) -> str:
        """Show that of the last way, which is the search as people use it."""
        figures: dict[str, float] = run.measures[-1]["figures"] if run.measures else {}
        return f"{figures['ndcg_at_10']:.4f}" if "ndcg_at_10" in figures else "–"


@admin.register(QueryRecord)
class QueryRecordAdmin(DerivedAdmin[QueryRecord]):
    list_display = ("at", "__str__", "door", "mode", "took_ms", "result_count", "confidence", "tenant")
    list_filter = ("door", TenantFilter)
    list_select_related = ("tenant",)
    ordering = ("-pk",)
    search_fields = ("digest__startswith",)
    search_help_text = "The first characters of the digest"
    fields = (
        ("at", "tenant", "door", "mode"),
        ("took_ms", "result_count", "confidence"),
        ("length", "digest"),
        "text",
    )


@admin.register(SavedSearch)
class SavedSearchAdmin(DerivedAdmin[SavedSearch]):
    list_display = ("name", "owner", "is_shared", "tenant")
    list_filter = ("is_shared", TenantFilter)
    list_select_related = ("owner", "tenant")
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of the name"
    fields = (("name", "is_shared"), ("owner", "tenant"), "query")


@admin.register(TermStatistics)
class TermStatisticsAdmin(DerivedAdmin[TermStatistics]):
    list_display = ("term", "language", "passage_count", "tenant")
    list_select_related = ("tenant",)
    ordering = ("pk",)
    search_fields = ("term__startswith",)
    fields = (("term", "language"), "passage_count", "tenant")


@admin.register(Embedding)
class EmbeddingAdmin(DerivedAdmin[Embedding]):
    list_display = ("passage_link", "window", "space", "tenant")
    list_select_related = ("tenant", "space")
    list_display_links = ("window",)
    ordering = ("pk",)
    fields = ("passage_link", "window", "space", "tenant")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Embedding]:
        return super().get_queryset(request).select_related("tenant", "space").defer("vector")

    @admin.display(description="passage")
    def passage_link(self, embedding: Embedding) -> SafeString:
        url = reverse("admin:search_passage_change", args=[embedding.passage_id])
        return format_html('<a href="{}">{}</a>', url, embedding.passage_id)


@admin.register(Budget)
class BudgetAdmin(AuditedAdmin[Budget]):
    """What tenants may spend in a month; who has no row yet has the limit of the installation."""

    list_display = ("tenant", "limit", "spent_now", "month")
    list_select_related = ("tenant",)
    search_fields = ("tenant__name", "tenant__slug")
    autocomplete_fields = ("tenant",)
    ordering = ("tenant__name",)
    fields = ("tenant", "monthly_limit")

    @admin.display(description="limit")
    def limit(self, budget: Budget) -> str:
        kind = " (of this installation)" if budget.monthly_limit is None else ""
        return f"${limit_of(budget):,.2f}{kind}"

    @admin.display(description="spent in this month")
    def spent_now(self, budget: Budget) -> str:
        return f"${budget.spent if budget.month >= this_month() else 0:,.4f}"

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        return () if obj is None else ("tenant", "spent_now")

    def get_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        return self.fields if obj is None else (*self.fields, "spent_now")

    def has_delete_permission(self, request: HttpRequest, obj: Budget | None = None) -> bool:
        """What was spent stays spent."""
        return False

    def save_model(self, request: HttpRequest, obj: Budget, form: Any, change: bool) -> None:
        actor = Actor.of_request(request)
        services.set_budget(tenant=obj.tenant, monthly_limit=obj.monthly_limit, actor=actor)
        obj.pk = Budget.objects.get(tenant=obj.tenant).pk
        obj._state.adding = False


def change_url(row: models.Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
