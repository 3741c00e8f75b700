"""A read context as programs send it."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from documents.errors import ReadContextRefused
from documents.read_context import Basis, ReadContext, Selector
from tenants.api import StrictSerializer


class ReadContextSerializer(StrictSerializer):
    """Which version of each document is read; `head` unless something else is said."""

    selector = serializers.ChoiceField([str(one) for one in Selector], required=False)
    baseline_id = serializers.UUIDField(required=False, allow_null=True)
    as_of = serializers.CharField(
        max_length=40, required=False, allow_null=True, help_text="A moment, or a day: the end of it, in UTC."
    )
    basis = serializers.ChoiceField([str(one) for one in Basis], required=False)
    known_at = serializers.CharField(
        max_length=40, required=False, allow_null=True, help_text="With effective dates: as recorded by then."
    )

    def to_internal_value(self, data: Any) -> ReadContext:
        given = super().to_internal_value(data)
        try:
            return ReadContext.read(given, now=timezone.now())
        except ReadContextRefused as error:
            raise ValidationError({error.field: [str(error)]}) from error


def refused_context(error: ReadContextRefused) -> ValidationError:
    """Return the answer to a context that is well formed, and names what is not here."""
    return ValidationError({"read_context": {error.field: [str(error)]}})
