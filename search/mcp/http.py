"""The door over HTTP: `/mcp`, beside Django in the same process.

Each request stands for itself: no session is kept, so any process can answer it. It is refused here, before
anything of it is read, unless it comes by an allowed name, over HTTPS where that is asked for, with a key.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from io import BytesIO
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from mcp.server.transport_security import TransportSecuritySettings
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
        self.inner: Application = build_server(program_of_request).streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            max_request_body_size=MOST_BYTES,
            # Hosts and origins are looked at here, as Django's settings say.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, self.noticing(send))
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

    async def admit(self, request: ASGIRequest) -> Program:
        if not self.is_alive:
            raise Refused(503, NOT_ALIVE)
        require_address(request)
        return await find_program(request)


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
