"""Look up what a text refers to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from documents.models import Section
from search.citations.checked import Checked, Kind, Outcome
from search.citations.desk import Desk
from search.retrieve.citations import Citations, MissingUnit, resolve_citations
from search.understand.citations import CitedPlace

MOST_REFERENCES = 100
MOST_PLACES = 5
BATCH = 8  # References whose documents are looked up at once: each may have many names.
MOST_NAMED = 4
TOO_MANY = f"Only the first {MOST_REFERENCES} references of a text are looked up."


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference, and the units that it can mean."""

    place: CitedPlace
    sections: tuple[Section, ...] = ()
    missing: MissingUnit | None = None
    problem: str = ""  # Why it was not looked up.

    @property
    def documents(self) -> frozenset[UUID]:
        return frozenset(section.version.document_id for section in self.sections)


def resolve_references(references: Sequence[CitedPlace], desk: Desk) -> list[Resolved]:
    """Return what each reference means, in their order; those that name nothing are left out.

    A number that several documents have is one of the document that was meant last.
    """
    last: frozenset[UUID] = frozenset()
    found: list[Resolved] = []
    for one in _look_up(references, desk):
        if len(one.documents) > 1 and len(last & one.documents) == 1:
            own = tuple(each for each in one.sections if each.version.document_id in last)
            found.append(Resolved(one.place, own))
        elif one.sections or one.missing or one.problem:
            found.append(one)
        last = one.documents if len(one.documents) == 1 else last
    return found


def _look_up(references: Sequence[CitedPlace], desk: Desk) -> Iterator[Resolved]:
    for begin in range(0, min(len(references), MOST_REFERENCES), BATCH):
        batch = references[begin : min(begin + BATCH, MOST_REFERENCES)]
        found, problem = desk.attempt(lambda cited=batch: resolve_citations(cited, desk.visible.versions))  # type: ignore[misc]
        yield from _sort(batch, found or Citations(), problem)
    for place in references[MOST_REFERENCES:]:
        yield Resolved(place, problem=TOO_MANY)


def _sort(batch: Sequence[CitedPlace], found: Citations, problem: str) -> Iterator[Resolved]:
    sections: dict[CitedPlace, list[Section]] = defaultdict(list)
    for unit in found.units:
        sections[unit.place].append(unit.section)
    missing = {one.place: one for one in found.missing}
    for place in batch:
        yield Resolved(place, tuple(sections[place]), missing.get(place), problem)


def check_reference(one: Resolved, desk: Desk) -> Checked:
    """Say what a reference leads to."""
    readings = [desk.read_unit(section) for section in one.sections[:MOST_PLACES]]
    status, sentence = _judge(one)
    return Checked(
        kind=Kind.REFERENCE,
        text=one.place.text,
        span=(one.place.start, one.place.end),
        status=status,
        sentence=sentence,
        places=tuple(reading for reading in readings if reading is not None),
        place_count=len(one.sections),
        existing=one.missing.existing if one.missing else (),
    )


def _judge(one: Resolved) -> tuple[Outcome, str]:
    if one.problem:
        return Outcome.UNCHECKED, one.problem
    if not one.sections:
        return Outcome.MISSING, one.missing.reason if one.missing else ""
    if len(one.sections) == 1:
        return Outcome.RESOLVED, f"{name_unit(one.sections[0])}."
    names = [name_unit(section) for section in one.sections[:MOST_NAMED]]
    more = f" and {len(one.sections) - MOST_NAMED} more" if len(one.sections) > MOST_NAMED else ""
    return Outcome.AMBIGUOUS, f"It can be {'; '.join(names)}{more}. Name the document that is meant."


def name_unit(section: Section) -> str:
    document = section.version.document.name
    return f"{section.label} of {document}" if section.position else document
