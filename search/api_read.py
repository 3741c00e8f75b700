"""The REST API of reading: documents, outlines, units, definitions and references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar
from uuid import UUID

from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.document import DocumentMoved, delete_document
from documents.models import State
from search.api_asked import (
    LONGEST_NAME,
    AskedSerializer,
    AtSerializer,
    PagedSerializer,
    read_asked,
    refusals,
)
from search.read import (
    DefinitionsRead,
    DocumentRead,
    DocumentsRead,
    OutlineRead,
    ReferencesRead,
    SectionRead,
    definitions,
    documents,
    list_documents,
    list_references_at,
    lookup_definition_at,
    outline,
    outline_of,
    read_document,
    read_section,
    references,
    section,
)
from tenants.api import TenantAPIView, acting_program
from tenants.conditional import answer_once
from tenants.models import Scope
from tenants.schema import describe

DOCUMENT = "A document: its id or its name."
LABEL = "The label of a unit in it, such as “Article 6(1)”; without one, the document itself."
CITATION = "Instead of both: a citation in words, such as “Article 6(1)(f) GDPR”."


def words(said: str, **options: Any) -> serializers.CharField:
    return serializers.CharField(max_length=LONGEST_NAME, required=False, help_text=said, **options)


class DocumentsSerializer(PagedSerializer):
    name = words("What the name has in it.")
    state = serializers.ChoiceField(
        State.values, required=False, help_text="Those whose newest version is in it, ready or not."
    )
    limit = serializers.IntegerField(min_value=1, max_value=documents.MOST, required=False)


class OutlineSerializer(PagedSerializer):
    depth = serializers.IntegerField(
        min_value=1, max_value=outline.DEEPEST, required=False, help_text="How many levels."
    )
    under = words("The label of the unit to begin below.")
    limit = serializers.IntegerField(min_value=1, max_value=outline.MOST, required=False)


class PlaceSerializer(PagedSerializer):
    """A unit: its document and label, or a citation in words."""

    document = words(DOCUMENT)
    label = words(LABEL, allow_blank=True)  # type: ignore[assignment]
    citation = words(CITATION)


class SectionSerializer(AskedSerializer):
    document = words(DOCUMENT)
    label = words(LABEL, allow_blank=True)  # type: ignore[assignment]
    citation = words(CITATION)
    with_text = serializers.BooleanField(default=True)
    with_children = serializers.BooleanField(default=True)
    with_parents = serializers.BooleanField(default=True)
    offset = serializers.IntegerField(
        min_value=0, default=0, help_text="From which character of the unit to read."
    )
    limit = serializers.IntegerField(
        min_value=1,
        max_value=section.MOST_CHARACTERS,
        default=section.CHARACTERS,
        help_text="How many characters.",
    )


class DefinitionsSerializer(PlaceSerializer):
    term = serializers.CharField(max_length=definitions.LONGEST_TERM, help_text="What is to be defined.")
    limit = serializers.IntegerField(min_value=1, max_value=definitions.MOST, required=False)


class ReferencesSerializer(PlaceSerializer):
    direction = serializers.ChoiceField(
        ["in", "out"], default="out", help_text="`out`: what the unit refers to; `in`: what refers to it."
    )
    limit = serializers.IntegerField(min_value=1, max_value=references.MOST, required=False)


class DocumentsView(TenantAPIView):
    """List the documents that can be read, by name."""

    @describe(
        "list_documents", tag="documents", asks=DocumentsSerializer, answers=DocumentsRead, refuses=[304]
    )
    def get(self, request: Request) -> HttpResponseBase:
        asked = read_asked(request, DocumentsSerializer)
        with refusals(document="state"):
            found = list_documents(tenant=acting_program(request).tenant, **asked)
        return answer_once(request, asdict(found))


class DocumentView(TenantAPIView):
    further_scopes: ClassVar[Mapping[str, Scope]] = {"DELETE": Scope.WRITE}

    @describe("read_document", tag="documents", asks=AtSerializer, answers=DocumentRead, refuses=[304])
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Tell of a document, and of the version that is read."""
        asked = read_asked(request, AtSerializer)
        with refusals():
            found = read_document(tenant=acting_program(request).tenant, document=pk, **asked)
        return answer_once(request, asdict(found))

    @describe("delete_document", tag="documents", answers=DocumentMoved, refuses=[409])
    def delete(self, request: Request, pk: UUID) -> Response:
        """Move a document to the bin."""
        return delete_document(request, pk)


class OutlineView(TenantAPIView):
    """List the units of a document, or those below one of them."""

    @describe("read_outline", tag="documents", asks=OutlineSerializer, answers=OutlineRead, refuses=[304])
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        asked = read_asked(request, OutlineSerializer)
        with refusals():
            found = outline_of(tenant=acting_program(request).tenant, document=pk, **asked)
        return answer_once(request, asdict(found))


class SectionView(TenantAPIView):
    """Read a unit: its words, and what stands around it."""

    @describe(
        "read_section",
        tag="documents",
        asks=SectionSerializer,
        answers=SectionRead,
        refuses=[304, 404],
        example={"citation": "Section 2 of the Harbour Safety Act"},
    )
    def get(self, request: Request) -> HttpResponseBase:
        asked = read_asked(request, SectionSerializer)
        with refusals():
            found = read_section(tenant=acting_program(request).tenant, **asked)
        return answer_once(request, asdict(found))


class DefinitionsView(TenantAPIView):
    """Tell what a term means, at a place or anywhere."""

    @describe(
        "lookup_definition",
        tag="documents",
        asks=DefinitionsSerializer,
        answers=DefinitionsRead,
        refuses=[404],
        example={"term": "vessel"},
    )
    def get(self, request: Request) -> Response:
        asked = read_asked(request, DefinitionsSerializer)
        with refusals(query="term"):
            found = lookup_definition_at(tenant=acting_program(request).tenant, **asked)
        return Response(asdict(found))


class ReferencesView(TenantAPIView):
    """List what a unit refers to, or what refers to it."""

    @describe(
        "list_references",
        tag="documents",
        asks=ReferencesSerializer,
        answers=ReferencesRead,
        refuses=[404],
        example={"citation": "Section 2 of the Harbour Safety Act", "direction": "in"},
    )
    def get(self, request: Request) -> Response:
        asked = read_asked(request, ReferencesSerializer)
        with refusals():
            found = list_references_at(tenant=acting_program(request).tenant, **asked)
        return Response(asdict(found))
