"""What is asked in an address, and errors of reading as answers of the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from documents.api.read_context import refused_context
from documents.errors import ReadContextRefused
from documents.read_context import ReadContext
from search.errors import (
    BadCursor,
    BudgetRefused,
    NoSuchCollection,
    NoSuchDocument,
    NoSuchSection,
    NotHere,
    PlaceRefused,
    QueryRefused,
    SeveralSections,
)
from tenants.api import StrictSerializer

LONGEST_NAME = 300
LONGEST_CONTEXT = 200


@extend_schema_field({"type": "string", "minLength": 1, "maxLength": LONGEST_CONTEXT})
class ReadContextField(serializers.Field[ReadContext, str, str, Any]):
    """A read context in words: head, published, baseline:ID, 2016-03-01, effective:2016-03-01."""

    def to_internal_value(self, data: str) -> ReadContext:
        words = serializers.CharField(max_length=LONGEST_CONTEXT).run_validation(data)
        try:
            return ReadContext.read_words(words, now=timezone.now())
        except ReadContextRefused as error:
            raise ValidationError({error.field: [str(error)]}) from error


class AtSerializer(StrictSerializer):
    """What every address for reading takes."""

    read_context = ReadContextField(
        required=False,
        help_text="`head`, `published`, `baseline:ID`, a day or moment, or `effective:` and a day.",
    )


class AskedSerializer(AtSerializer):
    """What is read in some collections alone if they are named: collection=a&collection=b."""

    collection = serializers.ListField(
        child=serializers.CharField(max_length=100),
        max_length=100,
        required=False,
        source="collections",
        help_text="A collection by its name; once for each.",
    )


class PagedSerializer(AskedSerializer):
    after = serializers.CharField(
        max_length=2_000, required=False, help_text="`next` of the answer before, to go on behind it."
    )


def read_asked(request: Request, kind: type[StrictSerializer]) -> dict[str, Any]:
    """Return what an address asks for; of a parameter that is given twice, both if several may be."""
    given: dict[str, Any] = dict(request.query_params.items())
    if "collection" in given:
        given["collection"] = request.query_params.getlist("collection")
    asked = kind(data=given, context={"in_words": True})
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


# Which field an error is about.
FIELDS = {
    QueryRefused: "query",
    BudgetRefused: "max_tokens",
    NoSuchCollection: "collections",
    PlaceRefused: "document",
    BadCursor: "after",
}


@contextmanager
def refusals(**fields: str) -> Iterator[None]:
    """Answer what reading refuses: 404 with what there is instead, or 400 with the field that is wrong."""
    try:
        yield
    except ReadContextRefused as error:
        raise refused_context(error) from error
    except (NoSuchDocument, NotHere) as error:
        raise NotFound(str(error)) from error
    except NoSuchSection as error:
        existing, document = list(error.existing), error.document
        raise NotFound({"detail": str(error), "existing": existing, "document": document}) from error
    except SeveralSections as error:
        candidates = [
            {"document_id": str(pk), "document": name, "label": label} for pk, name, label in error.candidates
        ]
        wrong = [{"field": "citation", "message": str(error)}]
        raise ValidationError({"detail": str(error), "errors": wrong, "candidates": candidates}) from error
    except tuple(FIELDS) as error:
        field = FIELDS[type(error)]
        raise ValidationError({fields.get(field, field): [str(error)]}) from error
