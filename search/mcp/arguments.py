"""What tools can be asked: the same as REST, with the same limits, in words by which a model chooses well."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from documents.errors import ReadContextRefused
from documents.models import ChunkType
from documents.read_context import Basis, ReadContext, Selector
from documents.visible import usual_context
from search.api import MOST_VALUES
from search.api_asked import LONGEST_CONTEXT, LONGEST_NAME
from search.read.cursor import LONGEST as LONGEST_CURSOR
from tenants.models import Tenant

LONGEST_COLLECTION = 100
NO_TEXT = "It has a character that no text has: NUL, or half of one (a lone surrogate)."
READING = (
    "Which version of each document is read: “head” (current), “published”, “baseline:ID”, a day such as "
    "“2016-03-01” (as recorded then) or “effective:2016-03-01” (as in force then); or an object with "
    "selector, baseline_id, as_of, basis, known_at. Left out: “published” if everything asked for has a "
    "published baseline, else “head”. The answer says which was read."
)


def read_context(given: Any) -> ReadContext | None:
    """Read a read context, in words or as an object."""
    if given is None or isinstance(given, ReadContext):
        return given
    try:
        if isinstance(given, str) and len(given) <= LONGEST_CONTEXT:
            return ReadContext.read_words(given, now=timezone.now())
        if isinstance(given, Mapping):
            return ReadContext.read(given, now=timezone.now())
    except ReadContextRefused as error:
        raise PydanticCustomError(
            "read_context", "{place}: {why}", {"place": error.field, "why": str(error)}
        ) from error
    raise PydanticCustomError("read_context", "Write words such as “head” or “2016-03-01”, or an object.")


CONTEXT_SCHEMA = {
    "anyOf": [
        {"type": "string", "maxLength": LONGEST_CONTEXT},
        {
            "type": "object",
            "properties": {
                "selector": {"type": "string", "enum": [str(one) for one in Selector]},
                "baseline_id": {"type": "string", "format": "uuid"},
                "as_of": {"type": "string", "description": "A day or a moment: 2016-03-01."},
                "basis": {"type": "string", "enum": [str(one) for one in Basis]},
                "known_at": {"type": "string", "description": "With basis “effective”: as recorded by then."},
            },
            "additionalProperties": False,
        },
    ]
}
ReadContextArgument = Annotated[
    ReadContext | None, PlainValidator(read_context), WithJsonSchema(CONTEXT_SCHEMA)
]


def as_words(value: Any) -> Any:
    """Let a single name stand for a list of one, as models often write it."""
    return [value] if isinstance(value, str) else value


CollectionName = Annotated[str, Field(max_length=LONGEST_COLLECTION)]
CollectionNames = Annotated[list[CollectionName], Field(max_length=MOST_VALUES)]


class Arguments(BaseModel):
    """Refuses what it does not know: a misspelt argument would be silently without effect."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def require_text(cls, given: Any) -> Any:
        for name, value in given.items() if isinstance(given, Mapping) else ():
            if not is_plain(name) or not is_plain(value):
                place = name if is_plain(name) else "the name of an argument"
                raise PydanticCustomError("no_text", "{place}: {why}", {"place": place, "why": NO_TEXT})
        return given

    def given(self) -> dict[str, Any]:
        """Return what was asked for, so that services decide on the rest."""
        values = {
            name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set
        }
        return {
            name: value.given() if isinstance(value, Arguments) else value
            for name, value in values.items()
            if value is not None
        }


def is_plain(value: Any) -> bool:
    """Tell whether a value has nothing that a database could not keep."""
    match value:
        case str():
            return "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)
        case Mapping():
            return all(is_plain(name) and is_plain(inner) for name, inner in value.items())
        case list():
            return all(map(is_plain, value))
    return True


class ReadingArguments(Arguments):
    """What every tool that reads documents takes."""

    read_context: ReadContextArgument = Field(default=None, description=READING)

    def at(self, tenant: Tenant) -> dict[str, Any]:
        """Return what was asked for with a read context, which agents have if they name none."""
        asked = self.given()
        if "read_context" not in asked:
            asked["read_context"] = usual_context(
                tenant=tenant, collections=asked.get("collections", ()), document=asked.get("document")
            )
        return asked


