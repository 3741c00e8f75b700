"""In which versions something that is cited became something else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Substr

from documents.models import Section, Version
from search.citations.edition import Extract
from search.citations.locate import Cited, find_part, map_part
from search.citations.verification import Change
from search.citations.volume import Volume, hash_of

LONGEST_MAPPED = 200_000  # Characters of a unit; of a longer one, any change counts once its part is changed.
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
    """Return by version what it says in the unit: of a part, that it stands, or what is there instead."""
    own = cited.old.label(cited.innermost)
    named = Q(label__in=[label for label in (cited.label, own) if label])
    named = named if cited.label and own else named | Q(position=0)
    text = Substr("version__text", F("start") + 1, F("end") - F("start"))
    rows = Section.objects.filter(named, version__in=versions).order_by("version_id")
    facts = rows.values_list("version_id", "position", "label", "start", text).iterator(chunk_size=5)
    said = {}
    for version, found in groupby(facts, key=itemgetter(0)):
        units = {
            label if position else "": Extract(start, words) for _, position, label, start, words in found
        }
        if cited.label in units:
            said[version] = _tell(cited, units[cited.label], units.get(own))
    return said


def _tell(cited: Cited, home: Extract, own: Extract | None) -> str:
    if not cited.is_whole and find_part(cited, home, own):
        return ""
    if cited.is_whole or len(home.text) > LONGEST_MAPPED:
        return _hash(home.text)
    return _hash(home.text[slice(*home.within(map_part(cited, home)))])


def _hash(text: str) -> str:
    return hash_of(" ".join(text.split()))
