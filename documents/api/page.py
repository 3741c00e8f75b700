"""Lists that are read a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from search.errors import BadCursor
from search.read.cursor import LONGEST, MOST, Kind, M, cut_page
from tenants.api import StrictSerializer


class PageSerializer(StrictSerializer):
    """Where a list goes on, and how much of it is shown at once."""

    after = serializers.CharField(
        max_length=LONGEST, required=False, help_text="`next` of the answer before, to go on behind it."
    )
    limit = serializers.IntegerField(min_value=1, max_value=MOST, required=False)


def read_page(
    rows: QuerySet[M], order: Mapping[str, Kind], asked: Mapping[str, Any]
) -> tuple[list[M], str | None]:
    """Return the page that an address asks for, and what leads to the next one."""
    page = {name: asked[name] for name in ("after", "limit") if name in asked}
    try:
        return cut_page(rows, order, **page)
    except BadCursor as error:
        raise ValidationError({"after": [str(error)]}) from error
