"""Results as pages show them: where each stands, why it was found, and where its links lead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from search.answer import Answer, Hit
from search.citations.sentences import cite_words
from search.copies import Copy
from search.enrich import DefinitionInForce, ReferenceMade
from search.pages.asked import Asked
from search.pages.links import place_link
from search.pages.snippets import Piece, Snippet, snippets_of, whole_of
from search.stand_in import Unit, units_at

NAMED = frozenset({"citation", "definition"})  # Units that were asked for by name: they are shown whole.
LONGEST_STEP = 80


@dataclass(frozen=True, slots=True)
class Linked:
    """A place that a result names."""

    text: str
    href: str
    where: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A definition in force, with where it stands."""

    term: str
    meaning: str
    place: Linked
    given: str
    conflicts: str  # The address of a search for what others say, if they say something else.


@dataclass(frozen=True, slots=True)
class Leg:
    """What one way of looking thought of a result."""

    name: str
    rank: int | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a result; with its place if that is another unit than the result is shown under."""

    pieces: Sequence[Piece]
    place: Linked | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    hit: Hit
    heading: str
    title: str
    steps: Sequence[str]
    href: str
    why: str
    pages: str
    snippets: Sequence[Excerpt]
    is_other: bool  # The first that was not asked for by its name, behind those that were.
    whole: Sequence[str]
    terms: Sequence[Term]
    references: Sequence[Linked]
    referring: Sequence[Linked]
    all_referring: str
    copies: Sequence[Linked]
    permalink: str
    citation: str
    legs: Sequence[Leg]


@dataclass(frozen=True, slots=True)
class Shelf:
    """What all results of a page have in common: whose they are, how they were read, how addresses begin."""

    slug: str
    asked: Asked
    absolute: Callable[[str], str]
    copies: Mapping[UUID, Sequence[Copy]]

    def results(self, answer: Answer) -> list[Result]:
        """Return all results; where the words stand that were found is looked up for all of them at once."""
        snippets = [() if hit.why in NAMED else snippets_of(hit) for hit in answer.hits]
        places = [
            (hit.version_id, one.place) for hit, own in zip(answer.hits, snippets, strict=True) for one in own
        ]
        units = iter(units_at(places))
        shown = [[(one, next(units)) for one in own] for own in snippets]
        pairs = zip((None, *answer.hits), answer.hits, shown, strict=False)
        return [self.result(hit, own, before) for before, hit, own in pairs]

    def result(self, hit: Hit, shown: Sequence[tuple[Snippet, Unit | None]], before: Hit | None) -> Result:
        permalink = self.absolute(hit.permalink) if hit.permalink else ""
        unit = best_unit(shown) or unit_of(hit)
        return Result(
            hit=hit,
            heading=unit.label if unit else hit.source.title or hit.document_name,
            title=title_of(unit),
            steps=steps_of(hit, unit),
            href=self.link(hit.document_id, unit.label if unit else "", is_marked=bool(shown)),
            why=why_of(hit),
            pages=pages_of(hit),
            snippets=[self.excerpt(hit, one, own, unit) for one, own in shown],
            is_other=before is not None and before.why in NAMED and hit.why not in NAMED,
            whole=whole_of(hit) if hit.why in NAMED else (),
            terms=[self.term(one) for one in hit.definitions],
            references=[self.reference(one) for one in hit.references],
            referring=[self.referring(one) for one in hit.referenced_by],
            all_referring=self.asked.address(query=who_refers_to(hit), top=None),
            copies=[self.copy(one) for one in self.copies.get(hit.passage_id or hit.chunk_id, ())],
            permalink=permalink,
            citation=cite_hit(hit, permalink, label=unit.label if unit else ""),
            legs=legs_of(hit) if self.asked.is_explained else (),
        )

    def excerpt(self, hit: Hit, one: Snippet, own: Unit | None, shown: Unit | None) -> Excerpt:
        if own is None or (shown is not None and own.label == shown.label):
            return Excerpt(one.pieces, None)
        return Excerpt(one.pieces, Linked(own.label, self.link(hit.document_id, own.label, is_marked=True)))

    def link(self, document_id: UUID, label: str, *, is_marked: bool = False) -> str:
        query = self.asked.query if is_marked else ""
        return place_link(self.slug, document_id, label=label, read=self.asked.read, query=query)

    def term(self, one: DefinitionInForce) -> Term:
        place = Linked(
            one.section_label or one.document_name,
            self.link(one.document_id, one.section_label),
            one.document_name if one.section_label else "",
        )
        question = _("What does “%(term)s” mean?") % {"term": one.term}
        return Term(
            one.term,
            f"{one.meaning} …" if one.is_cut else one.meaning,
            place,
            ", ".join(one.given),
            self.asked.address(query=question, top=None) if one.is_conflicting else "",
        )

    def reference(self, one: ReferenceMade) -> Linked:
        """Return where a reference leads, or why it leads nowhere."""
        if one.target_document_id is None:
            return Linked(one.text, "", note=one.reason)
        href = self.link(one.target_document_id, one.target_label)
        return Linked(one.text, href, f"{one.target_label} {one.target_document_name}".strip(), one.reason)

    def copy(self, one: Copy) -> Linked:
        href = self.link(one.document_id, one.section_label)
        return Linked(one.section_label or one.document, href, one.document if one.section_label else "")

    def referring(self, one: ReferenceMade) -> Linked:
        href = self.link(one.document_id, one.section_label)
        return Linked(one.section_label or one.document_name, href, one.document_name)


def explain(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say how a question was understood, and with what weights ways of looking counted."""
    weights = ", ".join(f"{name} {value:g}" for name, value in told["weights"].items())
    candidates = ", ".join(f"{name} {count}" for name, count in told["candidates"].items())
    facts = [
        (_("Taken for"), told["kind"]),
        (_("Mode"), told["mode"]),
        (_("Looked for"), told["text"]),
        (_("Citations"), ", ".join(told["citations"])),
        (_("Phrases"), ", ".join(f"“{phrase}”" for phrase in told["phrases"])),
        (_("Identifiers"), ", ".join(told["identifiers"])),
        (_("Definition of"), told["definition_of"] or ""),
        (_("Languages"), ", ".join(told["languages"])),
        (_("Words that nothing here has"), ", ".join(told["unknown_words"])),
        (_("Candidates"), candidates),
        (_("Weights"), weights),
    ]
    return [(name, str(fact)) for name, fact in facts if fact]


