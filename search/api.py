"""The REST API of searches."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.read_context import ReadContextSerializer, refused_context
from documents.errors import ReadContextRefused
from documents.models import ChunkType
from search.answer import Answer
from search.ask import ask
from search.errors import NoSuchCollection, QueryRefused
from search.fuse import Fusion
from search.models import Door
from search.request import MOST_CHARACTERS, MOST_RESULTS, Mode
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.models import Scope
from tenants.schema import describe
from tenants.shapes import show_answer

MOST_NEIGHBOURS = 5
MOST_VALUES = 100  # Of one filter.


def many(child: serializers.Field[Any, Any, Any, Any], words: str) -> serializers.ListField:
    return serializers.ListField(child=child, max_length=MOST_VALUES, required=False, help_text=words)


def flag(words: str) -> serializers.BooleanField:
    return serializers.BooleanField(required=False, help_text=words)


def few(least: int, most: int, words: str) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=least, max_value=most, required=False, help_text=words)


class FiltersSerializer(StrictSerializer):
    """What results must be; what is left out lets everything through."""

    documents = many(serializers.UUIDField(), "Documents, by their ids.")
    section_label = serializers.CharField(
        max_length=300, required=False, help_text="“Article 6”: that unit, and what is below it."
    )
    chunk_types = many(serializers.ChoiceField(ChunkType.values), "What a passage is.")
    file_types = many(serializers.CharField(max_length=20), "Such as “pdf”.")
    languages = many(serializers.CharField(max_length=63), "Such as “english”.")
    recorded_from = serializers.DateField(required=False, help_text="Versions recorded on this day or later.")
    recorded_to = serializers.DateField(required=False, help_text="Versions recorded on this day or before.")


NAMES = "Names of collections; all of them unless some are named."


class SearchSerializer(StrictSerializer):
    """A question. What is left out is as the collections are configured."""

    query = serializers.CharField(
        max_length=MOST_CHARACTERS,
        trim_whitespace=False,
        help_text="A citation, a “phrase”, an identifier, some words, or a question.",
    )
    top_k = few(1, MOST_RESULTS, "How many results.")
    min_score = serializers.FloatField(
        min_value=0, max_value=1, required=False, allow_null=True, help_text="Results below it are left out."
    )
    mode = serializers.ChoiceField(
        [str(one) for one in Mode], required=False, help_text="By which legs to look."
    )
    fusion = serializers.ChoiceField(
        [str(one) for one in Fusion], required=False, help_text="How the legs become one ranking."
    )
    collections = many(serializers.CharField(max_length=100), NAMES)
    filters = FiltersSerializer(required=False)
    read_context = ReadContextSerializer(required=False)
    rerank = flag("Let the reranker decide on the order.")
    explain = flag("Tell how the results came about.")
    facets = flag("Count what the candidates are.")
    parents = flag("With the texts of the units around each result.")
    neighbours = few(0, MOST_NEIGHBOURS, "Chunks before and behind each result.")
    per_document = few(1, MOST_RESULTS, "Of one document, at most so many results.")


class SearchView(TenantAPIView):
    """Search the documents of the key's tenant."""

    required_scope: ClassVar[Scope] = Scope.READ
    parser_classes = (PlainJSONParser,)

    @describe(
        "search",
        tag="search",
        takes=SearchSerializer,
        answers=Answer,
        example={"query": "which vessels must take a pilot", "top_k": 3},
    )
    def post(self, request: Request) -> Response:
        asked = SearchSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            answer = ask(tenant=acting_program(request).tenant, door=Door.API, **asked.validated_data)
        except QueryRefused as error:
            raise ValidationError({"query": [str(error)]}) from error
        except NoSuchCollection as error:
            raise ValidationError({"collections": [str(error)]}) from error
        except ReadContextRefused as error:
            raise refused_context(error) from error
        return Response(show_answer(answer))
