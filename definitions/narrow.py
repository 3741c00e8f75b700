"""Let a definition hold in the unit that its own words name: “for the purposes of subsection (b)”."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from definitions.extract.found import FoundDefinition, FoundReference
from definitions.resolve import UnitIndex
from documents.parse import Unit

LIMITS = re.compile(
    r"(?:for (?:the )?purposes? of|as used in|(?<=[.;)\n] )in|^in|aux fins (?:de|du|des|de l['’])"
    r"|im sinne (?:von|des|der)|a (?:los )?efectos del?|ai fini del(?:la|l['’])?"
    r"|para (?:os )?efeitos d[oa])\s?$",
    re.IGNORECASE,
)
FURTHEST = 120  # Characters between the unit and the term that is defined for it.


def narrow_scopes(
    text: str,
    units: Sequence[Unit],
    definitions: Sequence[FoundDefinition],
    references: Sequence[FoundReference],
) -> tuple[FoundDefinition, ...]:
    """Return the definitions, those for the whole document limited to the one unit that they name."""
    limited = dict(_find_limits(text, definitions, references))
    if not limited:
        return tuple(definitions)
    index = UnitIndex(units)
    scopes = {
        place: index.resolve(reference.target, near=reference.unit).unit
        for place, reference in limited.items()
    }
    return tuple(
        replace(definition, scope=scope) if (scope := scopes.get(place)) is not None else definition
        for place, definition in enumerate(definitions)
    )


def _find_limits(
    text: str, definitions: Sequence[FoundDefinition], references: Sequence[FoundReference]
) -> Iterator[tuple[int, FoundReference]]:
    starts = [reference.start for reference in references]
    for place, definition in enumerate(definitions):
        before = bisect_left(starts, definition.start) - 1
        if definition.scope or before < 0 or references[before].target.document:
            continue
        between = text[references[before].end : definition.start]
        lead = text[max(references[before].start - 40, 0) : references[before].start]
        if len(between) <= FURTHEST and not re.search(r"[.;]\s|\n\s*\n", between) and LIMITS.search(lead):
            yield place, references[before]
