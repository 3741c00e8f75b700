"""The REST API: the base of its views, and what a key can find out about itself."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, ClassVar, cast

from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.access import rendered
from tenants.authentication import Program
from tenants.models import Scope
from tenants.scope import tenant_scope


class TenantAPIView(APIView):
    """A view that acts for the tenant of the key, in one transaction that an error undoes."""

    required_scope: ClassVar[Scope] = Scope.READ
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
        if not program.may(self.required_scope):
            raise PermissionDenied(f"This key lacks the scope {self.required_scope.value!r}.")
        self.scope.enter_context(tenant_scope(program.tenant.pk))
        self.is_inside = True


def acting_program(request: Request) -> Program:
    """What authenticated itself; the type of `request.user` speaks of people only."""
    return cast("Program", request.user)


class TenantView(TenantAPIView):
    """Tell a program for which tenant its key acts, and what it may do."""

    def get(self, request: Request) -> Response:
        key = acting_program(request).key
        return Response(
            {
                "id": key.tenant.pk,
                "slug": key.tenant.slug,
                "name": key.tenant.name,
                "key": {"name": key.name, "scopes": key.scopes, "expires_at": key.expires_at},
            }
        )
