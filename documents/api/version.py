"""How far a version is, and a way to stop it or to try again."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from documents import services
from documents.api.compare import NamedDocument
from documents.api.shared import Conflict, actor_of, exact
from documents.errors import NothingToDo
from documents.models import State, Version
from documents.standing import add_notices, time_left, with_cost
from tenants.api import TenantAPIView, acting_program
from tenants.conditional import answer_once
from tenants.models import Scope
from tenants.schema import describe


class NamedCollection(TypedDict):
    id: UUID
    name: str


class VersionStanding(TypedDict):
    """How far a version is on its way from a file to what can be searched."""

    id: UUID
    job: str  # The address of the work on it.
    document: NamedDocument
    collection: NamedCollection
    number: int
    state: State
    progress: int  # In percent.
    step_done: int  # Chunks that are through its present step.
    step_total: int
    failure: str  # Why it failed, and what to do.
    warnings: list[str]
    cost: Decimal  # Paid to providers, in US dollars.
    estimated_seconds_left: int | None


class VersionView(TenantAPIView):
    """Tell how far a version is."""

    @describe("read_version", tag="versions", answers=VersionStanding, refuses=[304])
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        return answer_once(request, describe_version(find_version(request, pk)))


class CancelVersionView(TenantAPIView):
    """Stop a version that is being read."""

    required_scope: ClassVar[Scope] = Scope.WRITE

    @describe("cancel_version", tag="versions", answers=VersionStanding, refuses=[409])
    def post(self, request: Request, pk: UUID) -> Response:
        return change_version(request, pk, services.cancel_version)


class RetryVersionView(TenantAPIView):
    """Try a version that failed or was stopped once more."""

    required_scope: ClassVar[Scope] = Scope.WRITE

    @describe("retry_version", tag="versions", answers=VersionStanding, refuses=[409])
    def post(self, request: Request, pk: UUID) -> Response:
        return change_version(request, pk, services.retry_version)


def find_version(request: Request, pk: UUID) -> Any:
    own = Version.objects.for_tenant(acting_program(request).tenant).without_text()
    return get_object_or_404(with_cost(own).select_related("document__collection"), pk=pk)


def describe_version(version: Any) -> dict[str, Any]:
    left = time_left(version, timezone.now())
    add_notices([version])
    facts = {
        "id": version.pk,
        "document": {"id": version.document_id, "name": version.document.name},
        "collection": {"id": version.document.collection_id, "name": version.document.collection.name},
        "number": version.number,
        "state": version.state,
        "progress": version.progress,
        "step_done": version.step_done,
        "step_total": version.step_total,
        "failure": version.failure,
        "warnings": version.warnings,
        "cost": version.cost or Decimal(0),
        "estimated_seconds_left": None if left is None else round(left.total_seconds()),
        "job": reverse("api_job", args=[version.pk]),
    }
    return exact(facts)


def change_version(request: Request, pk: UUID, service: Callable[..., Version]) -> Response:
    try:
        service(version=find_version(request, pk), actor=actor_of(request))
    except NothingToDo as error:
        raise Conflict(str(error)) from error
    return Response(describe_version(find_version(request, pk)))
