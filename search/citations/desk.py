"""What is at hand while a text is checked: versions that may be read, each opened once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from documents.models import Section
from documents.visible import Visible
from search.citations.edition import Span
from search.citations.verification import Reading
from search.citations.volume import Volume, open_volume
from search.language import languages_of
from search.reach import Reach, reach_of
from search.request import Filters
from search.stages import TOO_LONG, Stages
from tenants.models import Tenant

MOST_SHOWN = 1_000  # Characters of each place.
MOST_SECONDS = 20.0  # For a whole text. What is left then is not checked, and said not to be.
T = TypeVar("T")


@dataclass(frozen=True)
class Desk:
    tenant: Tenant
    visible: Visible
    began: float = field(default_factory=time.monotonic)
    _volumes: dict[UUID, Volume | None] = field(default_factory=dict)
    _readings: dict[tuple[UUID, Span, int | None], Reading | None] = field(default_factory=dict)

    @cached_property
    def reach(self) -> Reach:
        return reach_of(self.tenant, self.visible.versions, Filters())

    @cached_property
    def languages(self) -> Sequence[str]:
        return languages_of(self.tenant.pk)

    @cached_property
    def described(self) -> Mapping[str, Any]:
        return self.visible.describe()

    def attempt(self, look: Callable[[], T]) -> tuple[T | None, str]:
        """Return what a look-up finds, or why there was none: it failed, or there is no time left."""
        if time.monotonic() - self.began > MOST_SECONDS:
            return None, TOO_LONG
        stages = Stages()
        found = stages.attempt("check", look, instead=None)
        return found, stages.degraded.get("check", "")

    def open(self, version_id: UUID) -> Volume | None:
        """Return a version that may be read."""
        if version_id not in self._volumes:
            self._volumes[version_id] = open_volume(self.visible.versions, self.tenant, pk=version_id)
        return self._volumes[version_id]

    def read(self, version_id: UUID, span: Span, unit: int | None = None) -> Reading | None:
        """Describe a place, by its unit or by the smallest one around it."""
        key = version_id, span, unit
        if key not in self._readings:
            self._readings[key] = self._read(*key)
        return self._readings[key]

    def _read(self, version_id: UUID, span: Span, unit: int | None) -> Reading | None:
        volume = self.open(version_id)
        if volume is None:
            return None
        unit = volume.unit_of(span) if unit is None else unit
        return volume.read(span, unit, self.described, most=MOST_SHOWN)

    def read_unit(self, section: Section) -> Reading | None:
        return self.read(section.version_id, (section.start, section.end), section.position)
