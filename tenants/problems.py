"""Errors of the API as RFC 9457 has them: one form for all, with the field and the cure."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, NotRequired, TypedDict

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    DisallowedHost,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.defaults import page_not_found, server_error
from rest_framework.response import Response
from rest_framework.views import exception_handler

MEDIA_TYPE = "application/problem+json"
MEGABYTE = 1_000_000
SEVERAL = "What was sent cannot be taken: see `errors`."
NOT_HERE = "There is nothing at this address. The description of the API is at /api/v1/schema."
WRONG_HOST = "This host name is not answered here. PANDECT_HOSTS names those that are."
ONLY_READ = "This can only be read: ask by GET."
FAULT = "This is a fault of ours. Whoever runs this installation finds it in the log."


class FieldError(TypedDict):
    field: str  # The path to it, such as `filters.documents.0`; nothing for the whole.
    message: str


class Candidate(TypedDict):
    """A unit that a citation may mean."""

    document_id: str
    document: str
    label: str


class Problem(TypedDict):
    """Why a request was refused, as RFC 9457 has it, and what to do."""

    type: str
    title: str
    status: int
    detail: str  # For people.
    errors: NotRequired[list[FieldError]]  # What is wrong with the fields that were sent.
    existing: NotRequired[list[str]]  # Labels of what there is, where a unit does not exist.
    document: NotRequired[str]  # The document that has no such unit.
    offset: NotRequired[int]  # Where an upload goes on.
    files: NotRequired[list[dict[str, Any]]]  # What became of each file, where none was taken.
    candidates: NotRequired[list[Candidate]]  # Units of several documents that a citation may mean.


def answer_problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn what REST framework would answer into a problem; what it does not know is a fault."""
    response = exception_handler(error, context)
    if response is not None:
        response.data = describe_problem(response.status_code, response.data)
        response.content_type = MEDIA_TYPE
    return response


def describe_problem(status: int, data: Any) -> dict[str, Any]:
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
    }
    if isinstance(data, dict) and "detail" in data:  # What stands beside it helps on, and is kept.
        return {**problem, **data, "detail": str(data["detail"])}
    errors = [{"field": field, "message": message} for field, message in list_errors(data)]
    detail = errors[0]["message"] if len(errors) == 1 else SEVERAL
    return {**problem, "detail": detail, "errors": errors}


def list_errors(data: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield each message with the path of its field: `filters.documents.0`."""
    match data:
        case dict():
            for name, inner in data.items():
                own = "" if name == "non_field_errors" else str(name)
                yield from list_errors(inner, ".".join(filter(None, (field, own))))
        case list() if all(isinstance(one, str) for one in data):
            yield from ((field, str(one)) for one in data)
        case list():
            for place, inner in enumerate(data):
                if inner:
                    yield from list_errors(inner, f"{field}.{place}".lstrip("."))
        case _:
            yield field, str(data)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say what Django refuses by itself: 413 if it is too much, else 400."""
    status = 413 if isinstance(exception, RequestDataTooBig) else 400
    detail = tell_refusal(exception, length=int(request.META.get("CONTENT_LENGTH") or 0))
    if is_of_api(request):
        return answer(status, detail)
    return HttpResponse(render_to_string(f"{status}.html", {"detail": detail}), status=status)


def tell_refusal(exception: Exception, *, length: int) -> str:
    """Say what Django has refused of a request of some length, and what to do."""
    match exception:
        case RequestDataTooBig():
            return tell_too_large(length)
        case TooManyFieldsSent():
            said = _("A form has %(most)s fields at most. Send fewer at a time.")
            return said % {"most": f"{settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,}"}
        case TooManyFilesSent():
            said = _("A form has %(most)s files at most. Send fewer at a time, or a zip.")
            return said % {"most": f"{settings.DATA_UPLOAD_MAX_NUMBER_FILES:,}"}
        case DisallowedHost():
            return WRONG_HOST
        case BadRequest() if str(exception):
            return str(exception)
        case _:
            return _("The request could not be read.")


def tell_too_large(length: int) -> str:
    if length > settings.MAX_BODY:
        said = _(
            "A request has %(most)s MB at most. Send fewer files at a time, or have the limit raised "
            "(PANDECT_MAX_BODY_MB)."
        )
        return said % {"most": f"{settings.MAX_BODY_MB:,}"}
    said = _("What is sent, files aside, has %(most)s MB at most. Send less at a time.")
    return said % {"most": f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE / MEGABYTE:g}"}


def only_read(request: HttpRequest) -> HttpResponse | None:
    """Refuse whatever is not GET or HEAD."""
    if request.method in {"GET", "HEAD"}:
        return None
    refusal = answer(405, ONLY_READ)
    refusal["Allow"] = "GET, HEAD"
    return refusal


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(404, NOT_HERE) if is_of_api(request) else page_not_found(request, exception)


def fault(request: HttpRequest) -> HttpResponse:
    return answer(500, FAULT) if is_of_api(request) else server_error(request)


def is_of_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def answer(status: int, detail: str) -> JsonResponse:
    problem = describe_problem(status, {"detail": detail})
    return JsonResponse(problem, status=status, content_type=MEDIA_TYPE)
