"""The languages of the pages: English, and whichever has a compiled catalogue in `locale/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf.locale import LANG_INFO
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, override, to_language

from config.middleware import Handler

ENGLISH = "en"


def find_languages(folder: Path) -> list[tuple[str, str]]:
    """Name each language that can be read: Django brings half of many, and half a translation is none."""
    catalogues = folder.glob("*/LC_MESSAGES/django.mo")
    others = {to_language(path.parent.parent.name) for path in catalogues} - {ENGLISH}
    return [(code, name_language(code)) for code in (ENGLISH, *sorted(others))]


def name_language(code: str) -> str:
    known: dict[str, Any] = LANG_INFO.get(code) or LANG_INFO.get(code.partition("-")[0]) or {}
    return str(known.get("name", code))


def language_middleware(get_response: Handler) -> Handler:
    """Speak the language of who asks, on pages. Django's own would do so in answers to programs too."""

    def speak(request: HttpRequest) -> HttpResponse:
        with override(choose_language(request)):
            return tell_language(request, get_response(request))

    return speak


def choose_language(request: HttpRequest) -> str:
    language = ENGLISH if is_english(request) else get_language_from_request(request)
    request.LANGUAGE_CODE = language
    return language


def tell_language(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Say which language it is, so that no cache gives one person's to another."""
    if not is_english(request):
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
    return response


def is_english(request: HttpRequest) -> bool:
    """Whether it is for programs, or for whoever runs the installation, as commands and logs are."""
    return request.path_info.startswith(("/api/", "/admin/"))
