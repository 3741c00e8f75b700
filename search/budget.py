"""What a tenant may spend on providers in a month: set aside before each request, settled after it."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from datetime import date
from decimal import ROUND_UP, Decimal
from uuid import UUID

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from search.backends import embedder_of
from search.backends.payment import MILLIONTH, Prices, Usage
from search.models import Budget, Call, CallState, ContextBatch, EmbeddingSpace
from tenants.scope import tenant_scope

logger = logging.getLogger(__name__)

CENT = Decimal("0.01")
ABANDONED = "Nobody waited for the answer."


def limit_of(budget: Budget) -> Decimal:
    """Return the limit of one tenant, or the one that this installation sets for every tenant."""
    if budget.monthly_limit is not None:
        return budget.monthly_limit
    return Decimal(settings.SEARCH_MONTHLY_BUDGET)


def lock_budget(tenant_id: UUID) -> Budget:
    """Return this month's budget, locked until the transaction ends. Inside the tenant's scope."""
    month = this_month()
    locked = Budget.objects.select_for_update().filter(tenant_id=tenant_id)
    budget = locked.first()
    if budget is None:
        Budget.objects.bulk_create([Budget(tenant_id=tenant_id, month=month)], ignore_conflicts=True)
        budget = locked.get()
    if budget.month < month:
        budget.month, budget.spent = month, set_aside(tenant_id)
        budget.save(update_fields=["month", "spent"])
    return budget


def this_month() -> date:
    return timezone.now().date().replace(day=1)


def set_aside(tenant_id: UUID) -> Decimal:
    """Return what is set aside for requests and batches on their way, whichever month they began in."""
    calls = Call.objects.filter(tenant_id=tenant_id, state=CallState.OPEN).aggregate(sum=Sum("cost"))
    batches = ContextBatch.objects.filter(tenant_id=tenant_id, ended_at=None).aggregate(sum=Sum("reserved"))
    return (calls["sum"] or Decimal(0)) + (batches["sum"] or Decimal(0))


def budget_of(tenant_id: UUID) -> Budget:
    """Return this month's budget to look at; it may not be a row yet."""
    with tenant_scope(tenant_id):
        month = this_month()
        budget = Budget.objects.filter(tenant_id=tenant_id).first()
        if budget is None:
            return Budget(tenant_id=tenant_id, month=month, spent=Decimal(0))
        if budget.month < month:
            budget.month, budget.spent = month, set_aside(tenant_id)
    return budget


def left_of(tenant_id: UUID) -> Decimal:
    """Return what the tenant may still spend in this month."""
    budget = budget_of(tenant_id)
    return max(limit_of(budget) - budget.spent, Decimal(0))


def take(budget: Budget, most: Decimal) -> bool:
    """Set aside as much of a locked budget; change nothing if there is less. What is free can be had."""
    if most and budget.spent + most > limit_of(budget):
        return False
    give_back(budget, -most)
    return True


def give_back(budget: Budget, amount: Decimal) -> None:
    budget.spent -= amount
    budget.save(update_fields=["spent"])


class TenantPurse:
    """Pays one backend's requests for a version. Each step is a transaction of its own.

    A worker that dies in between leaves an open call, whose cost stays set aside. After the deadline nothing
    but a first request is paid for: whoever asks ends what is under way, and was not called in vain.
    """

    def __init__(
        self,
        tenant_id: UUID,
        version_id: UUID | None,
        backend_name: str,
        role: str,
        *,
        prices: Prices,
        deadline: float | None = None,
    ) -> None:
        self.is_late = False  # Something was refused for the deadline's sake alone.
        self._tenant_id = tenant_id
        self._version_id = version_id
        self._backend_name = backend_name
        self._role = role
        self._prices = prices
        self._deadline = deadline
        self._is_used = False
        self._open: dict[Decimal, list[UUID]] = defaultdict(list)

    def reserve(self, most: Decimal) -> bool:
        if self._is_used and self._deadline is not None and time.monotonic() >= self._deadline:
            self.is_late = True
            return False
        most = rounded_up(most)
        with tenant_scope(self._tenant_id):
            if not take(lock_budget(self._tenant_id), most):
                return False
            call = Call.objects.create(
                tenant_id=self._tenant_id,
                version_id=self._version_id,
                role=self._role,
                backend=self._backend_name,
                cost=most,
            )
        self._open[most].append(call.pk)
        self._is_used = True
        return True

    def settle(self, most: Decimal, usage: Usage, *, failure: str = "", is_unknown: bool = False) -> None:
        most = rounded_up(most)
        cost = most if is_unknown else self._prices.cost(usage)
        if cost > most:
            logger.warning("%s cost %s, and %s at most was expected.", self._backend_name, cost, most)
        state = CallState.UNKNOWN if is_unknown else CallState.FAILED if failure else CallState.DONE
        with tenant_scope(self._tenant_id):
            budget = lock_budget(self._tenant_id)
            # One that was given up meanwhile keeps what it was given up at.
            call = Call.objects.filter(pk=self._open[most].pop(), state=CallState.OPEN)
            if call.update(state=state, cost=cost, failure=failure[:300], **tokens_of(usage)):
                give_back(budget, most - cost)

    def close(self) -> None:
        """Settle at the most what nobody has settled."""
        for most, calls in self._open.items():
            while calls:
                self.settle(most, Usage(), failure=ABANDONED, is_unknown=True)


def record_embedding(space: EmbeddingSpace, tokens: int, *, version_id: UUID | None = None) -> None:
    """Write down what vectors took. They are paid from the budget, which does not hold them up."""
    embedder = embedder_of(space.provider, space.model, space.dimensions)
    cost = Prices(input=getattr(embedder, "price", Decimal(0))).cost(Usage(tokens))
    with tenant_scope(space.tenant_id):
        give_back(lock_budget(space.tenant_id), -cost)
        Call.objects.create(
            tenant_id=space.tenant_id,
            version_id=version_id,
            role="embedder",
            backend=f"{space.provider}/{space.model}",
            state=CallState.DONE,
            input_tokens=tokens,
            cost=cost,
        )


def rounded_up(amount: Decimal) -> Decimal:
    return amount.quantize(MILLIONTH, ROUND_UP)


def tokens_of(usage: Usage) -> dict[str, int]:
    """Return the fields of a call that count tokens."""
    return {
        "input_tokens": usage.input_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "output_tokens": usage.output_tokens,
    }


def dollars(amount: Decimal) -> str:
    """Return an amount in dollars, rounded up to a cent: nobody shall pay more than was said."""
    return f"${amount.quantize(CENT, ROUND_UP):,}"
