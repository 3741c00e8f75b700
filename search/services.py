"""Changes to what may be spent, and to the contexts by which ready versions are found."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from search.backends import embedder
from search.budget import dollars, lock_budget
from search.contextualize import Work, contextualize_work
from search.models import Budget, EmbeddingSpace
from search.place import Situated, place_passages
from search.prepare import prepare_passages
from search.spaces import start_space
from tenants.audit import Actor, record
from tenants.models import Tenant
from tenants.scope import tenant_scope

MOST_SECONDS = 600.0  # Well below the time after which a turn counts as forsaken.


def set_budget(*, tenant: Tenant, monthly_limit: Decimal | None, actor: Actor) -> Budget:
    """Say what a tenant may spend in a month; without a limit, as much as this installation lets everyone."""
    with tenant_scope(tenant.pk):
        budget = lock_budget(tenant.pk)
        before, budget.monthly_limit = budget.monthly_limit, monthly_limit
        budget.clean_fields(exclude=["tenant"])
        if before != monthly_limit:
            budget.save(update_fields=["monthly_limit"])
            names = {"before": _named(before), "after": _named(monthly_limit)}
            record(tenant=tenant, actor=actor, action="budget.changed", target=tenant.name, **names)
        return budget


def embed_anew(*, tenant: Tenant, actor: Actor) -> EmbeddingSpace:
    """Begin to make a tenant's vectors anew by the declared embedder; until then searches read the old."""
    with tenant_scope(tenant.pk):
        space = start_space(tenant.pk, embedder())
        record(tenant=tenant, actor=actor, action="index.embedded_anew", target=str(space))
    return space


def _named(limit: Decimal | None) -> str:
    return "the default" if limit is None else dollars(limit)


def recontextualize(*, work: Work, language: str) -> Sequence[Situated] | None:
    """Ask for the contexts that a ready version lacks and have it found by them; nothing if it has to wait.

    Searches find it as before until the last moment: what is new gets its vectors before anything says it.
    """
    situated = contextualize_work(work, most_seconds=MOST_SECONDS, is_alone=False)
    if situated is not None:
        prepare_passages(work.tenant_id, language, situated)
        place_passages(
            tenant_id=work.tenant_id, version_id=work.version_id, language=language, situated=situated
        )
        prepare_passages(work.tenant_id, language, situated)  # Should they have been swept in between.
    return situated
