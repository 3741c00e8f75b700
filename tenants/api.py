"""The REST API: the base of its views, and what a key can find out about itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from datetime import datetime
from typing import IO, Any, ClassVar, TypedDict, cast
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.exceptions import ParseError, PermissionDenied, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.access import rendered
from tenants.authentication import Program
from tenants.models import Scope
from tenants.schema import describe, described
from tenants.scope import tenant_scope


class TenantAPIView(APIView):
    """A view that acts for the tenant of the key, in one transaction that an error undoes."""

    required_scope: ClassVar[Scope] = Scope.READ
    further_scopes: ClassVar[Mapping[str, Scope]] = {}  # Of methods that need another one besides.
    is_inside = False

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with ExitStack() as self.scope:
            response = super().dispatch(request, *args, **kwargs)
            if self.is_inside and getattr(response, "exception", False):
                transaction.set_rollback(True)
            return rendered(response)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        program = acting_program(request)
        for scope in (self.required_scope, self.further_scopes.get(request.method or "")):
            if scope is not None and not program.may(scope):
                raise PermissionDenied(f"{self.lacking(program)} the scope {scope.value!r}.")
        self.require_known(request)
        self.scope.enter_context(tenant_scope(program.tenant.pk))
        self.is_inside = True

    def require_known(self, request: Request) -> None:
        """Refuse what stands behind the question mark and is not described: it would be without effect."""
        said = described(getattr(self, (request.method or "").lower(), None))
        if said and request.query_params:
            refuse_unknown(request.query_params, said.asks().fields if said.asks else ())

    @staticmethod
    def lacking(program: Program) -> str:
        return "This key lacks" if program.key else "Your role lacks"


class PlainJSONParser(JSONParser):
    """JSON without what no text has: NUL and halves of characters, which nothing behind us could keep."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            parsed = super().parse(stream, media_type, parser_context)
            _require_plain(parsed)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("The JSON has half of a character (a lone surrogate) in a text.") from error
        return parsed


def _require_plain(value: Any) -> None:
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for name, inner in value.items():
            _require_plain(name)
            _require_plain(inner)
    elif isinstance(value, list):
        for inner in value:
            _require_plain(inner)


# What JSON says with each kind of field, and what to send where it says something else.
TEXTS = (
    serializers.CharField,
    serializers.ChoiceField,
    serializers.DateField,
    serializers.DateTimeField,
    serializers.UUIDField,
)
KINDS: tuple[tuple[Any, tuple[type, ...], str], ...] = (
    (TEXTS, (str,), "Send a text, in quotation marks."),
    (serializers.BooleanField, (bool,), "Send true or false, without quotation marks."),
    (
        (serializers.IntegerField, serializers.FloatField),
        (int, float),
        "Send a number, without quotation marks.",
    ),
)


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not know: a misspelt one would be silently without effect.

    Nor does it guess that `"yes"` may mean true. In an address and in a form there are only words: who reads
    those says so by `in_words` in the context.
    """

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            refuse_unknown(data, self.fields)
        if isinstance(data, dict) and not self.context.get("in_words"):
            fields = [(name, field) for name, field in self.fields.items() if name in data]
            wrong = {name: found for name, field in fields if (found := other_kind(field, data[name]))}
            if wrong:
                raise ValidationError(wrong)
        return super().to_internal_value(data)


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    names = list(known)
    cure = f"Known are {', '.join(names)}." if names else "None is known here."
    if unknown := sorted(set(given) - set(names)):
        raise ValidationError({name: [f"There is no such field. {cure}"] for name in unknown})


def other_kind(field: Any, value: Any) -> Any:
    """Return what is wrong with the kind of a value, if it is of another than JSON has for the field."""
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        found = {place: other_kind(field.child, one) for place, one in enumerate(value)}
        return {place: wrong for place, wrong in found.items() if wrong}
    for fields, kinds, cure in KINDS:
        if isinstance(field, fields) and value is not None:
            is_right = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
            return [] if is_right else [cure]
    return []


def acting_program(request: Request) -> Program:
    """What authenticated itself; the type of `request.user` speaks of people only."""
    return cast("Program", request.user)


class KeyFacts(TypedDict):
    name: str
    scopes: list[Scope]
    expires_at: datetime | None


class TenantFacts(TypedDict):
    """A tenant, and what may be done for it."""

    id: UUID
    slug: str
    name: str
    scopes: list[Scope]  # What whoever asks may do.
    key: KeyFacts | None  # Nothing for a person who is logged in.


class TenantView(TenantAPIView):
    """Tell a program for which tenant its key acts, and what it may do."""

    @describe("read_tenant", tag="tenant", answers=TenantFacts)
    def get(self, request: Request) -> Response:
        program = acting_program(request)
        tenant, key = program.tenant, program.key
        facts = {"name": key.name, "scopes": key.scopes, "expires_at": key.expires_at} if key else None
        return Response(
            {
                "id": tenant.pk,
                "slug": tenant.slug,
                "name": tenant.name,
                "scopes": sorted(program.scopes),
                "key": facts,
            }
        )
