"""Collections come, change and go."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from psycopg.errors import UniqueViolation

from documents.errors import NameTaken, NothingToDo
from documents.forget import forgetting_passages
from documents.models import Collection, Document
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


def create_collection(
    *, tenant: Tenant, name: str, description: str, actor: Actor, **options: object
) -> Collection:
    collection = Collection(tenant=tenant)
    with tenant_scope(tenant.pk):
        _change(collection, {"name": name, "description": description, **options})
        record(tenant=tenant, actor=actor, action="collection.created", target=collection.name)
    return collection


def update_collection(*, collection: Collection, actor: Actor, **changes: object) -> None:
    """Change the configuration. Versions that are ready stay as they are; those to come follow it."""
    with tenant_scope(collection.tenant_id):
        current = Collection.objects.select_for_update(of=["self"]).filter(pk=collection.pk).first()
        if current is None:
            raise NothingToDo("The collection is gone: somebody else has deleted it.")
        if changed := _change(current, changes):
            record(
                tenant=collection.tenant,
                actor=actor,
                action="collection.changed",
                target=current.name,
                fields=", ".join(changed),
            )
        collection.refresh_from_db(fields=CHANGEABLE)


def delete_collection(*, collection: Collection, actor: Actor) -> None:
    """Delete it for good, with its documents and all that was read from them."""
    with tenant_scope(collection.tenant_id):
        documents = Document.objects.filter(collection=collection.pk)
        with forgetting_passages(documents):
            sources = sources_of(documents)
            count = documents.present().count()
            if not Collection.objects.filter(pk=collection.pk).delete()[0]:
                return
            forget_sources(sources)
        record(
            tenant=collection.tenant,
            actor=actor,
            action="collection.deleted",
            target=collection.name,
            documents=count,
        )


def _change(collection: Collection, changes: dict[str, object]) -> list[str]:
    """Set, check and save; return the names of the fields that are different now."""
    if unknown := sorted(set(changes) - CHANGEABLE):
        raise ValidationError(dict.fromkeys(unknown, "There is no such setting."))
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
        raise NameTaken(f"There is a collection {collection.name!r}. Choose another name.") from error
    return changed
