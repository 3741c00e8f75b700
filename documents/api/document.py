"""Documents go to the bin, come back, or go for good, by a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.api.shared import Conflict, actor_of
from documents.errors import DocumentError
from documents.models import Document
from tenants.api import TenantAPIView, acting_program
from tenants.models import Scope
from tenants.schema import describe


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMoved:
    """A document, and since when it is in the bin, if it is."""

    id: UUID
    name: str
    collection_id: UUID
    deleted_at: datetime | None


class RestoreDocumentView(TenantAPIView):
    """Take a document out of the bin, with all its versions."""

    required_scope: ClassVar[Scope] = Scope.WRITE

    @describe("restore_document", tag="documents", answers=DocumentMoved, refuses=[409])
    def post(self, request: Request, pk: UUID) -> Response:
        return tell(change_document(request, pk, services.restore_document))


class PurgeDocumentView(TenantAPIView):
    """Delete a document in the bin for good, with its versions and what was made of them."""

    required_scope: ClassVar[Scope] = Scope.MANAGE

    @describe("purge_document", tag="documents", status=204, refuses=[409])
    def post(self, request: Request, pk: UUID) -> Response:
        change_document(request, pk, services.purge_document)
        return Response(status=status.HTTP_204_NO_CONTENT)


def delete_document(request: Request, pk: UUID) -> Response:
    """Move a document to the bin."""
    return tell(change_document(request, pk, services.delete_document))


def change_document(request: Request, pk: UUID, service: Callable[..., None]) -> Document:
    own = Document.objects.for_tenant(acting_program(request).tenant)
    document = get_object_or_404(own.select_related("tenant", "collection"), pk=pk)
    try:
        service(document=document, actor=actor_of(request))
    except DocumentError as error:
        raise Conflict(str(error)) from error
    return document


def tell(document: Document) -> Response:
    return Response(
        asdict(
            DocumentMoved(
                id=document.pk,
                name=document.name,
                collection_id=document.collection_id,
                deleted_at=document.deleted_at,
            )
        )
    )
