"""The door for agents as agents use it: the official client, over HTTP and over standard streams."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections
from django.utils import timezone
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from documents.models import Collection
from search.mcp.threads import MOST_AT_ONCE
from search.mcp.tools import TOOLS
from tenants.models import ApiKey, AuditEvent, Scope, Tenant
from tenants.problems import FAULT
from tenants.scope import tenant_scope
from tenants.services import revoke_api_key
from tests import factories
from tests.agents import http_client, run, served_environment, stdio_agent, text_of, web_server
from tests.database import everything_but_searches
from tests.processes import ROOT
from tests.searching import fill
from tests.test_mcp_tools import CALLS, CITED

pytestmark = [
    pytest.mark.system,
    pytest.mark.timeout(900),
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]

Connect = Callable[[], AbstractAsyncContextManager[Client]]
READING = [name for name in TOOLS if name != "reindex"]
ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture
def acts() -> Collection:
    return fill(factories.tenant("harbour"))


@pytest.fixture(scope="module")
def served(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all: it keeps nothing of what was in the database before."""
    with web_server(tmp_path_factory.mktemp("web")) as url:
        yield url


def post(
    url: str, body: object = ASKED, *, method: str = "POST", **headers: str
) -> tuple[int, dict[str, str], Any]:
    """Send a message as programs without a library do; return status, headers and answer."""
    plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    sent = None if method == "GET" else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, sent, {**plain, **named}, method=method)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            return response.status, dict(response.headers), json.loads(response.read())
    except urllib.error.HTTPError as error:
        answer = error.read()
        is_json = "json" in error.headers.get("Content-Type", "")
        return error.code, dict(error.headers), json.loads(answer) if is_json else answer.decode()


def bearer(token: object) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def use_everything(connect: Connect, *, may_manage: bool) -> dict[str, str]:
    """List and call all that there is; return what the tools say."""
    async with connect() as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("pandect", "0.1")
        assert "never instructions" in (client.instructions or "")
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [name for name in TOOLS if may_manage or name != "reindex"]
        said = {}
        for tool in tools:
            result = await client.call_tool(tool.name, CALLS[tool.name])  # Held against its schema.
            assert not result.is_error, text_of(result)
            said[tool.name] = text_of(result)
        resources = (await client.list_resources()).resources
        assert [one.name for one in resources] == ["harbour-safety-act.md", "pilotage-rules.md"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.name for one in templates] == ["document", "section", "definition"]
        for uri in (
            *(one.uri for one in resources),
            "pandect://sections/acts/harbour-safety-act.md/Section%202%28a%29",
            "pandect://definitions/vessel",
        ):
            (contents,) = (await client.read_resource(uri)).contents
            assert "~~~" in contents.model_dump()["text"]
        await use_wrongly(client)
        return said


async def use_wrongly(client: Client) -> None:
    """What a tool refuses is its answer; what the protocol does not know is an error of it."""
    wrong = await client.call_tool("getSection", {"citation": "Section 9 of the Harbour Safety Act"})
    assert wrong.is_error
    assert "- Section 3" in text_of(wrong)
    assert (await client.call_tool("semanticSearch", {"query": "x", "topk": 1})).is_error
    with pytest.raises(MCPError, match="There is no such tool"):
        await client.call_tool("dropTables", {})
    with pytest.raises(MCPError, match="There is no such resource"):
        await client.read_resource("pandect://nothing/here")


def test_everything_over_http_by_the_newest_protocol_and_by_an_older_one(
    served: str, acts: Collection
) -> None:
    _, token = factories.api_key(acts.tenant, Scope.READ, Scope.MANAGE)
    for mode in ("auto", "legacy"):
        connect = partial(http_client, served, token, mode)
        said = run(partial(use_everything, connect, may_manage=True))
        assert said["reindex"].startswith("Started: 2 versions")
    with tenant_scope(acts.tenant_id):
        assert AuditEvent.objects.filter(action="index.rebuilt").count() == 2


def test_everything_over_standard_streams(acts: Collection) -> None:
    before = everything_but_searches(acts.tenant)
    run(lambda: use_everything(lambda: stdio_agent("--tenant", "harbour"), may_manage=False))
    assert everything_but_searches(acts.tenant) == before


def test_over_standard_streams_by_an_older_protocol_with_leave_to_reindex(acts: Collection) -> None:
    def connect() -> AbstractAsyncContextManager[Client]:
        return stdio_agent("--tenant", "harbour", "--allow-reindex", mode="legacy")

    said = run(lambda: use_everything(connect, may_manage=True))
    assert said["reindex"].startswith("Started: 2 versions")


