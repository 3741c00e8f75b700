"""The description of the API as people read it: addresses in groups, and the shapes that they name."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tenants.schema import ALWAYS

Schema = Mapping[str, Any]
COMPONENTS = "#/components/schemas/"
SHOWN_ID = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d"
JSON = "application/json"
MULTIPART = "multipart/form-data"
PLACES = {"path": " in the path", "query": "", "header": " in a header"}
LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "default": "{} unless said",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of something that is sent or answered."""

    name: str
    kind: str  # For people: "list of".
    link: str  # The component that it names, if any.
    words: str
    limits: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    status: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An address with a method."""

    name: str
    method: str
    path: str
    summary: str
    words: str
    scopes: tuple[str, ...]
    parameters: tuple[Field, ...]
    media_types: tuple[str, ...]  # Of what is sent.
    body: str  # The component that is sent.
    body_fields: tuple[Field, ...]
    status: str
    status_words: str
    answers: tuple[str, ...]  # The components that are answered.
    refusals: tuple[Refusal, ...]  # Besides those of every address.
    curl: str  # Behind the host.
    example: str


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    words: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Component:
    """The shape of something that is sent or answered."""

    name: str
    words: str
    fields: tuple[Field, ...]


def read_groups(schema: Schema) -> list[Group]:
    """Return the operations by their tags, in the order in which these are declared."""
    found = [
        (operation["tags"][0], read_operation(schema, method, path, operation))
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    return [
        Group(tag["name"], tag["description"], tuple(one for name, one in found if name == tag["name"]))
        for tag in schema["tags"]
    ]


def read_components(schema: Schema) -> list[Component]:
    return [
        Component(name, shape.get("description", ""), read_fields(shape))
        for name, shape in schema["components"]["schemas"].items()
    ]


def read_operation(schema: Schema, method: str, path: str, operation: Schema) -> Operation:
    status, answered = next(iter(operation["responses"].items()))
    content: Schema = next(iter(answered.get("content", {}).values()), {})
    body = name_of(body_of(operation))
    return Operation(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        words=operation.get("description", "").rpartition("Needs the scope")[0].strip(),
        scopes=tuple(operation["x-required-scopes"]),
        parameters=tuple(map(read_parameter, operation.get("parameters", ()))),
        media_types=tuple(operation.get("requestBody", {}).get("content", ())),
        body=body,
        body_fields=read_fields(schema["components"]["schemas"][body]) if body else (),
        status=status,
        status_words=answered["description"],
        answers=tuple(filter(None, map(name_of, alternatives(content.get("schema", {}))))),
        refusals=tuple(read_refusals(operation["responses"], status)),
        curl=write_curl(method.upper(), path, operation),
        example=write_json(example_of(content)),
    )


def read_refusals(responses: Schema, answered: str) -> Iterator[Refusal]:
    for status, response in responses.items():
        if status != answered and int(status) not in ALWAYS:
            yield Refusal(status, response["description"])


def read_parameter(parameter: Schema) -> Field:
    shape, words = parameter["schema"], parameter.get("description", "")
    place = PLACES[parameter["in"]]
    kind, link = kind_of(shape)
    is_required = parameter.get("required", False)
    return Field(parameter["name"], kind + place, link, words, limits_of(shape), is_required)


def read_fields(shape: Schema) -> tuple[Field, ...]:
    required = shape.get("required", ())
    return tuple(
        Field(name, *kind_of(one), one.get("description", ""), limits_of(one), name in required)
        for name, one in shape.get("properties", {}).items()
    )


def kind_of(shape: Schema) -> tuple[str, str]:
    """Say what a shape is: in words, and by the component that they end with."""
    if "$ref" in shape:
        return "", name_of(shape)
    if "allOf" in shape:
        return kind_of(shape["allOf"][0])
    if "oneOf" in shape:
        first, *others = shape["oneOf"]
        kind, link = kind_of(first)
        return (f"null or {kind}".strip(), link) if {"type": "null"} in others else (kind, link)
    kinds = shape.get("type", "anything")
    kind, null = (kinds[0], "null or ") if isinstance(kinds, list) else (kinds, "")
    if kind == "array":
        inner, link = kind_of(shape.get("items", {}))
        return f"{null}list of {inner}".strip(), link
    if kind == "object" and isinstance(shape.get("additionalProperties"), dict):
        inner, link = kind_of(shape["additionalProperties"])
        return f"{null}map to {inner}".strip(), link
    return null + (kind if kind == "number" else shape.get("format", kind)), ""


def limits_of(shape: Schema) -> str:
    """Say what a value has to keep to."""
    inner = shape.get("items", {}) if "enum" in shape.get("items", {}) else shape
    choices = [str(one) for one in inner.get("enum", ()) if one is not None]
    said = [" · ".join(choices)] if choices else []
    said += [words.format(_plain(shape[key])) for key, words in LIMITS.items() if key in shape]
    return ", ".join(said)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value)


def body_of(operation: Schema) -> Schema:
    content = operation.get("requestBody", {}).get("content", {})
    first: Schema = next(iter(content.values()), {})
    found: Schema = first.get("schema", {})
    return found


def alternatives(shape: Schema) -> Sequence[Schema]:
    found: Sequence[Schema] = shape.get("oneOf", [shape] if shape else [])
    return found


def name_of(shape: Schema) -> str:
    return str(shape.get("$ref", "")).removeprefix(COMPONENTS)


def example_of(content: Schema) -> Any:
    first: Schema = next(iter(content.get("examples", {}).values()), {})
    return first.get("value")


def write_json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def write_curl(method: str, path: str, operation: Schema) -> str:
    """Return the arguments of curl behind its key and its address, one in a line."""
    asked = {one["name"]: example_of(one) for one in operation.get("parameters", ()) if one["in"] == "query"}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    address = path.replace("{id}", SHOWN_ID) + (f"?{query}" if query else "")
    content = operation.get("requestBody", {}).get("content", {})
    lines = [address]
    if method not in {"GET", "POST"} or (method == "POST" and not content):
        lines.append(f"-X {method}")
    if MULTIPART in content:
        lines.append("-F files=@act.pdf")
    elif content and JSON not in content:
        lines += [f'-H "Content-Type: {next(iter(content))}"', "--data-binary @part"]
    elif content:
        body = json.dumps(example_of(next(iter(content.values()))), ensure_ascii=False)
        lines += ['-H "Content-Type: application/json"', f"-d {shlex.quote(body)}"]
    return " \\\n  ".join(lines)
