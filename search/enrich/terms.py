"""Uses of defined terms in a page of results, each with the definition of the nearest scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from definitions.uses import Term, TermMatcher
from definitions.uses.forms import WORD
from search.enrich.found import MOST_DEFINITIONS, Place, Span
from search.enrich.units import PlacedUnit, headings_in
from search.round_trips import Asking
from search.words import distinct

MOST_LOADED = 3000  # Definitions of one page.
MOSTLY = 0.6
SMALL = frozenset(
    {"of", "and", "or", "the", "a", "an", "in", "for", "to", "on", "by", "with", "de", "la", "und"}
)
# Only those of which some form begins with a word that is there: an act may define thousands.
LOAD = """
    SELECT own.id, own.version_id, own.section_id, unit.label, own.term, own.key, own.variants,
        own.start, own."end", own.text_start, own.text_end, own.given_start, own.given_end,
        scope.start, scope."end"
    FROM (
        SELECT * FROM definitions_definition WHERE version_id = ANY(%s) AND EXISTS (
            SELECT FROM unnest(variants || key) AS form
            WHERE split_part(translate(form, '-/.(),''', '       '), ' ', 1) = ANY(string_to_array(%s, ' '))
        ) ORDER BY version_id, position LIMIT %s
    ) AS own
    CROSS JOIN LATERAL (SELECT start, "end" FROM documents_section WHERE id = own.scope_id OFFSET 0) AS scope
    CROSS JOIN LATERAL (SELECT label FROM documents_section WHERE id = own.section_id OFFSET 0) AS unit
    ORDER BY own.version_id, own.position
"""


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition as it is stored, with its scope."""

    first_words: frozenset[str]  # That a use of its term can begin with.
    id: UUID
    version_id: UUID
    section_id: UUID
    label: str
    term: str
    key: str
    variants: list[str]
    start: int
    end: int
    text_start: int
    text_end: int
    given_start: int | None
    given_end: int | None
    scope_start: int
    scope_end: int


@dataclass(frozen=True, slots=True)
class Used:
    """A definition and where a result uses its term."""

    defined: Defined
    uses: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """The distinct words of some places, and the definitions that they may use."""

    words: Sequence[set[str]]  # Of each place.
    definitions: Sequence[Defined]


def read_wording(places: Sequence[Place]) -> Asking[Wording]:
    """Take the words of places apart, and load the definitions whose terms begin with one of them."""
    words = [distinct(WORD, place.text.lower()) for place in places]
    both = {form for word in set().union(*words) for form in (word, word.casefold())}
    versions = list({place.version_id for place in places})
    (rows,) = yield [(LOAD, [versions, " ".join(both), MOST_LOADED])]
    return Wording(words, [Defined(_first_words(row[4], row[6]), *row) for row in rows])


def find_used(
    places: Sequence[Place], wording: Wording, units: Sequence[Sequence[PlacedUnit]]
) -> list[list[Used]]:
    """Return the definitions that hold in each place and are used there, in the order of their first uses."""
    by_version: dict[UUID, list[Defined]] = defaultdict(list)
    for defined in wording.definitions:
        by_version[defined.version_id].append(defined)
    return [
        _used(place, own_words, by_version[place.version_id], own_units)
        for place, own_words, own_units in zip(places, wording.words, units, strict=True)
    ]


def _used(
    place: Place, words: set[str], definitions: Sequence[Defined], units: Sequence[PlacedUnit]
) -> list[Used]:
    near = [one for one in definitions if _is_near(one, place) and not words.isdisjoint(one.first_words)]
    if not near:
        return []
    matcher = TermMatcher(
        place.text,
        [_shift(one, place.start) for one in near],
        skip=headings_in(place, units),
        names=_names(near) if _writes_names(definitions) else (),
    )
    uses: dict[int, list[Span]] = defaultdict(list)
    for use in matcher.find():
        uses[use.term].append((use.start + place.start, use.end + place.start))
    return [Used(near[index], tuple(spans)) for index, spans in uses.items()][:MOST_DEFINITIONS]


def _is_near(defined: Defined, place: Place) -> bool:
    return defined.scope_start < place.end and defined.scope_end > place.start


def _first_words(term: str, variants: Iterable[str]) -> frozenset[str]:
    """Return the words that a use of a term can begin with."""
    firsts = (WORD.search(form) for form in (term, *variants))
    return frozenset(first[0].lower() for first in firsts if first)


def _shift(defined: Defined, start: int) -> Term:
    """Return a term in the characters of a place that begins there."""
    return Term(
        (defined.term, *defined.variants),
        defined.start - start,
        defined.end - start,
        (defined.text_start - start, defined.text_end - start),
        (defined.scope_start - start, defined.scope_end - start),
    )


def _writes_names(definitions: Sequence[Defined]) -> bool:
    """Tell whether a document writes its terms like names, as contracts do: “Business Day”."""
    behind = [words for one in definitions if (words := _words_behind(one.term))]
    capital = sum(all(word[0].isupper() for word in words) for words in behind)
    return bool(behind) and capital >= MOSTLY * len(behind)


def _words_behind(term: str) -> list[str]:
    return [word for word in WORD.findall(term)[1:] if word not in SMALL]


def _names(definitions: Sequence[Defined]) -> set[int]:
    return {index for index, one in enumerate(definitions) if one.term[:1].isupper()}
