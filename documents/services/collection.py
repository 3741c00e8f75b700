"""Collections come, change and go."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from psycopg.errors import UniqueViolation

from documents.errors import ChangedMeanwhile, KeptForGood, NameTaken, NothingToDo
from documents.forget import forgetting_passages
from documents.models import Baseline, Collection, Document, Version
from documents.services.source import forget_sources, sources_of
from tenants.audit import Actor, record
from tenants.models import Tenant
from tenants.scope import tenant_scope

CHANGEABLE = {
    "name",
    "description",
    "chunking_strategy",
    "max_chunk_tokens",
    "chunk_overlap",
    "extract_definitions",
    "extract_cross_references",
    "language",
    "contextual_embeddings",
    "context_max_tokens",
    "context_concurrency",
    "search_mode",
    "top_k",
    "min_score",
    "semantic_weight",
    "keyword_weight",
    "exact_weight",
    "fusion",
    "rrf_k",
    "enable_reranking",
    "reranker_model",
}


Expectation = Callable[[Collection], bool] | None


def create_collection(
    *, tenant: Tenant, name: str, description: str, actor: Actor, **options: object
) -> Collection:
    collection = Collection(tenant=tenant)
    with tenant_scope(tenant.pk):
        _change(collection, {"name": name, "description": description, **options})
        record(tenant=tenant, actor=actor, action="collection.created", target=collection.name)
    return collection


def update_collection(
    *,
    collection: Collection,
    actor: Actor,
    is_expected: Expectation = None,
    **changes: object,
) -> None:
    """Change the configuration. Versions that are ready stay as they are; those to come follow it.

    Who changes what they have read asks whether it is still as expected, so that nobody's change is lost.
    """
    with tenant_scope(collection.tenant_id):
        current = Collection.objects.select_for_update(of=["self"]).filter(pk=collection.pk).first()
        if current is None:
            raise NothingToDo(_("The collection is gone: somebody else has deleted it."))
        require_expected(current, is_expected)
        if changed := _change(current, changes):
            record(
                tenant=collection.tenant,
                actor=actor,
                action="collection.changed",
                target=current.name,
                fields=", ".join(changed),
            )
        collection.refresh_from_db(fields=CHANGEABLE)


def delete_collection(*, collection: Collection, actor: Actor, is_expected: Expectation = None) -> None:
    """Delete it for good, with its documents and all that was read from them."""
    with tenant_scope(collection.tenant_id):
        current = Collection.objects.select_for_update(of=["self"]).filter(pk=collection.pk).first()
        if current is None:
            return
        require_expected(current, is_expected)
        if Baseline.objects.filter(collection=collection.pk).exists():
            raise KeptForGood(
                _("%(name)s has baselines, which are kept for good. Delete its documents.")
                % {"name": collection.name}
            )
        documents = Document.objects.filter(collection=collection.pk)
        versions = Version.objects.filter(document__in=documents)
        with forgetting_passages(versions):
            sources = sources_of(versions)
            count = documents.present().count()
            current.delete()
            forget_sources(sources)
        record(
            tenant=collection.tenant,
            actor=actor,
            action="collection.deleted",
            target=collection.name,
            documents=count,
        )


def require_expected(current: Collection, is_expected: Expectation) -> None:
    if is_expected is not None and not is_expected(current):
        raise ChangedMeanwhile(_("The collection has been changed since you read it. Read it again."))


def _change(collection: Collection, changes: dict[str, object]) -> list[str]:
    """Set, check and save; return the names of the fields that are different now."""
    if unknown := sorted(set(changes) - CHANGEABLE):
        raise ValidationError(dict.fromkeys(unknown, _("There is no such setting.")))
    cleaned = {name: value.strip() if isinstance(value, str) else value for name, value in changes.items()}
    changed = sorted(name for name, value in cleaned.items() if getattr(collection, name) != value)
    for name in changed:
        setattr(collection, name, cleaned[name])
    collection.clean_fields(exclude=["tenant"])
    if "language" in changed:
        collection.clean()
    try:
        with transaction.atomic():
            collection.save()
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise
        raise NameTaken(
            _("There is a collection %(name)r. Choose another name.") % {"name": collection.name}
        ) from error
    return changed
