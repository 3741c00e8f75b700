"""Definitions that answer a question for a meaning: those of the document that is named before all others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db.models import Case, Prefetch, Value, When

from definitions.extract.names import document_key
from definitions.given import follow_meanings
from definitions.models import Definition, DocumentName
from definitions.terms import other_number, term_key
from documents.models import Version, VersionQuerySet
from search.understand.questions import DefinitionQuestion

MOST_WORDS = 14
MOST = 200  # Definitions of one term that are ranked; a word of the trade has thousands.
WORD = re.compile(r"[^\W_]+")
SMALL = frozenset(
    {"the", "of", "and", "on", "for", "a", "an", "to", "in", "der", "die", "des", "de", "la", "et"}
)
Keys = dict[str, int]  # Of terms, and how far each is guessed: 0 is as typed.
# How far a document's name is from the one that is asked for.
SAME, PART, SOME, OTHER = 0.0, 1.0, 2.0, 3.0


def find_definitions(
    question: DefinitionQuestion, versions: VersionQuerySet, *, most: int = MOST
) -> list[Definition]:
    """Return the definitions of a term, the best first, with their places.

    First those of the document that is named, if any is so called; then those that hold in a whole document
    before those that hold in a part of one. What a definition “has the meaning given in” follows it.
    To be called inside the tenant's scope.
    """
    keys = _keys(question)
    names = [name for _, name in question.readings if name]
    found = _candidates(keys, names, versions) if keys else []
    if not found:
        return []
    surest = min(_guess(one, keys) for one in found)
    found = [one for one in found if _guess(one, keys) == surest]
    distances = _distances({one.version.document_id: one for one in found}, names)
    return _with_given(_rank(found, keys, distances)[:most], versions)


def _candidates(keys: Keys, names: Sequence[str], versions: VersionQuerySet) -> list[Definition]:
    """Return definitions of terms; of more than can be ranked, those of documents that are called so.

    Places are loaded behind them: to plan one query of so many tables takes longer than all of these.
    """
    rows = Definition.objects.of_keys(list(keys)).within(versions)
    named = DocumentName.objects.filter(key__in=[document_key(name) for name in names])
    called = list(named.values_list("document", flat=True)) if names else []
    is_called = Case(When(version__document__in=called, then=Value(0)), default=Value(1))
    ordered = rows.order_by(*([is_called] if called else []), "-confidence", "pk")
    return list(ordered.prefetch_related("section", "scope", Prefetch("version", _read()))[:MOST])


def _read() -> VersionQuerySet:
    whole: VersionQuerySet = Version.objects.select_related("document__collection")
    return whole.defer("text", "pages", "warnings")


def _keys(question: DefinitionQuestion) -> Keys:
    """Return what is looked for: as typed, in the other number, and with other signs between the words."""
    typed = [key for term, _ in question.readings if (key := term_key(term))]
    numbers = [other for key in typed for other in other_number(key)]
    spellings = [other for key in typed for other in _spellings(key)]
    guesses = [(key, guess) for guess, keys in enumerate((typed, numbers, spellings)) for key in keys]
    return dict(reversed(guesses))


def _guess(definition: Definition, keys: Keys) -> int:
    return min(
        (keys[key] for key in (definition.key, *definition.variants) if key in keys), default=len(keys)
    )


def _spellings(key: str) -> Iterator[str]:
    """Yield a term with and without hyphens and brackets: “410 gone” may be printed “410 (gone)”."""
    words = WORD.findall(key)[:MOST_WORDS]
    yield " ".join(words)
    yield "-".join(words)
    for place in range(1, len(words)):
        before, behind = " ".join(words[:place]), " ".join(words[place:])
        yield f"{before}-{behind}"
        yield f"{before} ({behind})"


def _rank(found: Sequence[Definition], keys: Keys, distances: dict[UUID, float]) -> list[Definition]:
    def rank(one: Definition) -> tuple[object, ...]:
        return (
            distances[one.version.document_id],
            -max((len(key) for key in (one.key, *one.variants) if key in keys), default=0),
            one.key not in keys,
            one.scope.position > 0,
            -one.confidence,
            one.version.document.name,
            one.start,
        )

    return sorted(found, key=rank)


def _distances(documents: dict[UUID, Definition], asked: Sequence[str]) -> dict[UUID, float]:
    """Return how far each document is from the one that is asked for, by the nearest of its names."""
    if not asked:
        return dict.fromkeys(documents, SAME)
    names: dict[UUID, list[str]] = {
        pk: [one.version.title, one.version.document.name] for pk, one in documents.items()
    }
    for pk, name in DocumentName.objects.filter(document__in=documents).values_list("document", "name"):
        names[pk].append(name)
    return {pk: min(_compare(name, other) for name in asked for other in own) for pk, own in names.items()}


def _compare(asked: str, name: str) -> float:
    """Tell a name from a part of it: “Land Registration” is a part of “LAND REGISTRATION (REGULATION J)”."""
    if document_key(asked) == document_key(name):
        return SAME
    wanted, own = _words(asked), _words(name)
    if not wanted or not own:
        return OTHER
    if _contains(own, wanted):
        return PART
    if _contains(wanted, own):  # The more of what is asked for it says, the nearer it is.
        return SOME - len(own) / len(wanted)
    return SOME if set(wanted) <= set(own) else OTHER


def _words(name: str) -> list[str]:
    return [word for word in WORD.findall(name.casefold()) if word not in SMALL]


def _contains(words: Sequence[str], some: Sequence[str]) -> bool:
    places = range(len(words) - len(some) + 1)
    return any(list(words[place : place + len(some)]) == list(some) for place in places)


def _with_given(ranked: Sequence[Definition], versions: VersionQuerySet) -> list[Definition]:
    """Put behind each definition what it leads to, and each definition once."""
    chains = follow_meanings(ranked, versions)
    return list(dict.fromkeys(one for start in ranked for one in (start, *chains.get(start.pk, ()))))
