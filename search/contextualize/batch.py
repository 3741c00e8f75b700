"""Contexts by the batch: cheaper, and up to a day away. Between two looks at it, the rows know everything."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import chain
from uuid import UUID

from django.utils import timezone

from documents.models import State, VersionQuerySet
from search import backends
from search.backends.contextualizers.base import (
    BatchState,
    Contextualizer,
    ContextualizerError,
    Excerpt,
    Manuscript,
    Outcome,
)
from search.backends.payment import Prices
from search.backends.retries import RequestFailed
from search.budget import give_back, lock_budget, rounded_up, take, tokens_of
from search.contextualize.turn import BATCH_FOR, SINGLY, is_alive
from search.models import Call, CallState, Context, ContextBatch
from tenants.scope import platform_scope, tenant_scope

logger = logging.getLogger(__name__)

ROLE = "contextualizer"
HANDED_IN_FOR = timedelta(hours=1)  # After this, a batch without an id was handed in by a worker that died.
LOST = "The batch was lost: its worker died, the provider gave it up, or another one is declared by now."


def hand_in(
    turn: ContextBatch,
    contextualizer: Contextualizer,
    manuscript: Manuscript,
    wanted: dict[str, Excerpt],
    *,
    max_tokens: int,
) -> bool:
    """Make a turn a batch; tell whether it is one, or failed to be. The budget may be too small for it.

    The row comes first: it is known what was set aside even if nobody lives to hear the batch's id.
    """
    excerpts = list(wanted.values())
    most = rounded_up(contextualizer.most_cost(manuscript, excerpts, max_tokens=max_tokens))
    with tenant_scope(turn.tenant_id):
        if not take(lock_budget(turn.tenant_id), most):
            return False
        turn.provider_id, turn.reserved, turn.keys = "", most, list(wanted)
        turn.save(update_fields=["provider_id", "reserved", "keys"])
    try:
        batch_id = contextualizer.submit_batch(manuscript, excerpts, max_tokens=max_tokens)
    except ContextualizerError as error:
        logger.warning("A batch for version %s could not be handed in: %s", turn.version_id, error)
        close(turn, failure=str(error), is_unknown=may_be_there(error))
        return True
    with tenant_scope(turn.tenant_id):
        ContextBatch.objects.filter(pk=turn.pk).update(provider_id=batch_id)
    return True


def may_be_there(error: ContextualizerError) -> bool:
    """Tell whether the provider may work on what it did not confirm."""
    cause = error.__cause__
    return isinstance(cause, RequestFailed) and cause.trouble.is_unknown


def keys_of_past_batches(tenant_id: UUID, version_id: UUID) -> set[str]:
    """Return what was in a batch of this version before: it is not put into another."""
    with tenant_scope(tenant_id):
        past = ContextBatch.objects.filter(version_id=version_id).exclude(ended_at=None)
        return set(chain.from_iterable(past.values_list("keys", flat=True)))


def open_batch(tenant_id: UUID, version_id: UUID) -> ContextBatch | None:
    with tenant_scope(tenant_id):
        unended = ContextBatch.objects.filter(version_id=version_id, ended_at=None)
        return unended.exclude(provider_id=SINGLY).first()


def follow_batch(batch: ContextBatch, contextualizer: Contextualizer) -> BatchState | None:
    """Return how far a batch is; nothing once it is over, and what came of it is kept."""
    state = BatchState(is_ended=False, total=len(batch.keys))
    is_ours = batch.contextualizer == contextualizer.name
    if is_ours and batch.provider_id:
        try:
            state = contextualizer.poll_batch(batch.provider_id)
            if state.is_ended:
                outcomes = list(contextualizer.collect_batch(batch.provider_id))
                keep_batch(batch, outcomes, contextualizer.prices)
                return None
        except ContextualizerError as error:
            logger.warning("The batch for version %s does not answer: %s", batch.version_id, error)
    if not is_ours or is_lost(batch):
        close(batch, failure=LOST)
        return None
    return state


def batch_under_way(version_id: UUID, tenant_id: UUID) -> BatchState | None:
    """Return how far the batch is that a version waits for; nothing if it waits for none, or no longer."""
    batch = open_batch(tenant_id, version_id)
    return None if batch is None else follow_batch(batch, backends.contextualizer())


def forget_batches(versions: VersionQuerySet) -> None:
    """Write down what batches of versions that go for good may cost. Inside their tenant's scope."""
    batches = ContextBatch.objects.filter(version__in=versions.values("pk"), ended_at=None)
    for batch in batches.exclude(provider_id=SINGLY):
        close(batch, failure="Its document was deleted.")


