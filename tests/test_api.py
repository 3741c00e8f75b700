"""The base of the REST API."""

from __future__ import annotations

from typing import ClassVar

import pytest
from django.test import Client, RequestFactory
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from tenants.api import TenantAPIView
from tenants.models import Scope, Tenant
from tests import factories
from tests.database import everything_of


def test_a_program_finds_out_for_whom_it_acts(harbour: Tenant) -> None:
    key, token = factories.api_key(harbour, Scope.READ, Scope.MANAGE)
    response = Client().get("/api/v1/tenant", headers={"Authorization": f"bearer {token}"})
    assert response.json() == {
        "id": str(harbour.pk),
        "slug": "harbour",
        "name": "Harbour",
        "key": {"name": key.name, "scopes": ["manage", "read"], "expires_at": None},
    }


class Rename(TenantAPIView):
    required_scope: ClassVar[Scope] = Scope.WRITE

    def post(self, request: Request) -> Response:
        Tenant.objects.update(name="Renamed")
        if "fail" in request.GET:
            raise ValidationError("No.")
        return Response({"names": list(Tenant.objects.values_list("name", flat=True))})


@pytest.fixture
def rename(harbour: Tenant, meridian: Tenant) -> RequestFactory:
    return RequestFactory()


def test_a_view_acts_for_the_tenant_of_the_key(
    rename: RequestFactory, harbour: Tenant, meridian: Tenant
) -> None:
    _, token = factories.api_key(harbour, Scope.WRITE)
    before = everything_of(meridian)
    response = Rename.as_view()(rename.post("/", headers={"Authorization": f"Bearer {token}"}))
    assert (response.status_code, response.data) == (200, {"names": ["Renamed"]})
    assert everything_of(meridian) == before


def test_an_error_undoes_what_the_view_did(rename: RequestFactory, harbour: Tenant) -> None:
    _, token = factories.api_key(harbour, Scope.WRITE)
    response = Rename.as_view()(rename.post("/?fail", headers={"Authorization": f"Bearer {token}"}))
    assert response.status_code == 400
    assert [row["name"] for row in everything_of(harbour)["tenants.Tenant"]] == ["Harbour"]


def test_a_key_without_the_scope_is_refused(rename: RequestFactory, harbour: Tenant) -> None:
    _, token = factories.api_key(harbour, Scope.READ, Scope.MANAGE)
    response = Rename.as_view()(rename.post("/", headers={"Authorization": f"Bearer {token}"}))
    assert response.status_code == 403
    assert response.data["detail"] == "This key lacks the scope 'write'."
    assert [row["name"] for row in everything_of(harbour)["tenants.Tenant"]] == ["Harbour"]
