"""What became of documents, for programs: between versions, between baselines, and of one unit."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from django.db.models import Model, QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.page import PageSerializer, read_page
from documents.compare import LOUD, Change, Effort, Kind, Mark, Unit, mark_words
from documents.differences import (
    Differences,
    DocumentChange,
    Fate,
    compare_documents,
    compare_versions,
    documents_of,
)
from documents.history import Step, section_history
from documents.models import Baseline, Document, Version
from search.read.cursor import identity, words
from tenants.api import StrictSerializer, TenantAPIView, acting_program
from tenants.schema import describe

MOST_CHANGES = 1000
BY_NAME = {"name": words, "pk": identity}
LONGEST_LABEL = 300


class NamedVersion(TypedDict):
    id: UUID
    number: int
    recorded_at: datetime | None  # When it became the one that is read; nothing while it is not ready.
    withdrawn_at: datetime | None
    effective_from: date | None
    effective_to: date | None


class NamedDocument(TypedDict):
    id: UUID
    name: str


class NamedBaseline(TypedDict):
    id: UUID
    name: str


class ComparedUnit(TypedDict):
    label: str
    title: str
    level: int
    start: int
    end: int


class MarkedWords(TypedDict):
    """A stretch of text, and in which of the two it is."""

    kind: Mark
    text: str


class ChangedUnit(TypedDict):
    """What became of one unit, by its own words."""

    kind: Kind
    old: ComparedUnit | None
    new: ComparedUnit | None
    below: int  # How many units below it have other words.
    words: NotRequired[list[MarkedWords]]  # Where they are not the same.


class VersionDifferences(TypedDict):
    old: NamedVersion
    new: NamedVersion
    counts: dict[str, int]  # Of units, by what became of them.
    is_coarse: bool  # Units far below were left out, since there are too many.
    changes: list[ChangedUnit]
    next_offset: int | None  # Where to go on.


class HistoryStep(TypedDict):
    """What became of a unit in one version."""

    version: NamedVersion
    kind: Kind
    label: str
    old_label: str
    words: list[MarkedWords]


class SectionHistory(TypedDict):
    document: NamedDocument
    is_complete: bool  # Otherwise there are too many versions, and the oldest were left out.
    steps: list[HistoryStep]  # The newest first.


class ComparedLabels(TypedDict):
    kind: Kind
    old: str | None
    new: str | None


class ComparedDocument(TypedDict):
    id: UUID | None
    name: str
    kind: Fate
    old: NamedVersion | None
    new: NamedVersion | None
    counts: NotRequired[dict[str, int]]  # Of units, where they were compared.
    units: NotRequired[list[ComparedLabels]]


class ComparedBaselines(TypedDict):
    """What became of a page of documents. Of each page, the first that changed are compared by units."""

    old: NamedBaseline
    new: NamedBaseline
    documents: list[ComparedDocument]  # By name.
    next: str | None


class CompareSerializer(StrictSerializer):
    """With what to compare, and which of the changes to tell: those of words alone, unless all are wanted."""

    all = serializers.BooleanField(default=False, help_text="Units whose words are the same, too.")
    offset = serializers.IntegerField(default=0, min_value=0, help_text="Changes to pass over.")
    limit = serializers.IntegerField(default=200, min_value=1, max_value=MOST_CHANGES)

    def get_fields(self) -> dict[str, Any]:
        """Python keeps the name of this one for itself."""
        return {"with": serializers.UUIDField(help_text="The older version.")} | super().get_fields()


class WithSerializer(PageSerializer):
    """With what to compare."""

    def get_fields(self) -> dict[str, Any]:
        return {"with": serializers.UUIDField(help_text="The older baseline.")} | super().get_fields()


class LabelSerializer(StrictSerializer):
    """Of which unit."""

    def get_fields(self) -> dict[str, Any]:
        """A field has a label of its own."""
        words = "As it is in the newest version, or was in the last that has it."
        return {"label": serializers.CharField(max_length=LONGEST_LABEL, help_text=words)}


class CompareVersionsView(TenantAPIView):
    """Tell what became of each unit from another version of the document to this one."""

    @describe("compare_versions", tag="versions", asks=CompareSerializer, answers=VersionDifferences)
    def get(self, request: Request, pk: UUID) -> Response:
        own = Version.objects.for_tenant(acting_program(request).tenant).readable().without_text()
        new = get_object_or_404(own, pk=pk)
        asked = read_query(request, CompareSerializer)
        old = find_other(own, asked["with"])
        if old.document_id != new.document_id:
            raise ValidationError({"with": ["It is a version of another document."]})
        return Response(describe_differences(compare_versions(old, new), asked))


class HistoryView(TenantAPIView):
    """Tell in which versions a unit became another, the newest first, through all its numbers."""

    @describe(
        "read_history",
        tag="documents",
        asks=LabelSerializer,
        answers=SectionHistory,
        example={"label": "Section 2"},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        document = get_object_or_404(Document.objects.for_tenant(acting_program(request).tenant), pk=pk)
        asked = read_query(request, LabelSerializer)
        found = section_history(document, asked["label"])
        if not found.steps:
            raise NotFound(f"No version has a unit “{asked['label']}”.")
        effort = Effort()
        return Response(
            {
                "document": {"id": document.pk, "name": document.name},
                "is_complete": found.is_complete,
                "steps": [describe_step(step, effort) for step in found.steps],
            }
        )


class CompareBaselinesView(TenantAPIView):
    """Tell what became of each document from another baseline to this one, a page at a time."""

    @describe("compare_baselines", tag="baselines", asks=WithSerializer, answers=ComparedBaselines)
    def get(self, request: Request, pk: UUID) -> Response:
        own = Baseline.objects.for_tenant(acting_program(request).tenant)
        new = get_object_or_404(own, pk=pk)
        asked = read_query(request, WithSerializer)
        old = find_other(own, asked["with"])
        if old.collection_id != new.collection_id:
            raise ValidationError({"with": ["It is a baseline of another collection."]})
        page, following = read_page(documents_of(old, new), BY_NAME, asked)
        found = compare_documents(old, new, page)
        return Response(
            {
                "old": {"id": old.pk, "name": old.name},
                "new": {"id": new.pk, "name": new.name},
                "documents": [
                    describe_document(change, found.units.get((change.new or change.old).document_id))  # type: ignore[union-attr]
                    for change in found.documents
                ],
                "next": following,
            }
        )


def read_query(request: Request, kind: type[StrictSerializer]) -> dict[str, Any]:
    asked = kind(data=request.query_params.dict(), context={"in_words": True})
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


def find_other(own: QuerySet[Any], pk: UUID) -> Any:
    found: Model | None = own.filter(pk=pk).first()
    if found is None:
        raise NotFound("There is nothing of this id to compare it with.")
    return found


def describe_differences(found: Differences, asked: dict[str, Any]) -> VersionDifferences:
    changes = found.changes if asked["all"] else [one for one in found.changes if one.kind != Kind.UNCHANGED]
    end = asked["offset"] + asked["limit"]
    effort = Effort()
    return {
        "old": name_version(found.old),
        "new": name_version(found.new),
        "counts": {str(kind): count for kind, count in found.counts.items()},
        "is_coarse": found.is_coarse,
        "changes": [describe_change(change, effort) for change in changes[asked["offset"] : end]],
        "next_offset": end if end < len(changes) else None,
    }


def name_version(version: Version) -> NamedVersion:
    return {
        "id": version.pk,
        "number": version.number,
        "recorded_at": version.recorded_at,
        "withdrawn_at": version.withdrawn_at,
        "effective_from": version.effective_from,
        "effective_to": version.effective_to,
    }


def describe_change(change: Change, effort: Effort) -> ChangedUnit:
    old, new = change.old, change.new
    facts: ChangedUnit = {
        "kind": change.kind,
        "old": describe_unit(old),
        "new": describe_unit(new),
        "below": change.below,
    }
    if change.kind in LOUD:
        facts["words"] = describe_words(old.own if old else "", new.own if new else "", effort)
    return facts


def describe_unit(unit: Unit | None) -> ComparedUnit | None:
    if unit is None:
        return None
    return {
        "label": unit.label,
        "title": unit.title,
        "level": unit.level,
        "start": unit.start,
        "end": unit.end,
    }


def describe_words(old: str, new: str, effort: Effort) -> list[MarkedWords]:
    return [{"kind": one.kind, "text": one.text} for one in mark_words(old, new, effort)]


def describe_step(step: Step, effort: Effort) -> HistoryStep:
    return {
        "version": name_version(step.version),
        "kind": step.kind,
        "label": step.label,
        "old_label": step.old_label,
        "words": describe_words(step.old_text, step.text, effort),
    }


def describe_document(change: DocumentChange, units: Differences | None) -> ComparedDocument:
    """Tell what became of a document; its units, too, where they were compared."""
    version = change.new or change.old
    facts: ComparedDocument = {
        "id": version.document_id if version else None,
        "name": change.name,
        "kind": change.fate,
        "old": name_version(change.old) if change.old else None,
        "new": name_version(change.new) if change.new else None,
    }
    if units is not None:
        facts["counts"] = {str(kind): count for kind, count in units.counts.items()}
        facts["units"] = list(describe_units(units.changes))
    return facts


def describe_units(changes: Iterable[Change]) -> Iterable[ComparedLabels]:
    told = [change for change in changes if change.kind != Kind.UNCHANGED][:MOST_CHANGES]
    for change in told:
        old, new = change.old, change.new
        yield {
            "kind": change.kind,
            "old": old.label if old else None,
            "new": new.label if new else None,
        }
