"""Gather what may go into a context: results in whole sentences, their terms, what they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from definitions.models import Definition
from documents.models import Section, Version
from search.answer import Hit
from search.cite import label_of, step_of
from search.context.pieces import Piece, Role, Whereabouts
from search.context.sentences import count_missing, shorten_text
from search.context.texts import read_stretches
from search.enrich import Parent, parents_of
from search.enrich.texts import Stretch
from search.round_trips import ask

AROUND = 400  # Characters before and behind a result in which its sentences may begin and end.
LONGEST_MEANING = 500
LONGEST_TARGET = 700
NEAR = 80  # Characters between the beginning of a unit and a term that it defines.


@dataclass(frozen=True, slots=True)
class Wanted:
    """A stretch that comes with a result; its text is yet to be read."""

    role: Role
    unit: UUID
    where: Whereabouts
    start: int
    end: int
    most: int
    hit: Hit

    @property
    def stretch(self) -> Stretch:
        """A little more than is shown: it may end with its sentence."""
        return self.where.version_id, self.start, min(self.end, self.start + self.most + 1)


def gather_pieces(hits: Sequence[Hit], *, query: str, has_relations: bool = True) -> list[Piece]:
    """Return pieces in the order of the results, as many queries for one as for a hundred. In the scope."""
    wanted = [*meanings_of(hits, query), *targets_of(hits)] if has_relations else []
    beside = [stretch for hit in hits for stretch in around(hit)]
    texts = iter(read_stretches([*beside, *(one.stretch for one in wanted)]))
    passages = [passage_of(hit, next(texts), next(texts)) for hit in hits]
    chains = ask(parents_of([one.unit for one in wanted])) if wanted else []
    beside_them = zip(wanted, chains, texts, strict=True)
    return [*passages, *(piece_of(one, chain, text) for one, chain, text in beside_them if text.strip())]


def around(hit: Hit) -> tuple[Stretch, Stretch]:
    start, end = hit.span[0], hit.span[0] + len(hit.content)
    before = (hit.version_id, max(0, start - AROUND), start)
    return before, (hit.version_id, end, end if hit.is_cut else end + AROUND)


def passage_of(hit: Hit, before: str, behind: str) -> Piece:
    """Return a result with the rest of the sentences that it begins and ends in."""
    back, ahead = count_missing(before, hit.content, behind)
    text = before[len(before) - back :] + hit.content + behind[:ahead]
    start = hit.span[0] - back
    core = core_of(hit, back)
    return Piece(Role.PASSAGE, whereabouts_of(hit), start, text, hit.rank, hit.score, hit.is_cut, core)


def core_of(hit: Hit, back: int) -> tuple[int, int]:
    """Return where the most of the question's words are, of equals the first; without any, the beginning."""
    marked = [one for one in hit.highlights if one.marks]
    if not marked:
        return 0, 0
    best = max(marked, key=lambda one: len(one.marks))
    return back + best.start, back + best.end


def whereabouts_of(hit: Hit) -> Whereabouts:
    return Whereabouts(
        collection_id=hit.citation.collection_id,
        document_id=hit.document_id,
        version_id=hit.version_id,
        document=hit.document_name,
        title=hit.source.title,
        version=hit.source.version,
        label=hit.section_label,
        path=hit.source.path,
        labels=tuple(unit.label for unit in hit.parent_chain),
    )


def piece_of(wanted: Wanted, chain: Sequence[Parent], text: str) -> Piece:
    shown = shorten_text(text, wanted.most)
    is_cut = wanted.start + len(shown) < wanted.end
    where = replace(wanted.where, labels=tuple(unit.label for unit in chain))
    return Piece(wanted.role, where, wanted.start, shown, wanted.hit.rank, wanted.hit.score, is_cut)


def meanings_of(hits: Sequence[Hit], query: str) -> list[Wanted]:
    """Return the definitions in force in results; of each result, terms of the question first."""
    first: dict[UUID, Hit] = {}
    terms: dict[UUID, str] = {}
    for hit in hits:
        for one in hit.definitions:
            first.setdefault(one.definition_id, hit)
            terms.setdefault(one.definition_id, one.term)
    asked = query.casefold()
    rows = Definition.objects.filter(pk__in=first).select_related("section", "version__document")
    rows = rows.defer("version__text", "version__pages", "version__warnings")
    found = {row.pk: row for row in rows}
    ids = sorted(
        (pk for pk in first if pk in found),
        key=lambda pk: (first[pk].rank, terms[pk].casefold() not in asked),
    )
    return [meaning_of(found[pk], first[pk]) for pk in ids]


def meaning_of(row: Definition, hit: Hit) -> Wanted:
    """Take a definition from where its unit begins, if that is near, or else from its term on."""
    start, end = min(row.start, row.text_start), max(row.end, row.text_end)
    unit = row.section
    if unit.position and 0 <= start - unit.start <= NEAR:
        start = unit.start
    where = unit_whereabouts(unit, row.version)
    return Wanted(Role.DEFINITION, unit.pk, where, start, end, LONGEST_MEANING, hit)


def targets_of(hits: Sequence[Hit]) -> list[Wanted]:
    """Return the units that results refer to, but not those that they stand in."""
    first: dict[UUID, Hit] = {}
    for hit in hits:
        for made in hit.references:
            if made.target_section_id is not None and made.target_label:
                first.setdefault(made.target_section_id, hit)
    rows = Section.objects.filter(pk__in=first).select_related("version__document")
    found = {row.pk: row for row in rows.defer("version__text", "version__pages", "version__warnings")}
    return [
        Wanted(
            Role.REFERENCE,
            pk,
            unit_whereabouts(found[pk], found[pk].version),
            found[pk].start,
            found[pk].end,
            LONGEST_TARGET,
            hit,
        )
        for pk, hit in first.items()
        if pk in found and not stands_in(hit, found[pk])
    ]


def stands_in(hit: Hit, unit: Section) -> bool:
    return hit.version_id == unit.version_id and unit.start <= hit.span[0] and hit.span[1] <= unit.end


def unit_whereabouts(unit: Section, version: Version) -> Whereabouts:
    document = version.document
    return Whereabouts(
        collection_id=document.collection_id,
        document_id=document.pk,
        version_id=version.pk,
        document=document.name,
        title=version.title,
        version=version.number,
        label=label_of(unit),
        path=(*unit.path, *([step_of(unit)] if unit.position else [])),
    )
