"""Two versions of a document beside each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from documents.compare import LOUD, Change, Effort, Kind
from documents.differences import Differences, compare_versions
from documents.models import Document, Version
from documents.pages.marked import TAGS, WORDS, Stretch, show_words
from tenants.access import tenant_view
from tenants.models import Membership
from tenants.views import tenant_page

BLOCKS_PER_PAGE = 100
SHORTEST_FOLD = 3
MOST_FOLDED = 200
MOST_LISTED = 300
DEEPEST = 8
NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Shown:
    """What became of one unit, as it is shown."""

    change: Change
    words: str
    tag: str
    depth: int
    anchor: str
    stretches: Sequence[Stretch] = ()
    page: int = 1

    @property
    def old_label(self) -> str:
        """What it was called, if that was something else."""
        old, new = self.change.old, self.change.new
        return old.label if old and new and old.label != new.label else ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Units that say what they said, one after another."""

    units: Sequence[Shown]
    count: int
    moved: int

    @property
    def left(self) -> int:
        return self.count - len(self.units)


@tenant_view()
@require_safe
def compare(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Show what became of each unit from one version to another, with the words marked."""
    own = Document.objects.for_tenant(membership.tenant).select_related("collection")
    document = get_object_or_404(own, pk=pk)
    versions = list(ready_versions(document))
    context: dict[str, Any] = {"document": document, "versions": versions}
    if len(versions) > 1 or "old" in request.GET:
        old = choose(versions, request.GET.get("old"), default=1)
        new = choose(versions, request.GET.get("new"), default=0)
        context |= {"old": old, "new": new, **shown_differences(request, compare_versions(old, new))}
    return tenant_page(request, membership, "compare", context)


def ready_versions(document: Document) -> Any:
    return Version.objects.without_text().readable().filter(document=document).order_by("-number")


def choose(versions: Sequence[Version], number: str | None, *, default: int) -> Version:
    if number is None:
        return versions[min(default, len(versions) - 1)]
    wanted = int(number) if NUMBER.fullmatch(number) else -1
    for version in versions:
        if version.number == wanted:
            return version
    raise Http404(_("There is no ready version of this number."))


def shown_differences(request: HttpRequest, differences: Differences) -> dict[str, Any]:
    is_short = request.GET.get("show") == "changed"
    blocks = list(arrange(differences.changes, is_short=is_short))
    page = Paginator(blocks, BLOCKS_PER_PAGE).get_page(request.GET.get("page"))
    effort = Effort()
    loud = [
        shown(block, page=1 + index // BLOCKS_PER_PAGE)
        for index, block in enumerate(blocks)
        if not isinstance(block, Fold) and block.kind in LOUD
    ]
    return {
        "counts": [(WORDS[kind], TAGS[kind], count) for kind, count in differences.counts.items() if count],
        "is_coarse": differences.is_coarse,
        "is_short": is_short,
        "listed": loud[:MOST_LISTED],
        "left": max(0, len(loud) - MOST_LISTED),
        "page": page,
        "blocks": [block if isinstance(block, Fold) else shown(block, effort=effort) for block in page],
        "is_same": not loud,
    }


def arrange(changes: Sequence[Change], *, is_short: bool) -> Iterator[Change | Fold]:
    """Fold what says what it said, unless it is short enough to give the place of what changed."""
    for is_loud, several in groupby(changes, key=lambda change: change.kind in LOUD):
        run = list(several)
        if is_loud or (len(run) < SHORTEST_FOLD and not is_short):
            yield from run
        elif not is_short:
            moved = sum(change.kind == Kind.MOVED for change in run)
            yield Fold([shown(change) for change in run[:MOST_FOLDED]], len(run), moved)


def shown(change: Change, *, effort: Effort | None = None, page: int = 1) -> Shown:
    """Return a unit as it is shown, with its words if some effort may be made."""
    stretches: list[Stretch] = []
    if effort is not None and change.kind in LOUD:
        old, new = change.old.own if change.old else "", change.new.own if change.new else ""
        stretches = show_words(old, new, effort)
    unit = change.unit
    anchor = f"{'was' if change.new is None else 'unit'}-{unit.position}"
    depth = min(unit.level, DEEPEST)
    return Shown(change, str(WORDS[change.kind]), TAGS[change.kind], depth, anchor, stretches, page)
