"""What is spent on providers never passes the budget, whoever asks at once and whoever dies in between."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Sum
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.models import Version
from search.backends.payment import Prices, Usage
from search.budget import ABANDONED, TenantPurse, budget_of, left_of, lock_budget, record_embedding
from search.calls import LOST, LOST_AFTER, Spending, close_lost_calls, usage_of, usage_of_version
from search.models import Budget, Call, CallState, ContextBatch
from search.services import set_budget
from search.spaces import ensure_space
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR

NAME = "fake/writer"
PRICES = Prices(input=Decimal(1), cache_write=Decimal(2), cache_read=Decimal("0.1"), output=Decimal(5))
FREE = Usage()
CENT = Decimal("0.01")


def purse_of(tenant: Tenant, version: Version | None = None, **more: Any) -> TenantPurse:
    version_id = None if version is None else version.pk
    return TenantPurse(tenant.pk, version_id, NAME, "contextualizer", prices=PRICES, **more)


def limit(tenant: Tenant, dollars: str | None) -> None:
    set_budget(tenant=tenant, monthly_limit=None if dollars is None else Decimal(dollars), actor=ACTOR)


def spent_by(tenant: Tenant) -> Decimal:
    with tenant_scope(tenant.pk):
        return Budget.objects.get(tenant=tenant).spent


def calls_of(tenant: Tenant) -> list[tuple[str, Decimal]]:
    with tenant_scope(tenant.pk):
        return list(Call.objects.for_tenant(tenant).order_by("at").values_list("state", "cost"))


def sum_of_calls(tenant: Tenant) -> Decimal:
    with tenant_scope(tenant.pk):
        return Call.objects.for_tenant(tenant).aggregate(sum=Sum("cost"))["sum"] or Decimal(0)


def at_once(*acts: Callable[[], object]) -> None:
    """Do things in threads, each on a connection of its own."""
    barrier = threading.Barrier(len(acts))
    errors: list[BaseException] = []

    def act(one: Callable[[], object]) -> None:
        try:
            barrier.wait(20)
            one()
        except BaseException as error:  # noqa: BLE001  (Told by the test's own thread.)
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=[one]) for one in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if errors:
        raise errors[0]


class TestReserve:
    def test_sets_aside_up_to_the_limit_and_not_a_millionth_more(self, harbour: Tenant) -> None:
        limit(harbour, "1")
        purse = purse_of(harbour)
        assert purse.reserve(Decimal("0.4"))
        assert not purse.reserve(Decimal("0.600001"))
        assert (spent_by(harbour), calls_of(harbour)) == (Decimal("0.4"), [("open", Decimal("0.4"))])
        assert purse.reserve(Decimal("0.6"))
        assert (spent_by(harbour), left_of(harbour.pk)) == (Decimal(1), Decimal(0))

    def test_rounds_up_what_is_finer_than_a_millionth(self, harbour: Tenant) -> None:
        assert purse_of(harbour).reserve(Decimal("0.0000001"))
        assert spent_by(harbour) == Decimal("0.000001")

    def test_what_is_free_is_allowed_even_without_a_budget(self, harbour: Tenant) -> None:
        limit(harbour, "0")
        assert purse_of(harbour).reserve(Decimal(0))
        assert not purse_of(harbour).reserve(Decimal("0.000001"))

    def test_the_installation_sets_the_limit_of_who_has_none(self, harbour: Tenant, settings: Any) -> None:
        settings.SEARCH_MONTHLY_BUDGET = Decimal("0.5")
        assert left_of(harbour.pk) == Decimal("0.5")
        assert not purse_of(harbour).reserve(Decimal("0.51"))
        assert purse_of(harbour).reserve(Decimal("0.5"))
        limit(harbour, "2")
        assert left_of(harbour.pk) == Decimal("1.5")

    def test_one_tenant_spends_nothing_of_another(self, harbour: Tenant, meridian: Tenant) -> None:
        limit(harbour, "1")
        limit(meridian, "1")
        assert purse_of(harbour).reserve(Decimal(1))
        assert left_of(meridian.pk) == Decimal(1)
        assert purse_of(meridian).reserve(Decimal(1))

    def test_after_its_deadline_a_purse_pays_once_and_then_is_late(self, harbour: Tenant) -> None:
        purse = purse_of(harbour, deadline=0.0)
        assert purse.reserve(Decimal("0.1"))
        assert not purse.is_late
        assert not purse.reserve(Decimal("0.1"))
        assert getattr(purse, "is_late")  # noqa: B009  (A type checker believes that it stays as it was.)
        assert calls_of(harbour) == [("open", Decimal("0.1"))]

    def test_looking_at_a_budget_makes_no_row(self, harbour: Tenant) -> None:
        assert budget_of(harbour.pk).spent == 0
        with tenant_scope(harbour.pk):
            assert not Budget.objects.exists()


class TestSettle:
    def test_what_was_set_aside_becomes_what_it_took(self, harbour: Tenant) -> None:
        purse = purse_of(harbour, factories.version(harbour))
        purse.reserve(Decimal("0.5"))
        purse.settle(Decimal("0.5"), Usage(1000, 2000, 30_000, 400))
        cost = Decimal("0.010")  # 1,000 · $1 + 2,000 · $2 + 30,000 · $0.1 + 400 · $5, by the million.
        assert (spent_by(harbour), calls_of(harbour)) == (cost, [("done", cost)])
        with tenant_scope(harbour.pk):
            call = Call.objects.get()
            tokens = (call.input_tokens, call.cache_write_tokens, call.cache_read_tokens, call.output_tokens)
        assert tokens == (1000, 2000, 30_000, 400)

    def test_a_failure_costs_what_the_provider_says_that_it_took(self, harbour: Tenant) -> None:
        purse = purse_of(harbour)
        purse.reserve(Decimal("0.5"))
        purse.settle(Decimal("0.5"), FREE, failure="No connection. " + "x" * 300)
        assert (spent_by(harbour), calls_of(harbour)) == (Decimal(0), [("failed", Decimal(0))])
        with tenant_scope(harbour.pk):
            assert len(Call.objects.get().failure) == 300

    def test_what_nobody_knows_costs_all_that_was_set_aside(self, harbour: Tenant) -> None:
        purse = purse_of(harbour)
        purse.reserve(Decimal("0.5"))
        purse.settle(Decimal("0.5"), FREE, failure="No answer.", is_unknown=True)
        assert (spent_by(harbour), calls_of(harbour)) == (Decimal("0.5"), [("unknown", Decimal("0.5"))])

    def test_closing_a_purse_settles_what_is_open_and_nothing_else(self, harbour: Tenant) -> None:
        purse = purse_of(harbour)
        for most in ("0.5", "0.5", "0.2"):
            purse.reserve(Decimal(most))
        purse.settle(Decimal("0.5"), Usage(1000))
        purse.close()
        purse.close()
        assert spent_by(harbour) == sum_of_calls(harbour) == Decimal("0.701")
        with tenant_scope(harbour.pk):
            unknown = Call.objects.filter(state=CallState.UNKNOWN, failure=ABANDONED)
            assert sorted(unknown.values_list("cost", flat=True)) == [Decimal("0.2"), Decimal("0.5")]


class TestMonths:
    def begin_month_before(self, tenant: Tenant) -> None:
        with tenant_scope(tenant.pk):
            budget = lock_budget(tenant.pk)
            Budget.objects.filter(pk=budget.pk).update(month=budget.month - timedelta(days=1))

    def test_a_new_month_begins_with_what_is_on_its_way(self, harbour: Tenant) -> None:
        limit(harbour, "1")
        purse = purse_of(harbour)
        purse.reserve(Decimal("0.5"))
        purse.settle(Decimal("0.5"), Usage(500_000))
        purse.reserve(Decimal("0.3"))
        with tenant_scope(harbour.pk):
            ContextBatch.objects.create(
                tenant=harbour,
                version=factories.version(harbour),
                contextualizer=NAME,
                keys=[],
                reserved=Decimal("0.1"),
            )
        self.begin_month_before(harbour)
        assert left_of(harbour.pk) == Decimal("0.6")
        assert not purse.reserve(Decimal("0.61"))
        assert purse.reserve(Decimal("0.6"))
        assert spent_by(harbour) == Decimal(1)

    def test_what_ends_first_thing_in_a_new_month_is_not_counted_twice(self, harbour: Tenant) -> None:
        purse = purse_of(harbour)
        purse.reserve(Decimal("0.3"))
        self.begin_month_before(harbour)
        purse.settle(Decimal("0.3"), Usage(100_000))
        assert spent_by(harbour) == Decimal("0.1")


class TestLostCalls:
    def age(self, tenant: Tenant, by: timedelta) -> None:
        with tenant_scope(tenant.pk):
            Call.objects.update(at=timezone.now() - by)

    def test_an_open_call_of_a_dead_worker_counts_as_spent_after_an_hour(self, harbour: Tenant) -> None:
        limit(harbour, "1")
        purse_of(harbour).reserve(Decimal("0.7"))
        self.age(harbour, LOST_AFTER - timedelta(minutes=1))
        assert close_lost_calls() == 0
        assert calls_of(harbour) == [("open", Decimal("0.7"))]
        self.age(harbour, LOST_AFTER + timedelta(minutes=1))
        assert close_lost_calls() == 1
        assert calls_of(harbour) == [("unknown", Decimal("0.7"))]
        assert left_of(harbour.pk) == Decimal("0.3")
        with tenant_scope(harbour.pk):
            assert Call.objects.get().failure == LOST
        assert close_lost_calls() == 0

    def test_who_comes_back_from_the_dead_changes_nothing(self, harbour: Tenant) -> None:
        purse = purse_of(harbour)
        purse.reserve(Decimal("0.7"))
        self.age(harbour, LOST_AFTER + timedelta(minutes=1))
        close_lost_calls()
        purse.settle(Decimal("0.7"), Usage(1000))
        assert (spent_by(harbour), calls_of(harbour)) == (Decimal("0.7"), [("unknown", Decimal("0.7"))])

    def test_those_of_every_tenant_are_found(self, harbour: Tenant, meridian: Tenant) -> None:
        for tenant in (harbour, meridian):
            purse_of(tenant).reserve(Decimal("0.1"))
            self.age(tenant, LOST_AFTER * 2)
        assert close_lost_calls() == 2


amounts = st.integers(min_value=0, max_value=400_000).map(lambda millionths: Decimal(millionths) / 1_000_000)
endings = st.sampled_from(["real", "failed", "unknown", "open"])


class TestNeverExceeded:
    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(requests=st.lists(st.tuples(amounts, st.integers(0, 100), endings), max_size=12))
    def test_whatever_is_asked_for_and_however_it_ends(
        self, harbour: Tenant, requests: list[tuple[Decimal, int, str]]
    ) -> None:
        with tenant_scope(harbour.pk):
            Call.objects.all().delete()
            Budget.objects.all().delete()
        limit(harbour, "1")
        purse = purse_of(harbour)
        for most, share, ending in requests:
            if purse.reserve(most) and ending != "open":
                usage = Usage(int(most * 1_000_000) * share // 100 if ending == "real" else 0)
                purse.settle(
                    most, usage, failure="" if ending == "real" else "x", is_unknown=ending == "unknown"
                )
            assert sum_of_calls(harbour) == spent_by(harbour) <= 1

    @pytest.mark.django_db(transaction=True, databases=["default", "owner"])
    def test_many_workers_at_once_leave_not_a_cent_too_little(self) -> None:
        tenant = factories.tenant("harbour")
        limit(tenant, "1")
        allowed: list[bool] = []

        def work(number: int) -> None:
            purse = purse_of(tenant)
            for step in range(6):
                most = Decimal((number * 7 + step * 3) % 10 + 1) / 40
                if purse.reserve(most):
                    allowed.append(True)
                    purse.settle(most, Usage(int(most * 500_000)))
                    assert sum_of_calls(tenant) <= 1

        at_once(*(lambda number=number: work(number) for number in range(6)))
        assert sum_of_calls(tenant) == spent_by(tenant) <= 1
        assert len(allowed) == len(calls_of(tenant)) > 6
        assert {state for state, _ in calls_of(tenant)} == {"done"}

    @pytest.mark.django_db(transaction=True, databases=["default", "owner"])
    def test_of_two_who_want_all_of_it_one_gets_it(self) -> None:
        tenant = factories.tenant("harbour")
        limit(tenant, "1")
        answers: list[bool] = []
        at_once(*[lambda: answers.append(purse_of(tenant).reserve(Decimal(1)))] * 4)
        assert sorted(answers) == [False, False, False, True]
        assert (spent_by(tenant), calls_of(tenant)) == (Decimal(1), [("open", Decimal(1))])

    @pytest.mark.django_db(transaction=True, databases=["default", "owner"])
    def test_the_first_requests_of_a_tenant_make_one_budget(self) -> None:
        tenant = factories.tenant("harbour")
        at_once(*[lambda: purse_of(tenant).reserve(Decimal("0.1"))] * 4)
        with tenant_scope(tenant.pk):
            assert Budget.objects.count() == 1
        assert spent_by(tenant) == Decimal("0.4")


class TestSetBudget:
    def test_the_change_is_on_record(self, harbour: Tenant) -> None:
        limit(harbour, "12.5")
        limit(harbour, None)
        with tenant_scope(harbour.pk):
            events = AuditEvent.objects.for_tenant(harbour).filter(action="budget.changed").order_by("at")
            assert [event.sentence for event in events] == [
                "Changed the monthly budget of Harbour from the default to $12.50",
                "Changed the monthly budget of Harbour from $12.50 to the default",
            ]

    def test_the_same_again_is_no_change(self, harbour: Tenant) -> None:
        limit(harbour, "12.5")
        limit(harbour, "12.50")
        with tenant_scope(harbour.pk):
            assert AuditEvent.objects.filter(action="budget.changed").count() == 1

    @pytest.mark.parametrize("wrong", ["-0.01", "NaN", "Infinity", "1000000000"])
    def test_what_is_no_amount_is_refused_and_nothing_changes(self, harbour: Tenant, wrong: str) -> None:
        limit(harbour, "1")
        with pytest.raises(ValidationError):
            limit(harbour, wrong)
        assert budget_of(harbour.pk).monthly_limit == Decimal(1)
        with tenant_scope(harbour.pk):
            assert AuditEvent.objects.filter(action="budget.changed").count() == 1

    def test_a_limit_below_what_is_spent_stops_spending(self, harbour: Tenant) -> None:
        purse_of(harbour).reserve(Decimal(3))
        limit(harbour, "2")
        assert left_of(harbour.pk) == 0
        assert not purse_of(harbour).reserve(Decimal("0.000001"))
        assert spent_by(harbour) == 3


class TestUsage:
    def test_is_summed_up_by_backend_for_a_tenant_and_a_version(
        self, harbour: Tenant, meridian: Tenant
    ) -> None:
        version, other = factories.version(harbour), factories.version(harbour)
        for of in (version, version, other):
            purse = purse_of(harbour, of)
            purse.reserve(Decimal("0.5"))
            purse.settle(Decimal("0.5"), Usage(1000, 0, 2000, 100))
        purse.reserve(Decimal("0.5"))
        purse.settle(Decimal("0.5"), FREE, failure="Down.")
        purse_of(meridian).reserve(Decimal(1))
        cost = Decimal("0.0017")
        assert usage_of_version(version) == [
            Spending(NAME, "contextualizer", 2, 0, 2, 2000, 0, 4000, 200, 2 * cost)
        ]
        whole = [Spending(NAME, "contextualizer", 4, 1, 4, 3000, 0, 6000, 300, 3 * cost)]
        assert usage_of(harbour) == whole
        assert usage_of(harbour, since=timezone.now() - timedelta(minutes=1)) == whole
        assert usage_of(harbour, since=timezone.now() + timedelta(minutes=1)) == []
        assert usage_of_version(Version(pk=uuid4(), tenant=harbour)) == []


class TestVectors:
    def test_are_paid_from_the_budget_and_not_held_up_by_it(self, harbour: Tenant, settings: Any) -> None:
        declared = {
            "BACKEND": "search.backends.embedders.openai.OpenAIEmbedder",
            "OPTIONS": {"api_key": "key", "price": "0.02"},
        }
        settings.SEARCH_BACKENDS = {**settings.SEARCH_BACKENDS, "embedder": declared}
        limit(harbour, "0")
        record_embedding(ensure_space(harbour.pk), 1_500_000)
        assert spent_by(harbour) == Decimal("0.03")
        assert usage_of(harbour) == [
            Spending("openai/text-embedding-3-small", "embedder", 1, 0, 1, 1_500_000, 0, 0, 0, 3 * CENT)
        ]

    def test_of_the_embedded_model_cost_nothing(self, harbour: Tenant) -> None:
        record_embedding(ensure_space(harbour.pk), 1_500_000)
        assert (spent_by(harbour), calls_of(harbour)) == (Decimal(0), [("done", Decimal(0))])
