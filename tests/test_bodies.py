"""Bodies of requests over a real server: without a length, too large, and in between."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
import uvicorn
from django.db import connections

from config.threads import ThreadedHandler
from documents.models import Collection, Document
from tenants.models import Scope
from tenants.problems import MEDIA_TYPE
from tenants.scope import tenant_scope
from tests import factories
from tests.processes import free_port

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
SECONDS = 30
TEXT = b"# Act\n\nEvery vessel is kept.\n"
PART = "application/offset+octet-stream"


@pytest.fixture
def acts() -> Collection:
    return factories.collection(factories.tenant("harbour"), "acts")


@pytest.fixture
def http(settings: Any, acts: Collection) -> Iterator[httpx2.Client]:
    """Talks to uvicorn, in front of the handler that it has in production, with a key."""
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    handler, port = ThreadedHandler(1), free_port()
    server = uvicorn.Server(uvicorn.Config(handler, port=port, lifespan="off", log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + SECONDS
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    key = {"Authorization": f"Bearer {factories.api_key(acts.tenant, *Scope)[1]}"}
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}", headers=key, timeout=SECONDS) as client:
        yield client
    server.should_exit = True
    thread.join(SECONDS)
    handler.threads.submit(connections.close_all).result(SECONDS)
    handler.threads.shutdown()
    handler.beside.shutdown()


def piecewise(content: bytes) -> Iterator[bytes]:
    """What httpx sends in chunks, since it cannot know how long it is."""
    yield content[:3]
    yield content[3:]


@pytest.fixture
def narrow(settings: Any) -> None:
    settings.MAX_BODY_MB, settings.MAX_BODY = 1, 1_000_000


@pytest.mark.usefixtures("narrow")
class TestTooLarge:
    def send(self, http: httpx2.Client, acts: Collection, content: Any, **headers: str) -> httpx2.Response:
        address = f"/api/v1/collections/{acts.pk}/documents?name=act.md"
        return http.post(
            address, content=content, headers={"Content-Type": "application/octet-stream", **headers}
        )

    def test_as_much_as_is_allowed_is_taken(self, http: httpx2.Client, acts: Collection) -> None:
        assert self.send(http, acts, b"a" * 1_000_000).status_code == 202
        assert self.send(http, acts, piecewise(b"b" * 1_000_000)).status_code == 202

    @pytest.mark.parametrize("arriving", [bytes, piecewise])
    def test_one_byte_more_is_refused(
        self, http: httpx2.Client, acts: Collection, arriving: Callable[[bytes], Any]
    ) -> None:
        refused = self.send(http, acts, arriving(b"a" * 1_000_001))
        assert (refused.status_code, refused.headers["Content-Type"]) == (413, MEDIA_TYPE)
        assert refused.json()["detail"] == (
            "A request has 1 MB at most. Send fewer files at a time, or have the limit raised "
            "(PANDECT_MAX_BODY_MB)."
        )
        with tenant_scope(acts.tenant_id):
            assert not Document.objects.exists()

    def test_is_refused_by_its_length_alone(self, http: httpx2.Client, acts: Collection) -> None:
        """Nobody has to send it first, and nothing of it is kept."""
        address = http.base_url
        line = f"POST /api/v1/collections/{acts.pk}/documents?name=act.md HTTP/1.1"
        length, kind = "Content-Length: 1000001", "Content-Type: application/octet-stream"
        head = [
            line,
            f"Host: {address.host}",
            length,
            kind,
            f"Authorization: {http.headers['Authorization']}",
        ]
        with socket.create_connection((address.host, address.port or 0), SECONDS) as line_to:
            line_to.sendall("\r\n".join([*head, "", ""]).encode())
            assert line_to.recv(4096).startswith(b"HTTP/1.1 413 ")

    def test_of_a_stranger_it_is_not_even_told_that(self, http: httpx2.Client, acts: Collection) -> None:
        refused = self.send(http, acts, b"a" * 1_000_001, Authorization="Bearer nothing")
        assert refused.status_code == 401

    def test_on_a_page_it_is_a_page(self, http: httpx2.Client) -> None:
        http.get("/account/login/")  # For the cookie: without it, nobody reads what else was sent.
        refused = http.post("/account/login/", data={"email": "a" * 1_000_001})
        assert refused.status_code == 413
        assert "<h1>That is too much at once</h1>" in refused.text

    def test_the_connection_goes_on_to_be_used(self, http: httpx2.Client, acts: Collection) -> None:
        for _ in range(2):
            assert self.send(http, acts, piecewise(b"a" * 3_000_000)).status_code == 413
        assert http.get("/api/v1/tenant").status_code == 200


class TestWithoutALength:
    def test_a_part_arrives(self, http: httpx2.Client, acts: Collection) -> None:
        announced = {"name": "act.md", "size": len(TEXT) + 1}
        begun = http.post(f"/api/v1/collections/{acts.pk}/uploads", json=announced)
        headers = {"Upload-Offset": "0", "Content-Type": PART}
        response = http.patch(begun.headers["Location"], content=piecewise(TEXT), headers=headers)
        assert "content-length" not in response.request.headers
        assert (response.status_code, response.headers["Upload-Offset"]) == (204, str(len(TEXT)))

    def test_a_file_is_taken(self, http: httpx2.Client, acts: Collection) -> None:
        address = f"/api/v1/collections/{acts.pk}/documents?name=act.md"
        headers = {"Content-Type": "application/octet-stream"}
        response = http.post(address, content=piecewise(TEXT), headers=headers)
        assert response.status_code == 202
        assert [file["outcome"] for file in response.json()["files"]] == ["added"]

    def test_json_is_read(self, http: httpx2.Client) -> None:
        headers = {"Content-Type": "application/json"}
        response = http.post("/api/v1/search", content=piecewise(b'{"query": "vessel"}'), headers=headers)
        assert response.status_code == 200

    def test_nothing_stays_nothing(self, http: httpx2.Client) -> None:
        response = http.post(
            "/api/v1/search", content=piecewise(b""), headers={"Content-Type": "application/json"}
        )
        assert (response.status_code, response.json()["errors"][0]["field"]) == (400, "query")
