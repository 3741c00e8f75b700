"""A baseline is made, published, and never changed: not by a service, and not by raw SQL."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction

from documents import services
from documents.errors import KeptForGood, NameTaken, NothingToDo
from documents.models import Baseline, BaselineVersion, Chunk, Publication, Section, State, Version
from documents.read_context import ReadContext, Selector
from tenants.models import AuditEvent, Tenant
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.database import rows
from tests.factories import ACTOR

Scope = Callable[[Tenant], AbstractContextManager[None]]
SEALED = (Baseline, BaselineVersion, Publication)
HELD = (Version, Section, Chunk)
SCOPES: dict[str, Scope] = {
    "tenant": lambda tenant: tenant_scope(tenant.pk),
    "platform": lambda tenant: platform_scope(),
}


def all_rows(tenant: Tenant) -> list[Any]:
    return [rows(model, tenant.pk) for model in (*SEALED, *HELD)]


def execute(statement: str, parameters: Any) -> None:
    """Run a statement to the end of its transaction, as far as constraints are concerned."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        connection.check_constraints()


@pytest.fixture
def baseline(harbour: Tenant) -> Baseline:
    """A published baseline of one version with a section and a chunk."""
    version = factories.version(harbour)
    section = factories.section(harbour, of=version)
    factories.chunk(harbour, of=section)
    made = services.create_baseline(
        collection=version.document.collection, name=" Spring ", description="As agreed.", actor=ACTOR
    )
    services.publish_baseline(baseline=made, actor=ACTOR)
    return made


def held_version(baseline: Baseline) -> Version:
    with tenant_scope(baseline.tenant_id):
        return Version.objects.select_related("document__collection").get(baselines__baseline=baseline)


def test_a_baseline_is_made_of_what_is_read(harbour: Tenant) -> None:
    current = factories.version(harbour)
    place = current.document.collection
    other = factories.version(harbour, of=factories.document(harbour, place=place))
    factories.version(harbour, of=factories.document(harbour, place=place), state=State.FAILED)
    factories.version(harbour)  # Of another collection.
    baseline = services.create_baseline(
        collection=place, name=" Spring ", description=" Agreed. ", actor=ACTOR
    )
    with tenant_scope(harbour.pk):
        kept = Baseline.objects.get()
        assert (kept.name, kept.description, kept.size, kept.created_by) == ("Spring", "Agreed.", 2, "tests")
        assert set(Version.objects.filter(baselines__baseline=baseline)) == {current, other}
        event = AuditEvent.objects.get(action="baseline.created")
        assert (event.target, event.detail["versions"]) == ("Spring", 2)


def test_versions_can_be_chosen(harbour: Tenant) -> None:
    document = factories.document(harbour)
    old = factories.version(harbour, of=document)
    with tenant_scope(harbour.pk):
        Version.objects.update(superseded_at=old.recorded_at)
    factories.version(harbour, of=document, number=2)
    baseline = services.create_baseline(
        collection=document.collection, name="1", actor=ACTOR, versions=[old.pk]
    )
    assert held_version(baseline) == old


def test_what_cannot_be_kept_is_refused(harbour: Tenant, meridian: Tenant) -> None:
    document = factories.document(harbour)
    collection = document.collection
    with pytest.raises(NothingToDo, match="nothing to keep"):
        services.create_baseline(collection=collection, name="1", actor=ACTOR)
    old = factories.version(harbour, of=document)
    with tenant_scope(harbour.pk):
        Version.objects.update(superseded_at=old.recorded_at)
    new = factories.version(harbour, of=document, number=2)
    waiting = factories.version(harbour, of=document, number=3, state=State.QUEUED)
    for versions, reason in (
        ([old.pk, new.pk], "of one document"),
        ([waiting.pk], "no ready version"),
        ([factories.version(harbour).pk], "no ready version"),
        ([factories.version(meridian).pk], "no ready version"),
    ):
        with pytest.raises(NothingToDo, match=reason):
            services.create_baseline(collection=collection, name="1", actor=ACTOR, versions=versions)
    with pytest.raises(ValidationError):
        services.create_baseline(collection=collection, name=" ", actor=ACTOR)
    assert [rows(model, harbour.pk) for model in SEALED] == [[], [], []]


def test_a_name_is_taken_once_in_a_collection(baseline: Baseline, harbour: Tenant) -> None:
    before = all_rows(harbour)
    with pytest.raises(NameTaken, match="There is a baseline 'Spring'"):
        services.create_baseline(collection=baseline.collection, name="Spring", actor=ACTOR)
    assert all_rows(harbour) == before


def test_the_pointer_keeps_its_history(baseline: Baseline, harbour: Tenant) -> None:
    second = services.create_baseline(collection=baseline.collection, name="2", actor=ACTOR)
    services.publish_baseline(baseline=second, actor=ACTOR)
    with pytest.raises(NothingToDo, match="2 is published already"):
        services.publish_baseline(baseline=second, actor=ACTOR)
    services.unpublish_collection(collection=baseline.collection, actor=ACTOR)
    with pytest.raises(NothingToDo, match="Nothing is published"):
        services.unpublish_collection(collection=baseline.collection, actor=ACTOR)
    with tenant_scope(harbour.pk):
        moves = list(Publication.objects.order_by("number").values_list("number", "baseline__name"))
        actions = AuditEvent.objects.filter(target__in=["Spring", "2", baseline.collection.name])
        said = set(actions.values_list("action", flat=True))
    assert moves == [(1, "Spring"), (2, "2"), (3, None)]
    assert said >= {"baseline.created", "baseline.published", "collection.unpublished"}


