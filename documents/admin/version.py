"""Versions: their state, their outline and the beginning of their text."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models
from django.db.models import QuerySet
from django.db.models.functions import Left, Length
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import truncatechars
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.safestring import SafeString

from documents import services
from documents.admin.shared import SHOWN_FAILURE, ReadOnlyAdmin, act_on_each
from documents.errors import DocumentError
from documents.forms import CorrectionForm
from documents.models import Section, Version
from tenants.admin_lists import TenantFilter
from tenants.audit import Actor

MOST_UNITS = 500
SHOWN_TEXT = 5000


@admin.register(Version)
class VersionAdmin(ReadOnlyAdmin[Version]):
    list_display = ("__str__", "state", "progress", "grade", "tenant", "touched_at", "short_failure")
    list_filter = ("state", "grade", TenantFilter)
    list_select_related = ("tenant", "document")
    search_fields = ("document__name",)
    change_form_template = "admin/documents/version/change_form.html"
    fields = (
        ("document", "number", "tenant"),
        ("state", "progress", "steps", "attempts", "touched_at"),
        "cost",
        "failure",
        "warnings",
        ("title", "grade", "length", "page_count"),
        ("file_name", "size", "digest"),
        ("recorded_at", "superseded_at", "withdrawn_at"),
        ("effective_from", "effective_to"),
        "beginning",
    )
    actions = ("cancel", "retry", "make_current", "withdraw", "reread")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Version]:
        return Version.objects.without_text().select_related("document", "tenant")

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Version | None:
        """Fetch the beginning of the text with a version, rather than all of it."""
        try:
            return self.get_queryset(request).annotate(**DETAILS).get(pk=object_id)
        except (Version.DoesNotExist, ValidationError):
            return None

    @admin.display(description="progress")
    def progress(self, version: Version) -> str:
        return f"{version.progress} %"

    @admin.display(description="Chunks through this step")
    def steps(self, version: Version) -> str:
        return f"{version.step_done:,} of {version.step_total:,}"

    @admin.display(description="Paid to providers")
    def cost(self, version: Version) -> str:
        paid = version.calls.aggregate(sum=models.Sum("cost"))["sum"]
        return f"${paid or 0:,.4f}"

    @admin.display(description="failure")
    def short_failure(self, version: Version) -> str:
        return truncatechars(version.reason, SHOWN_FAILURE)

    @admin.display(description="Characters")
    def length(self, version: Any) -> str:
        return f"{version.text_length:,}"

    @admin.display(description="Pages")
    def page_count(self, version: Any) -> str:
        return f"{version.page_length or 0:,}"

    @admin.display(description="Bytes")
    def size(self, version: Any) -> str:
        return f"{version.source_size:,}"

    @admin.display(description="SHA-256")
    def digest(self, version: Any) -> str:
        return str(version.source_digest)

    @admin.display(description="Text")
    def beginning(self, version: Any) -> SafeString:
        rest = "…" if version.text_length > SHOWN_TEXT else ""
        return format_html('<pre class="beginning">{}{}</pre>', version.text_start, rest)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        version = self.get_object(request, object_id)
        units = Section.objects.filter(version=version, position__gt=0).order_by("position")
        context = {"units": units[:MOST_UNITS], "unit_count": units.count()} if version else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **context})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.correct_view)
        return [
            path("<path:object_id>/correct/", view, name="documents_version_correct"),
            *super().get_urls(),
        ]

    def correct_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Correct one unit of the outline, named by its position."""
        position = request.GET.get("unit", "")
        version = self.get_object(request, object_id)
        if version is None or re.fullmatch(r"[0-9]{1,9}", position) is None:
            raise Http404
        if not self.has_change_permission(request, version):
            raise PermissionDenied
        unit = Section.objects.filter(version=version, position=int(position), position__gt=0).first()
        if unit is None:
            raise Http404
        data = request.POST if request.method == "POST" else None
        form = CorrectionForm(data, initial=CorrectionForm.initial_of(unit))
        if form.is_valid():
            try:
                form.save(version=version, unit=unit, actor=Actor.of_request(request))
            except DocumentError as error:
                messages.error(request, str(error))
            else:
                messages.success(request, f"The corrected outline makes a new version of {version.document}.")
            return redirect("admin:documents_document_change", version.document_id)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": version,
            "unit": unit,
            "title": f"Correct {unit.label}",
            "form": form,
        }
        return TemplateResponse(request, "admin/documents/version/correct.html", context)

    @admin.action(description="Cancel the reading of the selected versions", permissions=["change"])
    def cancel(self, request: HttpRequest, versions: QuerySet[Version]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            versions,
            lambda version: services.cancel_version(version=version, actor=actor),
            "version{s} cancelled",
        )

    @admin.action(description="Read the selected failed or cancelled versions again", permissions=["change"])
    def retry(self, request: HttpRequest, versions: QuerySet[Version]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            versions,
            lambda version: services.retry_version(version=version, actor=actor),
            "version{s} read again",
        )

    @admin.action(description="Make the selected versions the newest again", permissions=["change"])
    def make_current(self, request: HttpRequest, versions: QuerySet[Version]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            versions,
            lambda version: services.restore_version(version=version, actor=actor),
            "version{s} brought back",
        )

    @admin.action(description="Withdraw the selected versions", permissions=["change"])
    def withdraw(self, request: HttpRequest, versions: QuerySet[Version]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            versions,
            lambda version: services.withdraw_version(version=version, actor=actor),
            "version{s} withdrawn",
        )

    @admin.action(description="Convert the selected versions anew (a new version)", permissions=["change"])
    def reread(self, request: HttpRequest, versions: QuerySet[Version]) -> None:
        actor = Actor.of_request(request)
        act_on_each(
            request,
            versions,
            lambda version: services.reread_document(version=version, actor=actor),
            "version{s} read anew",
        )


DETAILS: dict[str, Any] = {
    "text_start": Left("text", SHOWN_TEXT),
    "text_length": Length("text"),
    "page_length": models.F("pages__len"),
    "source_size": models.F("source__size"),
    "source_digest": models.F("source__digest"),
}
