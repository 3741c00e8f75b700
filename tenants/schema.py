"""The description of the REST API: what each address takes and answers, said beside its view.

    @describe("create_webhook", tag="webhooks", takes=WebhookSerializer, answers=WebhookFacts, status=201)
    def post(self, request: Request) -> Response:

The rest is read from the view: its docstring, the scope that it needs, the ids in its address.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Any, TypeVar

from django.conf import settings
from drf_spectacular.drainage import warn
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from tenants.problems import MEDIA_TYPE, Problem
from tenants.shapes import Schema, shape_of


def header(
    name: str, words: str, *, is_required: bool = False, shape: Schema | None = None
) -> OpenApiParameter:
    """Describe a header that is sent."""
    kind = {"type": "string", **(shape or {})}
    return OpenApiParameter(name, kind, OpenApiParameter.HEADER, required=is_required, description=words)


IF_NONE_MATCH = header(
    "If-None-Match", "The `ETag` of an answer that is at hand: while that holds, 304 is answered instead."
)
IF_MATCH = header("If-Match", "The `ETag` that was read: if it was changed since, nothing is done.")
ONCE = header(
    "Idempotency-Key",
    "A word of your own, such as a UUID: what is sent again with it is done once, and answered alike.",
    shape={"minLength": 1, "maxLength": 255, "pattern": "^[ -~]*[!-~][ -~]*$"},
)

F = TypeVar("F", bound=Callable[..., Any])

JSON = "application/json"
DESCRIBED = "described"
REPEATABLE = "is_repeatable"
ALWAYS = (400, 401, 403, 406, 429)  # Whoever asks can be refused so, whatever they ask for.
WHY = {
    304: "It is as the `ETag` that was sent with `If-None-Match` has it.",
    400: "What was sent cannot be taken: `errors` names the fields.",
    401: "There is no key, or none that is known.",
    403: "The key lacks the scope.",
    404: "There is nothing of this id, or it belongs to another tenant.",
    406: "Answers are JSON, and the request asks for something else.",
    409: "It does not apply to the state that it is in.",
    412: "It was changed since it was read: `If-Match` names another state.",
    413: "What was sent is too large.",
    415: "What was sent is of another media type.",
    422: "Nothing can come of it; `detail` says why.",
    429: "The key asked too often in this minute; `Retry-After` says for how many seconds to wait.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What a method of a view takes and answers."""

    name: str
    tag: str
    asks: Any = None  # A serializer of what stands behind the question mark.
    takes: Any = None  # A serializer of the body, or one for each media type.
    answers: Any = None  # A dataclass or a TypedDict; or a schema for each media type that is not JSON.
    status: int = 200
    or_status: int | None = None  # Another that the same is answered with.
    refuses: Collection[int] = ()  # Statuses besides those that follow from the rest.
    example: Mapping[str, Any] = field(default_factory=dict)  # Of what is asked, or of the body.
    headers: Collection[OpenApiParameter] = ()  # That are sent, besides those that follow from the rest.

    def __call__(self, method: F) -> F:
        setattr(method, DESCRIBED, self)
        return method


def describe(name: str, *, tag: str, **facts: Any) -> Described:
    """Say what a method of a view takes and answers; `name` is what clients call it."""
    return Described(name=name, tag=tag, **facts)


def described(method: Any) -> Described | None:
    found: Described | None = getattr(method, DESCRIBED, None)
    return found


def scopes_of(view: Any, method: str) -> list[str]:
    """Return the scopes that a method of a view needs."""
    needed = [getattr(view, "required_scope", None), getattr(view, "further_scopes", {}).get(method)]
    return [scope.value for scope in needed if scope is not None]


