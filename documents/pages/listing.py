"""Which documents of a collection a page shows, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Count
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from documents.models import Collection, Document, DocumentQuerySet, State, Version

OPEN, BIN = "open", "bin"
# What a page can be narrowed to. The first is all; the bin is apart from the rest.
SHOWN = {
    "": _("All"),
    OPEN: _("Being read"),
    "ready": _("Ready"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
    BIN: _("Bin"),
}
ORDERS = {
    "name": _("Name, A to Z"),
    "-name": _("Name, Z to A"),
    "newest": _("Newest first"),
    "largest": _("Largest first"),
}
LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True)
class Listing:
    """What was asked for: a state, words of the name, and an order."""

    show: str = ""
    words: str = ""
    order: str = "name"

    @classmethod
    def of(cls, asked: QueryDict) -> Listing:
        """Read an address; what it does not know is as if nothing was said."""
        show, order = asked.get("show", ""), asked.get("sort", "name")
        words = asked.get("q", "").replace("\0", "").strip()[:LONGEST_WORDS]
        return cls(show if show in SHOWN else "", words, order if order in ORDERS else "name")

    def choose(self, documents: DocumentQuerySet) -> DocumentQuerySet:
        return self.in_state(documents).named(self.words).sorted_by(self.order)

    def in_state(self, documents: DocumentQuerySet) -> DocumentQuerySet:
        if self.show == BIN:
            return documents.exclude(deleted_at=None)
        if self.show == OPEN:
            return documents.present().in_state(*(state for state in State if state.is_open))
        return documents.present().in_state(State(self.show)) if self.show else documents.present()

    def query(self, **others: str) -> str:
        """Return what an address says of this listing, with some of it changed."""
        said = {"show": self.show, "q": self.words, "sort": self.order, **others}
        return urlencode({name: value for name, value in said.items() if value and value != "name"})

    def tabs(self, counts: Mapping[str, int]) -> list[tuple[str, str, int, bool]]:
        """Return the address, the name and the number of each choice that has any, and which one it is."""
        return [
            (self.query(show=show), str(name), counts.get(show, 0), show == self.show)
            for show, name in SHOWN.items()
            if show in {"", BIN, self.show} or counts.get(show)
        ]


def count_by_state(collection: Collection) -> dict[str, int]:
    """Return how many documents each choice of a listing shows, in two queries."""
    documents = Document.objects.filter(collection=collection)
    newest = Version.objects.newest().filter(document__in=documents.present().values("pk")).order_by()
    states: dict[str, int] = dict(newest.values_list("state").annotate(Count("pk")))
    counts = {show: states.get(show, 0) for show in ("ready", "failed", "cancelled")}
    counts[""] = sum(states.values())
    counts[OPEN] = counts[""] - sum(counts[show] for show in ("ready", "failed", "cancelled"))
    counts[BIN] = documents.exclude(deleted_at=None).count()
    return counts
