"""Passages of a version: each distinct text once, and which chunk says which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Situated:
    """A chunk's text with the context that it is indexed with."""

    text: str
    context: str = ""
    written: UUID | None = None  # The kept context that it is, if a provider wrote it.
    fallback: str = ""  # Why the context is structural although another was asked for.


def place_passages(
    *, tenant_id: UUID, version_id: UUID, language: str, situated: Sequence[Situated]
) -> None:
    """Say what the chunks of a version are indexed as, in their order; make the passages that are new.

    Run again with the same texts it changes nothing; with others, the version's placements are replaced.
    """
    raise NotImplementedError