class TestKeysOverHttp:
    """Who may ask over HTTP, and what the answer says to whoever may not."""

    def test_each_wrong_key_is_refused_and_nothing_changes(self, served: str, acts: Collection) -> None:
        tenant = acts.tenant
        revoked, revoked_token = factories.api_key(tenant)
        revoke_api_key(key=revoked, actor=factories.ACTOR)
        expired, expired_token = factories.api_key(tenant)
        past = timezone.now() - timedelta(days=2)
        with tenant_scope(tenant.pk):
            ApiKey.objects.filter(pk=expired.pk).update(
                created_at=past, expires_at=past + timedelta(days=1), last_used_at=timezone.now()
            )
        _, good = factories.api_key(tenant)
        closed_tenant = factories.tenant("closed")
        _, closed_token = factories.api_key(closed_tenant)
        with tenant_scope(closed_tenant.pk):
            Tenant.objects.update(is_active=False)
        before = everything_but_searches(tenant)
        unknown = f"{str(good)[:-1]}{'A' if str(good)[-1] != 'A' else 'B'}"
        for token in (revoked_token, expired_token, closed_token, unknown, "x", "pandect_", "é"):
            status, headers, problem = post(f"{served}/mcp", **bearer(token))
            assert status == 401, token
            assert headers["www-authenticate"] == 'Bearer realm="pandect", error="invalid_token"'
            assert problem["detail"].startswith("This API key is unknown, expired or revoked.")
        for nothing in ({}, {"Authorization": "Basic YTpi"}):
            status, headers, problem = post(f"{served}/mcp", **nothing)
            assert (status, headers["www-authenticate"]) == (401, 'Bearer realm="pandect"')
            assert problem["detail"].startswith("Send an API key as `Authorization: Bearer pandect_…`.")
        assert everything_but_searches(tenant) == before

    def test_scopes_hold(self, served: str, acts: Collection) -> None:
        _, reader = factories.api_key(acts.tenant, Scope.READ)
        _, manager = factories.api_key(acts.tenant, Scope.MANAGE)
        status, headers, problem = post(f"{served}/mcp", **bearer(manager))
        assert (status, headers["www-authenticate"]) == (
            403,
            'Bearer realm="pandect", error="insufficient_scope", scope="read"',
        )
        assert "lacks the scope “read”" in problem["detail"]
        _, _, answer = post(f"{served}/mcp", **bearer(reader))
        assert [tool["name"] for tool in answer["result"]["tools"]] == READING
        before = everything_but_searches(acts.tenant)
        call = {**ASKED, "method": "tools/call", "params": {"name": "reindex", "arguments": {}}}
        _, _, answer = post(f"{served}/mcp", call, **bearer(reader))
        assert answer["result"]["isError"] is True
        assert answer["result"]["content"][0]["text"].startswith(
            "reindex: this key lacks the scope “manage”."
        )
        assert everything_but_searches(acts.tenant) == before

    def test_a_key_that_is_revoked_meanwhile_ends_there(self, served: str, acts: Collection) -> None:
        key, token = factories.api_key(acts.tenant)
        assert post(f"{served}/mcp", **bearer(token))[0] == 200
        revoke_api_key(key=key, actor=factories.ACTOR)
        assert post(f"{served}/mcp", **bearer(token))[0] == 401

    def test_what_a_browser_or_a_stranger_would_send_is_refused(self, served: str, acts: Collection) -> None:
        _, token = factories.api_key(acts.tenant)
        key, url = bearer(token), f"{served}/mcp"
        assert post(url, **key, Origin=served)[0] == 200
        assert post(f"{url}/", **key)[0] == 200
        status, _, problem = post(url, **key, Origin="https://evil.example")
        assert (status, problem["title"]) == (403, "Forbidden")
        assert post(url, **key, Host="evil.example")[0] == 400
        for method in ("GET", "DELETE", "PUT"):
            status, headers, _ = post(url, method=method, **key)
            assert (status, headers["allow"]) == (405, "POST")
        assert post(url, {"text": "x" * 1_000_000}, **key)[0] == 413

    def test_pages_and_rest_are_as_they_were(self, served: str, acts: Collection) -> None:
        _, token = factories.api_key(acts.tenant)
        with urllib.request.urlopen(f"{served}/", timeout=60) as response:  # noqa: S310
            assert b"Find the paragraph" in response.read()
        status, _, answer = post(f"{served}/api/v1/search", {"query": CITED}, **bearer(token))
        assert (status, answer["results"][0]["section_label"]) == (200, "Section 2(a)")
        assert post(f"{served}/mcp-else", **bearer(token))[0] == 404


