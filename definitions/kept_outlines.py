"""Outlines of versions that units are looked up in, kept for the next query.

A version that is ready never changes, so neither does its outline. Which ones may be read is asked of the
database each time; what is kept is reached by the id of a version alone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from threading import Lock
from uuid import UUID

from definitions.outlines import StoredOutline, load_outlines

MOST_KEPT = 150_000  # Units of all outlines together; some hundred megabytes.


class OutlineCache:
    """The outlines used last, up to so many units."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self.kept: OrderedDict[UUID, StoredOutline] = OrderedDict()
        self.size = 0
        self.lock = Lock()

    def get(self, version_id: UUID) -> StoredOutline:
        return self.get_all([version_id])[version_id]

    def get_all(self, version_ids: Collection[UUID]) -> dict[UUID, StoredOutline]:
        """Return outlines by their versions; those that are not kept are loaded in one query."""
        found = self._kept(version_ids)
        missing = [version_id for version_id in version_ids if version_id not in found]
        loaded = load_outlines(missing) if missing else {}
        for version_id, outline in loaded.items():
            if outline.units:
                _ = outline.index  # Made here, so that no two threads make it.
                self._keep(version_id, outline)
        return found | loaded

    def _kept(self, version_ids: Collection[UUID]) -> dict[UUID, StoredOutline]:
        with self.lock:
            found = {pk: self.kept[pk] for pk in version_ids if pk in self.kept}
            for version_id in found:
                self.kept.move_to_end(version_id)
        return found

    def _keep(self, version_id: UUID, outline: StoredOutline) -> None:
        with self.lock:
            if version_id not in self.kept:
                self.size += len(outline.units)
            self.kept[version_id] = outline
            while self.size > self.most and len(self.kept) > 1:
                _, dropped = self.kept.popitem(last=False)
                self.size -= len(dropped.units)


CACHE = OutlineCache()
