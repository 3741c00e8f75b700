"""Everything that is found in one text: its definitions, its references and its own names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from definitions.extract import (
    FoundDefinition,
    FoundReference,
    extract_definitions,
    extract_references,
    find_names,
)
from definitions.follow import follow_names
from definitions.narrow import narrow_scopes
from documents.parse import Unit


@dataclass(frozen=True, slots=True)
class Findings:
    definitions: tuple[FoundDefinition, ...] = ()
    references: tuple[FoundReference, ...] = ()
    names: tuple[str, ...] = ()


def gather_findings(
    text: str,
    units: Sequence[Unit],
    *,
    title: str,
    file_name: str,
    has_definitions: bool = True,
    has_references: bool = True,
) -> Findings:
    """Find what a collection asks for. Names are always found: other documents may mention this one."""
    definitions = extract_definitions(text, units) if has_definitions else ()
    references = extract_references(text, units) if has_references else ()
    return Findings(
        narrow_scopes(text, units, definitions, references),
        follow_names(units, definitions, references),
        find_names(text, title=title, file_name=file_name),
    )
