"""Replay a citation: the words as they were, and whether they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from documents.models import Version
from documents.read_context import HEAD, ReadContext
from documents.visible import Visible, visible_versions
from search.answer import Citation
from search.citations import sentences
from search.citations.differ import mark_difference
from search.citations.edition import Span
from search.citations.given import GivenCitation
from search.citations.history import find_changes
from search.citations.locate import Cited, Located, locate_words
from search.citations.verification import Reading, Status, Verification
from search.citations.volume import Volume, hash_of, open_volume
from tenants.models import Tenant
from tenants.scope import within_tenant


def verify_citation(
    citation: Citation | GivenCitation, *, tenant: Tenant, context: ReadContext = HEAD
) -> Verification:
    """Say whether what is cited stands in what is read at a context; and if not, what became of it."""
    given = GivenCitation.of(citation) if isinstance(citation, Citation) else citation
    with within_tenant(tenant.pk):
        reader = Reader(tenant, visible_versions(tenant=tenant, context=context))
        if given.tenant is not None and given.tenant != tenant.pk:
            return reader.answer(Status.GONE, str(sentences.NO_VERSION))
        volume = reader.open_any(given.version_id)
        if volume is None:
            return find_instead(given, reader)
        if problem := find_alteration(given, volume):
            return reader.answer(Status.ALTERED, problem)
        return compare(given.span, unit_cited(given, volume), volume, reader)


@dataclass(frozen=True)
class Reader:
    """For whom something is verified, and what they read."""

    tenant: Tenant
    visible: Visible

    @property
    def context(self) -> ReadContext:
        return self.visible.context

    @cached_property
    def described(self) -> Mapping[str, Any]:
        return self.visible.describe()

    def open_any(self, version_id: UUID) -> Volume | None:
        """Return any version of the tenant that was ever ready, by its id."""
        return open_volume(Version.objects.for_tenant(self.tenant).readable(), self.tenant, pk=version_id)

    def open_read(self, document_id: UUID) -> Volume | None:
        """Return the version of a document that is read at the context."""
        return open_volume(self.visible.versions, self.tenant, document=document_id)

    def read(self, volume: Volume, span: Span, unit: int) -> Reading:
        return volume.read(span, unit, self.described)

    def answer(self, status: Status, sentence: str, **facts: Any) -> Verification:
        return Verification(status=status, sentence=sentence, read_context=self.described, **facts)


def find_instead(given: GivenCitation, reader: Reader) -> Verification:
    """Say what stands where something was cited from a version that is not here."""
    now = None
    if given.document_id is not None and given.section_label is not None:
        volume = reader.open_read(given.document_id)
        unit = None if volume is None else volume.outline.by_label.get(given.section_label)
        if volume is not None and unit is not None:
            found = volume.outline.units[unit]
            now = reader.read(volume, (found.start, found.end), unit)
    return reader.answer(Status.GONE, sentences.say_gone(now, given.content_hash, reader.context), now=now)


def find_alteration(given: GivenCitation, volume: Volume) -> str:
    """Return what a citation says that is not so of its own version, in words; nothing if all is so."""
    document = volume.version.document
    if given.document_id not in {None, document.pk} or given.collection_id not in {
        None,
        document.collection_id,
    }:
        return str(sentences.OTHER_DOCUMENT)
    if not 0 <= given.span[0] < given.span[1] <= volume.length:
        return str(sentences.OUTSIDE)
    if not hash_of(volume.words(given.span)).startswith(given.content_hash):
        return str(sentences.WRONG_HASH)
    if given.section_label and not is_in(given.section_label, given.span, volume):
        return sentences.say_other_label(given.section_label)
    return ""


def is_in(label: str, span: Span, volume: Volume) -> bool:
    """Tell whether a span has words of the unit of a label."""
    unit = volume.outline.by_label.get(label)
    if unit is None:
        return False
    found = volume.outline.units[unit]
    return found.start < span[1] and span[0] < found.end


def unit_cited(given: GivenCitation, volume: Volume) -> int:
    """Return the unit by which something is cited; if none holds it, the smallest around it."""
    around = volume.unit_of(given.span)
    if given.section_label is None:
        return around
    unit = volume.outline.by_label.get(given.section_label, 0)
    return unit if volume.is_below(around, unit) else around


def compare(span: Span, unit: int, volume: Volume, reader: Reader) -> Verification:
    """Hold words against the version that is read."""
    then, document = reader.read(volume, span, unit), volume.version.document
    present = reader.open_read(document.pk)
    if present is None:
        sentence = sentences.say_withdrawn(document, reader.context)
        return reader.answer(Status.WITHDRAWN, sentence, then=then)
    if present.version == volume.version:
        sentence = sentences.say_stands(then, then, reader.context)
        return reader.answer(Status.STANDS, sentence, then=then, now=then)
    cited = Cited(volume.edition, span, unit)
    located = locate_words(cited, present.edition)
    facts = {"then": then, "since": find_changes(cited, volume, present)}
    return tell(located, volume, present, reader, facts)


def tell(
    located: Located, volume: Volume, present: Volume, reader: Reader, facts: Mapping[str, Any]
) -> Verification:
    """Answer with what was found in the version that is read."""
    then = facts["then"]
    places = tuple(reader.read(present, one.span, one.unit) for one in located.places)
    if not places:
        sentence = sentences.say_removed(then, present.version.number, reader.context)
        return reader.answer(Status.REMOVED, sentence, **facts)
    now, context = places[0], reader.context
    if located.status == Status.STANDS:
        return reader.answer(Status.STANDS, sentences.say_stands(then, now, context), now=now, **facts)
    if located.status == Status.MOVED:
        sentence = sentences.say_moved(now, located.count, context)
        found = {"now": now, "places": places, "place_count": located.count}
        return reader.answer(Status.MOVED, sentence, **found, **facts)
    marked, is_cut = mark_difference(volume.words(then.span).strip(), present.words(now.span).strip())
    sentence = sentences.say_changed(then, now, context)
    shown = {"now": now, "difference": marked, "is_difference_cut": is_cut}
    return reader.answer(Status.CHANGED, sentence, **shown, **facts)
