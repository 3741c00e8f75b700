"""The description of the API, for tests that hold answers against it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator

from tenants.reference import build_schema

Schema = dict[str, Any]


@dataclass(frozen=True)
class Operation:
    name: str
    method: str
    path: str
    said: Mapping[str, Any]


@cache
def operations() -> dict[str, Operation]:
    return {
        said["operationId"]: Operation(said["operationId"], method, path, said)
        for path, methods in build_schema()["paths"].items()
        for method, said in methods.items()
    }


@cache
def closed_components() -> Schema:
    """Return the shapes of answers as they are now: in the description, further fields may come."""
    shapes: Schema = json.loads(json.dumps(build_schema()["components"]["schemas"]))
    for shape in shapes.values():
        if "properties" in shape:
            shape.setdefault("additionalProperties", False)
    return shapes


def mistakes_in(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Return where a value is not as a schema of the description says."""
    whole = {**schema, "components": {"schemas": closed_components()}}
    found = Draft202012Validator(whole, validate_formats=True).iter_errors(value)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message}" for error in found]


def mistakes_in_answer(name: str, status: int, media_type: str, content: bytes) -> list[str]:
    """Return what is wrong with an answer of an operation."""
    described = operations()[name].said["responses"].get(str(status))
    if described is None:
        return [f"{name} answers {status}, which is not described: {content[:300]!r}"]
    if "content" not in described:
        return [] if not content else [f"{name} answers something with {status}."]
    if media_type not in described["content"]:
        return [f"{name} answers {status} as {media_type}."]
    answer = json.loads(content) if "json" in media_type else content.decode(errors="replace")
    return mistakes_in(answer, described["content"][media_type]["schema"])
