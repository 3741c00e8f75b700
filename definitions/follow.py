"""Let references mean what the text says that a name means: “Act” means the Harbour Safety Act 2014."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from definitions.extract.found import FoundDefinition, FoundReference, Span
from definitions.extract.references.words import THAT
from definitions.terms import term_key
from documents.parse import Unit

BEHIND = 60  # Characters between a term and the document that it means: “means the”, “refers to”.
BEFORE = 12  # And between a document and the name in brackets that it gets: “ (the “”.
FURTHEST = 1000  # And between “that Act” and the act.

Meanings = dict[str, list[tuple[Span, str]]]  # What a name means, and where.
Named = dict[str, list[tuple[int, str]]]  # The documents that are named, by each word of their names.


def follow_names(
    units: Sequence[Unit], definitions: Iterable[FoundDefinition], references: Sequence[FoundReference]
) -> tuple[FoundReference, ...]:
    """Return the references with the documents that “the Act” and “that Act” stand for.

    “That Act” is the one named last before it. “The Act” is what the nearest scope defines, or the only act
    that is named at all.
    """
    meant = _read_meanings(units, definitions, references)
    named: Named = defaultdict(list)
    for reference in references:
        if _is_document(reference):
            for word in set(reference.target.document.split()):
                named[word].append((reference.start, reference.target.document))
    only = {word: found[0][1] for word, found in named.items() if len({key for _, key in found}) == 1}
    return tuple(_follow(reference, meant, named, only) for reference in references)


def _read_meanings(
    units: Sequence[Unit], definitions: Iterable[FoundDefinition], references: Sequence[FoundReference]
) -> Meanings:
    starts = [reference.start for reference in references]
    meant: Meanings = defaultdict(list)
    for definition in definitions:
        document = _document_of(definition, references, starts)
        if document:
            scope = units[definition.scope]
            meant[term_key(definition.term)].append(((scope.start, scope.end), document))
    return meant


def _document_of(
    definition: FoundDefinition, references: Sequence[FoundReference], starts: Sequence[int]
) -> str:
    """Return the key of the document that a term is defined to be; nothing if it is something else."""
    place = bisect_left(starts, definition.end)
    following = references[place] if place < len(references) else None
    if following and _is_document(following) and following.start - definition.end <= BEHIND:
        return following.target.document if following.start < definition.body[1] else ""
    before = references[place - 1] if place else None
    if before and _is_document(before) and 0 <= definition.start - before.end <= BEFORE:
        return before.target.document
    return ""


def _is_document(reference: FoundReference) -> bool:
    return reference.form == "document" and not reference.target.steps


def _follow(reference: FoundReference, meant: Meanings, named: Named, only: dict[str, str]) -> FoundReference:
    key = reference.target.document.removeprefix(THAT)
    if not key:
        return reference
    document = ""
    if key != reference.target.document:
        document = _named_before(reference.start, named[key]) if key in named else ""
    document = document or _meant_at(reference.start, meant.get(key, ()))
    if not document and key not in meant:
        document = only.get(key, "")
    return _put_into(reference, document or key)


def _named_before(position: int, named: Sequence[tuple[int, str]]) -> str:
    place = bisect_left(named, (position, "")) - 1
    is_near = place >= 0 and position - named[place][0] <= FURTHEST
    return named[place][1] if is_near else ""


def _meant_at(position: int, meanings: Iterable[tuple[Span, str]]) -> str:
    around = [(end - start, document) for (start, end), document in meanings if start <= position < end]
    return min(around)[1] if around else ""


def _put_into(reference: FoundReference, document: str) -> FoundReference:
    through = reference.through
    return replace(
        reference,
        target=replace(reference.target, document=document),
        through=replace(through, document=document) if through else None,
    )
