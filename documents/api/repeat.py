"""Requests that may be sent again: `Idempotency-Key`.

Whoever hears no answer cannot know whether something was done, and asks again with the same key: it is done
once, and answered alike. What was refused is not kept: nothing came of it, so it may be tried again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import wraps
from hashlib import sha256
from typing import Any, TypeVar, cast

from rest_framework.exceptions import APIException, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.api.shared import Conflict
from documents.errors import AnotherRequest, UnderWay
from documents.models import AnsweredRequest
from tenants.api import TenantAPIView, acting_program
from tenants.schema import REPEATABLE

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
LONGEST = 255
KEPT_HEADERS = ("Location", "ETag", "Upload-Offset", "Upload-Length", "Upload-Expires")
SAID_IN_HEADERS = ("Upload-Length", "Upload-Metadata")  # What tus says there rather than in a body.

F = TypeVar("F", bound=Callable[..., Response])
Change = Callable[[Request, dict[str, Any]], dict[str, Any]]


class AnotherRequestSent(APIException):
    """The key belongs to another request."""

    status_code = 422
    default_code = "key_of_another_request"


def unchanged(request: Request, shown: dict[str, Any]) -> dict[str, Any]:
    return shown


def repeatable(*, keep: Change = unchanged, renew: Change = unchanged) -> Callable[[F], F]:
    """Make a POST that does nothing twice. `keep` takes out of an answer what must not be stored, and `renew`
    puts it back when the answer is given again."""

    def decorate(post: F) -> F:
        @wraps(post)
        def answer(self: TenantAPIView, request: Request, *args: Any, **kwargs: Any) -> Response:
            if HEADER not in request.headers:
                return post(self, request, *args, **kwargs)
            known = describe_request(request)
            if (before := find_before(known)) is not None:
                return replay(request, before, renew)
            response = post(self, request, *args, **kwargs)
            if response.status_code < 400:  # noqa: PLR2004
                keep_response(known, response, keep(request, response.data))
            return response

        setattr(answer, REPEATABLE, True)
        return cast("F", answer)

    return decorate


def describe_request(request: Request) -> dict[str, Any]:
    program = acting_program(request)
    return {
        "tenant": program.tenant,
        "program_id": program.id,
        "key": read_key(request.headers[HEADER]),
        "request_hash": fingerprint(request),
    }


def read_key(given: str) -> str:
    key = given.strip()
    if not key or len(key) > LONGEST or not key.isascii() or not key.isprintable():
        raise ValidationError(
            {HEADER: [f"A key has 1 to {LONGEST} characters of ASCII that can be printed, such as a UUID."]}
        )
    return key


def find_before(known: dict[str, Any]) -> AnsweredRequest | None:
    try:
        return services.find_answer(**known)
    except AnotherRequest as error:
        raise AnotherRequestSent(str(error)) from error
    except UnderWay as error:
        raise Conflict(str(error)) from error


def keep_response(known: dict[str, Any], response: Response, shown: dict[str, Any]) -> None:
    services.keep_answer(
        **known,
        status=response.status_code,
        headers={name: response[name] for name in KEPT_HEADERS if name in response},
        body=JSONRenderer().render(shown).decode(),
    )


def replay(request: Request, before: AnsweredRequest, renew: Change) -> Response:
    shown = renew(request, json.loads(before.body))
    return Response(shown, status=before.status, headers={**before.headers, REPLAYED: "true"})


def fingerprint(request: Request) -> str:
    """Hash what is asked, and not how it is written: a form has another boundary each time."""
    digest = sha256()
    for part in said(request):
        digest.update(f"{len(part)}:".encode() + part)
    return digest.hexdigest()


def said(request: Request) -> Iterator[bytes]:
    yield f"{request.method} {request.get_full_path()}".encode()
    for name in SAID_IN_HEADERS:
        yield request.headers.get(name, "").encode()
    fields = request.data if not request.FILES else dict(request.POST.lists())
    yield json.dumps(fields, sort_keys=True, default=str).encode()
    for field, files in sorted(request.FILES.lists()):
        for file in files:
            yield json.dumps([field, file.name]).encode()
            yield digest_of(file)


def digest_of(file: Any) -> bytes:
    digest = sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.digest()