class ApiSchema(AutoSchema):
    """Describes a view by what `describe` says of its methods."""

    @property
    def described(self) -> Described:
        found = described(getattr(self.view, self.method.lower()))
        if found is None:
            warn(f"{self.method} {self.path} is not described. Let its method wear @describe.")
        return found or Described(name=super().get_operation_id(), tag="others")

    def get_operation_id(self) -> str:
        return self.described.name

    def get_tags(self) -> list[str]:
        return [self.described.tag]

    def get_summary(self) -> str:
        return self.words[0].rstrip(".")

    def get_description(self) -> str:  # type: ignore[override]
        scopes = " and ".join(f"`{scope}`" for scope in scopes_of(self.view, self.method))
        return "\n\n".join([*self.words[1:], *([f"Needs the scope {scopes}."] if scopes else [])])

    @property
    def words(self) -> list[str]:
        """The paragraphs of the docstring of the method, or of the view."""
        method = getattr(self.view, self.method.lower())
        words = inspect.cleandoc(method.__doc__ or type(self.view).__doc__ or "")
        if not words:
            warn(f"{self.method} {self.path} has no docstring.")
        return [" ".join(part.split()) for part in words.split("\n\n")]

    def get_extensions(self) -> Schema:
        return {"x-required-scopes": scopes_of(self.view, self.method)}

    def get_override_parameters(self) -> list[Any]:
        said = self.described
        asked = [said.asks] if said.asks else []
        once = [ONCE] if self.is_repeatable else []
        known = [IF_NONE_MATCH] if HTTPStatus.NOT_MODIFIED in said.refuses else []
        return [*asked, *once, *known, *said.headers]

    @property
    def is_repeatable(self) -> bool:
        return getattr(getattr(self.view, self.method.lower()), REPEATABLE, False)

    def get_request_serializer(self) -> Any:
        return self.described.takes

    def get_response_serializers(self) -> Any:
        said = self.described
        shapes = said.answers if isinstance(said.answers, dict) else {JSON: self.shape(said.answers)}
        answers = {
            (str(status), media_type): OpenApiResponse(shape, HTTPStatus(status).phrase)
            for status in (said.status, said.or_status)
            if status
            for media_type, shape in shapes.items()
        }
        refusals = {
            (str(status), MEDIA_TYPE): OpenApiResponse(self.told(status), WHY[status])
            for status in self.refused(said)
        }
        return answers | refusals

    def told(self, status: int) -> Schema | None:
        """Return what a refusal tells: why, unless there is nothing to refuse, or no body to say it in."""
        has_none = status == HTTPStatus.NOT_MODIFIED or self.method == "HEAD"
        return None if has_none else self.shape(Problem)

    def refused(self, said: Described) -> list[int]:
        """Return the statuses of refusals: those of every address, and what follows from what it takes."""
        implied = {
            404: "{" in self.path,
            409: self.is_repeatable,
            413: said.takes,
            415: said.takes,
            422: self.is_repeatable,
        }
        follow = {status for status, reason in implied.items() if reason}
        return sorted({*ALWAYS, *follow, *said.refuses})

    def shape(self, kind: Any) -> Schema | None:
        return shape_of(kind, self.register) if kind else None

    def register(self, kind: type, make: Callable[[], Schema]) -> Schema:
        """Keep the schema of a class once, and return what points to it."""
        kept = ResolvedComponent.SCHEMA
        component = ResolvedComponent(kind.__name__, kept, object=kind)  # type: ignore[no-untyped-call]
        if component not in self.registry:
            self.registry.register(component)
            component.schema = make()
        return component.ref

    def get_examples(self) -> list[OpenApiExample]:
        said, found = self.described, []
        if said.takes and said.example:
            found.append(OpenApiExample(said.name, said.example, request_only=True))
        if (answer := recorded_answers().get(said.name)) is not None:
            status = [str(said.status)]
            found.append(OpenApiExample(said.name, answer, response_only=True, status_codes=status))
        for name, value in said.example.items() if said.asks else ():
            found.append(OpenApiExample(said.name, value, parameter_only=(name, "query")))
        return found

    def _map_serializer(self, serializer: Any, direction: Any, bypass_extensions: bool = False) -> Schema:
        """Close objects that are sent: a field that is not known is refused."""
        parts = (serializer, direction, bypass_extensions)
        schema: Schema = super()._map_serializer(*parts)  # type: ignore[no-untyped-call]
        if direction == "request" and schema.get("type") == "object":
            schema["additionalProperties"] = False
        if short := getattr(serializer, "short", ""):  # A text alone stands for one of its fields.
            schema = {"oneOf": [schema, schema["properties"][short]]}
        return schema


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """An API key, as a program sends it."""

    target_class = "tenants.authentication.ApiKeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: AutoSchema) -> Schema:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "pandect_<tenant>_<secret>",
            "description": "An API key. The admins of a tenant make them, with the scopes that they name.",
        }


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """A person who is logged in, for scripts of the product's own pages."""

    target_class = "tenants.authentication.MemberAuthentication"
    name = ["session", "tenant", "csrf"]

    def get_security_requirement(self, auto_schema: AutoSchema) -> dict[str, list[Any]]:
        names = self.name[:2] if auto_schema.method in {"GET", "HEAD"} else self.name
        return {name: [] for name in names}

    def get_security_definition(self, auto_schema: AutoSchema) -> list[Schema]:
        return [
            {
                "type": "apiKey",
                "in": "cookie",
                "name": settings.SESSION_COOKIE_NAME,
                "description": "The session of somebody who is logged in; their role decides on scopes.",
            },
            {
                "type": "apiKey",
                "in": "header",
                "name": "X-Pandect-Tenant",
                "description": "The slug of the tenant. Whoever has but one can leave it out.",
            },
            {
                "type": "apiKey",
                "in": "header",
                "name": "X-CSRFToken",
                "description": "The token of the page, in whatever changes something.",
            },
        ]


def name_ids(endpoints: list[tuple[str, str, str, Any]]) -> list[tuple[str, str, str, Any]]:
    """Call what addresses call `pk` what answers call it: `id`. Add `HEAD`, where it is described."""
    named = [
        (path.replace("{pk}", "{id}"), regex.replace(":pk>", ":id>"), method, view)
        for path, regex, method, view in endpoints
        if path.startswith("/api/")
    ]
    heads = [
        (path, regex, "HEAD", view)
        for path, regex, method, view in named
        if method == "GET" and described(getattr(view.cls, "head", None))
    ]
    return [*named, *heads]


@cache
def recorded_answers() -> dict[str, Any]:
    """Return an answer of each operation, as a test has recorded it from a running product."""
    path = settings.API_EXAMPLES
    return dict(json.loads(path.read_text())) if path.exists() else {}
