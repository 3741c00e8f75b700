"""For how long old versions are kept."""

from __future__ import annotations

from typing import ClassVar, TypedDict

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.api.shared import actor_of
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.models import LONGEST_KEPT, Scope, Tenant
from tenants.schema import describe


class Retention(TypedDict):
    keep_versions_days: int | None  # Nothing: for ever.


class RetentionSerializer(StrictSerializer):
    keep_versions_days = serializers.IntegerField(min_value=1, max_value=LONGEST_KEPT, allow_null=True)


class RetentionView(TenantAPIView):
    required_scope: ClassVar[Scope] = Scope.MANAGE
    parser_classes = (PlainJSONParser,)

    @describe("read_retention", tag="tenant", answers=Retention)
    def get(self, request: Request) -> Response:
        """Tell for how many days old versions are kept."""
        return Response(describe_retention(acting_program(request).tenant))

    @describe(
        "set_retention",
        tag="tenant",
        takes=RetentionSerializer,
        answers=Retention,
        example={"keep_versions_days": 3650},
    )
    def patch(self, request: Request) -> Response:
        """Say for how many days old versions are kept; null is for ever."""
        asked = RetentionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        days = asked.validated_data["keep_versions_days"]
        tenant = acting_program(request).tenant
        services.set_retention(tenant=tenant, days=days, actor=actor_of(request))
        return Response(describe_retention(tenant))


def describe_retention(tenant: Tenant) -> Retention:
    return {"keep_versions_days": tenant.keep_versions_days}
