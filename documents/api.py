"""The REST API of ingestion: how far a version is, what it costs, and a way to stop it or to try again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.errors import NothingToDo
from documents.models import Collection, Version
from documents.quote import quote_files
from documents.standing import add_notices, month_begin, time_left, with_cost
from documents.unpack import Incoming
from search.budget import budget_of, limit_of
from search.calls import usage_of
from tenants.api import TenantAPIView, acting_program
from tenants.audit import Actor, address_of
from tenants.models import Scope


class Conflict(APIException):
    """What was asked does not apply to the state that it is in."""

    status_code = 409
    default_code = "conflict"


class VersionView(TenantAPIView):
    """Tell how far a version is."""

    def get(self, request: Request, pk: UUID) -> Response:
        return Response(describe_version(find_version(request, pk)))


class CancelVersionView(TenantAPIView):
    required_scope: ClassVar[Scope] = Scope.WRITE

    def post(self, request: Request, pk: UUID) -> Response:
        return change_version(request, pk, services.cancel_version)


class RetryVersionView(TenantAPIView):
    required_scope: ClassVar[Scope] = Scope.WRITE

    def post(self, request: Request, pk: UUID) -> Response:
        return change_version(request, pk, services.retry_version)


class EstimateView(TenantAPIView):
    """Tell what files would cost and take in a collection, without keeping them."""

    required_scope: ClassVar[Scope] = Scope.WRITE
    parser_classes = (MultiPartParser,)

    def post(self, request: Request, pk: UUID) -> Response:
        collection = get_object_or_404(Collection.objects.for_tenant(acting_program(request).tenant), pk=pk)
        files = request.FILES.getlist("files")
        if not files:
            raise ValidationError({"files": ["Send at least one file, as a part of the form named files."]})
        quote = quote_files(collection, incoming(files))
        return Response(exact(asdict(quote)) | {"sentence": quote.sentence})


class UsageView(TenantAPIView):
    """Tell what providers were paid in this month, by backend, and what they may be paid."""

    required_scope: ClassVar[Scope] = Scope.MANAGE

    def get(self, request: Request) -> Response:
        tenant, since = acting_program(request).tenant, month_begin()
        budget = budget_of(tenant.pk)
        spendings = [exact(asdict(spending)) for spending in usage_of(tenant, since=since)]
        money = exact({"spent": budget.spent, "monthly_limit": limit_of(budget)})
        return Response({"since": since, **money, "backends": spendings})


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
    }
    return exact(facts)


def exact(facts: dict[str, Any]) -> dict[str, Any]:
    """Write amounts of money as texts: numbers in JSON are rounded by whoever reads them."""
    return {name: f"{fact:f}" if isinstance(fact, Decimal) else fact for name, fact in facts.items()}


def change_version(request: Request, pk: UUID, service: Callable[..., Version]) -> Response:
    try:
        service(version=find_version(request, pk), actor=actor_of(request))
    except NothingToDo as error:
        raise Conflict(str(error)) from error
    return Response(describe_version(find_version(request, pk)))


def actor_of(request: Request) -> Actor:
    key = acting_program(request).key
    return Actor(f"key {key.name}", key.pk, address_of(request))


def incoming(files: list[Any]) -> Iterator[Incoming]:
    for file in files:
        yield from services.expand_upload(str(file.name), file)
