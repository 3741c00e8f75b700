"""Where references point: in their own document, or in the one of the collection that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import connection
from django.db.models import F

from definitions.correct import Goal
from definitions.extract.found import Step, Target
from definitions.models import DocumentName, ReferenceKind
from definitions.outlines import StoredOutline, load_head_outline
from documents.publish import Row

MOST_NAMED = 3
REASON = 500  # Length of the field.


@dataclass(frozen=True, slots=True)
class Mention:
    """What a reference says, and where it stands."""

    document: UUID
    near: int
    target: Target
    text: str
    through: tuple[Step, ...] = ()
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """The document and the label that are meant, or why there are none."""

    kind: ReferenceKind
    document: UUID | None = None
    label: str = ""
    through_label: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A document that has a name."""

    document: UUID
    file: str
    is_given: bool
    is_present: bool


def lock_references(collection_id: UUID) -> None:
    """Let those who link documents of a collection pass one after the other, lest they miss each other."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"references {collection_id}"]
        )


def link_columns(link: Link) -> Row:
    return {
        "kind": str(link.kind),
        "target_document_id": link.document,
        "target_label": link.label,
        "through_label": link.through_label,
        "reason": link.reason[:REASON],
    }


class Linker:
    """Links many mentions of one collection; names are asked for once, and each outline is loaded once."""

    def __init__(
        self, collection_id: UUID, mentions: Sequence[Mention], outlines: dict[UUID, StoredOutline]
    ) -> None:
        self.outlines = outlines
        self.named = find_named(collection_id, {m.target.document for m in mentions if m.goal is None})
        self.goals = hold_documents({m.goal.document for m in mentions if m.goal and m.goal.document})

    def link(self, mention: Mention) -> Link:
        if mention.goal is not None:
            return self._link_goal(mention, mention.goal)
        if not mention.target.document:
            return self._resolve(mention, mention.document, ReferenceKind.INTERNAL)
        chosen = choose(self.named.get(mention.target.document, []), mention.document)
        if len(chosen) == 1:
            kind = ReferenceKind.DOCUMENT
            if chosen[0].document == mention.document:
                kind = ReferenceKind.INTERNAL
            return self._resolve(mention, chosen[0].document, kind)
        if chosen:
            return Link(ReferenceKind.DOCUMENT, reason=_ambiguous(mention, chosen))
        if mention.target.is_external:
            return Link(ReferenceKind.EXTERNAL)
        return Link(ReferenceKind.DOCUMENT, reason=f"No document here is called “{mention.target.document}”.")

    def _resolve(self, mention: Mention, document: UUID, kind: ReferenceKind) -> Link:
        outline = self._outline(document)
        if not outline.units:
            return Link(kind, document, reason="The document that is meant is not read yet.")
        target = mention.target
        near = mention.near if kind == ReferenceKind.INTERNAL else None
        found = outline.index.resolve(replace(target, document=""), near=near)
        if found.unit is None:
            return Link(kind, document, reason=self._name_place(found.reason, mention, document))
        through_label = ""
        if mention.through:
            through = replace(target, document="", steps=mention.through)
            last = outline.index.resolve(through, near=near)
            through_label = "" if last.unit is None else outline.labels[last.unit]
        return Link(kind, document, outline.labels[found.unit], through_label)

    def _name_place(self, reason: str, mention: Mention, document: UUID) -> str:
        """Say which document lacks a unit, if it is another."""
        if document == mention.document:
            return reason
        names = [one.file for named in self.named.values() for one in named if one.document == document]
        return reason.replace("in this document", f"in {names[0]}") if names else reason

    def _link_goal(self, mention: Mention, goal: Goal) -> Link:
        """Obey a person; a label that is not there yet, or no longer, is kept and waits."""
        document = goal.document or mention.document
        kind = ReferenceKind.INTERNAL if document == mention.document else ReferenceKind.DOCUMENT
        if kind == ReferenceKind.DOCUMENT and document not in self.goals:
            return Link(kind, label=goal.label, reason="The document that was meant is gone.")
        if goal.label in self._outline(document).by_label:
            return Link(kind, document, goal.label)
        where = f"There is no {goal.label}" if goal.label else "The document is not read"
        return Link(kind, document, goal.label, reason=f"{where} in the version that is current.")

    def _outline(self, document: UUID) -> StoredOutline:
        if document not in self.outlines:
            self.outlines[document] = load_head_outline(document)
        return self.outlines[document]


def find_named(collection_id: UUID, keys: Iterable[str]) -> dict[str, list[Named]]:
    """Return the documents of a collection by the names that are asked for."""
    wanted = sorted(key for key in keys if key)
    if not wanted:
        return {}
    rows = DocumentName.objects.filter(key__in=wanted, document__collection=collection_id)
    found = list(rows.values_list("key", "document", "document__name", "is_given", F("document__deleted_at")))
    held = hold_documents({row[1] for row in found})
    named: dict[str, list[Named]] = {}
    for key, document, file, is_given, deleted_at in found:
        if document in held:
            named.setdefault(key, []).append(Named(document, file, is_given, deleted_at is None))
    return named


def hold_documents(ids: Iterable[UUID]) -> set[UUID]:
    """Keep documents from being deleted for good before what points to them is written."""
    wanted = list(ids)
    if not wanted:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM documents_document WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [wanted]
        )
        return {row[0] for row in cursor.fetchall()}


def choose(named: Sequence[Named], own: UUID) -> list[Named]:
    """Return the document that a name means: its own first, then those not in the bin, then those so named
    by a person. Several are left where nothing tells them apart."""
    is_better: Callable[[Named], bool]
    for is_better in (lambda one: one.document == own, lambda one: one.is_present, lambda one: one.is_given):
        named = [one for one in named if is_better(one)] or named
    return list(named)


def _ambiguous(mention: Mention, chosen: Sequence[Named]) -> str:
    files = sorted(one.file for one in chosen)
    shown = ", ".join(files[:MOST_NAMED]) + (", …" if len(files) > MOST_NAMED else "")
    return f"{len(files)} documents here are called “{mention.target.document}”: {shown}."
