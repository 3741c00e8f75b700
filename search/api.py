"""The REST API of searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import IO, Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents.models import ChunkType
from search.answer import Answer
from search.ask import ask
from search.errors import NoSuchCollection, QueryRefused
from search.fuse import Fusion
from search.request import MOST_CHARACTERS, MOST_RESULTS, Mode
from tenants.api import TenantAPIView, acting_program
from tenants.models import Scope

MOST_NEIGHBOURS = 5
MOST_VALUES = 100  # Of one filter.
READ_CONTEXTS = ("head",)


class PlainJSONParser(JSONParser):
    """JSON without what no text has: NUL and halves of characters, which nothing behind us could keep."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            parsed = super().parse(stream, media_type, parser_context)
            _require_plain(parsed)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("The JSON has half of a character (a lone surrogate) in a text.") from error
        return parsed


def _require_plain(value: Any) -> None:
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for name, inner in value.items():
            _require_plain(name)
            _require_plain(inner)
    elif isinstance(value, list):
        for inner in value:
            _require_plain(inner)


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not know: a misspelt one would be silently without effect."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(set(data) - set(self.fields))):
            known = ", ".join(self.fields)
            raise ValidationError({name: [f"There is no such field. Known are {known}."] for name in unknown})
        return super().to_internal_value(data)


def many(child: serializers.Field[Any, Any, Any, Any]) -> serializers.ListField:
    return serializers.ListField(child=child, max_length=MOST_VALUES, required=False)


class FiltersSerializer(StrictSerializer):
    documents = many(serializers.UUIDField())
    section_label = serializers.CharField(max_length=300, required=False)
    chunk_types = many(serializers.ChoiceField(ChunkType.values))
    file_types = many(serializers.CharField(max_length=20))
    languages = many(serializers.CharField(max_length=63))
    recorded_from = serializers.DateField(required=False)
    recorded_to = serializers.DateField(required=False)


class ReadContextSerializer(StrictSerializer):
    selector = serializers.ChoiceField(READ_CONTEXTS)


class SearchSerializer(StrictSerializer):
    query = serializers.CharField(max_length=MOST_CHARACTERS, trim_whitespace=False)
    top_k = serializers.IntegerField(min_value=1, max_value=MOST_RESULTS, required=False)
    min_score = serializers.FloatField(min_value=0, max_value=1, required=False, allow_null=True)
    mode = serializers.ChoiceField(list(Mode), required=False)
    fusion = serializers.ChoiceField(list(Fusion), required=False)
    collections = many(serializers.CharField(max_length=100))
    filters = FiltersSerializer(required=False)
    read_context = ReadContextSerializer(required=False)
    rerank = serializers.BooleanField(required=False)
    explain = serializers.BooleanField(required=False)
    facets = serializers.BooleanField(required=False)
    parents = serializers.BooleanField(required=False)
    neighbours = serializers.IntegerField(min_value=0, max_value=MOST_NEIGHBOURS, required=False)
    per_document = serializers.IntegerField(min_value=1, max_value=MOST_RESULTS, required=False)


class SearchView(TenantAPIView):
    """Search the documents of the key's tenant."""

    required_scope: ClassVar[Scope] = Scope.READ
    parser_classes = (PlainJSONParser,)

    def post(self, request: Request) -> Response:
        asked = SearchSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            answer = ask(tenant=acting_program(request).tenant, **asked.validated_data)
        except QueryRefused as error:
            raise ValidationError({"query": [str(error)]}) from error
        except NoSuchCollection as error:
            raise ValidationError({"collections": [str(error)]}) from error
        return Response(describe_answer(answer))


def describe_answer(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON shows it."""
    shown = asdict(answer)
    shown["results"] = shown.pop("hits")
    return shown
