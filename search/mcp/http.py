"""The door over HTTP: `/mcp`, beside Django in the same process.

Each request stands for itself: no session is kept, so any process can answer it. It is refused here, before
anything of it is read, unless it comes by an allowed name, over HTTPS where that is asked for, with a key.

Answers are JSON. Whoever sends a token for progress is answered with a stream of events that ends with the
answer: the library decides between the two for a server and not for a request, so there is a server for each.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from mcp.server.streamable_http import check_accept_headers
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from starlette.applications import Starlette
from starlette.requests import Request

from search.mcp.callers import CallerRefused, LackingScope, TooOften, UnknownCaller, program_of_key
from search.mcp.server import Context, build_server
from search.mcp.threads import in_thread
from tenants.authentication import CHALLENGE, Program, read_bearer
from tenants.problems import MEDIA_TYPE, WRONG_HOST, describe_problem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]

PATH = "/mcp"
PROGRAM = "pandect.program"
MOST_BYTES = 1_000_000  # Of a request; the longest that a tool takes is a text of 50,000 characters.
NO_KEY = "Send an API key as `Authorization: Bearer pandect_…`. A tenant's admin can make one."
NOT_ALIVE = "The server was started without its lifespan. Start uvicorn with `--lifespan on`."
PROTECTION: Headers = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]


class Refused(Exception):
    """A request that is not let in: with which status, and why."""

    def __init__(self, status: int, detail: str, headers: Headers = ()) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = headers


class McpDoor:
    """Answers `/mcp` and the lifespan of the process, and hands everything else on."""

    def __init__(self, others: Application) -> None:
        self.others = others
        self.is_alive = False
        self.plain, self.streaming = build_application(is_plain=True), build_application(is_plain=False)
        let_begin_with(self.plain, self.streaming)
        self.inner = RequestBodyLimitMiddleware(self.hand_on, MOST_BYTES)  # It reads bodies to their end.

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.plain(scope, receive, self.noticing(send))
        elif scope["type"] == "http" and scope["path"].rstrip("/") == PATH:
            await self.answer({**scope, "path": PATH}, receive, send)
        else:
            await self.others(scope, receive, send)

    def noticing(self, send: Send) -> Send:
        """Notice when the server has begun, and when it has ended."""

        async def notice(message: Message) -> None:
            self.is_alive = message["type"] == "lifespan.startup.complete"
            await send(message)

        return notice

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            scope[PROGRAM] = await self.admit(ASGIRequest(dict(scope), BytesIO()))
        except Refused as refusal:
            await send_problem(send, refusal)
        else:
            await self.inner(scope, receive, protected(send))

    async def hand_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the server answer that answers as the message asks for."""
        first = await receive()
        is_streamed = wants_progress(first.get("body", b"")) and all(check_accept_headers(Request(scope)))
        chosen = self.streaming if is_streamed else self.plain
        await chosen(scope, preceded_by(first, receive), send)

    async def admit(self, request: ASGIRequest) -> Program:
        if not self.is_alive:
            raise Refused(503, NOT_ALIVE)
        require_address(request)
        return await find_program(request)


def build_application(*, is_plain: bool) -> Starlette:
    return build_server(program_of_request).streamable_http_app(
        streamable_http_path=PATH,
        json_response=is_plain,
        stateless_http=True,
        max_request_body_size=MOST_BYTES,
        # Hosts and origins are looked at here, as Django's settings say.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def let_begin_with(first: Starlette, other: Starlette) -> None:
    """Let one application begin and end with another."""
    own, others = first.router.lifespan_context, other.router.lifespan_context

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        async with own(application), others(application):
            yield

    first.router.lifespan_context = lifespan


def wants_progress(body: bytes) -> bool:
    """Tell whether a message has a token by which its sender is told of progress."""
    if b'"progressToken"' not in body:
        return False
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False  # Whoever answers says so.
    params = message.get("params") if isinstance(message, dict) else None
    return progress_token_from_params(params) is not None


def preceded_by(first: Message, receive: Receive) -> Receive:
    """Return what is received, with what was received already before it."""
    waiting = [first]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def require_address(request: ASGIRequest) -> None:
    """Refuse what Django would refuse, and what a browser was made to send from elsewhere."""
    try:
        host = request.get_host()
    except DisallowedHost as error:
        raise Refused(400, WRONG_HOST) from error
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        raise Refused(403, "Ask over HTTPS: a key must not travel in the clear.")
    own = f"{request.scheme}://{host}"
    if request.headers.get("Origin", own) not in {own, *settings.CSRF_TRUSTED_ORIGINS}:
        raise Refused(403, "Pages of other sites may not ask here. PANDECT_ORIGINS names those that may.")
    if request.method != "POST":
        raise Refused(405, "Send messages by POST: no stream is kept open here.", [(b"allow", b"POST")])


async def find_program(request: ASGIRequest) -> Program:
    """Return what acts with the key of a request."""
    text = read_bearer(request.META.get("HTTP_AUTHORIZATION", "").encode("latin-1"))
    try:
        return await in_thread(lambda: program_of_key(text))
    except UnknownCaller as error:
        error_of = f'{CHALLENGE}, error="invalid_token"' if text else CHALLENGE
        headers = [(b"www-authenticate", error_of.encode())]
        raise Refused(401, str(error) if text else NO_KEY, headers) from error
    except LackingScope as error:
        headers = [(b"www-authenticate", f'{CHALLENGE}, error="insufficient_scope", scope="read"'.encode())]
        raise Refused(403, str(error), headers) from error
    except TooOften as error:
        raise Refused(429, str(error), [(b"retry-after", str(error.seconds).encode())]) from error
    except CallerRefused as error:
        raise Refused(403, str(error)) from error


async def program_of_request(context: Context) -> Program:
    """Return what `answer` has let in."""
    request = cast("Request", context.request)
    program: Program = request.scope[PROGRAM]
    return program


def protected(send: Send) -> Send:
    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *PROTECTION]}
        await send(message)

    return add


async def send_problem(send: Send, refusal: Refused) -> None:
    """Answer as the REST API does."""
    body = json.dumps(describe_problem(refusal.status, {"detail": str(refusal)})).encode()
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        *refusal.headers,
        *PROTECTION,
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
