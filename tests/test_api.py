"""The base of the REST API."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from django.test import Client, RequestFactory
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from tenants.api import TenantAPIView
from tenants.authentication import NO_TENANT, TENANT_HEADER
from tenants.models import Role, Scope, Tenant
from tenants.problems import MEDIA_TYPE, NOT_HERE, SEVERAL, describe_problem, list_errors
from tenants.services import add_member
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of


def test_a_program_finds_out_for_whom_it_acts(harbour: Tenant) -> None:
    key, token = factories.api_key(harbour, Scope.READ, Scope.MANAGE)
    response = Client().get("/api/v1/tenant", headers={"Authorization": f"bearer {token}"})
    assert response.json() == {
        "id": str(harbour.pk),
        "slug": "harbour",
        "name": "Harbour",
        "scopes": ["manage", "read"],
        "key": {"name": key.name, "scopes": ["manage", "read"], "expires_at": None},
    }


@pytest.mark.parametrize("method", ["get", "head"])
def test_what_an_address_does_not_know_is_refused_by_name(harbour: Tenant, method: str) -> None:
    _, token = factories.api_key(harbour, Scope.READ)
    own = {"Authorization": f"Bearer {token}"}
    response = getattr(Client(), method)("/api/v1/tenant?foo=1&bar=", headers=own)
    assert response.status_code == 400
    if method == "get":
        message = "There is no such field. None is known here."
        assert response.json()["errors"] == [
            {"field": "bar", "message": message},
            {"field": "foo", "message": message},
        ]


def test_nothing_is_made_where_an_address_has_what_is_not_known(harbour: Tenant) -> None:
    _, token = factories.api_key(harbour, *Scope)
    own = {"Authorization": f"Bearer {token}"}
    Client().get("/api/v1/tenant", headers=own)  # The first use of a key is written down.
    before = everything_of(harbour)
    asked = {"name": "acts", "description": "The acts of the port."}
    sent: dict[str, Any] = {"data": asked, "content_type": "application/json", "headers": own}
    assert Client().post("/api/v1/collections?dry_run=true", **sent).status_code == 400
    assert everything_of(harbour) == before
    assert Client().post("/api/v1/collections", **sent).status_code == 201


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


class TestSession:
    def test_a_member_acts_within_the_role(self, harbour: Tenant) -> None:
        for role, scopes in (("reader", ["read"]), ("editor", ["read", "write"])):
            client = client_of(factories.membership(harbour, Role(role)))
            answer = client.get("/api/v1/tenant").json()
            assert (answer["slug"], answer["scopes"], answer["key"]) == ("harbour", scopes, None)

    def test_a_member_of_several_says_of_which(self, harbour: Tenant, meridian: Tenant) -> None:
        member = factories.membership(harbour)
        add_member(tenant=meridian, user=member.user, role=Role.ADMIN, actor=factories.ACTOR)
        client = client_of(member)
        refused = client.get("/api/v1/tenant")
        assert (refused.status_code, refused.json()["detail"]) == (401, NO_TENANT)
        for slug in ("harbour", "meridian"):
            assert client.get("/api/v1/tenant", headers={TENANT_HEADER: slug}).json()["slug"] == slug

    def test_a_role_that_may_not_is_refused(self, harbour: Tenant) -> None:
        answer = client_of(factories.membership(harbour)).get("/api/v1/usage")
        assert (answer.status_code, answer.json()["detail"]) == (403, "Your role lacks the scope 'manage'.")


class TestProblems:
    def test_an_address_that_does_not_exist_is_a_problem(self) -> None:
        response = Client().get("/api/v1/nothing")
        assert (response.status_code, response["Content-Type"]) == (404, MEDIA_TYPE)
        assert response.json() == {
            "type": "about:blank", "title": "Not Found", "status": 404, "detail": NOT_HERE,
        }  # fmt: skip

    def test_a_page_that_does_not_exist_is_a_page(self) -> None:
        assert "<h1>Not here</h1>" in Client().get("/nothing").content.decode()

    def test_fields_are_named_by_their_paths(self) -> None:
        data = {"filters": {"documents": {0: ["No id."]}, "non_field_errors": ["Too many."]}, "top_k": ["x"]}
        assert list(list_errors(data)) == [
            ("filters.documents.0", "No id."),
            ("filters", "Too many."),
            ("top_k", "x"),
        ]
        assert list(list_errors([{}, {"name": ["x"]}])) == [("1.name", "x")]

    def test_one_error_is_its_own_summary_and_several_are_counted_up(self) -> None:
        assert describe_problem(400, {"query": ["Blank."]})["detail"] == "Blank."
        assert describe_problem(400, {"query": ["Blank."], "top_k": ["x"]})["detail"] == SEVERAL


class TestThrottle:
    def ask(self, harbour: Tenant) -> list[int]:
        _, token = factories.api_key(harbour)
        headers = {"Authorization": f"Bearer {token}"}
        return [Client().get("/api/v1/tenant", headers=headers).status_code for _ in range(3)]

    def test_a_key_may_ask_so_often_in_a_minute_and_each_for_itself(
        self, harbour: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tenants.throttle.time.time", lambda: 1_700_000_000.0)
        settings.API_RATE = 2
        assert self.ask(harbour) == [200, 200, 429]
        assert self.ask(harbour) == [200, 200, 429]
        settings.API_RATE = 0
        assert self.ask(harbour) == [200, 200, 200]

    def test_says_when_to_come_back(
        self, harbour: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tenants.throttle.time.time", lambda: 1_700_000_000.0)  # 20 s into a minute.
        settings.API_RATE = 1
        _, token = factories.api_key(harbour)
        headers = {"Authorization": f"Bearer {token}"}
        Client().get("/api/v1/tenant", headers=headers)
        refused = Client().get("/api/v1/tenant", headers=headers)
        assert (refused.status_code, refused["Retry-After"]) == (429, "40")

    def test_nobody_is_refused_when_redis_does_not_answer(self, harbour: Tenant, settings: Any) -> None:
        settings.API_RATE = 1
        settings.API_RATE_REDIS_URL = "redis://127.0.0.1:1/0"
        assert self.ask(harbour) == [200, 200, 200]
