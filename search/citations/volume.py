"""A version as citations see it: its facts, its outline, and words from its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.db.models import F
from django.db.models.functions import Length, Substr

from definitions.kept_outlines import CACHE
from definitions.outlines import StoredOutline
from documents.models import Version, VersionQuerySet
from search.answer import Citation
from search.citations.edition import Edition, Span, path_of, trim, unit_around
from search.citations.verification import Reading
from search.cite import MOST_SHOWN, pages_of
from search.permalink import permalink_of
from tenants.models import Tenant

HEAVY = ("text", "warnings")


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Volume:
    """A version with what is asked of it; its text is loaded when it is needed as a whole."""

    version: Version  # With its document and its collection.
    tenant: Tenant
    known: dict[Span, str] = field(default_factory=dict, repr=False, compare=False)  # Words that were read.

    @cached_property
    def outline(self) -> StoredOutline:
        return CACHE.get(self.version.pk)

    @cached_property
    def edition(self) -> Edition:
        text = Version.objects.values_list("text", flat=True).get(pk=self.version.pk)
        return Edition(text, self.outline.units)

    def words(self, span: Span) -> str:
        """Return the text of a span, from the database if the whole is not here, and only once."""
        start, end = span
        if "edition" in self.__dict__:
            return self.edition.text[start:end]
        if span not in self.known:
            own = Version.objects.filter(pk=self.version.pk)
            self.known[span] = own.values_list(Substr("text", start + 1, end - start), flat=True).get()
        return self.known[span]

    def label(self, unit: int) -> str:
        """Return the label of a unit; the document itself has none."""
        return self.outline.labels[unit] if self.outline.units else ""

    @property
    def length(self) -> int:
        return int(self.version.length)  # type: ignore[attr-defined]  # See `open_volume`.

    def unit_of(self, span: Span) -> int:
        """Return the smallest unit around the words of a span."""
        text = self.words(span)
        begin, end = trim(text, (0, len(text)))
        starts = [unit.start for unit in self.outline.units]
        return unit_around(self.outline.units, starts, (span[0] + begin, span[0] + end)) if starts else 0

    def is_below(self, unit: int, other: int) -> bool:
        """Tell whether a unit is another one, or in it."""
        while unit > other:
            unit = self.outline.units[unit].parent or 0
        return unit == other

    def read(
        self, span: Span, unit: int, read_context: Mapping[str, Any], *, most: int = MOST_SHOWN
    ) -> Reading:
        """Describe the words of a span, and show the first of them."""
        version, document, text = self.version, self.version.document, self.words(span)
        label, digest = self.label(unit), hash_of(text)
        return Reading(
            text=text[:most],
            is_cut=len(text) > most,
            document_id=document.pk,
            document=document.name,
            collection=document.collection.name,
            version_id=version.pk,
            version=version.number,
            recorded_at=version.recorded_at,
            effective_from=version.effective_from,
            effective_to=version.effective_to,
            section_label=label,
            path=path_of(self.outline.units, unit),
            pages=pages_of(version.pages, span),
            span=span,
            citation=Citation(
                tenant=self.tenant.pk,
                collection_id=document.collection_id,
                document_id=document.pk,
                version_id=version.pk,
                section_label=label,
                span=span,
                content_hash=digest,
                read_context=read_context,
            ),
            permalink=permalink_of(self.tenant.slug, version.pk, span, digest),
        )


def open_volume(versions: VersionQuerySet, tenant: Tenant, **conditions: Any) -> Volume | None:
    """Return the newest of some versions, with its length, if there is one."""
    rows = versions.filter(**conditions).select_related("document__collection").defer(*HEAVY)
    version = rows.annotate(length=Length(F("text"))).order_by("-number").first()
    return None if version is None else Volume(version, tenant)