def test_documents_and_collections_with_baselines_are_kept(baseline: Baseline, harbour: Tenant) -> None:
    document = held_version(baseline).document
    services.delete_document(document=document, actor=ACTOR)
    before = all_rows(harbour)
    with pytest.raises(KeptForGood, match="'Spring' holds"):
        services.purge_document(document=document, actor=ACTOR)
    with pytest.raises(KeptForGood, match="kept for good"):
        services.delete_collection(collection=baseline.collection, actor=ACTOR)
    assert all_rows(harbour) == before


ONE_MORE = (
    "INSERT INTO documents_chunk SELECT (json_populate_record(chunk, json_build_object("
    "'id', gen_random_uuid(), 'position', 7))).* FROM documents_chunk AS chunk"
)
REFUSED = r"permission denied|a baseline holds does not change|violates foreign key constraint"
CHANGES = [
    "UPDATE documents_baseline SET name = 'other'",
    "UPDATE documents_baseline SET size = size + 1",
    "UPDATE documents_baselineversion SET version_id = version_id",
    "UPDATE documents_publication SET baseline_id = NULL",
    "DELETE FROM documents_baseline",
    "DELETE FROM documents_baselineversion",
    "DELETE FROM documents_publication",
    "TRUNCATE documents_baselineversion",
    "UPDATE documents_version SET text = 'Other words.'",
    "UPDATE documents_version SET state = 'failed', failure = 'It is broken.'",
    "UPDATE documents_version SET number = number + 1",
    "DELETE FROM documents_version",
    "DELETE FROM documents_document",
    "DELETE FROM documents_collection",
    "DELETE FROM tenants_tenant WHERE id = %(tenant)s",
    "UPDATE documents_section SET title = 'Other'",
    "DELETE FROM documents_section",
    "UPDATE documents_chunk SET type = 'header'",
    "DELETE FROM documents_chunk",
    ONE_MORE,
]


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
@pytest.mark.parametrize("statement", CHANGES)
def test_raw_sql_changes_nothing(statement: str, scope: Scope, baseline: Baseline, harbour: Tenant) -> None:
    before = all_rows(harbour)
    with pytest.raises(DatabaseError, match=REFUSED), scope(harbour):
        execute(statement, {"tenant": harbour.pk})
    assert all_rows(harbour) == before


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_no_version_is_added_to_a_baseline(scope: Scope, baseline: Baseline, harbour: Tenant) -> None:
    place = baseline.collection
    further = factories.version(harbour, of=factories.document(harbour, place=place))
    before = all_rows(harbour)
    for version in (further, held_version(baseline)):
        with (
            pytest.raises(DatabaseError, match=r"it was made with|in_a_baseline_once"),
            scope(harbour),
        ):
            execute(
                "INSERT INTO documents_baselineversion (id, tenant_id, baseline_id, version_id)"
                " VALUES (gen_random_uuid(), %s, %s, %s)",
                [harbour.pk, baseline.pk, version.pk],
            )
    assert all_rows(harbour) == before


def test_a_chunk_is_not_moved_into_a_baseline(baseline: Baseline, harbour: Tenant) -> None:
    other = factories.chunk(harbour)
    before = all_rows(harbour)
    with pytest.raises(DatabaseError, match="does not change"), tenant_scope(harbour.pk):
        Chunk.objects.filter(pk=other.pk).update(version=held_version(baseline), position=9)
    assert all_rows(harbour) == before


def test_a_baseline_has_all_of_its_versions_when_it_is_made(harbour: Tenant) -> None:
    place = factories.collection(harbour)
    with pytest.raises(DatabaseError, match="all of its versions"), tenant_scope(harbour.pk):
        execute(
            "INSERT INTO documents_baseline (id, tenant_id, collection_id, name, description, size,"
            " created_at, created_by) VALUES (%s, %s, %s, 'later', '', 1, now(), '')",
            [uuid4(), harbour.pk, place.pk],
        )
    assert rows(Baseline, harbour.pk) == []


def test_what_a_baseline_does_not_hold_can_still_change(baseline: Baseline, harbour: Tenant) -> None:
    version = held_version(baseline)
    other = factories.chunk(harbour)
    with tenant_scope(harbour.pk):
        Version.objects.filter(pk=version.pk).update(superseded_at=version.recorded_at, warnings=["Look."])
        Chunk.objects.filter(pk=other.pk).update(type="header")
        Version.objects.filter(pk=other.version_id).delete()
        assert not Chunk.objects.filter(pk=other.pk).exists()


def test_a_baseline_made_from_another_is_the_same(baseline: Baseline) -> None:
    context = ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk)
    copy = services.create_baseline(collection=baseline.collection, name="copy", actor=ACTOR, context=context)
    assert held_version(copy) == held_version(baseline)
