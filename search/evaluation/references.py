"""Measure references: mentions by their place, and what they point to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from definitions.models import CrossReference
from documents.models import Collection, Section
from search.evaluation.measures import Measure, Record, share
from search.evaluation.places import Places
from search.evaluation.scratch import read_versions, stem
from tenants.scope import tenant_scope

Place = tuple[str, int]  # A document, and where a unit of it begins.

SCORED = frozenset({"internal", "external"})
# Where a set says which documents are complete, it is complete in these forms alone.
SURE_FORMS = re.compile(r"§|paragraph", re.IGNORECASE)
WORD = re.compile(r"[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class FoundMention:
    """A mention, the unit that it is resolved to if it is, and its target in words otherwise."""

    document: str
    start: int
    end: int
    text: str
    place: Place | None = None
    words: tuple[str, ...] = ()


def find_references(collection: Collection) -> list[FoundMention]:
    with tenant_scope(collection.tenant_id):
        versions = read_versions(collection)
        rows: Any = CrossReference.objects.within(versions).with_targets(versions)
        fields = (
            "version__document__name",
            "start",
            "end",
            "text",
            "target_section",
            "document_key",
            "steps",
        )
        places = _places_of(collection)
        return [
            FoundMention(stem(name), start, end, text, places.get(target), target_words(key, steps))
            for name, start, end, text, target, key, steps in rows.values_list(*fields)
        ]


def _places_of(collection: Collection) -> dict[Any, Place]:
    rows = Section.objects.filter(version__in=read_versions(collection).values("pk"))
    sections = rows.values_list("pk", "version__document__name", "start")
    return {key: (stem(name), start) for key, name, start in sections}


def target_words(document_key: str, steps: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the words and numbers of a target: of "12 CFR 1026.2(a)" cfr, 12, 1026, 2 and a."""
    words = WORD.findall(document_key.lower())
    numbers = [word for _, number in steps for word in WORD.findall(number.lower())]
    repeats = bool(words and numbers) and words[-1] == numbers[0]  # Section 1026.2 of part 1026.
    return (*words, *(numbers[1:] if repeats else numbers))


def measure_references(
    found: Sequence[FoundMention],
    truth: Sequence[Record],
    form: str,
    *,
    units: Iterable[Record] = (),
    documents: Iterable[Record] = (),
    partial: Sequence[Record] = (),
) -> list[Measure]:
    """Hold mentions against the truth. Documents that are marked in part tell recall alone."""
    mentions = Places((one.document, one.start, one.end) for one in found)
    scored = [record for record in truth if record["kind"] in SCORED]
    touched = [mentions.touched(record["doc"], *record[form]) for record in scored]
    met = sum(map(bool, touched)) + sum(mentions.touch(record["doc"], *record[form]) for record in partial)
    count = len(scored) + len(partial)
    recall = Measure("reference_recall", share(met, count), count, form)
    if not truth:
        return [recall]
    meant = [(record, [found[index] for index in ours]) for record, ours in zip(scored, touched, strict=True)]
    return [
        _precision(found, truth, form, documents, partial),
        recall,
        _target_accuracy(meant, _begins(units, form), form),
    ]


def _target_accuracy(
    meant: Iterable[tuple[Record, Sequence[FoundMention]]], begins: dict[str, set[Place]], form: str
) -> Measure:
    right = [any(is_right(one, record, begins) for one in ours) for record, ours in meant if ours]
    return Measure("reference_target_accuracy", share(sum(right), len(right)), len(right), form)


def _precision(
    found: Sequence[FoundMention],
    truth: Sequence[Record],
    form: str,
    documents: Iterable[Record],
    partial: Sequence[Record],
) -> Measure:
    """Count ours that touch a true one; those that touch only one of another kind count neither way."""
    complete = {record["doc"]: record.get("refs_complete") for record in documents}
    in_part = {record["doc"] for record in partial} | {
        doc for doc, is_full in complete.items() if is_full is False
    }
    places = {
        is_scored: Places((one["doc"], *one[form]) for one in truth if (one["kind"] in SCORED) == is_scored)
        for is_scored in (True, False)
    }
    judged = Counter(
        places[True].touch(one.document, one.start, one.end)
        for one in found
        if one.document not in in_part
        and (complete.get(one.document) is None or SURE_FORMS.match(one.text))
        and not _is_other(one, places)
    )
    return Measure("reference_precision", share(judged[True], judged.total()), judged.total(), form)


def _is_other(one: FoundMention, places: dict[bool, Places]) -> bool:
    span = (one.document, one.start, one.end)
    return places[False].touch(*span) and not places[True].touch(*span)


def _begins(units: Iterable[Record], form: str) -> dict[str, set[Place]]:
    begins: dict[str, set[Place]] = defaultdict(set)
    for unit in units:
        begins[unit["id"]].add((unit["doc"], unit[form][0]))
    return begins


def is_right(mention: FoundMention, record: Record, begins: dict[str, set[Place]]) -> bool:
    """Tell whether a mention means the true target: its unit, or one beyond the set by its words."""
    target = str(record["target"])
    if target in begins:
        return mention.place in begins[target]
    wholes = (target, target.partition(":")[2])  # With and without the family: "USC:15-1601".
    return any(words and _leads(words, mention.words) for words in map(_words, wholes))


def _words(target: str) -> list[str]:
    return WORD.findall(target.lower())


def _leads(words: Sequence[str], ours: Sequence[str]) -> bool:
    """Tell whether ours begin with these, in whatever order: ours may be more exact."""
    return Counter(words) == Counter(ours[: len(words)])
