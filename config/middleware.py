"""What every request and every response goes through.

Under ASGI Django runs the middlewares as one asynchronous chain, and each one that is not asynchronous
costs two changes of thread. These are of both kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils.decorators import sync_and_async_middleware

PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

Handler = Callable[[HttpRequest], Any]


@sync_and_async_middleware
def charset_middleware(get_response: Handler) -> Handler:
    """Answer 400 to a body in anything but UTF-8, which Django would fail to read."""
    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponse:
            return refuse_charset(request) or await get_response(request)

        return asynchronous
    return lambda request: refuse_charset(request) or get_response(request)


def refuse_charset(request: HttpRequest) -> HttpResponse | None:
    charset = (request.content_params or {}).get("charset", "utf-8")
    if charset.lower().replace("-", "").replace("_", "") == "utf8":
        return None
    return HttpResponseBadRequest("Send text as UTF-8.", content_type="text/plain")


@sync_and_async_middleware
def content_security_policy_middleware(get_response: Handler) -> Handler:
    """Send the policy in `SECURE_CSP`. Django 6 brings the same; this goes when we move there."""
    policy = "; ".join(f"{name} {' '.join(sources)}" for name, sources in settings.SECURE_CSP.items())

    def protected(response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response

    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponse:
            return protected(await get_response(request))

        return asynchronous
    return lambda request: protected(get_response(request))
