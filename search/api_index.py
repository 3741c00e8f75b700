"""The REST API of making the index anew."""

from __future__ import annotations

from dataclasses import asdict
from typing import ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.repeat import repeatable
from documents.api.shared import actor_of
from documents.models import Collection, Document
from documents.services import reindex
from documents.services.index import Reindexing
from search.api_asked import refusals
from search.ask import find_collections
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.models import Scope, Tenant
from tenants.schema import describe


class RebuildSerializer(StrictSerializer):
    """What is made anew, if not everything."""

    collection = serializers.CharField(max_length=100, required=False, help_text="The name of one.")
    document = serializers.UUIDField(required=False, help_text="The id of one.")


class RebuildIndexView(TenantAPIView):
    """Have the index made anew from the documents, in the background: all of it, a collection or a document.

    Searches go on, nothing is read from files again, and nobody is paid for contexts again.
    """

    required_scope: ClassVar[Scope] = Scope.MANAGE
    parser_classes = (PlainJSONParser,)

    @describe(
        "rebuild_index",
        tag="index",
        takes=RebuildSerializer,
        answers=Reindexing,
        status=202,
        or_status=200,
        example={"collection": "acts"},
    )
    @repeatable()
    def post(self, request: Request) -> Response:
        asked = RebuildSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        tenant, told = acting_program(request).tenant, asked.validated_data
        with refusals(collections="collection"):
            collection = find_collections(tenant, [told["collection"]])[0] if "collection" in told else None
        document = find_document(tenant, collection, told["document"]) if "document" in told else None
        started = reindex(tenant=tenant, actor=actor_of(request), collection=collection, document=document)
        return Response(asdict(started), status=202 if started.versions else 200)


def find_document(tenant: Tenant, collection: Collection | None, pk: UUID) -> Document:
    own = Document.objects.for_tenant(tenant).present()
    found = (own if collection is None else own.filter(collection=collection)).filter(pk=pk).first()
    if found is None:
        raise ValidationError({"document": ["There is no such document here."]})
    return found
