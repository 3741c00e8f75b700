"""The defined terms of some versions, A to Z, each with its meanings and whether they agree."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, groupby, islice
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, F, Value, When, Window
from django.db.models.functions import Least, Left, RowNumber, Substr, Upper

from definitions.models import Definition
from definitions.models.definition import DefinitionQuerySet
from definitions.outlines import load_outlines
from definitions.terms import term_key
from definitions.uses import Term, TermMatcher, heading_spans
from documents.models import Section, Version, VersionQuerySet
from documents.parse import Unit

LONGEST_MEANING = 600
MOST_MEANINGS = 6  # Of one term in a list; its own page has more.
MOST_ALL = 100
MOST_UNITS = 200
MOST_TEXTS = 20  # That are looked through for uses of a term while somebody waits,
MOST_READ = 2_000_000  # and their characters, some 800 pages.
REST = "#"  # Stands for terms that begin with no letter from A to Z.
LETTER = re.compile(r"[A-Z]")
HASHES = re.compile(r"^#+[ \t]*", re.MULTILINE)  # Of headings, which are no part of what is said.


@dataclass(frozen=True, slots=True)
class Entry:
    """A term, as it is mostly printed, with its first meanings."""

    key: str
    term: str
    definitions: tuple[Definition, ...]
    count: int
    is_conflicting: bool

    @property
    def more(self) -> int:
        return self.count - len(self.definitions)


@dataclass(frozen=True, slots=True)
class UnitUse:
    """A unit in which a term is used, and how often."""

    definition: Definition
    label: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Uses:
    """Units that use a term, and of how many documents not all are known."""

    units: list[UnitUse]
    more: int


def find_terms(versions: VersionQuerySet, *, words: str = "", letter: str = "") -> Any:
    """Return the keys of terms with how many definitions each has, in the order of keys."""
    rows = Definition.objects.within(versions)
    if key := term_key(words):
        rows = rows.filter(key__contains=key)
    if letter == REST:
        rows = rows.exclude(key__regex=r"^[a-z]")
    elif letter:
        rows = rows.filter(key__startswith=letter.lower())
    return rows.order_by("key").values("key").annotate(count=Count("pk"))


def count_letters(versions: VersionQuerySet) -> dict[str, int]:
    """Return how many terms begin with each letter; what begins with none from A to Z counts together."""
    first = Definition.objects.within(versions).order_by().annotate(first=Upper(Left("key", 1)))
    letters: Counter[str] = Counter()
    for letter, count in first.values_list("first").annotate(Count("key", distinct=True)):
        letters[letter if LETTER.fullmatch(letter) else REST] += count
    return dict(sorted(letters.items(), key=lambda item: (item[0] == REST, item[0])))


def load_entries(versions: VersionQuerySet, terms: Sequence[dict[str, Any]]) -> list[Entry]:
    """Return terms with their first meanings, in two queries."""
    counts = {row["key"]: row["count"] for row in terms}
    ranked = (
        Definition.objects.within(versions)
        .filter(key__in=list(counts))
        .annotate(
            place=Window(
                RowNumber(),
                partition_by=F("key"),
                order_by=[F("version__document__name").asc(), F("position").asc()],
            )
        )
        .filter(place__lte=MOST_MEANINGS)
    )
    found = with_meanings(Definition.objects.filter(pk__in=list(ranked.values_list("pk", flat=True))))
    ordered = found.order_by("key", "version__document__name", "position")
    return [
        entry_of(key, tuple(rows), counts[key]) for key, rows in groupby(ordered, key=lambda row: row.key)
    ]


def load_entry(versions: VersionQuerySet, key: str) -> Entry | None:
    """Return one term with all its meanings, as far as anybody reads them."""
    own = Definition.objects.within(versions).filter(key=key)
    rows = with_meanings(own).order_by("version__document__name", "position")
    found = tuple(rows[:MOST_ALL])
    return entry_of(key, found, len(found) if len(found) < MOST_ALL else own.count()) if found else None


def with_meanings(rows: DefinitionQuerySet) -> DefinitionQuerySet:
    """With places, and with the words of the meaning up to a length that a list shows."""
    length = Least(F("text_end") - F("text_start"), Value(LONGEST_MEANING))
    return rows.with_places().annotate(meaning=Substr("version__text", F("text_start") + 1, length))


def entry_of(key: str, rows: tuple[Any, ...], count: int) -> Entry:
    for row in rows:
        row.shown, row.place = HASHES.sub("", row.meaning), label_of(row.section)
    printed = Counter(row.term for row in rows).most_common(1)[0][0]
    return Entry(key, printed, rows, count, is_conflicting(rows))


def is_conflicting(rows: Iterable[Any]) -> bool:
    """Tell whether two say something else for the same unit, or as a whole document each.

    One that only says where the meaning is given says nothing else.
    """
    saying = [row for row in rows if row.given_start is None]
    return any(
        _meet(one, other) and fold(one.meaning) != fold(other.meaning)
        for one, other in combinations(saying, 2)
    )


def _meet(one: Definition, other: Definition) -> bool:
    if one.version_id == other.version_id:
        return one.scope_id == other.scope_id
    return one.scope.position == 0 and other.scope.position == 0


def fold(meaning: str) -> str:
    return " ".join(meaning.split()).casefold().rstrip(".;, ")


def find_uses_of(definitions: Iterable[Definition]) -> Uses:
    """Return the units that use a term as its definitions mean it, each in its own document."""
    by_version: dict[UUID, list[Definition]] = {}
    for row in definitions:
        by_version.setdefault(row.version_id, []).append(row)
    read = dict(islice(by_version.items(), _count_readable(by_version.values())))
    texts, outlines = _load_texts(read), load_outlines(list(read))
    uses: list[UnitUse] = []
    for index, (version_id, rows) in enumerate(read.items()):
        uses += _uses_in_text(texts[version_id], outlines[version_id].units, rows)
        if len(uses) > MOST_UNITS:
            return Uses(uses[:MOST_UNITS], len(by_version) - index)
    return Uses(uses, len(by_version) - len(read))


def _count_readable(versions: Iterable[Sequence[Definition]]) -> int:
    """Return how many texts, of the first, are read while somebody waits; the first is, however long."""
    lengths = accumulate(map(_reach, versions))
    return sum(not index or length <= MOST_READ for index, length in enumerate(islice(lengths, MOST_TEXTS)))


def _reach(rows: Iterable[Definition]) -> int:
    """Return how far into a text any of its definitions holds."""
    return max(row.scope.end for row in rows)


def _load_texts(versions: Mapping[UUID, Sequence[Definition]]) -> dict[UUID, str]:
    """Return the texts of versions, each as far as its definitions hold."""
    reach = Case(*(When(pk=pk, then=Value(_reach(rows))) for pk, rows in versions.items()))
    own = Version.objects.filter(pk__in=list(versions)).annotate(read=Left("text", reach))
    return dict(own.values_list("pk", "read"))


def _uses_in_text(text: str, units: Sequence[Unit], rows: Sequence[Definition]) -> list[UnitUse]:
    terms = [
        Term(
            (row.term, *row.variants),
            row.start,
            row.end,
            (row.text_start, row.text_end),
            (row.scope.start, row.scope.end),
        )
        for row in rows
    ]
    starts = [unit.start for unit in units]
    counts: Counter[tuple[int, int]] = Counter()
    for use in TermMatcher(text, terms, skip=heading_spans(text, units)).find():
        position = bisect_right(starts, use.start) - 1
        while position > 0 and units[position].end <= use.start:
            position -= 1
        counts[position, use.term] += 1
    return [
        UnitUse(rows[term], units[position].label if position else "", units[position].title, count)
        for (position, term), count in sorted(counts.items())
    ]


def label_of(section: Section) -> str:
    """Return the label of a unit; nothing for the whole document."""
    return section.label if section.position else ""
