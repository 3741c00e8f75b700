"""The JSON schema of a file of configuration, for editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from documents.configuration.keys import KEYS, Key, Kind

TYPES = {
    Kind.TEXT: "string",
    Kind.CHOICE: "string",
    Kind.WHOLE: "integer",
    Kind.NUMBER: "number",
    Kind.FLAG: "boolean",
}


def describe_schema() -> dict[str, Any]:
    """Return the schema of one document of a file."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A collection of Pandect",
        "description": "Applied by `manage.py apply FILE --tenant SLUG`.",
        **_object(KEYS),
        "if": {"properties": {"enable_reranking": {"const": True}}, "required": ["enable_reranking"]},
        "then": {"required": ["reranker_model"]},
    }


def _object(keys: Sequence[Key]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [key.name for key in keys if key.is_required],
        "properties": {key.name: _describe(key) for key in keys},
    }


def _describe(key: Key) -> dict[str, Any]:
    facts: dict[str, Any] = {"title": key.title, "description": key.description}
    if key.default not in (None, ""):
        facts["default"] = key.default
    return facts | (_parts(key) if key.parts else _bounds(key))


def _parts(key: Key) -> dict[str, Any]:
    short = [_describe(part) for part in key.parts if part.name == key.short]
    kinds = [*short, _object(key.parts), {"type": "null"}]
    return {"oneOf": kinds}


def _bounds(key: Key) -> dict[str, Any]:
    kind = TYPES[key.kind]
    bounds: dict[str, Any] = {"type": [kind, "null"] if key.is_optional else kind}
    if key.choices:
        bounds["enum"] = list(key.choices)
    if key.least is not None:
        bounds |= {"minimum": key.least, "maximum": key.most}
    if key.pattern:
        bounds["pattern"] = key.pattern
    if key.longest is not None:
        bounds["maxLength"] = key.longest
    if key.kind == Kind.TEXT and not key.is_optional:
        bounds["minLength"] = 1
    return bounds
