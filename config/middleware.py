"""What every request and every response goes through, in the thread that answers it."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

Handler = Callable[[HttpRequest], HttpResponse]


def charset_middleware(get_response: Handler) -> Handler:
    """Refuse a body in anything but UTF-8, which Django would fail to read."""

    def middleware(request: HttpRequest) -> HttpResponse:
        require_charset(request)
        return get_response(request)

    return middleware


def require_charset(request: HttpRequest) -> None:
    charset = (request.content_params or {}).get("charset", "utf-8")
    if charset.lower().replace("-", "").replace("_", "") != "utf8":
        raise BadRequest("Send text as UTF-8.")


def content_security_policy_middleware(get_response: Handler) -> Handler:
    """Send the policy in `SECURE_CSP`. Django 6 brings the same; this goes when we move there."""
    policy = "; ".join(f"{name} {' '.join(sources)}" for name, sources in settings.SECURE_CSP.items())

    def protected(response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response

    return lambda request: protected(get_response(request))