class CollectedArguments(ReadingArguments):
    collections: Annotated[CollectionNames | None, BeforeValidator(as_words)] = Field(
        default=None,
        description="Names of the collections to look in, from listCollections. Left out: all of them.",
    )


class Filters(Arguments):
    """What results must be."""

    documents: list[UUID] | None = Field(
        default=None, max_length=MOST_VALUES, description="Ids of documents, from listDocuments or results."
    )
    section_label: str | None = Field(
        default=None,
        max_length=300,
        description="Only this unit and what is below it: “Article 6” lets “Article 6(1)” through.",
    )
    chunk_types: list[ChunkType] | None = Field(
        default=None, max_length=MOST_VALUES, description="Such as [“definition”] or [“requirement”]."
    )
    file_types: list[Annotated[str, Field(max_length=20)]] | None = Field(
        default=None, max_length=MOST_VALUES, description="Such as [“pdf”, “docx”]."
    )
    languages: list[Annotated[str, Field(max_length=63)]] | None = Field(
        default=None, max_length=MOST_VALUES, description="Such as [“english”, “german”]."
    )
    recorded_from: date | None = Field(default=None, description="First day of recording: 2016-03-01.")
    recorded_to: date | None = Field(default=None, description="Last day of recording.")


class PlaceArguments(CollectedArguments):
    """A unit: cited in words, or by its document and label."""

    citation: str | None = Field(
        default=None,
        max_length=LONGEST_NAME,
        description="A citation as people write it, in any usual spelling: “Article 6(1)(f) of the GDPR”, "
        "“12 CFR 1024.37(d)(2)”, “§ 3 Abs. 2”. With “document”, a place in it: “Section 2(a)”.",
    )
    document: str | None = Field(
        default=None,
        max_length=LONGEST_NAME,
        description="Id or name of a document, from listDocuments or results: “harbour-safety-act.md”.",
    )
    label: str | None = Field(
        default=None,
        max_length=LONGEST_NAME,
        description="With “document”: the label of a unit, from getOutline or results: “Section 2(a)”.",
    )


class PagedArguments(Arguments):
    after: str | None = Field(
        default=None, max_length=LONGEST_CURSOR, description="“next” of the answer before, to read on."
    )


def describe_problems(problems: Any, kind: type[Arguments]) -> list[dict[str, str]]:
    """Return each problem of validation with its argument, in words by which it can be mended."""
    return [_describe_problem(problem, kind) for problem in problems]


def _describe_problem(problem: Mapping[str, Any], kind: type[Arguments]) -> dict[str, str]:
    field = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        known = Filters if field.startswith("filters.") else kind
        message = f"There is no such argument. Known are {', '.join(known.model_fields) or 'none'}."
        return {"field": field, "message": message}
    if problem["type"] == "missing":
        return {"field": field, "message": "It is missing."}
    return {"field": field, "message": f"{problem['msg'].rstrip('.')}."}


def input_schema(kind: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of arguments without what says nothing: titles, nulls and references."""
    schema = kind.model_json_schema()
    tidied = _tidy(schema, schema.pop("$defs", {}))
    properties = tidied.get("properties", {})
    own_first = [name for base in kind.__mro__ for name in vars(base).get("__annotations__", ())]
    ordered = {name: properties[name] for name in own_first if name in properties}
    return {**tidied, "type": "object", "properties": ordered, "additionalProperties": False}


def _tidy(schema: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_tidy(one, known) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        named = known[schema["$ref"].rpartition("/")[2]]
        return _tidy({**named, **{name: value for name, value in schema.items() if name != "$ref"}}, known)
    kept = {name: value for name, value in schema.items() if not _says_nothing(name, value)}
    options = [one for one in kept.get("anyOf", ()) if one != {"type": "null"}]
    if len(options) == 1:
        return _tidy({**options[0], **{name: kept[name] for name in kept if name != "anyOf"}}, known)
    return {
        name: {each: _tidy(inner, known) for each, inner in value.items()}
        if name == "properties"
        else _tidy(value, known)
        for name, value in kept.items()
    }


def _says_nothing(name: str, value: Any) -> bool:
    return (name == "title" and isinstance(value, str)) or (name == "default" and value is None)
