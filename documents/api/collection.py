"""Collections, for programs: listed, made, read, changed and deleted; configured by the keys of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import ClassVar
from uuid import UUID

from django.core.exceptions import ValidationError as FieldsRefused
from django.http.response import HttpResponseBase
from django.template.defaultfilters import pluralize
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from documents import services
from documents.api.baseline import find_collection
from documents.api.compare import read_query
from documents.api.configuration import CollectionChangeSerializer, CollectionSerializer, configure
from documents.api.page import PageSerializer
from documents.api.repeat import repeatable
from documents.api.shared import Conflict, actor_of
from documents.configuration import STORED
from documents.errors import ChangedMeanwhile, DocumentError
from documents.models import Collection, Document
from search.errors import BadCursor
from search.read.configured import (
    CollectionConfigured,
    CollectionsListed,
    list_configured,
    tell_configuration,
)
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.conditional import PreconditionFailed, answer_once, expected_etags, strong_etag
from tenants.models import Scope
from tenants.schema import IF_MATCH, describe


class CollectionsSerializer(PageSerializer):
    """Which collections are listed: those whose names contain something, a page at a time."""

    name = serializers.CharField(max_length=100, required=False, help_text="What the name has in it.")


class ConfirmSerializer(StrictSerializer):
    """The name of a collection, from whoever means to delete it with all its documents."""

    confirm = serializers.CharField(
        max_length=100, required=False, help_text="The name of the collection, if there are documents in it."
    )


class CollectionAPIView(TenantAPIView):
    parser_classes = (PlainJSONParser,)

    def handle_exception(self, exc: Exception) -> Response:
        """Answer what the services refuse: a value is wrong, or the state of things is."""
        match exc:
            case FieldsRefused():
                exc = ValidationError(exc.message_dict)
            case ChangedMeanwhile():
                exc = PreconditionFailed()
            case BadCursor():
                exc = ValidationError({"after": [str(exc)]})
            case DocumentError():
                exc = Conflict(str(exc))
        return super().handle_exception(exc)


class CollectionsView(CollectionAPIView):
    further_scopes: ClassVar[Mapping[str, Scope]] = {"POST": Scope.MANAGE}

    @describe("list_collections", tag="collections", asks=CollectionsSerializer, answers=CollectionsListed)
    def get(self, request: Request) -> Response:
        """List the collections of a tenant, with what is in them."""
        asked = read_query(request, CollectionsSerializer)
        return Response(asdict(list_configured(tenant=acting_program(request).tenant, **asked)))

    @describe(
        "create_collection",
        tag="collections",
        takes=CollectionSerializer,
        answers=CollectionConfigured,
        status=201,
        example={"name": "acts", "description": "The acts of the port."},
    )
    @repeatable()
    def post(self, request: Request) -> Response:
        """Make a collection."""
        asked = CollectionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        settings = configure(asked.validated_data)
        made = services.create_collection(
            tenant=acting_program(request).tenant, actor=actor_of(request), **settings
        )
        return Response(
            asdict(tell_configuration(made)),
            status=status.HTTP_201_CREATED,
            headers={"Location": reverse("api_collection", args=[made.pk]), "ETag": etag_of(made)},
        )


class CollectionView(CollectionAPIView):
    further_scopes: ClassVar[Mapping[str, Scope]] = {"PATCH": Scope.MANAGE, "DELETE": Scope.MANAGE}

    @describe("read_collection", tag="collections", answers=CollectionConfigured, refuses=[304])
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        """Read how a collection is configured."""
        collection = find_collection(request, pk)
        return answer_once(request, asdict(tell_configuration(collection)), etag_of(collection))

    @describe(
        "change_collection",
        tag="collections",
        takes=CollectionChangeSerializer,
        answers=CollectionConfigured,
        refuses=[409, 412],
        headers=[IF_MATCH],
        example={"top_k": 20},
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """Change how a collection is configured.

        `If-Match` with the ETag that was read loses nobody's change.
        """
        collection = find_collection(request, pk)
        asked = CollectionChangeSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        configure(asked.validated_data, collection.configuration)
        stored = {name: told for name, told in asked.validated_data.items() if name in STORED}
        services.update_collection(
            collection=collection, actor=actor_of(request), is_expected=expected(request), **stored
        )
        return Response(asdict(tell_configuration(collection)), headers={"ETag": etag_of(collection)})

    @describe(
        "delete_collection",
        tag="collections",
        asks=ConfirmSerializer,
        status=204,
        refuses=[409, 412],
        headers=[IF_MATCH],
    )
    def delete(self, request: Request, pk: UUID) -> Response:
        """Delete a collection with all its documents."""
        collection = find_collection(request, pk)
        asked = read_query(request, ConfirmSerializer)
        require_confirmation(collection, asked.get("confirm", ""))
        services.delete_collection(
            collection=collection, actor=actor_of(request), is_expected=expected(request)
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


def etag_of(collection: Collection) -> str:
    return strong_etag([collection.pk, collection.configuration])


def expected(request: Request) -> Callable[[Collection], bool]:
    etags = expected_etags(request)
    return lambda collection: etags is None or etag_of(collection) in etags


def require_confirmation(collection: Collection, said: str) -> None:
    """Refuse to delete documents by mistake, also those in the bin."""
    count = Document.objects.filter(collection=collection).count()
    if count and said != collection.name:
        holds = f"{collection.name} has {count:,} document{pluralize(count)}, counting those in the bin."
        cure = "To delete them for good, send the name of the collection as `confirm`."
        raise ValidationError({"confirm": [f"{holds} {cure}"]})
