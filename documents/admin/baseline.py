"""Baselines and what was published when. Nobody can change either, staff included."""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib import admin
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest

from documents import services
from documents.admin.shared import ReadOnlyAdmin, act_on_each
from documents.models import Baseline, Publication, Version
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor

MOST_VERSIONS = 500
M = TypeVar("M", bound=Model)


class SealedAdmin(ReadOnlyAdmin[M]):
    """Rows that the database lets nobody change."""

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


@admin.register(Baseline)
class BaselineAdmin(SealedAdmin[Baseline]):
    list_display = ("name", "collection", "tenant", "size", "is_published", "created_at", "created_by")
    list_filter = (TenantFilter,)
    list_select_related = ("tenant", "collection")
    search_fields = ("name", "description", "collection__name")
    fields = (
        ("name", "collection", "tenant"),
        "description",
        ("size", "is_published", "created_at", "created_by"),
        "versions",
    )

    actions = ("publish",)

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """What is published is a matter of the collection, which can be changed."""
        return request.user.has_perm("documents.change_collection")

    @admin.action(description="Publish the selected baselines", permissions=["publish"])
    def publish(self, request: HttpRequest, baselines: QuerySet[Baseline]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            baselines.select_related("collection", "tenant"),
            lambda baseline: services.publish_baseline(baseline=baseline, actor=actor),
            "baseline{s} published",
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Baseline]:
        published = Baseline.objects.published().filter(pk=OuterRef("pk"))
        return super().get_queryset(request).annotate(published=Exists(published))

    @admin.display(boolean=True, description="published")
    def is_published(self, baseline: Any) -> bool:
        return bool(baseline.published)

    @admin.display(description=f"Versions, the first {MOST_VERSIONS}")
    def versions(self, baseline: Baseline) -> str:
        held = Version.objects.without_text().filter(baselines__baseline=baseline)
        shown = held.select_related("document").order_by("document__name")[:MOST_VERSIONS]
        return "\n".join(map(str, shown))


@admin.register(Publication)
class PublicationAdmin(SealedAdmin[Publication]):
    list_display = ("collection", "number", "baseline", "tenant", "published_at", "published_by")
    list_filter = (TenantFilter,)
    list_select_related = ("tenant", "collection", "baseline")
    search_fields = ("collection__name", "baseline__name")
    fields = (("collection", "number", "tenant"), "baseline", ("published_at", "published_by"))
