"""What reading costs: quoted before, and told after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.api.shared import exact
from documents.models import Collection
from documents.quote import quote_files
from documents.standing import month_begin
from documents.unpack import Incoming
from search.budget import budget_of, limit_of
from search.calls import Spending, usage_of
from tenants.api import StrictSerializer, TenantAPIView, acting_program
from tenants.models import Scope
from tenants.schema import describe

NO_FILE = "Send at least one file, as a part of the form named files."


class FilesSerializer(StrictSerializer):
    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True),
        allow_empty=False,
        help_text="Files, or zips of them.",
        error_messages={"required": NO_FILE, "empty": NO_FILE},
    )


class Estimate(TypedDict):
    """What files would take: amounts are of US dollars."""

    chunks: int
    known: int  # Of these, the ones that are indexed already, as they are.
    new: int
    contexts: int  # To be written by a provider.
    tokens: int  # Of texts that are to be embedded, with their contexts.
    likely_cost: Decimal
    most_cost: Decimal
    seconds: float  # Without those that a batch takes.
    is_batch: bool
    left: Decimal  # Of this month's budget.
    sentence: str  # For people.


class Usage(TypedDict):
    """What providers were paid, in US dollars."""

    since: datetime
    spent: Decimal
    monthly_limit: Decimal
    backends: list[Spending]


class EstimateView(TenantAPIView):
    """Tell what files would cost and take in a collection, without keeping them."""

    required_scope: ClassVar[Scope] = Scope.WRITE
    parser_classes = (MultiPartParser,)

    @describe("estimate_files", tag="collections", takes=FilesSerializer, answers=Estimate)
    def post(self, request: Request, pk: UUID) -> Response:
        collection = get_object_or_404(Collection.objects.for_tenant(acting_program(request).tenant), pk=pk)
        asked = FilesSerializer(data=request.data, context={"in_words": True})
        asked.is_valid(raise_exception=True)
        quote = quote_files(collection, incoming(asked.validated_data["files"]))
        return Response(exact(asdict(quote)) | {"sentence": quote.sentence})


class UsageView(TenantAPIView):
    """Tell what providers were paid in this month, by backend, and what they may be paid."""

    required_scope: ClassVar[Scope] = Scope.MANAGE

    @describe("read_usage", tag="tenant", answers=Usage)
    def get(self, request: Request) -> Response:
        tenant, since = acting_program(request).tenant, month_begin()
        budget = budget_of(tenant.pk)
        spendings = [exact(asdict(spending)) for spending in usage_of(tenant, since=since)]
        money = exact({"spent": budget.spent, "monthly_limit": limit_of(budget)})
        return Response({"since": since, **money, "backends": spendings})


def incoming(files: list[Any]) -> Iterator[Incoming]:
    for file in files:
        yield from services.expand_upload(str(file.name), file)
