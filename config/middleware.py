"""What every request and every response goes through, in the thread that answers it."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest

PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

Handler = Callable[[HttpRequest], HttpResponse]


def charset_middleware(get_response: Handler) -> Handler:
    """Answer 400 to a body in anything but UTF-8, which Django would fail to read."""
    return lambda request: refuse_charset(request) or get_response(request)


def refuse_charset(request: HttpRequest) -> HttpResponse | None:
    charset = (request.content_params or {}).get("charset", "utf-8")
    if charset.lower().replace("-", "").replace("_", "") == "utf8":
        return None
    return HttpResponseBadRequest("Send text as UTF-8.", content_type="text/plain")


def content_security_policy_middleware(get_response: Handler) -> Handler:
    """Send the policy in `SECURE_CSP`. Django 6 brings the same; this goes when we move there."""
    policy = "; ".join(f"{name} {' '.join(sources)}" for name, sources in settings.SECURE_CSP.items())

    def protected(response: HttpResponse) -> HttpResponse:
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response

    return lambda request: protected(get_response(request))
