"""Baselines, for programs: listed, made, published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from django.core.exceptions import ValidationError as ModelError
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.api.compare import NamedDocument, NamedVersion, name_version, read_query
from documents.api.page import PageSerializer, read_page
from documents.api.read_context import ReadContextSerializer
from documents.api.repeat import repeatable
from documents.api.shared import Conflict, actor_of
from documents.errors import DocumentError
from documents.models import Baseline, Collection, Publication, Version
from search.read.cursor import identity, moment, words
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.models import Scope
from tenants.schema import describe

MOST_VERSIONS = 100_000
NEWEST_FIRST = {"-created_at": moment, "pk": identity}
BY_NAME = {"document__name": words, "document_id": identity}


class BaselineFacts(TypedDict):
    """A baseline: versions of a collection that are kept under a name."""

    id: UUID
    collection: UUID
    name: str
    description: str
    size: int  # How many versions it holds.
    created_at: datetime
    created_by: str
    is_published: bool


class BaselinesFacts(TypedDict):
    baselines: list[BaselineFacts]  # The newest first.
    next: str | None


class HeldVersion(NamedVersion):
    """A version in a baseline."""

    document: NamedDocument


class BaselineHeld(BaselineFacts):
    """A baseline with a page of what it holds."""

    versions: list[HeldVersion]  # By the names of their documents.
    next: str | None


class PublicationFacts(TypedDict):
    """What readers of `published` read from now on."""

    collection: UUID
    baseline: UUID | None  # Nothing if no baseline is published any more.
    number: int
    published_at: datetime
    published_by: str


class BaselineSerializer(StrictSerializer):
    """What to keep under a name: what a read context shows, `head` unless said, or versions by their ids."""

    name = serializers.CharField(
        max_length=100, help_text="One that no other baseline of the collection has."
    )
    description = serializers.CharField(max_length=2000, required=False, allow_blank=True)
    read_context = ReadContextSerializer(required=False)
    versions = serializers.ListField(
        child=serializers.UUIDField(), required=False, allow_empty=False, max_length=MOST_VERSIONS
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "read_context" in attrs and "versions" in attrs:
            raise ValidationError({"versions": ["Send either these or a read context."]})
        return attrs


class BaselinesView(TenantAPIView):
    further_scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.WRITE}
    parser_classes = (PlainJSONParser,)

    @describe("list_baselines", tag="baselines", asks=PageSerializer, answers=BaselinesFacts)
    def get(self, request: Request, pk: UUID) -> Response:
        """List the baselines of a collection."""
        collection = find_collection(request, pk)
        asked = read_query(request, PageSerializer)
        page, following = read_page(Baseline.objects.filter(collection=collection), NEWEST_FIRST, asked)
        published = published_id(collection)
        return Response({"baselines": [describe_baseline(one, published) for one in page], "next": following})

    @describe(
        "create_baseline",
        tag="baselines",
        takes=BaselineSerializer,
        answers=BaselineFacts,
        status=201,
        refuses=[409],
        example={"name": "Edition 2026", "description": "As printed in March."},
    )
    @repeatable()
    def post(self, request: Request, pk: UUID) -> Response:
        """Make a baseline of what a collection shows, or of versions that are named.

        What it holds cannot be changed by anybody afterwards.
        """
        collection = find_collection(request, pk)
        asked = BaselineSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        chosen = dict(asked.validated_data)
        if "read_context" in chosen:
            chosen["context"] = chosen.pop("read_context")
        try:
            made = services.create_baseline(collection=collection, actor=actor_of(request), **chosen)
        except DocumentError as error:
            raise Conflict(str(error)) from error
        except ModelError as error:
            raise ValidationError(error.message_dict) from error
        return Response(describe_baseline(made, published_id(collection)), status=201)


class BaselineView(TenantAPIView):
    """Tell what a baseline holds, a page at a time."""

    @describe("read_baseline", tag="baselines", asks=PageSerializer, answers=BaselineHeld)
    def get(self, request: Request, pk: UUID) -> Response:
        baseline = find_baseline(request, pk)
        held = Version.objects.without_text().filter(baselines__baseline=baseline).select_related("document")
        page, following = read_page(held, BY_NAME, read_query(request, PageSerializer))
        versions = [
            {**name_version(one), "document": {"id": one.document_id, "name": one.document.name}}
            for one in page
        ]
        facts = describe_baseline(baseline, published_id(baseline.collection))
        return Response({**facts, "versions": versions, "next": following})


class PublishBaselineView(TenantAPIView):
    """Let readers of `published` read this baseline from now on."""

    required_scope: ClassVar[Scope] = Scope.MANAGE

    @describe("publish_baseline", tag="baselines", answers=PublicationFacts, refuses=[409])
    @repeatable()
    def post(self, request: Request, pk: UUID) -> Response:
        baseline = find_baseline(request, pk)
        return move_pointer(lambda: services.publish_baseline(baseline=baseline, actor=actor_of(request)))


class UnpublishView(TenantAPIView):
    """Let nothing of a collection be published any more."""

    required_scope: ClassVar[Scope] = Scope.MANAGE

    @describe("unpublish_collection", tag="baselines", answers=PublicationFacts, refuses=[409])
    def post(self, request: Request, pk: UUID) -> Response:
        collection = find_collection(request, pk)
        return move_pointer(
            lambda: services.unpublish_collection(collection=collection, actor=actor_of(request))
        )


def move_pointer(move: Callable[[], Publication]) -> Response:
    try:
        moved = move()
    except DocumentError as error:
        raise Conflict(str(error)) from error
    return Response(
        PublicationFacts(
            collection=moved.collection_id,
            baseline=moved.baseline_id,
            number=moved.number,
            published_at=moved.published_at,
            published_by=moved.published_by,
        )
    )


def find_collection(request: Request, pk: UUID) -> Collection:
    own = Collection.objects.for_tenant(acting_program(request).tenant)
    return get_object_or_404(own.select_related("tenant"), pk=pk)


def find_baseline(request: Request, pk: UUID) -> Baseline:
    own = Baseline.objects.for_tenant(acting_program(request).tenant)
    return get_object_or_404(own.select_related("collection__tenant"), pk=pk)


def published_id(collection: Collection) -> UUID | None:
    last = Publication.objects.filter(collection=collection).order_by("-number").first()
    return last.baseline_id if last else None


def describe_baseline(baseline: Baseline, published: UUID | None) -> BaselineFacts:
    return {
        "id": baseline.pk,
        "collection": baseline.collection_id,
        "name": baseline.name,
        "description": baseline.description,
        "size": baseline.size,
        "created_at": baseline.created_at,
        "created_by": baseline.created_by,
        "is_published": baseline.pk == published,
    }
