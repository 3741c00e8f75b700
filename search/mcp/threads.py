"""Run what is synchronous beside the event loop, in a few threads, each of which keeps its connection."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections

T = TypeVar("T")
MOST_AT_ONCE = 8  # Of one process: as many connections to the database it has at most. Others wait.
POOL = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="mcp")


async def in_thread(call: Callable[[], T]) -> T:
    """Run a call in a thread of the pool, in the context of whoever waits for it."""
    return await sync_to_async(with_connection, thread_sensitive=False, executor=POOL)(call)


def with_connection(call: Callable[[], T]) -> T:
    """Do as Django does around a request: see that the thread's connection lives, and is not too old."""
    close_old_connections()
    try:
        return call()
    finally:
        close_old_connections()
