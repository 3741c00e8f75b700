"""The REST API of contexts for language models."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.read_context import ReadContextSerializer
from search.api import NAMES, FiltersSerializer, few, many
from search.api_asked import refusals
from search.context.assemble import (
    FEWEST_TOKENS,
    MAX_TOKENS,
    MOST_TOKENS,
    AssembledContext,
    assemble_context,
)
from search.models import Door
from search.request import MOST_CHARACTERS, MOST_RESULTS
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.schema import describe
from tenants.shapes import show_answer


class ContextSerializer(StrictSerializer):
    """A question, and how long the text may be that answers it."""

    query = serializers.CharField(
        max_length=MOST_CHARACTERS, trim_whitespace=False, help_text="Whatever a search takes."
    )
    max_tokens = serializers.IntegerField(
        min_value=FEWEST_TOKENS, max_value=MOST_TOKENS, default=MAX_TOKENS, help_text="Of the whole text."
    )
    include_relationships = serializers.BooleanField(
        default=True, help_text="With definitions in force and with what the passages refer to."
    )
    collections = many(serializers.CharField(max_length=100), NAMES)
    filters = FiltersSerializer(required=False)
    read_context = ReadContextSerializer(required=False)
    top_k = few(1, MOST_RESULTS, "From how many results; without it, from as many as fit.")


class ContextView(TenantAPIView):
    """Answer a question with a text for a language model, within a budget of tokens."""

    parser_classes = (PlainJSONParser,)

    @describe(
        "get_context",
        tag="search",
        takes=ContextSerializer,
        answers=AssembledContext,
        example={"query": "which vessels must take a pilot", "max_tokens": 500},
    )
    def post(self, request: Request) -> Response:
        asked = ContextSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        with refusals():
            assembled = assemble_context(
                tenant=acting_program(request).tenant, door=Door.API, **asked.validated_data
            )
        return Response(show_answer(assembled))
