"""A version is brought back, withdrawn, or dated, by a program."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.api.compare import NamedVersion, name_version
from documents.api.repeat import repeatable
from documents.api.shared import Conflict, actor_of
from documents.api.version import find_version
from documents.errors import BadDates, DocumentError
from documents.models import State, Version
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView
from tenants.models import Scope
from tenants.schema import describe


class ChangedVersion(NamedVersion):
    """A version after something was done to it."""

    state: State


class DatesSerializer(StrictSerializer):
    """The first and the last day on which a version applies; null where there is none."""

    effective_from = serializers.DateField(allow_null=True)
    effective_to = serializers.DateField(allow_null=True)


class RestoreVersionView(TenantAPIView):
    """Make what a version said the newest version, which is then read; tell of that one."""

    required_scope: ClassVar[Scope] = Scope.WRITE

    @describe("restore_version", tag="versions", answers=ChangedVersion, refuses=[409])
    @repeatable()
    def post(self, request: Request, pk: UUID) -> Response:
        version = find_version(request, pk)
        try:
            made = services.restore_version(version=version, actor=actor_of(request))
        except DocumentError as error:
            raise Conflict(str(error)) from error
        return tell(made)


class WithdrawVersionView(TenantAPIView):
    """Take a version back: from now on it is not read, and citations of it say so."""

    required_scope: ClassVar[Scope] = Scope.WRITE

    @describe("withdraw_version", tag="versions", answers=ChangedVersion, refuses=[409])
    def post(self, request: Request, pk: UUID) -> Response:
        version = find_version(request, pk)
        try:
            return tell(services.withdraw_version(version=version, actor=actor_of(request)))
        except DocumentError as error:
            raise Conflict(str(error)) from error


class DateVersionView(TenantAPIView):
    """Say on which days a version applies."""

    required_scope: ClassVar[Scope] = Scope.WRITE
    parser_classes = (PlainJSONParser,)

    @describe(
        "date_version",
        tag="versions",
        takes=DatesSerializer,
        answers=ChangedVersion,
        refuses=[409],
        example={"effective_from": "2016-03-01", "effective_to": None},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        version = find_version(request, pk)
        asked = DatesSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            dated = services.set_effective_dates(
                version=version, actor=actor_of(request), **asked.validated_data
            )
        except BadDates as error:
            raise ValidationError({"effective_to": [str(error)]}) from error
        except DocumentError as error:
            raise Conflict(str(error)) from error
        return tell(dated)


def tell(version: Version) -> Response:
    return Response(ChangedVersion(**name_version(version), state=State(version.state)))
