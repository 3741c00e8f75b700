"""In which versions something that is cited became something else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Substr

from documents.models import Section, Version
from search.citations.edition import find_words
from search.citations.locate import Cited
from search.citations.verification import Change
from search.citations.volume import Volume, hash_of

MOST_VERSIONS = 200  # Between the version that was cited and the one that is read.


def find_changes(cited: Cited, then: Volume, now: Volume) -> tuple[Change, ...]:
    """Return the versions that changed the cited words, in the order from the one cited to the one read."""
    versions = list(_between(then.version, now.version))
    said = _said(cited, [version.pk for version in versions])
    return tuple(
        Change(after.pk, after.number, after.recorded_at, after.effective_from)
        for before, after in pairwise(versions)
        if said.get(before.pk) != said.get(after.pk)
    )


def _between(then: Version, now: Version) -> Iterator[Version]:
    """Yield both versions and those between them that nobody took back."""
    lowest, highest = sorted((then.number, now.number))
    own = Version.objects.readable().filter(document=then.document_id, number__range=(lowest, highest))
    kept = own.filter(Q(withdrawn_at=None) | Q(pk__in=[then.pk, now.pk])).defer("text", "warnings", "pages")
    order = "number" if then.number < now.number else "-number"
    found = list(kept.order_by(order)[:MOST_VERSIONS])
    yield from found
    if now not in found:
        yield now


def _said(cited: Cited, versions: list[UUID]) -> dict[UUID, str]:
    """Return by version what it says in the unit: of a part of it, that the part is there, or else all."""
    named = Q(label=cited.label) if cited.unit else Q(position=0)
    text = Substr("version__text", F("start") + 1, F("end") - F("start"))
    rows = Section.objects.filter(named, version__in=versions).values_list("version_id", text)
    start, end = cited.old.span(cited.unit)
    words = cited.old.words((max(cited.span[0], start), min(cited.span[1], end)))
    said = {}
    for version, unit_text in rows.iterator(chunk_size=5):
        is_there = not cited.is_whole and next(find_words(unit_text, words), None) is not None
        said[version] = "" if is_there else hash_of(" ".join(unit_text.split()))
    return said
