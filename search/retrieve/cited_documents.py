"""Which documents the words of a query name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from definitions.extract.found import Span
from definitions.extract.names import document_key, find_names
from definitions.models import DocumentName
from documents.models import Section, VersionQuerySet
from search.understand.citations import CitedPlace
from search.understand.document_words import NameGuess, is_generic, root_of_code, without_publisher

YEARS = 1900, 2100
YEAR = re.compile(r"(?:,?\s|/)(?:19|20)\d\d$")
MOST_KEYS = 1_000
MOST_REMEMBERED = 10_000  # Titles of versions that are read no longer by default.
SHORT = 6  # Letters of an abbreviation.


@dataclass(frozen=True, slots=True)
class Named:
    """The documents of a name, and where the query says it."""

    ids: tuple[UUID, ...]
    spans: tuple[Span, ...] = ()
    is_all: bool = False  # Whether the query says nothing but the name and the number.


@dataclass(frozen=True, slots=True)
class NamedDocuments:
    """The documents that have the names of a query, by their keys."""

    by_key: dict[str, tuple[UUID, ...]]

    def of(self, place: CitedPlace) -> Named | None:
        """Return what a citation is looked up in; nothing if no document is named beside it."""
        key = place.target.document
        if key and not is_generic(key):
            return Named(self.by_key.get(key, ()))
        for guess in place.names:
            if guess.is_near and guess.key in self.by_key and _is_telling(place, guess):
                spans = ((guess.start, guess.end),)
                return Named(self.by_key[guess.key], spans, is_all=guess.says_all(place.names))
        return None

    def preferred(self, place: CitedPlace) -> frozenset[UUID]:
        """Return the documents that are named somewhere in the query."""
        keys = (guess.key for guess in place.names if guess.key in self.by_key)
        return frozenset(pk for key in keys for pk in self.by_key[key])


def _is_telling(place: CitedPlace, guess: NameGuess) -> bool:
    """Tell a name from a word of the question: "section 12 penalties" where a file is called so."""
    is_behind = guess.start >= place.end
    return (
        place.is_bound
        or " " in guess.key
        or not guess.key.isalpha()
        or not is_behind
        or len(guess.key) <= SHORT
    )


def find_documents(cited: Sequence[CitedPlace], versions: VersionQuerySet) -> NamedDocuments:
    """Ask once for all names that the citations of a query may have."""
    wanted = {place.target.document for place in cited if place.target.document}
    guessed = {guess.key for place in cited for guess in place.names if not is_generic(guess.key)}
    found = _find(wanted | guessed, versions)
    found |= _find_former((wanted | guessed) - found.keys(), versions)
    for key in wanted - found.keys():
        if others := _find_otherwise(key, versions):
            found[key] = others
    return NamedDocuments(found)


def _find(keys: Iterable[str], versions: VersionQuerySet) -> dict[str, tuple[UUID, ...]]:
    listed = sorted(key for key in keys if key)[:MOST_KEYS]
    if not listed:
        return {}
    rows = DocumentName.objects.filter(key__in=listed, document__in=versions.values("document"))
    found: dict[str, list[UUID]] = defaultdict(list)
    for key, document in rows.order_by("document__name", "document_id").values_list("key", "document"):
        found[key].append(document)
    return {key: tuple(dict.fromkeys(ids)) for key, ids in found.items()}


def _find_former(keys: Collection[str], versions: VersionQuerySet) -> dict[str, tuple[UUID, ...]]:
    """Return the documents that were called so in the version that is read, and are called otherwise now."""
    if not keys:
        return {}
    rows = versions.exclude(superseded_at=None).order_by("document__name", "document_id")
    found: dict[str, list[UUID]] = defaultdict(list)
    for document, title, file_name in rows.values_list("document", "title", "file_name"):
        for key in _names_then(title, file_name) & set(keys):
            found[key].append(document)
    return {key: tuple(ids) for key, ids in found.items()}


@lru_cache(maxsize=MOST_REMEMBERED)
def _names_then(title: str, file_name: str) -> frozenset[str]:
    return frozenset(map(document_key, find_names("", title=title, file_name=file_name)))


def _find_otherwise(key: str, versions: VersionQuerySet) -> tuple[UUID, ...]:
    """Return the documents of a name with or without its year or its publisher, or of a part of a code."""
    if label := root_of_code(key):
        return _roots(label, versions)
    names = DocumentName.objects.filter(document__in=versions.values("document"))
    without = YEAR.sub("", key)
    years = [f"{key} {year}" for year in range(*YEARS)]
    others = [*(years if without == key else [without]), *without_publisher(key)]
    alike = names.filter(key__in=others)
    return tuple(dict.fromkeys(alike.order_by("document__name").values_list("document", flat=True)))


def _roots(label: str, versions: VersionQuerySet) -> tuple[UUID, ...]:
    """Return the documents that are a part of a code by their own first line, whatever their title."""
    rows = Section.objects.filter(label=label, position=0, version__in=versions.values("pk"))
    return tuple(
        dict.fromkeys(rows.order_by("version__document__name").values_list("version__document", flat=True))
    )
