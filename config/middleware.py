"""What every request and every response goes through."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest

PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class CharsetMiddleware:
    """Answer 400 to a body in anything but UTF-8, which Django would fail to read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.lower().replace("-", "").replace("_", "") != "utf8":
            return HttpResponseBadRequest("Send text as UTF-8.", content_type="text/plain")
        return self.get_response(request)


class ContentSecurityPolicyMiddleware:
    """Send the policy in `SECURE_CSP`. Django 6 brings the same; this goes when we move there."""

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.policy = "; ".join(
            f"{directive} {' '.join(sources)}" for directive, sources in settings.SECURE_CSP.items()
        )

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response
