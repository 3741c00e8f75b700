"""What the page of a document shows around its text: where somebody is, which version, and the outline."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from documents.models import Document, Version
from search.enrich.units import PlacedUnit
from search.reader.opened import Opened
from search.reader.outline import OutlineEntry, neighbours_of, outline_around
from search.reader.part import PartRead, read_part
from search.reader.parts import CACHE, Parts
from search.reader.show import Asked, label_in, name_of, show_part
from search.reader.tree import write_tree
from tenants.models import Membership, Role

MOST_VERSIONS = 50


def standing_of(request: HttpRequest, membership: Membership, document: Document) -> dict[str, Any]:
    """Return what is known of a document whatever is read of it."""
    rows = Version.objects.without_text().readable().filter(document=document).order_by("-number")
    versions = list(rows[:MOST_VERSIONS])
    return {
        "versions": versions,
        "current": next((version for version in versions if version.is_current), None),
        "is_editor": membership.allows(Role.EDITOR) and document.deleted_at is None,
        "question": request.GET.get("q", ""),
    }


def page_of(opened: Opened, index: int, asked: Asked) -> dict[str, Any]:
    parts = CACHE.get(opened.version.pk)
    part = read_part(opened, parts, index)
    chain = chain_to(part, asked)
    entries = outline_around(chain)
    beside = neighbours_of(entries, chain)
    return {
        "opened": opened,
        "version": opened.version,
        "span": "" if asked.span is None else f"{asked.span[0]}-{asked.span[1]}",
        "part": show_part(opened, part, asked),
        "parts": placeholders(parts, index),
        "before": part_address(opened, index - 1) if index else "",
        "behind": part_address(opened, index + 1) if index + 1 < len(parts) else "",
        "chain": [(name_of(unit), opened.address.unit(label_in(unit))) for unit in chain[1:]],
        "here": chain[-1] if chain and chain[-1].position else None,
        "tree": write_tree(entries, opened.address),
        "previous": step_to(opened, beside.previous),
        "next": step_to(opened, beside.next),
    }


def chain_to(part: PartRead, asked: Asked) -> list[PlacedUnit]:
    """Return the units around what is asked for, from the document down; else those where the part begins."""
    chain = list(part.above)
    for unit in part.units:
        if not _is_before(unit, asked):
            break
        while chain and chain[-1].level >= unit.level:
            chain.pop()
        chain.append(unit)
    while asked.span is not None and len(chain) > 1 and chain[-1].end <= asked.span[0]:
        chain.pop()
    return chain


def _is_before(unit: PlacedUnit, asked: Asked) -> bool:
    """Tell whether a unit begins before what is asked for, or is it."""
    if asked.span is not None:
        return unit.start <= asked.span[0]
    return unit.position <= (asked.current or 0)


def placeholders(parts: Parts, shown: int) -> list[tuple[int, int, bool]]:
    """Return each part with its length, and whether it is shown at once."""
    spans = map(parts.span, range(len(parts)))
    return [(index, end - start, index == shown) for index, (start, end) in enumerate(spans)]


def part_address(opened: Opened, index: int) -> str:
    return f"?{opened.address.query(part=index)}"


def step_to(opened: Opened, unit: OutlineEntry | None) -> tuple[str, str] | None:
    """Return the label and the address of a neighbour."""
    return None if unit is None else (unit.label, opened.address.unit(unit.label))
