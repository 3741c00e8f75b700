"""The REST API of citations: whether they stand, and whether those in a text are right."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar, TypedDict

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.read_context import ReadContextSerializer, refused_context
from documents.errors import ReadContextRefused
from documents.read_context import HEAD
from search.citations.check import MOST_CHARACTERS, check_text
from search.citations.checked import Checks
from search.citations.given import FURTHEST, IDS, LONGEST_LABEL, OF_ELEMENTS, GivenCitation, read_citation
from search.citations.verification import Verification
from search.citations.verify import verify_citation
from search.errors import CitationRefused, NoSuchCollection, TextRefused
from tenants.api import PlainJSONParser, StrictSerializer, TenantAPIView, acting_program
from tenants.models import Scope
from tenants.schema import describe

MOST_CITATIONS = 50
MOST_COLLECTIONS = 100
ONE_OR_MANY = "Send either “citation”, or “citations” with up to 50 of them."


class Verifications(TypedDict):
    """What became of several citations, in their order."""

    verifications: list[Verification]


PLACE = {"type": "integer", "minimum": 0, "maximum": FURTHEST}
ID = {"type": "string", "format": "uuid"}
GIVEN = {
    "type": "object",
    "description": "A citation as a search has returned it; what it leaves out is not compared.",
    "properties": {
        "version_id": ID,
        "span": {"type": "array", "items": PLACE, "minItems": 2, "maxItems": 2},
        "content_hash": {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"},
        **{name: {"type": ["string", "null"], "format": "uuid"} for name in IDS},
        "section_label": {"type": ["string", "null"], "maxLength": LONGEST_LABEL},
        "read_context": {"type": ["object", "null"], "additionalProperties": True},
        **{name: {"description": "It says nothing about the words."} for name in OF_ELEMENTS},
    },
    "required": ["version_id", "span", "content_hash"],
    "additionalProperties": False,
}


@extend_schema_field(GIVEN, component_name="GivenCitation")
class CitationField(serializers.Field[GivenCitation, Any, Any, Any]):
    """A citation as a search has returned it."""

    def to_internal_value(self, data: Any) -> GivenCitation:
        try:
            return read_citation(data, now=timezone.now())
        except CitationRefused as error:
            raise ValidationError({error.field: [str(error)]}) from error

    def to_representation(self, value: GivenCitation) -> Any:
        return asdict(value)


class VerifySerializer(StrictSerializer):
    citation = CitationField(required=False)
    citations = serializers.ListField(
        child=CitationField(), min_length=1, max_length=MOST_CITATIONS, required=False
    )
    read_context = ReadContextSerializer(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("citation" in attrs) == ("citations" in attrs):
            raise ValidationError({"citation": [ONE_OR_MANY]})
        return attrs


class CheckSerializer(StrictSerializer):
    text = serializers.CharField(
        max_length=MOST_CHARACTERS, trim_whitespace=False, help_text="What somebody has written."
    )
    collections = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=MOST_COLLECTIONS, required=False
    )
    read_context = ReadContextSerializer(required=False)


class VerifyCitationView(TenantAPIView):
    """Say of citations whether their words stand, with both texts where they do not."""

    required_scope: ClassVar[Scope] = Scope.READ
    parser_classes = (PlainJSONParser,)

    @describe(
        "verify_citation",
        tag="citations",
        takes=VerifySerializer,
        answers=Verification | Verifications,
        example={
            "citation": {
                "version_id": "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d",
                "span": [120, 410],
                "content_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            }
        },
    )
    def post(self, request: Request) -> Response:
        asked = VerifySerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        tenant, context = acting_program(request).tenant, asked.validated_data.get("read_context", HEAD)
        given = asked.validated_data.get("citations") or [asked.validated_data["citation"]]
        try:
            verified = [
                asdict(verify_citation(citation, tenant=tenant, context=context)) for citation in given
            ]
        except ReadContextRefused as error:
            raise refused_context(error) from error
        return Response({"verifications": verified} if "citations" in asked.validated_data else verified[0])


class CheckCitationsView(TenantAPIView):
    """Look up every reference in a text, and compare every quotation word for word."""

    required_scope: ClassVar[Scope] = Scope.READ
    parser_classes = (PlainJSONParser,)

    @describe(
        "check_citations",
        tag="citations",
        takes=CheckSerializer,
        answers=Checks,
        example={
            "text": "Section 2(a) of the Harbour Safety Act applies to “every vessel, person and activity”."
        },
    )
    def post(self, request: Request) -> Response:
        asked = CheckSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            checked = check_text(tenant=acting_program(request).tenant, **asked.validated_data)
        except TextRefused as error:
            raise ValidationError({"text": [str(error)]}) from error
        except NoSuchCollection as error:
            raise ValidationError({"collections": [str(error)]}) from error
        except ReadContextRefused as error:
            raise refused_context(error) from error
        return Response(asdict(checked))
