"""Bodies of requests over a real server: without a length, too large, and in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import uvicorn
from django.db import connections

from config.threads import ThreadedHandler
from documents.models import Collection
from tenants.models import Scope
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
