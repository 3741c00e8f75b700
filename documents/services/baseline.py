"""Baselines are made and published. Nothing changes one once it is there."""

from __future__ import annotations

from collections.abc import Collection as Several
from uuid import UUID, uuid4

from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _
from psycopg.errors import UniqueViolation

from documents.errors import NameTaken, NothingToDo
from documents.models import Baseline, Collection, Publication, Version, VersionQuerySet
from documents.read_context import HEAD, ReadContext
from documents.services.intake import lock_collection
from documents.webhooks.outbox import announce_publication
from tenants.audit import Actor, record
from tenants.scope import tenant_scope

# In one statement, because a trigger looks at the whole of it.
ADD_VERSIONS = """
    INSERT INTO documents_baselineversion (id, tenant_id, baseline_id, version_id)
    SELECT gen_random_uuid(), %s, %s, version_id FROM unnest(%s::uuid[]) AS chosen(version_id)
"""


def create_baseline(
    *,
    collection: Collection,
    name: str,
    actor: Actor,
    description: str = "",
    context: ReadContext = HEAD,
    versions: Several[UUID] | None = None,
) -> Baseline:
    """Keep a set of versions under a name: those that a read context shows, or those that are chosen."""
    with tenant_scope(collection.tenant_id):
        lock_collection(collection)
        own = Version.objects.filter(document__collection=collection)
        chosen = shown_versions(own.at(context)) if versions is None else require_versions(own, versions)
        baseline = Baseline(
            pk=uuid4(),
            tenant_id=collection.tenant_id,
            collection=collection,
            name=name.strip(),
            description=description.strip(),
            size=len(chosen),
            created_by=actor.label,
        )
        baseline.clean_fields(exclude=["tenant", "collection"])
        insert_baseline(baseline, chosen)
        _record(collection, "baseline.created", baseline.name, actor, versions=len(chosen))
    return baseline


def shown_versions(versions: VersionQuerySet) -> list[UUID]:
    chosen = list(versions.values_list("pk", flat=True))
    if not chosen:
        raise NothingToDo(_("There is nothing to keep: no document of the collection is read there."))
    return chosen


def require_versions(own: VersionQuerySet, ids: Several[UUID]) -> list[UUID]:
    """Return versions of a collection that are ready, at most one of each document."""
    found = dict(own.readable().filter(pk__in=ids).values_list("pk", "document_id"))
    if missing := [str(one) for one in ids if one not in found]:
        raise NothingToDo(
            _("There is no ready version %(missing)s in the collection.") % {"missing": missing[0]}
        )
    if len(set(found.values())) < len(found):
        raise NothingToDo(_("Two of the versions are of one document. A baseline has one of each."))
    return list(found)


def insert_baseline(baseline: Baseline, versions: list[UUID]) -> None:
    with connection.cursor() as cursor:  # Whoever publishes a version has things checked at once.
        cursor.execute("SET CONSTRAINTS baseline_is_filled DEFERRED")
    try:
        with transaction.atomic():
            baseline.save(force_insert=True)
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise
        raise NameTaken(
            _("There is a baseline %(name)r. Choose another name.") % {"name": baseline.name}
        ) from error
    with connection.cursor() as cursor:
        cursor.execute(ADD_VERSIONS, [baseline.tenant_id, baseline.pk, versions])


def publish_baseline(*, baseline: Baseline, actor: Actor) -> Publication:
    """Have the collection's pointer point to a baseline."""
    return _publish(baseline.collection, baseline, actor)


def unpublish_collection(*, collection: Collection, actor: Actor) -> Publication:
    """Have the collection's pointer point to nothing."""
    return _publish(collection, None, actor)


def _publish(collection: Collection, baseline: Baseline | None, actor: Actor) -> Publication:
    with tenant_scope(collection.tenant_id):
        lock_collection(collection)
        last = Publication.objects.filter(collection=collection).order_by("-number").first()
        if (last.baseline_id if last else None) == (baseline.pk if baseline else None):
            said = (
                _("%(name)s is published already.") % {"name": baseline.name}
                if baseline
                else _("Nothing is published.")
            )
            raise NothingToDo(said)
        publication = Publication.objects.create(
            tenant_id=collection.tenant_id,
            collection=collection,
            number=1 if last is None else last.number + 1,
            baseline=baseline,
            published_by=actor.label,
        )
        action = "baseline.published" if baseline else "collection.unpublished"
        _record(collection, action, baseline.name if baseline else collection.name, actor)
        if baseline is not None:
            announce_publication(publication)
    return publication


def _record(collection: Collection, action: str, target: str, actor: Actor, **detail: object) -> None:
    record(
        tenant=collection.tenant,
        actor=actor,
        action=action,
        target=target,
        collection=collection.name,
        **detail,
    )
