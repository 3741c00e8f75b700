"""Have the first passages of a ranking put in order once more, by what reads them with the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

from django.db import connection

from search.backends.payment import Purse, Usage
from search.backends.rerankers.base import Reranker
from search.budget import TenantPurse

DEPTH = 20
K = 60  # Damps the head of each list (Cormack et al. 2009).
ROLE = "reranker"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reranked:
    """All passages in their new order, and what the reranker gave to those that it was shown."""

    order: list[UUID]
    scores: dict[UUID, float] = field(default_factory=dict)


def rerank_passages(
    reranker: Reranker,
    question: str,
    ranked: Sequence[tuple[UUID, str]],
    *,
    depth: int = DEPTH,
    k: int = K,
    purse: Purse | None = None,
) -> Reranked:
    """Fuse the reranker's order of the first passages with the one they had; the others stay behind.

    Fused, since a reranker by itself makes good rankings worse. Of two that are alike, the one that stood
    higher stays higher.
    """
    passages = [passage for passage, _ in ranked]
    head = passages[:depth]
    scores = reranker.scores(question, [text for _, text in ranked[:depth]], purse=purse)
    by_score = sorted(range(len(head)), key=lambda place: (-scores[place], place))
    fused = dict.fromkeys(range(len(head)), 0.0)
    for ranking in (range(len(head)), by_score):
        for rank, place in enumerate(ranking, start=1):
            fused[place] += 1 / (k + rank)
    order = sorted(fused, key=lambda place: (-fused[place], place))
    return Reranked(
        [*(head[place] for place in order), *passages[depth:]], dict(zip(head, scores, strict=True))
    )


def purse_for(reranker: Reranker, tenant_id: UUID) -> Purse | None:
    """Return what pays a reranker for a tenant; nothing for one that costs nothing."""
    if not reranker.is_paid:
        return None
    return SearchPurse(TenantPurse(tenant_id, None, reranker.name, ROLE, prices=reranker.prices))


class SearchPurse:
    """Pays at once and for good, although the search is inside a transaction.

    There the budget would be locked for others while a provider takes its time, and what was paid would be
    forgotten if the search failed. So it is done in a thread, which has a connection of its own. Where there
    is no transaction, no connection is left open either: what follows is the provider's time.
    """

    def __init__(self, purse: TenantPurse) -> None:
        self._purse = purse

    def reserve(self, most: Decimal) -> bool:
        return _apart(lambda: self._purse.reserve(most))

    def settle(self, most: Decimal, usage: Usage, *, failure: str = "", is_unknown: bool = False) -> None:
        _apart(lambda: self._purse.settle(most, usage, failure=failure, is_unknown=is_unknown))


def _apart(work: Callable[[], T]) -> T:
    """Do some work outside the transaction that this thread is in."""
    if not connection.in_atomic_block:
        return _on_own_connection(work)
    with ThreadPoolExecutor(1, "purse") as pool:
        return pool.submit(_on_own_connection, work).result()


def _on_own_connection(work: Callable[[], T]) -> T:
    try:
        return work()
    finally:
        connection.close()
