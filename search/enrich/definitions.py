"""Definitions in force in a page of results: what they say, where, and whether others disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from definitions.given import follow_meanings
from definitions.models import Definition
from definitions.readable import Holder, Readable
from search.enrich.conflicts import other_meanings, say_the_same
from search.enrich.found import LONGEST_MEANING, DefinitionInForce, Place
from search.enrich.terms import Defined, Used, find_used, read_wording
from search.enrich.texts import Stretch, read_texts
from search.enrich.units import PlacedUnit, units_of
from search.round_trips import Asking, together

LONGEST_COMPARED = 2000


@dataclass(frozen=True, slots=True)
class Meant:
    """Where the meaning of a term stands in the end."""

    definition_id: UUID
    holder: Holder
    section_id: UUID
    label: str
    span: tuple[int, int]
    text: tuple[int, int]
    given: tuple[str, ...] = ()

    @property
    def stretch(self) -> Stretch:
        start, end = self.text
        return self.holder.version_id, start, min(end, start + LONGEST_COMPARED)


def definitions_in_force(
    places: Sequence[Place],
    holders: dict[UUID, Holder],
    readable: Readable,
    *,
    units: Sequence[Sequence[PlacedUnit]] | None = None,
) -> Asking[list[tuple[DefinitionInForce, ...]]]:
    """Return the definitions that govern in each place. Whoever knows the units of places says so."""
    if units is None:
        wording, units = yield from together(read_wording(places), units_of(places))
    else:
        wording = yield from read_wording(places)
    used = find_used(places, wording, units)
    distinct = {one.defined.id: one.defined for page in used for one in page}
    meant = _meant(list(distinct.values()), holders, readable)
    said = yield from _read(distinct, meant, holders, readable)
    return [
        tuple(_in_force(one, meant[one.defined.id], *said[one.defined.id]) for one in page) for page in used
    ]


def _meant(
    definitions: Sequence[Defined], holders: dict[UUID, Holder], readable: Readable
) -> dict[UUID, Meant]:
    """Go where definitions say that the meaning is given."""
    leading = [_row(one) for one in definitions if one.given_start is not None]
    chains = follow_meanings(leading, readable.versions) if leading else {}
    return {
        one.id: _given(one, chains[one.id]) if one.id in chains else _own(one, holders[one.version_id])
        for one in definitions
    }


def _row(one: Defined) -> Definition:
    return Definition(
        pk=one.id,
        version_id=one.version_id,
        key=one.key,
        variants=one.variants,
        given_start=one.given_start,
        given_end=one.given_end,
    )


def _own(one: Defined, holder: Holder) -> Meant:
    return Meant(
        one.id, holder, one.section_id, one.label, (one.start, one.end), (one.text_start, one.text_end)
    )


def _given(one: Defined, chain: Sequence[Definition]) -> Meant:
    last, document = chain[-1], chain[-1].version.document
    return Meant(
        last.pk,
        Holder(last.version_id, document.pk, document.name, document.collection_id),
        last.section_id,
        last.section.label,
        (last.start, last.end),
        (last.text_start, last.text_end),
        (one.label, *(step.section.label for step in chain[:-1])),
    )


def _read(
    definitions: dict[UUID, Defined],
    meant: dict[UUID, Meant],
    holders: dict[UUID, Holder],
    readable: Readable,
) -> Asking[dict[UUID, tuple[str, bool]]]:
    """Return what each definition says, and whether other documents say something else."""
    own = [holders[one.version_id] for one in definitions.values()]
    asked = [
        (one.key, holder.document_id, holder.collection_id)
        for one, holder in zip(definitions.values(), own, strict=True)
    ]
    elsewhere = yield from other_meanings(asked, readable)
    others = [[_cut(stretch) for stretch in found] for found in elsewhere]
    stretches = dict.fromkeys(
        [*(meant[pk].stretch for pk in definitions), *(one for few in others for one in few)]
    )
    read = yield from read_texts(list(stretches))
    texts = dict(zip(stretches, read, strict=True))
    return {
        pk: (
            texts[meant[pk].stretch],
            any(
                not say_the_same(texts[meant[pk].stretch], texts[one])
                for one in few
                if one != meant[pk].stretch
            ),
        )
        for pk, few in zip(definitions, others, strict=True)
    }


def _cut(stretch: Stretch) -> Stretch:
    return stretch[0], stretch[1], min(stretch[2], stretch[1] + LONGEST_COMPARED)


def _in_force(used: Used, meant: Meant, text: str, is_conflicting: bool) -> DefinitionInForce:
    is_cut = len(text) > LONGEST_MEANING
    return DefinitionInForce(
        term=used.defined.term,
        meaning=_shorten(text) if is_cut else text.strip(),
        is_cut=is_cut,
        definition_id=meant.definition_id,
        document_id=meant.holder.document_id,
        document_name=meant.holder.document_name,
        version_id=meant.holder.version_id,
        section_id=meant.section_id,
        section_label=meant.label,
        span=meant.span,
        given=meant.given,
        is_conflicting=is_conflicting,
        uses=used.uses,
    )


def _shorten(text: str) -> str:
    """Cut a meaning behind a word."""
    head = text[: LONGEST_MEANING + 1]
    words = head.rsplit(None, 1)[0] if any(map(str.isspace, head.strip())) else head[:LONGEST_MEANING]
    return words.strip()
