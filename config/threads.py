"""Django in a few threads, each of which keeps its database connection from request to request."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, NoReturn, cast

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core.exceptions import RequestAborted, RequestDataTooBig
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

    async def handle(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        await super().handle(scope, Arriving(receive, announced_length(scope)), send)

    async def read_body(self, receive: Receive) -> IO[bytes]:
        """Keep a body, unless it is too large: then whoever reads it is told so. Django's own keeps any."""
        body = tempfile.SpooledTemporaryFile(settings.FILE_UPLOAD_MAX_MEMORY_SIZE)  # noqa: SIM115
        try:
            await fill(body, receive)
        except RequestDataTooBig:
            body.close()
            return TooLarge()
        except BaseException:
            body.close()
            raise
        return cast("IO[bytes]", body)

    async def listen_for_disconnect(self, receive: Receive) -> NoReturn:
        """Let pass by what still arrives of a body that was refused: its client hears the answer after it."""
        pending = receive.receive if isinstance(receive, Arriving) else receive
        while (await pending())["type"] == "http.request":
            pass
        raise RequestAborted

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


class Arriving:
    """What a client sends, as long as it is not too much: nobody has asked yet who it is."""

    def __init__(self, receive: Receive, announced: int) -> None:
        self.receive = receive
        self.left = settings.MAX_BODY if announced <= settings.MAX_BODY else -1

    async def __call__(self) -> Message:
        if self.left >= 0:
            message = await self.receive()
            self.left -= len(message.get("body", b""))
        if self.left < 0:
            raise RequestDataTooBig
        return message


class TooLarge(io.BytesIO):
    """Stands for a body that was not kept. What refuses a request without its body refuses it first."""

    def read(self, size: int | None = -1, /) -> NoReturn:
        raise RequestDataTooBig

    def readline(self, size: int | None = -1, /) -> NoReturn:
        raise RequestDataTooBig


async def fill(body: tempfile.SpooledTemporaryFile[bytes], receive: Receive) -> None:
    has_more = True
    while has_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAborted
        body.write(message.get("body", b""))
        has_more = message.get("more_body", False)
    body.seek(0)


def announced_length(scope: Mapping[str, Any]) -> int:
    given = dict(scope["headers"]).get(b"content-length", b"")
    return int(given) if given.isdigit() else 0


def measure(body: IO[bytes]) -> int:
    if isinstance(body, TooLarge):
        return int(settings.MAX_BODY) + 1
    body.seek(0, os.SEEK_END)
    size = body.tell()
    body.seek(0)
    return size
