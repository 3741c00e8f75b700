"""The description of the API, for programs and as a page.

Both are public: they tell what the product can do, which its source tells too, and nothing of any tenant.
Whoever writes a client needs them before there is a key.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, wraps
from hashlib import sha256
from typing import Any

import yaml
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition
from drf_spectacular.generators import SchemaGenerator

from tenants.operations import read_components, read_groups
from tenants.problems import only_read
from tenants.schema import ALWAYS, WHY

Schema = dict[str, Any]
JSON, YAML = "application/vnd.oai.openapi+json", "application/vnd.oai.openapi"


View = Callable[[HttpRequest], HttpResponse]


def require_read(view: View) -> View:
    """Refuse everything but reading, as the rest of the API does; no token is missed before that."""

    @csrf_exempt
    @wraps(view)
    def read(request: HttpRequest) -> HttpResponse:
        return only_read(request) or view(request)

    return read


@cache
def build_schema() -> Schema:
    """Describe the API, once for each process: it is the same for everybody."""
    described: Schema = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return described


@cache
def write_schema(media_type: str) -> bytes:
    schema = build_schema()
    if media_type == JSON:
        return json.dumps(schema, ensure_ascii=False, indent=1).encode()
    return yaml.safe_dump(schema, allow_unicode=True, sort_keys=False, width=120).encode()


def asked_for(request: HttpRequest) -> str:
    """Return the form that is asked for: JSON, unless YAML is named in the address or preferred."""
    if "format" in request.GET:
        return YAML if request.GET["format"] == "yaml" else JSON
    return YAML if "yaml" in request.headers.get("Accept", "") else JSON


def etag_of(request: HttpRequest) -> str:
    return f'"{sha256(write_schema(asked_for(request))).hexdigest()[:32]}"'


@login_not_required
@require_read
@condition(etag_func=etag_of)
def schema(request: HttpRequest) -> HttpResponse:
    """Answer with the description in the form of OpenAPI."""
    media_type = asked_for(request)
    response = HttpResponse(write_schema(media_type), content_type=f"{media_type}; charset=utf-8")
    response["Cache-Control"] = "public, no-cache"
    response["Vary"] = "Accept"
    return response


@login_not_required
@require_read
def reference(request: HttpRequest) -> HttpResponse:
    """Show the description as a page."""
    origin = f"{request.scheme}://{request.get_host()}"
    return render(request, "tenants/reference.html", {**read_reference(), "origin": origin})


@cache
def read_reference() -> dict[str, Any]:
    schema = build_schema()
    return {
        "introduction": schema["info"]["description"].strip().split("\n\n"),
        "groups": read_groups(schema),
        "components": read_components(schema),
        "refusals": [(status, WHY[status]) for status in ALWAYS],
    }
