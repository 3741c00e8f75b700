"""Findings as rows of their tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from uuid import uuid4

from definitions.correct import KnownDefinition, KnownReference
from definitions.extract.references.cite import cite_target
from definitions.link import Linker, Mention, link_columns
from definitions.models import DOCUMENT_KEY, PRINTED, TERM
from definitions.outlines import StoredOutline
from definitions.terms import term_key
from documents.models import Version
from documents.publish import Row

FORM, STYLE, BASE, TARGET = 40, 40, 40, 300  # Lengths of fields.


def definition_rows(
    version: Version, outline: StoredOutline, definitions: Iterable[KnownDefinition]
) -> Iterator[Row]:
    for position, known in enumerate(one for one in definitions if term_key(one.found.term)):
        found = known.found
        given_start, given_end = found.given_in or (None, None)
        key = term_key(found.term)
        variants = dict.fromkeys(term_key(variant) for variant in found.variants)
        yield {
            "id": uuid4(),
            "tenant_id": version.tenant_id,
            "version_id": version.pk,
            "section_id": outline.ids[found.unit],
            "scope_id": outline.ids[found.scope],
            "position": position,
            "term": found.term[:TERM],
            "key": key,
            "variants": [variant for variant in variants if variant and variant != key],
            "start": found.start,
            "end": found.end,
            "text_start": found.body[0],
            "text_end": found.body[1],
            "exclusions": [list(span) for span in found.exclusions],
            "given_start": given_start,
            "given_end": given_end,
            "style": found.style[:STYLE],
            "confidence": found.confidence,
            "is_corrected": known.is_corrected,
        }


def form_rows(definitions: Iterable[Row]) -> Iterator[Row]:
    for row in definitions:
        for key in (row["key"], *row["variants"]):
            yield {"id": uuid4(), "tenant_id": row["tenant_id"], "definition_id": row["id"], "key": key}


def reference_rows(
    version: Version, text: str, outline: StoredOutline, references: Sequence[KnownReference]
) -> Iterator[Row]:
    mentions = [mention_of(version, text, known) for known in references]
    linker = Linker(version.document.collection_id, mentions, {version.document_id: outline})
    for position, (known, mention) in enumerate(zip(references, mentions, strict=True)):
        found, target = known.found, known.found.target
        yield {
            "id": uuid4(),
            "tenant_id": version.tenant_id,
            "version_id": version.pk,
            "section_id": outline.ids[found.unit],
            "position": position,
            "start": found.start,
            "end": found.end,
            "text": mention.text[:PRINTED],
            "form": found.form[:FORM],
            "target": cite_target(target)[:TARGET],
            "document_key": target.document[:DOCUMENT_KEY],
            "is_external": target.is_external,
            "base": target.base[:BASE],
            "steps": [[step.kind, step.number] for step in target.steps],
            "through_steps": [[step.kind, step.number] for step in mention.through],
            "is_corrected": known.goal is not None,
            **link_columns(linker.link(mention)),
        }


def mention_of(version: Version, text: str, known: KnownReference) -> Mention:
    found = known.found
    return Mention(
        document=version.document_id,
        near=found.unit,
        target=found.target,
        text=" ".join(text[found.start : found.end].split()),
        through=() if found.through is None else found.through.steps,
        goal=known.goal,
    )
