"""Requests that depend on what is there (RFC 9110): 304 for what is known, 412 for what has changed."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import parse_etags
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from tenants.authentication import TENANT_HEADER

# An answer is for whoever asked, in the tenant that they asked for: no cache may hand it to another.
VARY = ("Authorization", "Cookie", TENANT_HEADER)
DAY = 24 * 3600
WHEN_READ = "read_at"  # Is another each time, and says nothing of what was read.


class PreconditionFailed(APIException):
    """What was asked holds for a state that is no more."""

    status_code = 412
    default_detail = "It has been changed since you read it. Read it again, and change that."
    default_code = "precondition_failed"


def strong_etag(facts: Any) -> str:
    """Return what stays the same for as long as the facts do."""
    written = json.dumps(facts, cls=JSONEncoder, sort_keys=True, separators=(",", ":"))
    return f'"{sha256(written.encode()).hexdigest()[:32]}"'


def weak_etag(shown: Any) -> str:
    """Return what stays the same for as long as an answer says the same, whenever it was asked for."""
    return f"W/{strong_etag(_without_moment(shown))}"


def _without_moment(shown: Any) -> Any:
    match shown:
        case dict():
            return {name: _without_moment(one) for name, one in shown.items() if name != WHEN_READ}
        case list() | tuple():
            return [_without_moment(one) for one in shown]
    return shown


def answer_once(request: Request, shown: dict[str, Any], etag: str = "") -> HttpResponseBase:
    """Answer, or say that the client has it already (304). It asks each time, and nobody else keeps it."""
    return revalidated(request, Response(shown), etag or weak_etag(shown))


def revalidated(
    request: Request, response: HttpResponseBase, etag: str, *, max_age: int = 0
) -> HttpResponseBase:
    """Let the client that asked keep an answer: for a while, or to ask whether it still holds."""
    response["ETag"] = etag
    freshness: dict[str, Any] = {"max_age": max_age, "immutable": True} if max_age else {"no_cache": True}
    patch_cache_control(response, private=True, **freshness)
    patch_vary_headers(response, VARY)
    found = get_conditional_response(request, etag=etag, response=response)  # type: ignore[arg-type]
    return response if found is None else found


def expected_etags(request: Request) -> frozenset[str] | None:
    """Return the states of which one has to be the present one, as `If-Match` has them; none: any will do."""
    given = request.headers.get("If-Match")
    if given is None or given.strip() == "*":
        return None
    return frozenset(etag for etag in parse_etags(given) if not etag.startswith("W/"))
