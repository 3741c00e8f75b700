"""The base of the REST API."""

from __future__ import annotations

import json
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from django.test import Client, RequestFactory
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.baseline import MOST_VERSIONS
from tenants.api import TenantAPIView
from tenants.authentication import NO_TENANT, TENANT_HEADER
from tenants.models import Role, Scope, Tenant
from tenants.problems import (
    MEDIA_TYPE,
    NOT_HERE,
    ONLY_READ,
    SEVERAL,
    WRONG_HOST,
    describe_problem,
    list_errors,
)
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


def send(tenant: Tenant, path: str, body: bytes, content_type: str = "application/json") -> Any:
    headers = {"Authorization": f"Bearer {factories.api_key(tenant, *Scope)[1]}"}
    return Client().post(f"/api/v1/{path}", body, content_type=content_type, headers=headers)


class TestProblems:
    def test_an_address_that_does_not_exist_is_a_problem(self) -> None:
        response = Client().get("/api/v1/nothing")
        assert (response.status_code, response["Content-Type"]) == (404, MEDIA_TYPE)
        assert response.json() == {
            "type": "about:blank", "title": "Not Found", "status": 404, "detail": NOT_HERE,
        }  # fmt: skip

    def test_a_page_that_does_not_exist_is_a_page(self) -> None:
        assert "<h1>Not here</h1>" in Client().get("/nothing").content.decode()

    def test_json_that_is_too_large_is_told_how_large_it_may_be(self, harbour: Tenant) -> None:
        response = send(harbour, "search", b'{"query": "' + b"a" * 10_000_000 + b'"}')
        assert (response.status_code, response["Content-Type"]) == (413, MEDIA_TYPE)
        assert response.json()["detail"] == (
            "What is sent, files aside, has 10 MB at most. Send less at a time."
        )

    def test_as_many_versions_as_a_baseline_may_name_fit_into_a_request(self, harbour: Tenant) -> None:
        place = factories.collection(harbour, "acts")
        named = json.dumps({"name": "b", "versions": [str(uuid4())] * MOST_VERSIONS}, indent=4)
        response = send(harbour, f"collections/{place.pk}/baselines", named.encode())
        assert response.status_code == 409  # It was read: there are no such versions.

    def test_a_form_of_too_many_fields_is_a_problem(self, harbour: Tenant) -> None:
        place, (_, token) = factories.collection(harbour, "acts"), factories.api_key(harbour, *Scope)
        fields = {f"field{number}": "x" for number in range(1001)}
        headers = {"Authorization": f"Bearer {token}"}
        response = Client().post(f"/api/v1/collections/{place.pk}/documents", fields, headers=headers)
        assert (response.status_code, response["Content-Type"]) == (400, MEDIA_TYPE)
        assert response.json()["detail"] == "A form has 1,000 fields at most. Send fewer at a time."

    def test_another_charset_is_a_problem(self, harbour: Tenant) -> None:
        response = send(harbour, "search", b'{"query": "x"}', "application/json; charset=latin-1")
        assert (response.status_code, response["Content-Type"]) == (400, MEDIA_TYPE)
        assert response.json()["detail"] == "Send text as UTF-8."

    def test_another_host_is_a_problem(self) -> None:
        response = Client().get("/api/v1/tenant", headers={"Host": "elsewhere.example"})
        assert (response.status_code, response["Content-Type"]) == (400, MEDIA_TYPE)
        assert response.json()["detail"] == WRONG_HOST

    @pytest.mark.parametrize("path", ["/api/v1/", "/api/v1/schema"])
    def test_what_can_only_be_read_says_so(self, path: str) -> None:
        response = Client(enforce_csrf_checks=True).post(path)
        assert (response.status_code, response["Content-Type"]) == (405, MEDIA_TYPE)
        assert (response["Allow"], response.json()["detail"]) == ("GET, HEAD", ONLY_READ)

    def test_on_a_page_the_same_is_a_page(self) -> None:
        refused = Client().get("/account/login/", headers={"Host": "elsewhere.example"})
        assert refused.status_code == 400
        assert f"<p>{WRONG_HOST}</p>" in refused.content.decode()
        large = Client().post("/account/login/", {"email": "a" * 10_000_001})
        assert large.status_code == 413
        assert "<h1>That is too much at once</h1>" in large.content.decode()

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