def is_lost(batch: ContextBatch) -> bool:
    longest = BATCH_FOR if batch.provider_id else HANDED_IN_FOR
    return timezone.now() - batch.created_at >= longest


def keep_batch(batch: ContextBatch, outcomes: Sequence[Outcome], prices: Prices) -> None:
    """Keep the contexts and pay for them, all at once and once only."""
    known = [outcome for outcome in outcomes if 0 <= outcome.position < len(batch.keys)]
    calls = [_call(batch, outcome, prices) for outcome in known]
    with tenant_scope(batch.tenant_id):
        budget = lock_budget(batch.tenant_id)
        if not ContextBatch.objects.filter(pk=batch.pk, ended_at=None).update(ended_at=timezone.now()):
            return
        contexts = [_context(batch, outcome) for outcome in known if outcome.context.strip()]
        Context.objects.bulk_create(contexts, ignore_conflicts=True)
        Call.objects.bulk_create(calls)
        give_back(budget, batch.reserved - sum((call.cost for call in calls), Decimal(0)))


def _context(batch: ContextBatch, outcome: Outcome) -> Context:
    return Context(
        tenant_id=batch.tenant_id,
        version_id=batch.version_id,
        key=batch.keys[outcome.position],
        contextualizer=batch.contextualizer,
        text=outcome.context,
        is_oversized=outcome.is_oversized,
    )


def _call(batch: ContextBatch, outcome: Outcome, prices: Prices) -> Call:
    return Call(
        tenant_id=batch.tenant_id,
        version_id=batch.version_id,
        role=ROLE,
        backend=batch.contextualizer,
        state=CallState.FAILED if outcome.failure else CallState.DONE,
        is_batch=True,
        cost=prices.cost(outcome.usage, is_batch=True),
        failure=outcome.failure[:300],
        **tokens_of(outcome.usage),
    )


def close(batch: ContextBatch, *, failure: str, is_unknown: bool = True) -> None:
    """End a batch that nothing came of; what was set aside counts as spent if nobody knows better."""
    cost = batch.reserved if is_unknown else Decimal(0)
    with tenant_scope(batch.tenant_id):
        budget = lock_budget(batch.tenant_id)
        if not ContextBatch.objects.filter(pk=batch.pk, ended_at=None).update(ended_at=timezone.now()):
            return
        Call.objects.create(
            tenant_id=batch.tenant_id,
            version_id=batch.version_id,
            role=ROLE,
            backend=batch.contextualizer,
            state=CallState.UNKNOWN if is_unknown else CallState.FAILED,
            is_batch=True,
            texts=len(batch.keys),
            cost=cost,
            failure=failure[:300],
        )
        give_back(budget, batch.reserved - cost)


def cancel_batches(version_id: UUID, tenant_id: UUID) -> None:
    """Ask the provider to stop what a version waits for; what is done by then is kept by `follow_batches`."""
    batch = open_batch(tenant_id, version_id)
    contextualizer = backends.contextualizer()
    if batch is None or not batch.provider_id or batch.contextualizer != contextualizer.name:
        return
    try:
        contextualizer.cancel_batch(batch.provider_id)
    except ContextualizerError as error:
        logger.warning("The batch for version %s could not be cancelled: %s", version_id, error)


def follow_batches() -> int:
    """Bring batches to their end that no worker comes back to; return how many are over by now."""
    ended = [state for state in State if not state.is_open]
    with platform_scope():
        ContextBatch.objects.filter(~is_alive(), provider_id=SINGLY).delete()
        left = ContextBatch.objects.filter(ended_at=None, version__state__in=ended)
        batches = list(left.exclude(provider_id=SINGLY))
    contextualizer = backends.contextualizer()
    return sum(follow_batch(batch, contextualizer) is None for batch in batches)
