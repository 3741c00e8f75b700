"""What PostgreSQL's planner should not go by.

An id that its statistics do not know, of what has just come, it would take to be in hardly a row. Then
reading all that have it looks as cheap as reading one by its key, and a join reads them over and over. An id
that it does not see is taken to be in as many rows as any other.
"""

from __future__ import annotations

from uuid import UUID

from django.db.models import Func, UUIDField, Value


class Hidden(Func):
    """An id that the planner does not see."""

    template = "(SELECT %(expressions)s)"
    output_field = UUIDField()

    def __init__(self, value: UUID) -> None:
        super().__init__(Value(value, output_field=UUIDField()))
