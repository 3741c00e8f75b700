"""Collections are made and changed as a file says: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from documents.configuration import Change, Configuration, Problem, compare
from documents.language import AUTO
from documents.models import Collection, text_search_configurations
from documents.services.collection import create_collection, update_collection
from search import backends
from tenants.audit import Actor
from tenants.models import Tenant
from tenants.scope import tenant_scope

HOW_TO_DECLARE = "Leave it out, or have it declared (docs/settings.md)."


@dataclass(frozen=True, slots=True)
class Plan:
    """What a file does to a collection; one that is not there is made."""

    configuration: Configuration
    collection: Collection | None
    changes: tuple[Change, ...]


def plan_configurations(*, tenant: Tenant, configurations: Sequence[Configuration]) -> list[Plan]:
    """Say what would change, without changing it."""
    names = [one.name for one in configurations]
    with tenant_scope(tenant.pk):
        own = Collection.objects.for_tenant(tenant).filter(name__in=names).select_related("tenant")
        found = {collection.name: collection for collection in own}
    return [_plan(one, found.get(one.name)) for one in configurations]


def _plan(configuration: Configuration, collection: Collection | None) -> Plan:
    before = (collection or Collection(name=configuration.name)).configuration
    return Plan(configuration, collection, compare(before, configuration))


def apply_plans(*, tenant: Tenant, plans: Sequence[Plan], actor: Actor) -> list[Collection]:
    """Make and change collections, all or none; return them in their order."""
    with tenant_scope(tenant.pk):
        return [_apply(tenant, plan, actor) for plan in plans]


def _apply(tenant: Tenant, plan: Plan, actor: Actor) -> Collection:
    settings: dict[str, Any] = dict(plan.configuration.settings)
    if plan.collection is None:
        name, description = str(settings.pop("name")), str(settings.pop("description"))
        return create_collection(tenant=tenant, name=name, description=description, actor=actor, **settings)
    if plan.changes:
        update_collection(collection=plan.collection, actor=actor, **settings)
    return plan.collection


def check_installation(configuration: Configuration) -> Iterator[Problem]:
    """Yield what this installation does not have: languages of its database, and backends."""
    known = [AUTO, *text_search_configurations()]
    language = configuration.values["language"]
    if language not in known:
        cure = f"PostgreSQL knows no “{language}” here. Choose one of {', '.join(known)}."
        yield Problem(configuration.spot("language"), f"`language`: {cure}")
    for name, check in CHECKS.items():
        if configuration.values[name] and (reason := check(configuration)):
            yield Problem(configuration.spot(name), f"`{name}`: {reason} {HOW_TO_DECLARE}")


def _check_embedder(configuration: Configuration) -> str:
    model, dimensions = (configuration.values[name] for name in ("embedding_model", "embedding_dimensions"))
    declared = [one for one in (backends.embedder(), backends.next_embedder()) if one is not None]
    for one in declared:
        is_meant = model in (None, one.model, f"{one.provider}/{one.model}")
        if is_meant and dimensions in (None, one.dimensions):
            return ""
    shown = " and ".join(f"{one.model} ({one.dimensions} dimensions)" for one in declared)
    return f"no such embedder is declared here, but {shown}."


def _check_contextualizer(configuration: Configuration) -> str:
    asked = configuration.values["context_model"]
    if not isinstance(asked, dict):
        return ""
    if asked["temperature"] is not None:
        return "no contextualizer here is told a temperature."
    wanted = "/".join(str(part) for part in (asked["provider"], asked["name"]) if part)
    declared = backends.contextualizer().name
    return "" if wanted == declared else f"“{wanted}” is not declared here, but {declared}."


def _check_keyword_index(configuration: Configuration) -> str:
    asked = configuration.values["keyword_index"]
    wanted = asked["provider"] if isinstance(asked, dict) else None
    declared = backends.keyword_index().name
    return "" if wanted == declared else f"“{wanted}” is not declared here, but {declared}."


def _check_reranker(configuration: Configuration) -> str:
    declared = backends.reranker()
    if declared is None:
        return "no reranker is declared here."
    wanted = configuration.values["reranker_model"]
    is_meant = wanted in {declared.name, declared.name.partition("/")[2]}
    return "" if is_meant else f"“{wanted}” is not declared here, but {declared.name}."


CHECKS = {
    "embedding_model": _check_embedder,
    "embedding_dimensions": _check_embedder,
    "context_model": _check_contextualizer,
    "keyword_index": _check_keyword_index,
    "reranker_model": _check_reranker,
}