def best_unit(shown: Sequence[tuple[Snippet, Unit | None]]) -> Unit | None:
    """Return the unit in which most of the question's words stand; of equals the first."""
    marked = [(one.marks, unit) for one, unit in shown if one.marks and unit is not None]
    return max(marked, key=lambda pair: pair[0])[1] if marked else None


def unit_of(hit: Hit) -> Unit | None:
    """Return the unit that a result is, or begins in; none for the beginning of a document."""
    if not hit.section_label:
        return None
    own = hit.parent_chain[-1] if hit.parent_chain else None
    title = own.title if own is not None and own.label == hit.section_label else ""
    return Unit(hit.section_label, title, hit.source.path[:-1])


def steps_of(hit: Hit, unit: Unit | None) -> list[str]:
    """Return what a result stands in, from the document on."""
    if unit is None:
        return [hit.source.collection]
    return [hit.source.title or hit.document_name, *(shortened(step) for step in unit.path)]


def title_of(unit: Unit | None) -> str:
    """Return what a unit is called besides its label."""
    return "" if unit is None or unit.title == unit.label else shortened(unit.title)


def shortened(step: str) -> str:
    return step if len(step) <= LONGEST_STEP else f"{step[: LONGEST_STEP - 1].rstrip()}…"


def why_of(hit: Hit) -> str:
    """Say in a few words why something was found."""
    said = {
        "citation": _("cited"),
        "definition": _("defines it"),
        "reference": _("refers to it"),
        "phrase": _("word for word"),
    }
    if hit.why in said:
        return said[hit.why]
    ways = {
        frozenset({"semantic", "keyword"}): _("by words and meaning"),
        frozenset({"semantic"}): _("by meaning"),
        frozenset({"keyword"}): _("by words"),
    }
    return ways.get(frozenset(hit.ranks), _("has what you named") if "exact" in hit.ranks else _("nearby"))


def pages_of(hit: Hit) -> str:
    if hit.pages is None:
        return ""
    first, last = hit.pages
    return (
        _("p. %(page)d") % {"page": first}
        if first == last
        else _("pp. %(first)d–%(last)d") % {"first": first, "last": last}
    )


def who_refers_to(hit: Hit) -> str:
    document = hit.source.title or hit.document_name
    return f"Which provisions refer to {hit.section_label} of the {document}?"


def cite_hit(hit: Hit, address: str, *, label: str = "") -> str:
    return cite_words(
        label=label or hit.section_label,
        document=hit.document_name,
        version=hit.source.version,
        recorded_at=hit.source.recorded_at,
        pages=hit.pages,
        address=address,
        content_hash=hit.citation.content_hash,
    )


def legs_of(hit: Hit) -> list[Leg]:
    ranks = hit.ranks
    legs = [
        Leg(_("by meaning"), ranks.get("semantic"), hit.semantic_score),
        Leg(_("by words"), ranks.get("keyword"), hit.keyword_score),
        Leg(_("exactly"), ranks.get("exact"), None),
    ]
    return [*legs, Leg(_("reranked"), None, hit.rerank_score)] if hit.rerank_score is not None else legs