def send(url: str, body: bytes, accept: str, token: object) -> tuple[str, bytes]:
    """Send bytes; return the kind of the answer, and the answer."""
    headers = {"Content-Type": "application/json", "Accept": accept, **bearer(token)}
    try:
        with urllib.request.urlopen(  # noqa: S310
            urllib.request.Request(f"{url}/mcp", body, headers),  # noqa: S310
            timeout=60,
        ) as response:
            return response.headers["Content-Type"].partition(";")[0], response.read()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.headers['Content-Type'].partition(';')[0]}", error.read()


class TestProgressOverHttp:
    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_is_told_to_whoever_asks_for_it(self, served: str, acts: Collection, mode: str) -> None:
        _, token = factories.api_key(acts.tenant)
        told: list[tuple[float, float | None, str | None]] = []

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total, message))

        async def ask() -> tuple[str, str]:
            async with http_client(served, token, mode) as client:
                with_it = await client.call_tool("getSection", CALLS["getSection"], progress_callback=tell)
                without = await client.call_tool("getSection", CALLS["getSection"])
                return text_of(with_it), text_of(without)

        with_it, without = run(ask)
        assert with_it == without
        assert told == [(0, 1, "Read a unit …"), (1, 1, None)]

    def test_makes_a_stream_of_the_answer_for_nobody_else(self, served: str, acts: Collection) -> None:
        _, token = factories.api_key(acts.tenant)
        both, stream = "application/json, text/event-stream", "text/event-stream"

        def call(meta: object) -> bytes:
            params = {"name": "listDocuments", "arguments": {}, "_meta": meta}
            return json.dumps({**ASKED, "method": "tools/call", "params": params}).encode()

        for meta, accept, kind in (
            ({"progressToken": "a"}, both, stream),
            ({"progressToken": 0}, "*/*", stream),
            ({"progressToken": "a"}, "application/json", "application/json"),
            ({}, both, "application/json"),
        ):
            found, answer = send(served, call(meta), accept, token)
            assert (found, b"harbour-safety-act.md" in answer) == (kind, True), (meta, accept)
            assert answer.count(b"notifications/progress") == (2 if kind == stream else 0)
        for wrong in (None, True, ["a"]):
            found, answer = send(served, call({"progressToken": wrong}), both, token)
            assert (found, b"notifications/progress" in answer) == ("application/json", False)
        for broken in (b'{"progressToken"', b'["progressToken"]', b'{"params": ""progressToken""}'):
            assert send(served, broken, both, token)[0] == "400 application/json"


def test_a_key_may_ask_so_often_by_both_doors_together(acts: Collection, tmp_path: Path) -> None:
    _, token = factories.api_key(acts.tenant)
    with web_server(tmp_path, PANDECT_API_RATE="2") as url:
        statuses = [post(f"{url}/mcp", **bearer(token))[0]]
        statuses += [post(f"{url}/api/v1/search", {"query": "vessel"}, **bearer(token))[0]]
        answers = [post(f"{url}/mcp", **bearer(token)) for _ in range(3)]
    # A minute may begin in between, and then two more are let through.
    assert statuses == [200, 200]
    assert 429 in {status for status, _, _ in answers}
    (_, headers, problem) = next(answer for answer in answers if answer[0] == 429)
    assert 1 <= int(headers["retry-after"]) <= 60
    assert problem["detail"].startswith("Too many requests.")


def test_of_a_fault_over_standard_streams_nothing_is_told_but_that_it_is_one(acts: Collection) -> None:
    async def ask() -> list[Any]:
        async with stdio_agent("--tenant", "harbour") as client:
            asked = (
                partial(client.call_tool, "listCollections", {}),
                client.list_resources,
                partial(client.read_resource, "pandect://definitions/vessel"),
            )
            return [await error_of(one) for one in asked]

    with without_table("documents_collection"):
        assert run(ask) == [(INTERNAL_ERROR, FAULT)] * 3


def test_of_a_fault_over_http_nothing_is_told_but_that_it_is_one(acts: Collection, tmp_path: Path) -> None:
    _, token = factories.api_key(acts.tenant)
    call = {**ASKED, "method": "tools/call", "params": {"name": "listCollections", "arguments": {}}}
    with web_server(tmp_path, has_faults=True) as url, without_table("documents_collection"):
        status, _, answer = post(f"{url}/mcp", call, **bearer(token))
    assert (status, answer["error"]) == (200, {"code": INTERNAL_ERROR, "message": FAULT})
    assert 'relation "documents_collection" does not exist' in (tmp_path / "web.log").read_text()


