"""Let references mean what the text says that a name means: “Act” means the Harbour Safety Act 2014."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from definitions.extract.found import FoundDefinition, FoundReference, Span, Target
from definitions.terms import term_key
from documents.parse import Unit

BEHIND = 60  # Characters between a term and the document that it means: “means the”, “refers to”.
BEFORE = 12  # And between a document and the name in brackets that it gets: “ (the “”.


def follow_names(
    units: Sequence[Unit], definitions: Iterable[FoundDefinition], references: Sequence[FoundReference]
) -> tuple[FoundReference, ...]:
    """Return the references with the documents that defined names stand for, inside the scope of each."""
    starts = [reference.start for reference in references]
    meant: dict[str, list[tuple[Span, str]]] = defaultdict(list)
    for definition in definitions:
        document = _document_of(definition, references, starts)
        if document:
            scope = units[definition.scope]
            meant[term_key(definition.term)].append(((scope.start, scope.end), document))
    return tuple(_follow(reference, meant) for reference in references) if meant else tuple(references)


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
    return bool(reference.target.document) and not reference.target.steps


def _follow(reference: FoundReference, meant: dict[str, list[tuple[Span, str]]]) -> FoundReference:
    around = [
        (end - start, document)
        for (start, end), document in meant.get(reference.target.document, ())
        if start <= reference.start < end
    ]
    if not around:
        return reference
    _, document = min(around)
    through = reference.through
    return replace(
        reference,
        target=_put_into(reference.target, document),
        through=_put_into(through, document) if through else None,
    )


def _put_into(target: Target, document: str) -> Target:
    return replace(target, document=document)
