"""What a version is indexed as."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from search.models import Placement


def is_placed(version_id: UUID, texts: Sequence[str]) -> bool:
    """Tell whether the placements of a version are of these texts, in their order. A blank text has none."""
    rows = Placement.objects.filter(version=version_id).order_by("position")
    placed = list(rows.values_list("position", "passage__text"))
    return placed == [(position, text) for position, text in enumerate(texts) if text.strip()]
