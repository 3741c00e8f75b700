"""Files on their way in, in parts, and requests that were answered. Both are forgotten in time."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from documents.admin.baseline import SealedAdmin
from documents.models import AnsweredRequest, Upload, UploadPart
from tenants.admin_lists import TenantFilter


@admin.register(Upload)
class UploadAdmin(SealedAdmin[Upload]):
    list_display = ("name", "state", "offset", "size", "created_at", "expires_at", "tenant")
    list_filter = ("state", TenantFilter)
    list_select_related = ("tenant",)
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of the name"
    sortable_by = ()
    fields = (
        ("name", "identity", "tenant"),
        ("state", "offset", "size"),
        "problem",
        ("effective_from", "effective_to"),
        ("created_at", "expires_at"),
        "digest",
    )


@admin.register(UploadPart)
class UploadPartAdmin(SealedAdmin[UploadPart]):
    list_display = ("upload", "start", "tenant")
    list_filter = (TenantFilter,)
    sortable_by = ()
    fields = ("upload", "start", "tenant")

    def get_queryset(self, request: HttpRequest) -> QuerySet[UploadPart]:
        return super().get_queryset(request).select_related("tenant", "upload").defer("content")


@admin.register(AnsweredRequest)
class AnsweredRequestAdmin(SealedAdmin[AnsweredRequest]):
    list_display = ("key", "status", "created_at", "tenant")
    list_filter = (TenantFilter,)
    list_select_related = ("tenant",)
    search_fields = ("key__startswith",)
    search_help_text = "The beginning of the key"
    sortable_by = ()
    fields = (("key", "status"), ("program_id", "tenant"), "created_at", "request_hash")
