"""The file of a version as it came in, and the text that was made of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from documents.models import Source, State, Version
from tenants.api import TenantAPIView, acting_program
from tenants.conditional import DAY, revalidated, strong_etag
from tenants.schema import describe

# What a stranger wrote is shown by no browser as a page of ours, and reaches nothing.
HARMLESS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FILE = "application/octet-stream"
NOT_READY = "This version is not ready: there is no text of it yet."


class AnyKind(BaseContentNegotiation):
    """A file is what it is, whatever kind of answer is asked for. Errors are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class SourceView(TenantAPIView):
    """Download the file of a version as it came in."""

    content_negotiation_class = AnyKind

    @describe(
        "download_source",
        tag="versions",
        answers={FILE: {"type": "string", "format": "binary"}},
        refuses=[304],
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        version = find_version(request, pk)
        source = Source.objects.get(pk=version.source_id)
        response = HttpResponse(source.content, content_type=FILE, headers=HARMLESS)
        name = version.file_name.rsplit("/", 1)[-1]
        response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or ""
        return revalidated(request, response, strong_etag(source.digest), max_age=DAY)


class TextView(TenantAPIView):
    """Read the text that was made of a version's file. Spans count its characters."""

    content_negotiation_class = AnyKind

    @describe(
        "read_text",
        tag="versions",
        answers={"text/markdown": {"type": "string"}, "text/plain": {"type": "string"}},
        refuses=[304],
    )
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        version = find_version(request, pk)
        if version.state != State.READY:
            raise NotFound(NOT_READY)
        kind = "text/markdown" if version.is_markdown else "text/plain"
        response = HttpResponse(version.text, content_type=f"{kind}; charset=utf-8", headers=HARMLESS)
        return revalidated(request, response, strong_etag(["text", version.pk]), max_age=DAY)


def find_version(request: Request, pk: UUID) -> Version:
    own = Version.objects.for_tenant(acting_program(request).tenant).defer("pages")
    return get_object_or_404(own, pk=pk)
