"""Django in a few threads, each of which keeps its database connection from request to request."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.db import close_old_connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.health import LIVENESS, health

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ThreadedHandler(ASGIHandler):
    """Answers each request in one of so many threads; when all are busy, requests wait in a line.

    Django itself starts a thread, and with it a connection, for every request, and goes there and back for
    every middleware; here a request goes once. A thread is taken once the body has arrived and given back
    before the answer is sent, so that slow clients hold none.
    """

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="web")
        self.beside = ThreadPoolExecutor(1, thread_name_prefix="beside")  # Signals, and what is to be closed.

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        async with ThreadSensitiveContext(executor=self.beside):
            await super().__call__(scope, receive, send)

    def create_request(
        self, scope: Mapping[str, Any], body_file: IO[bytes]
    ) -> tuple[ASGIRequest, None] | tuple[None, HttpResponseBase]:
        """Say how long a body is that came in chunks: REST framework takes one without a length for none."""
        created = super().create_request(scope, body_file)
        if created[0] is not None and (size := measure(body_file)):
            created[0].META.setdefault("CONTENT_LENGTH", str(size))
        return created

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info == LIVENESS:
            return health()  # Whoever waits in the line would be taken for dead.
        return await sync_to_async(self.answer, thread_sensitive=False, executor=self.threads)(request)

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        close_old_connections()
        return self.get_response(request)


def measure(body: IO[bytes]) -> int:
    body.seek(0, os.SEEK_END)
    size = body.tell()
    body.seek(0)
    return size
