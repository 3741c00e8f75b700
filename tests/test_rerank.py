"""Reranking: the first passages of a ranking change places, none is lost, and it is paid from the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from search.backends.payment import Purse
from search.backends.rerankers.base import Reranker, RerankerError
from search.backends.rerankers.http import HttpReranker
from search.backends.rerankers.overlap import OverlapReranker
from search.budget import budget_of
from search.calls import usage_of
from search.models import Call, CallState
from search.rerank import DEPTH, Reranked, purse_for, rerank_passages
from search.services import set_budget
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.factories import ACTOR
from tests.providers.rerank_server import RerankServer
from tests.providers.server import Answer

RACE = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


class Given(Reranker):
    """Scores that are known: the passages say them."""

    name = "given"

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []

    def rate(self, question: str, passages: Sequence[str], purse: Purse | None) -> list[float]:
        self.asked.append((question, list(passages)))
        return [float(passage) for passage in passages]


def ranking(*scores: float) -> list[tuple[UUID, str]]:
    return [(UUID(int=number), str(score)) for number, score in enumerate(scores)]


def order_of(reranked: Reranked) -> list[int]:
    return [passage.int for passage in reranked.order]


class TestOrder:
    @pytest.mark.parametrize(
        ("scores", "order"),
        [
            ([3, 2, 1], [0, 1, 2]),
            ([1, 1, 1], [0, 1, 2]),
            ([1, 2], [0, 1]),  # Each is once first and once second.
            ([1, 2, 3], [0, 2, 1]),  # First and last, once each, is more than twice in the middle.
            ([0, 9, 9, 0], [1, 0, 2, 3]),
            ([2, 1, 3, 0], [0, 2, 1, 3]),
        ],
    )
    def test_is_fused_from_both(self, scores: list[float], order: list[int]) -> None:
        assert order_of(rerank_passages(Given(), "q", ranking(*scores))) == order

    def test_comes_with_the_scores_of_those_that_were_looked_at(self) -> None:
        reranked = rerank_passages(Given(), "q", ranking(0.5, 0.25, 9.0), depth=2)
        assert reranked.scores == {UUID(int=0): 0.5, UUID(int=1): 0.25}

    def test_is_left_alone_behind_the_depth(self) -> None:
        reranker = Given()
        ranked = ranking(*range(DEPTH + 5))
        reranked = rerank_passages(reranker, "the question", ranked)
        assert reranker.asked == [("the question", [str(number) for number in range(20)])]
        assert order_of(reranked)[20:] == [20, 21, 22, 23, 24]
        assert sorted(order_of(reranked)[:20]) == list(range(20))

    def test_changes_more_where_ranks_count_more(self) -> None:
        ranked = ranking(5, 4, 3, 2, 9)
        orders = [order_of(rerank_passages(Given(), "q", ranked, k=k)) for k in (1, 60)]
        assert orders == [[0, 4, 1, 2, 3], [0, 1, 4, 2, 3]]

    @pytest.mark.parametrize("depth", [0, 1])
    def test_of_nothing_and_of_one_stays(self, depth: int) -> None:
        assert rerank_passages(Given(), "q", []) == Reranked([])
        assert order_of(rerank_passages(Given(), "q", ranking(1, 2, 3), depth=depth)) == [0, 1, 2]

    @given(
        st.lists(st.floats(-5, 5).map(lambda number: round(number, 1)), max_size=30),
        st.integers(0, 30),
        st.integers(1, 100),
    )
    def test_loses_nobody_and_never_puts_one_that_is_worse_in_both_first(
        self, scores: list[float], depth: int, k: int
    ) -> None:
        order = order_of(rerank_passages(Given(), "q", ranking(*scores), depth=depth, k=k))
        head = scores[:depth]
        assert sorted(order[: len(head)]) == list(range(len(head)))
        assert order[len(head) :] == list(range(len(head), len(scores)))
        places = {number: place for place, number in enumerate(order)}
        for better in range(len(head)):
            for worse in range(better + 1, len(head)):
                if head[better] >= head[worse]:
                    assert places[better] < places[worse]

    def test_is_that_of_the_words_with_the_simplest_reranker(self) -> None:
        ranked = [(UUID(int=0), "a fee"), (UUID(int=1), "pilots"), (UUID(int=2), "the harbour master")]
        assert order_of(rerank_passages(OverlapReranker(), "harbour master", ranked)) == [0, 2, 1]


class TestMoney:
    @pytest.fixture
    def server(self) -> Iterator[RerankServer]:
        with RerankServer() as server:
            yield server

    def paid(self, server: RerankServer) -> HttpReranker:
        return HttpReranker(base_url=server.cohere, model="m", prices={"search": "2"}, timeout=30)

    def calls(self, tenant: Tenant) -> list[tuple[str, str, str, Decimal]]:
        with tenant_scope(tenant.pk):
            rows = Call.objects.for_tenant(tenant).order_by("at")
            return list(rows.values_list("role", "backend", "state", "cost"))

    def test_what_is_free_is_paid_by_nobody(self, harbour: Tenant, server: RerankServer) -> None:
        assert purse_for(OverlapReranker(), harbour.pk) is None
        assert purse_for(HttpReranker(base_url=server.cohere), harbour.pk) is None
        assert purse_for(self.paid(server), harbour.pk) is not None

    @RACE
    @pytest.mark.parametrize("is_nested", [False, True])
    def test_a_search_is_paid_from_the_budget(
        self, harbour: Tenant, server: RerankServer, is_nested: bool
    ) -> None:
        reranker = self.paid(server)
        purse = purse_for(reranker, harbour.pk)
        if is_nested:
            with tenant_scope(harbour.pk):
                rerank_passages(reranker, "harbour", ranking(1, 2), purse=purse)
        else:
            rerank_passages(reranker, "harbour", ranking(1, 2), purse=purse)
        assert self.calls(harbour) == [("reranker", "http/m", CallState.DONE, Decimal("0.002"))]
        assert budget_of(harbour.pk).spent == Decimal("0.002")
        assert [(row.role, row.calls) for row in usage_of(harbour)] == [("reranker", 1)]

    @RACE
    def test_the_budget_holds(self, harbour: Tenant, server: RerankServer) -> None:
        set_budget(tenant=harbour, monthly_limit=Decimal("0.003"), actor=ACTOR)
        reranker = self.paid(server)
        rerank_passages(reranker, "harbour", ranking(1, 2), purse=purse_for(reranker, harbour.pk))
        with pytest.raises(RerankerError, match=r"http/m: The budget is used up\."):
            rerank_passages(reranker, "harbour", ranking(1, 2), purse=purse_for(reranker, harbour.pk))
        assert (len(server.requests), len(self.calls(harbour))) == (1, 1)
        assert budget_of(harbour.pk).spent == Decimal("0.002")

    @RACE
    def test_what_was_paid_is_remembered_although_the_search_fails(
        self, harbour: Tenant, server: RerankServer
    ) -> None:
        server.script = [Answer(raw=b"nonsense")]
        reranker = self.paid(server)
        with pytest.raises(RerankerError), tenant_scope(harbour.pk):
            rerank_passages(reranker, "harbour", ranking(1, 2), purse=purse_for(reranker, harbour.pk))
        assert self.calls(harbour) == [("reranker", "http/m", CallState.FAILED, Decimal("0.002"))]
        assert budget_of(harbour.pk).spent == Decimal("0.002")

    @RACE
    def test_nobody_else_waits_while_a_service_takes_its_time(
        self, harbour: Tenant, server: RerankServer
    ) -> None:
        server.script = [Answer(is_hung=True)]
        reranker = HttpReranker(base_url=server.cohere, model="m", prices={"search": "2"}, timeout=1)
        with tenant_scope(harbour.pk):
            with pytest.raises(RerankerError, match="no answer"):
                rerank_passages(reranker, "harbour", ranking(1, 2), purse=purse_for(reranker, harbour.pk))
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND mode ~ 'Row'")
                assert cursor.fetchone() == (
                    0,
                )  # This transaction has locked no row, so nobody waits for it.
        assert self.calls(harbour) == [("reranker", "http/m", CallState.UNKNOWN, Decimal("0.002"))]

    @RACE
    def test_of_one_tenant_never_pays_for_another(
        self, harbour: Tenant, meridian: Tenant, server: RerankServer
    ) -> None:
        reranker = self.paid(server)
        with transaction.atomic():
            rerank_passages(reranker, "harbour", ranking(1, 2), purse=purse_for(reranker, harbour.pk))
        assert (len(self.calls(harbour)), self.calls(meridian)) == (1, [])
        assert budget_of(meridian.pk).spent == 0
