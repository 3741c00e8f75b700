"""Agents to test the door for language models with: in this process, over HTTP and over standard streams."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from django.conf import settings
from django.db import connection
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from search.mcp.callers import program_of_tenant
from search.mcp.tools import TOOLS
from tenants.authentication import Program
from tenants.models import Tenant
from tests.processes import ROOT, end, environment, free_port

T = TypeVar("T")
SECONDS = 120


def text_of(result: CallToolResult) -> str:
    """What a model reads of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


class Agent:
    """An agent of a tenant that calls tools without a protocol in between."""

    def __init__(self, tenant: Tenant | Program, *, may_manage: bool = False) -> None:
        self.program = (
            tenant if isinstance(tenant, Program) else program_of_tenant(tenant, may_manage=may_manage)
        )

    def call(self, name: str, /, **arguments: Any) -> CallToolResult:
        return TOOLS[name].call(self.program, arguments)

    def ask(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the structured answer of a call that succeeds."""
        result = self.call(name, **arguments)
        assert not result.is_error, text_of(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def read(self, name: str, /, **arguments: Any) -> str:
        result = self.call(name, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    def refused(self, name: str, /, **arguments: Any) -> str:
        """Return why a call is refused."""
        result = self.call(name, **arguments)
        assert result.is_error
        assert result.structured_content is None
        return text_of(result)


def served_environment(**more: str) -> dict[str, str]:
    """For programs that use the database, the broker and the backends of the tests."""
    return environment(
        settings.HOME.path,
        DJANGO_SETTINGS_MODULE="tests.served_settings",
        PANDECT_TEST_HOME=str(settings.HOME.path),
        PANDECT_TEST_DATABASE=str(connection.settings_dict["NAME"]),
        PYTHONWARNINGS="ignore",
        **more,
    )


@contextmanager
def web_server(folder: Path, *, has_faults: bool = False, **more: str) -> Iterator[str]:
    """Start the web application as `manage.py up` does; yield its address. It fails if it is meant to."""
    port = free_port()
    with (folder / "web.log").open("w") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "config.serve", "config.asgi:application"),
                *("--port", str(port), "--lifespan", "on", "--no-access-log"),
            ],
            cwd=ROOT,
            env=served_environment(**more),
            stdout=log,
            stderr=log,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        await_answer(f"{url}/healthz", process)
        yield url
    finally:
        end(process)
    assert ("Traceback" in (folder / "web.log").read_text()) == has_faults


def await_answer(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310
                return
        except OSError:  # Nobody there yet, or too slowly.
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)


@asynccontextmanager
async def http_client(url: str, token: object, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def stdio_agent(*arguments: str, mode: str = "auto", **more: str) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=[str(ROOT / "manage.py"), "mcp", *arguments],
        env=served_environment(**more),
        cwd=ROOT,
    )
    with Path(os.devnull).open("w") as errors:  # noqa: ASYNC230
        async with Client(stdio_client(parameters, errlog=errors), mode=mode) as client:
            yield client


def run(work: Callable[[], Awaitable[T]]) -> T:
    """Run something asynchronous to its end, within reason."""

    async def bounded() -> T:
        with anyio.fail_after(2 * SECONDS):
            return await work()

    return anyio.run(bounded)