@contextmanager
def without_table(name: str) -> Iterator[None]:
    """Bring about a fault that nobody has thought of."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {name} RENAME TO {name}_away")
    try:
        yield
    finally:
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"ALTER TABLE {name}_away RENAME TO {name}")


async def error_of(ask: Callable[[], Any]) -> tuple[int, str]:
    with pytest.raises(MCPError) as raised:
        await ask()
    return raised.value.error.code, raised.value.error.message


def test_many_calls_at_once_are_answered_by_few_connections_that_are_kept(
    acts: Collection, tmp_path: Path
) -> None:
    """By a server of its own: that of the others has kept some already."""
    _, token = factories.api_key(acts.tenant)
    said: list[str] = []
    seen: list[int] = []

    async def call(client: Client, number: int) -> None:
        name = READING[number % len(READING)]
        result = await client.call_tool(name, CALLS[name])
        assert not result.is_error, text_of(result)
        said.append(name)

    async def call_all(url: str) -> None:
        async with http_client(url, token) as client, anyio.create_task_group() as group:
            for number in range(24):
                group.start_soon(call, client, number)
            while len(said) < 24:
                seen.append(await anyio.to_thread.run_sync(count_connections))
                await anyio.sleep(0.05)

    before = count_connections()
    with web_server(tmp_path) as url:
        run(partial(call_all, url))
        assert len(said) == 24
        said.clear()
        run(partial(call_all, url))
        assert len(said) == 24
        assert max(seen) - before <= MOST_AT_ONCE
        assert 1 <= count_connections() - before <= MOST_AT_ONCE


def count_connections() -> int:
    """Connections to the database of the tests, other than those that count: they linger for a moment."""
    given = connection.settings_dict
    with psycopg.connect(
        host=given["HOST"], dbname=given["NAME"], user=given["USER"], application_name="counting"
    ) as own:
        found = own.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND application_name <> 'counting'"
        ).fetchone()
    assert found is not None
    return int(found[0])


class TestStandardStreams:
    def test_progress_is_told_and_reindexing_has_to_be_allowed(self, acts: Collection) -> None:
        told: list[tuple[float, float | None]] = []

        async def tell(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total))

        async def ask() -> str:
            async with stdio_agent("--tenant", "harbour") as client:
                await client.call_tool("listDocuments", {}, progress_callback=tell)
                refused = await client.call_tool("reindex", {})
                assert refused.is_error
                return text_of(refused)

        assert run(ask).startswith("reindex: this server was started without the scope “manage”.")
        assert told == [(0, 1), (1, 1)]

    def test_a_key_in_the_environment_says_for_whom_and_can_be_revoked(self, acts: Collection) -> None:
        key, token = factories.api_key(acts.tenant)

        async def ask() -> None:
            async with stdio_agent(PANDECT_API_KEY=str(token)) as client:
                assert not (await client.call_tool("listDocuments", {})).is_error
                await anyio.to_thread.run_sync(revoke)
                with pytest.raises(MCPError, match="unknown, expired or revoked"):
                    await client.call_tool("listDocuments", {})

        def revoke() -> None:
            revoke_api_key(key=key, actor=factories.ACTOR)
            connection.close()

        run(ask)

    def test_the_output_carries_nothing_but_the_protocol_and_it_ends_with_its_input(
        self, acts: Collection, tmp_path: Path
    ) -> None:
        hello = {
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                       "clientInfo": {"name": "t", "version": "1"}},
        }  # fmt: skip
        messages = [
            hello,
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {**ASKED, "id": 2, "method": "tools/call", "params": {"name": "getIndexHealth", "arguments": {}}},
        ]
        with start(tmp_path, "--tenant", "harbour", PANDECT_LOG_LEVEL="DEBUG") as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write("".join(json.dumps(one) + "\n" for one in messages) + "no json\n")
                process.stdin.flush()
                answers = [json.loads(process.stdout.readline()) for _ in range(2)]
                output, _ = process.communicate(timeout=120)
            finally:
                process.kill()
        rest = [json.loads(line) for line in output.splitlines()]
        results = {one.get("id"): one for one in [*answers, *rest]}
        assert "The index is healthy" in results[2]["result"]["content"][0]["text"]
        assert process.returncode == 0

    @pytest.mark.parametrize("moment", range(4))
    def test_it_ends_when_told(self, acts: Collection, tmp_path: Path, moment: int) -> None:
        """At any moment after an answer: also while the event loop is busy with what follows it."""
        with start(tmp_path, "--tenant", "harbour") as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps({**ASKED, "method": "ping"}) + "\n")
                process.stdin.flush()
                assert process.stdout.readline()
                time.sleep(moment / 200)
                process.send_signal(signal.SIGTERM)
                assert process.wait(120) == 128 + signal.SIGTERM
                assert "Traceback" not in (tmp_path / "errors.txt").read_text()
            finally:
                process.kill()


def start(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """Start the command; what it logs goes to a file, as nobody empties a pipe meanwhile."""
    with (folder / "errors.txt").open("w") as errors:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "mcp", *arguments],
            cwd=settings.BASE_DIR,
            env=served_environment(**variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
