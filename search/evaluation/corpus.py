"""What a collection says of itself: its units, the terms it defines, and which unit refers to which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from definitions.models import CrossReference, Definition
from documents.models import Collection, Section, VersionQuerySet
from search.evaluation.golden import Expectation
from search.evaluation.scratch import read_versions
from tenants.scope import tenant_scope

MOST_REFERRING = 5  # Units that refer to one: who is named everywhere makes no question.


@dataclass(frozen=True, slots=True)
class Place:
    """A unit of a document that can be asked for; `title` is that of the document."""

    document: str
    title: str
    label: str
    heading: str
    text: str

    @property
    def expectation(self) -> Expectation:
        return Expectation(self.document, section=self.label)


@dataclass(frozen=True, slots=True)
class Term:
    """A term, and the unit that defines it."""

    term: str
    place: Place


@dataclass(frozen=True, slots=True)
class Cited:
    """A unit, and the units that refer to it."""

    place: Place
    by: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    places: Sequence[Place]
    terms: Sequence[Term]
    cited: Sequence[Cited]
    texts: Mapping[str, str]  # Of whole documents.


def load_corpus(collection: Collection) -> Corpus:
    """Return the current versions of a collection, in an order that no id decides."""
    with tenant_scope(collection.tenant_id):
        versions = read_versions(collection)
        texts = dict(versions.values_list("pk", "text"))
        places = _load_places(versions, texts)
        return Corpus(
            places=[place for place in places.values() if place.label],
            terms=_load_terms(versions, places),
            cited=_load_cited(versions, places),
            texts=dict(
                sorted((name, texts[pk]) for pk, name in versions.values_list("pk", "document__name"))
            ),
        )


def _load_places(versions: VersionQuerySet, texts: Mapping[UUID, str]) -> dict[UUID, Place]:
    sections = Section.objects.filter(version__in=versions.values("pk"), position__gt=0)
    rows = sections.order_by("version__document__name", "position").values_list(
        "pk", "version", "version__document__name", "version__title", "label", "title", "start", "end"
    )
    return {
        pk: Place(name, title or name, label, heading, texts[version][start:end])
        for pk, version, name, title, label, heading, start, end in rows
    }


def _load_terms(versions: VersionQuerySet, places: Mapping[UUID, Place]) -> list[Term]:
    rows = Definition.objects.within(versions).order_by("version__document__name", "position")
    pairs = rows.values_list("term", "section")
    return [Term(term, places[section]) for term, section in pairs if section in places]


def _load_cited(versions: VersionQuerySet, places: Mapping[UUID, Place]) -> list[Cited]:
    """Return the units that few others refer to, in the order in which they are first mentioned."""
    rows: Any = CrossReference.objects.within(versions).with_targets(versions)
    by: dict[UUID, list[Place]] = defaultdict(list)
    ordered = rows.order_by("version__document__name", "position")
    for target, section in ordered.values_list("target_section", "section"):
        if target in places and section in places:
            by[target].append(places[section])
    return [Cited(places[pk], tuple(ours)) for pk, ours in by.items() if len(ours) <= MOST_REFERRING]
