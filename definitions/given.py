"""Go where definitions say that the meaning is given, for many definitions at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, Q

from definitions.lookup import MOST_STEPS
from definitions.meant import find_lost
from definitions.models import CrossReference, Definition
from definitions.readable import Readable
from documents.models import Section, Version, VersionQuerySet

MOST_LOST = 200
Chains = dict[UUID, tuple[Definition, ...]]  # By definition: those that it leads to, one after the other.
Place = tuple[UUID, int, int]  # Of a unit: its version and its span.


def follow_meanings(definitions: Sequence[Definition], versions: VersionQuerySet) -> Chains:
    """Return what definitions lead to that “have the meaning given in” another place.

    Each step takes three queries, however many definitions take it. They come without their texts.
    """
    chains: dict[UUID, list[Definition]] = {one.pk: [one] for one in definitions}
    for _ in range(MOST_STEPS):
        pending = {pk: chain for pk, chain in chains.items() if chain[-1].given_start is not None}
        following = _next(pending, versions) if pending else {}
        for pk, definition in following.items():
            chains[pk].append(definition)
        if not following:
            break
    return {pk: tuple(chain[1:]) for pk, chain in chains.items() if len(chain) > 1}


def _next(chains: dict[UUID, list[Definition]], versions: VersionQuerySet) -> dict[UUID, Definition]:
    """Return the definition that the last of each chain leads to, unless it has been there."""
    places = _targets({chain[-1].pk: chain[-1] for chain in chains.values()}, versions)
    standing = _standing_in(set(places.values()))
    found: dict[UUID, Definition] = {}
    for pk, chain in chains.items():
        keys = {chain[-1].key, *chain[-1].variants}
        seen = {one.pk for one in chain}
        for one in standing.get(places.get(chain[-1].pk), ()):
            if one.pk not in seen and keys & {one.key, *one.variants}:
                found[pk] = one
                break
    return found


def _targets(definitions: dict[UUID, Definition], versions: VersionQuerySet) -> dict[UUID, Place]:
    """Return the unit that the first reference in “given in § 5” means."""
    inside = Q()
    for one in definitions.values():
        inside |= Q(version=one.version_id, start__gte=one.given_start, start__lt=one.given_end)
    inside_rows: Any = CrossReference.objects.filter(inside)
    rows = inside_rows.with_targets(versions).exclude(target_section=None).order_by("version_id", "start")
    references = list(rows.values_list("version_id", "start", "target_section"))
    lost = find_lost(CrossReference.objects.filter(inside), Readable.of(versions), most=MOST_LOST)
    references += [(row.version_id, row.start, meant.section_id) for row, meant in lost]
    references.sort(key=lambda one: one[:2])
    sections = Section.objects.filter(pk__in={target for *_, target in references})
    fields = sections.values_list("pk", "version_id", "start", "end")
    places = {pk: (version_id, start, end) for pk, version_id, start, end in fields}
    found: dict[UUID, Place] = {}
    for version_id, start, target in reversed(references):
        for pk, one in definitions.items():
            if version_id == one.version_id and (one.given_start or 0) <= start < (one.given_end or 0):
                found[pk] = places[target]
    return found


def _standing_in(places: set[Place]) -> dict[Place | None, list[Definition]]:
    """Return the definitions in units or below them, the surest first."""
    if not places:
        return {}
    inside = Q()
    for version_id, start, end in places:
        inside |= Q(version=version_id, start__gte=start, start__lt=end)
    standing: dict[Place | None, list[Definition]] = defaultdict(list)
    whole = Version.objects.select_related("document__collection").defer("text", "pages", "warnings")
    rows = Definition.objects.filter(inside).prefetch_related("section", "scope", Prefetch("version", whole))
    for one in rows.order_by("-confidence", "position"):
        for place in places:
            if one.version_id == place[0] and place[1] <= one.start < place[2]:
                standing[place].append(one)
    return standing
