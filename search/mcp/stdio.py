"""Serve one client over standard input and output, which carry nothing but the protocol."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable
from typing import Self, cast

import anyio
from mcp.server.stdio import stdio_server

from search.mcp.server import Context, build_server
from search.mcp.threads import in_thread
from tenants.authentication import Program

LONGEST_LINE = 4_000_000  # Bytes of a message.


def serve_stdio(find_program: Callable[[], Program]) -> None:
    """Serve until the client closes its end; who calls is looked up for each request.

    Being told to leave is heard between steps: an exception raised amid the event loop can leave it waiting
    for tasks that nobody ends.
    """

    async def find(context: Context) -> Program:
        return await in_thread(find_program)

    async def serve() -> None:
        server = build_server(find)
        async with stdio_server(await open_input()) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    async def serve_until_told() -> bool:
        with anyio.open_signal_receiver(signal.SIGTERM) as signals:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(serve_and_end, tasks.cancel_scope)
                async for _ in signals:
                    tasks.cancel_scope.cancel()
                    return True
        return False

    async def serve_and_end(scope: anyio.CancelScope) -> None:
        await serve()
        scope.cancel()

    leave = signal.getsignal(signal.SIGTERM)
    try:
        was_told = anyio.run(serve_until_told)
    finally:
        signal.signal(signal.SIGTERM, leave)
    if was_told:
        sys.exit(128 + signal.SIGTERM)


class Lines:
    """Standard input by lines. Waiting for one can be given up, which in a thread it cannot."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self.reader = reader

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self.reader.readline()
        if not line:
            raise StopAsyncIteration
        return line.decode(errors="replace")


async def open_input() -> anyio.AsyncFile[str] | None:
    """Open standard input if it is a pipe, as clients make it; anything else the library reads by itself."""
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not stat.S_ISFIFO(mode) and not stat.S_ISSOCK(mode):
        return None
    reader, loop = asyncio.StreamReader(limit=LONGEST_LINE), asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return cast("anyio.AsyncFile[str]", Lines(reader))
