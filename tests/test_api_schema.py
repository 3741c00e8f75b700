"""The description of the API: complete, valid, and said once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from io import StringIO
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from uuid import UUID

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from config.api import TAGS
from tenants.operations import kind_of, limits_of, read_groups
from tenants.reference import build_schema
from tenants.shapes import SHOWN_AS, UnknownShape, shape_of, show_answer
from tests.described import mistakes_in, operations
from tests.test_walls import API

STATUSES = {"400", "401", "403", "404", "406", "409", "415", "429"}


def test_it_is_valid_and_without_a_warning() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_every_method_of_every_address_is_described() -> None:
    served = {
        (method.lower(), f"/api/v1/{str(entry.pattern).removeprefix('api/v1/')}".replace("<uuid:pk>", "{id}"))
        for entry in API
        for method in entry.callback.view_class().allowed_methods  # type: ignore[attr-defined]
        if method not in {"HEAD", "OPTIONS"}
    } | {("head", "/api/v1/uploads/{id}")}
    assert {(one.method, one.path) for one in operations().values()} == served


@pytest.mark.parametrize("name", list(operations()))
class TestOperation:
    def test_says_what_it_does_what_it_needs_and_how_it_refuses(self, name: str) -> None:
        said = operations()[name].said
        assert said["summary"]
        assert not said["summary"].endswith(".")
        assert said["x-required-scopes"]
        assert set(said["tags"]) <= set(TAGS)
        assert {"401", "403", "406", "429"} <= set(said["responses"])
        for status, response in said["responses"].items():
            assert response["description"]
            if int(status) >= 400 and operations()[name].method != "head":
                assert list(response["content"]) == ["application/problem+json"]

    def test_has_examples_that_are_as_it_says(self, name: str) -> None:
        said = operations()[name].said
        contents = [*said.get("requestBody", {}).get("content", {}).values()]
        contents += [inner for one in said["responses"].values() for inner in one.get("content", {}).values()]
        contents += [one for one in said.get("parameters", []) if "examples" in one]
        for content in contents:
            for example in content.get("examples", {}).values():
                assert mistakes_in(example["value"], content["schema"]) == []

    def test_has_an_example_of_what_it_takes_and_of_what_it_answers(self, name: str) -> None:
        said = operations()[name].said
        status, answered = next(iter(said["responses"].items()))
        assert status[0] == "2"
        for one in (said.get("requestBody", {}), answered):  # Of files there are none.
            assert "examples" in one.get("content", {}).get("application/json", {"examples": {}})

    def test_refuses_fields_that_it_does_not_know(self, name: str) -> None:
        sent = operations()[name].said.get("requestBody", {}).get("content", {}).values()
        for content in (one for one in sent if "$ref" in one["schema"]):
            shape = build_schema()["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
            assert shape["additionalProperties"] is False


class TestDescription:
    def test_comes_as_json_or_as_yaml(self) -> None:
        json_answer, yaml_answer = Client().get("/api/v1/schema"), Client().get("/api/v1/schema?format=yaml")
        assert json_answer["Content-Type"].startswith("application/vnd.oai.openapi+json")
        assert json_answer.json() == yaml.safe_load(yaml_answer.content) == build_schema()
        preferred = Client().get("/api/v1/schema", headers={"Accept": "application/yaml"})
        assert preferred.content == yaml_answer.content

    def test_is_not_sent_again_to_whoever_has_it(self) -> None:
        first = Client().get("/api/v1/schema")
        again = Client().get("/api/v1/schema", headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")

    @pytest.mark.parametrize("path", ["/api/v1/schema", "/api/v1/"])
    def test_is_only_read(self, path: str) -> None:
        for method in ("post", "put", "patch", "delete"):
            assert getattr(Client(), method)(path).status_code == 405


class TestReference:
    def test_shows_every_operation_and_every_shape(self) -> None:
        page = Client().get("/api/v1/").content.decode()
        for name, one in operations().items():
            assert f'id="{name}"' in page
            assert f"<code>{one.path}</code>" in page
        for name in build_schema()["components"]["schemas"]:
            assert f'id="shape-{name}"' in page

    def test_has_no_link_that_leads_nowhere(self) -> None:
        page = Client().get("/api/v1/").content.decode()
        ids = re.findall(r' id="([^"]+)"', page)
        assert [name for name in ids if ids.count(name) > 1] == []
        assert set(re.findall(r'href="#([^"]+)"', page)) <= {*ids, "main"}

    def test_groups_operations_and_loses_none(self) -> None:
        groups = read_groups(build_schema())
        assert [group.name for group in groups] == list(TAGS)
        assert sorted(one.name for group in groups for one in group.operations) == sorted(operations())

    @pytest.mark.parametrize(
        ("shape", "kind", "limits"),
        [
            ({"type": "string", "maxLength": 5}, ("string", ""), "at most 5 characters"),
            ({"type": ["integer", "null"], "minimum": 1}, ("null or integer", ""), "at least 1"),
            ({"type": "array", "items": {"$ref": "#/components/schemas/Hit"}}, ("list of", "Hit"), ""),
            ({"oneOf": [{"$ref": "#/components/schemas/Hit"}, {"type": "null"}]}, ("null or", "Hit"), ""),
            ({"type": "object", "additionalProperties": {"type": "integer"}}, ("map to integer", ""), ""),
            (
                {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
                ("list of string", ""),
                "a · b",
            ),
            ({"type": "boolean", "default": True}, ("boolean", ""), "true unless said"),
            ({"type": "string", "format": "uuid"}, ("uuid", ""), ""),
        ],
    )
    def test_says_what_a_field_is_and_what_it_keeps_to(
        self, shape: dict[str, Any], kind: tuple[str, str], limits: str
    ) -> None:
        assert (kind_of(shape), limits_of(shape)) == (kind, limits)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Facts(TypedDict):
    """What is known."""

    name: str
    more: NotRequired[int]  # If it was asked for.


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    place: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """Something that is answered."""

    hits: tuple[Inner, ...] = field(metadata={SHOWN_AS: "results"})
    first: Inner | None = None  # The best.
    facts: Annotated[Mapping[str, Any], Facts]


REF = "#/components/schemas/"


class Registry:
    """As much of a description as shapes need."""

    def __init__(self) -> None:
        self.shapes: dict[str, Any] = {}

    def register(self, kind: type, make: Any) -> dict[str, Any]:
        if kind.__name__ not in self.shapes:
            self.shapes[kind.__name__] = {}
            self.shapes[kind.__name__] = make()
        return {"$ref": REF + kind.__name__}


class TestShapes:
    @pytest.mark.parametrize(
        ("kind", "shape"),
        [
            (str, {"type": "string"}),
            (UUID, {"type": "string", "format": "uuid"}),
            (datetime, {"type": "string", "format": "date-time"}),
            (date | None, {"type": ["string", "null"], "format": "date"}),
            (Decimal, {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}),
            (Any, {}),
            (Colour, {"type": "string", "enum": ["red", "blue"]}),
            (Colour | None, {"type": ["string", "null"], "enum": ["red", "blue", None]}),
            (Literal["in", "out"], {"type": "string", "enum": ["in", "out"]}),
            (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
            (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
            (
                tuple[int, int],
                {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
            ),
            (Mapping[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
            (dict[str, Any], {"type": "object", "additionalProperties": {}}),
            (Inner | Outer, {"oneOf": [{"$ref": REF + "Inner"}, {"$ref": REF + "Outer"}]}),
        ],
    )
    def test_of_types(self, kind: Any, shape: dict[str, Any]) -> None:
        assert shape_of(kind, Registry().register) == shape

    def test_are_those_that_answers_are_shown_in(self) -> None:
        day, pk = date(2025, 1, 2), UUID(int=7)
        facts = {"name": "x", "days": [day, (pk, Colour.RED)]}
        answer = Outer(hits=(Inner(place=(1, 2)), Inner(place=(3, 4))), facts=facts)
        assert show_answer(answer) == {
            "results": [{"place": [1, 2]}, {"place": [3, 4]}],
            "first": None,
            "facts": {"name": "x", "days": [day, [pk, Colour.RED]]},
        }

    def test_of_classes_are_kept_once_with_the_words_that_stand_beside_them(self) -> None:
        registry = Registry()
        assert shape_of(Outer, registry.register) == {"$ref": REF + "Outer"}
        assert registry.shapes == {
            "Outer": {
                "type": "object",
                "description": "Something that is answered.",
                "properties": {
                    "results": {"type": "array", "items": {"$ref": REF + "Inner"}},
                    "first": {
                        "oneOf": [{"$ref": REF + "Inner"}, {"type": "null"}],
                        "description": "The best.",
                    },
                    "facts": {"$ref": REF + "Facts"},
                },
                "required": ["results", "first", "facts"],
            },
            "Inner": {
                "type": "object",
                "properties": {
                    "place": {
                        "type": "array",
                        "items": {"type": "integer"},
                        "minItems": 2,
                        "maxItems": 2,
                    }
                },
                "required": ["place"],
            },
            "Facts": {
                "type": "object",
                "description": "What is known.",
                "properties": {
                    "name": {"type": "string"},
                    "more": {"type": "integer", "description": "If it was asked for."},
                },
                "required": ["name"],
            },
        }

    @pytest.mark.parametrize("kind", [object, tuple[int, str], complex])
    def test_of_what_no_answer_has_had_yet_are_asked_for(self, kind: Any) -> None:
        with pytest.raises(UnknownShape):
            shape_of(kind, Registry().register)
