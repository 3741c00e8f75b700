"""Which definition of a term holds at a place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from definitions.meant import find_lost
from definitions.models import CrossReference, Definition
from definitions.readable import Readable
from definitions.terms import other_number, term_key
from documents.models import Section, Version, VersionQuerySet

MOST_LOST = 20
MOST_STEPS = 5  # Of “has the meaning given in …”, which may go in circles.


@dataclass(frozen=True, slots=True)
class Answer:
    """The definition that governs, where its meaning is given instead if it says so, and all others."""

    definition: Definition | None = None
    given: tuple[Definition, ...] = ()
    others: tuple[Definition, ...] = ()
    is_conflicting: bool = False

    @property
    def meaning(self) -> Definition | None:
        """Whatever says the meaning in the end."""
        return self.given[-1] if self.given else self.definition


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody reads: a unit, its document and its collection."""

    section: Section
    document: UUID
    collection: UUID


def lookup_definition(term: str, *, versions: VersionQuerySet, at: Section | None = None) -> Answer:
    """Return what a term means at a unit, or in all versions that are read.

    First what holds in the smallest unit around the place, then in its document; then what other documents of
    the collection say for themselves. What holds only elsewhere never governs; it is among the others.
    """
    place = None if at is None else _place(at)
    found = _find([term_key(term)], versions, place)
    if not found:
        found = _find(list(other_number(term_key(term))), versions, place)
    ranked = sorted(found, key=lambda one: _rank(one, place))
    governing = next((one for one in ranked if place is None or _holds(one, place)), None)
    if governing is None:
        return Answer(others=tuple(ranked))
    given = _follow(governing, versions)
    others = tuple(one for one in ranked if one not in (governing, *given))
    return Answer(governing, given, others, _conflicts((governing, *given), others, place))


def _place(at: Section) -> Place:
    ids = Version.objects.filter(pk=at.version_id).values_list("document", "document__collection")
    document, collection = ids.get()
    return Place(at, document, collection)


def _find(keys: list[str], versions: VersionQuerySet, place: Place | None) -> list[Definition]:
    rows = Definition.objects.of_keys(keys).with_text().with_places()
    if place is None:
        return list(rows.within(versions))
    others = versions.filter(document__collection=place.collection).exclude(document=place.document)
    return list(rows.filter(Q(version=place.section.version_id) | Q(version__in=others.values("pk"))))


def _rank(definition: Definition, place: Place | None) -> tuple[Any, ...]:
    is_narrow = definition.scope.position > 0
    rest = (-definition.confidence, definition.version.document.name, definition.start)
    if place is None:
        return is_narrow, *rest
    if not _is_own(definition, place):
        return (2 if is_narrow else 1, *rest)
    if not _is_around(definition, place):
        return (2, *rest)
    ahead = place.section.end - definition.start
    distance = (0, ahead) if ahead > 0 else (1, 0)
    return (0, definition.scope.end - definition.scope.start, *distance, *rest)


def _holds(definition: Definition, place: Place) -> bool:
    return _is_around(definition, place) if _is_own(definition, place) else definition.scope.position == 0


def _is_own(definition: Definition, place: Place) -> bool:
    return definition.version_id == place.section.version_id


def _is_around(definition: Definition, place: Place) -> bool:
    scope, at = definition.scope, place.section
    return scope.start <= at.start and at.end <= scope.end


def _conflicts(chain: Sequence[Definition], others: Iterable[Definition], place: Place | None) -> bool:
    """Tell whether another document, or another definition for the same unit, says something else.

    One that only says where the meaning is given says nothing else.
    """
    own = {_words(one) for one in chain}
    return any(
        one.given_start is None
        and _words(one) not in own
        and (one.scope_id == chain[0].scope_id or _is_elsewhere(one, chain[0], place))
        for one in others
    )


def _is_elsewhere(one: Definition, governing: Definition, place: Place | None) -> bool:
    is_other = one.version.document_id != governing.version.document_id
    return is_other and (place is None or _holds(one, place))


def _words(definition: Any) -> str:
    return " ".join(definition.meaning.split()).casefold().rstrip(".;, ")


def _follow(definition: Definition, versions: VersionQuerySet) -> tuple[Definition, ...]:
    """Go where a definition says that the meaning is given, from one to the next."""
    chain = [definition]
    while chain[-1].given_start is not None and len(chain) <= MOST_STEPS:
        following = _given(chain[-1], chain, versions)
        if following is None:
            break
        chain.append(following)
    return tuple(chain[1:])


def _given(
    definition: Definition, seen: Sequence[Definition], versions: VersionQuerySet
) -> Definition | None:
    span = (definition.given_start or 0, definition.given_end or 0)
    references: Any = CrossReference.objects.filter(
        version=definition.version_id, start__gte=span[0], start__lt=span[1]
    )
    targets = references.with_targets(versions).exclude(target_section=None)
    section = Section.objects.filter(pk__in=targets.order_by("start").values("target_section")[:1]).first()
    if section is None and (lost := find_lost(references, Readable.of(versions), most=MOST_LOST)):
        section = Section.objects.filter(pk__in=[lost[0][1].section_id]).first()
    if section is None:
        return None
    rows = Definition.objects.standing_in(section).of_keys([definition.key, *definition.variants])
    rows = rows.exclude(pk__in=[one.pk for one in seen]).with_text().with_places()
    return rows.order_by("-confidence", "position").first()
