"""References of other documents that a document concerns are linked again when it, or its names, change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from definitions.correct import Goal
from definitions.extract.found import Step, Target
from definitions.link import Linker, Mention, link_columns
from definitions.models import CrossReference, CrossReferenceQuerySet, DocumentName, ReferenceKind
from definitions.outlines import StoredOutline
from documents.models import Document, Version
from documents.publish import Row, update_rows

LINKED = ("kind", "target_document_id", "target_label", "through_label", "reason")


def mend_references(
    document: Document,
    *,
    outlines: dict[UUID, StoredOutline] | None = None,
    own_version: UUID | None = None,
    keys: tuple[str, ...] = (),
) -> None:
    """Link again what points to a document, or uses one of its names or of the further keys.

    Whoever calls holds `lock_references`. Those of `own_version` are linked already.
    """
    names = DocumentName.objects.filter(document=document).values_list("key", flat=True)
    concerned = Q(document_key__in=[*names, *keys]) | Q(target_document=document)
    current = Version.objects.readable().filter(superseded_at=None)  # In the bin too: it may come back.
    rows = (
        CrossReference.objects.within(current)
        .filter(concerned, tenant=document.tenant_id, version__document__collection=document.collection_id)
        .exclude(version=own_version)
        .exclude(kind=ReferenceKind.INTERNAL, document_key="")
    )
    update_rows(CrossReference, LINKED, changed_rows(rows, document.collection_id, outlines or {}))


def changed_rows(
    references: CrossReferenceQuerySet, collection_id: UUID, outlines: dict[UUID, StoredOutline]
) -> Iterator[Row]:
    """Yield the rows that point elsewhere than before."""
    found = list(references.annotate(near=F("section__position"), source=F("version__document")))
    mentions = [mention_again(reference) for reference in found]
    linker = Linker(collection_id, mentions, outlines)
    for reference, mention in zip(found, mentions, strict=True):
        columns = link_columns(linker.link(mention))
        if columns != {name: getattr(reference, name) for name in LINKED}:
            yield {"id": reference.pk, **columns}


def mention_again(reference: Any) -> Mention:
    """Return what a stored reference said when it was found."""
    target = Target(
        steps=tuple(Step(kind, number) for kind, number in reference.steps),
        base=reference.base,
        document=reference.document_key,
        is_external=reference.is_external,
    )
    goal = None
    if reference.is_corrected and reference.target_document_id is not None:
        goal = Goal(reference.target_document_id, reference.target_label)
    through = tuple(Step(kind, number) for kind, number in reference.through_steps)
    return Mention(reference.source, reference.near, target, reference.text, through, goal)
