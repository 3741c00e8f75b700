"""Name lists by the term that they define: `1(1) “vessel”(a)` stays when a definition is inserted before it.

Acts define one term after the other without numbering them, each with a list of its own. By numbers alone
the third of these lists is only the third.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from definitions.extract.found import FoundDefinition
from documents.parse import Outline, Unit

REPEATED = re.compile(r"~\d+$")
FEWEST_LISTS = 2  # A unit with one list is cited by its number alone.


def anchor_lists(outline: Outline, definitions: Sequence[FoundDefinition]) -> Outline:
    """Return the outline with the lists of neighbouring definitions labelled by their terms."""
    labels = [unit.label for unit in outline.units]
    lists: dict[int, dict[str, list[int]]] = defaultdict(dict)
    for definition in definitions:
        for parent, item in _items(outline.units, definition):
            lists[parent].setdefault(definition.term, []).append(item)
    for parent, terms in lists.items():
        if len(terms) >= FEWEST_LISTS:
            for term, items in terms.items():
                _rename(outline.units, labels, items, f"{labels[parent]} “{term}”")
    units = (replace(unit, label=label) for unit, label in zip(outline.units, labels, strict=True))
    return replace(outline, units=tuple(units))


def _items(units: Sequence[Unit], definition: FoundDefinition) -> Iterator[tuple[int, int]]:
    """Yield the units that a definition lists, each with the unit around it, which begins before the term."""
    index = definition.unit + 1
    while index < len(units) and units[index].start < definition.body[1]:
        parent = units[index].parent
        if parent is not None and units[parent].start < definition.start < units[index].start:
            yield parent, index
        index += 1


def _rename(units: Sequence[Unit], labels: list[str], items: Sequence[int], name: str) -> None:
    """Give the items of a list, and what stands below them, labels that begin with a name."""
    new = {item: name + _last_step(units, item) for item in items}
    for item in items:
        index = item + 1
        while index < len(units) and units[index].level > units[item].level:
            new.setdefault(index, new[units[index].parent or 0] + _last_step(units, index))
            index += 1
    for index, label in new.items():
        labels[index] = label


def _last_step(units: Sequence[Unit], index: int) -> str:
    """Return what a label adds to the one above it: "(a)"."""
    parent = units[index].parent
    above = units[parent].label if parent is not None else ""
    own = units[index].label
    step = own[len(above) :] if own.startswith(above) else f"/{own}"
    return REPEATED.sub("", step)
