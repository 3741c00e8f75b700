"""Which version of each document is read at a read context."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents import services
from documents.errors import NothingToDo, ReadContextRefused
from documents.models import Collection, Document, State, Version
from documents.read_context import HEAD, Basis, ReadContext, Selector
from documents.visible import visible_versions
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR

START = datetime(2020, 1, 1, tzinfo=UTC)
PUBLISHED = ReadContext(selector=Selector.PUBLISHED)


def hour(number: float) -> datetime:
    return START + timedelta(hours=number)


def as_of(number: float) -> ReadContext:
    return ReadContext(selector=Selector.AS_OF, as_of=hour(number))


def in_force(day: date, known: float | None = None) -> ReadContext:
    moment = datetime.combine(day, datetime.max.time(), UTC)
    known_at = None if known is None else hour(known)
    return ReadContext(selector=Selector.AS_OF, as_of=moment, basis=Basis.EFFECTIVE, known_at=known_at)


def add_version(
    document: Document,
    number: int,
    recorded: float,
    superseded: float | None = None,
    *,
    begins: date | None = None,
    ends: date | None = None,
) -> Version:
    """A version that was current for some hours."""
    waiting = factories.version(document.tenant, of=document, number=number, state=State.QUEUED)
    with tenant_scope(document.tenant_id):
        Version.objects.filter(pk=waiting.pk).update(
            state=State.READY,
            text="Keep clear.",
            recorded_at=hour(recorded),
            superseded_at=None if superseded is None else hour(superseded),
            effective_from=begins,
            effective_to=ends,
        )
        return Version.objects.get(pk=waiting.pk)


def numbers(tenant: Tenant, context: ReadContext, *collections: Collection) -> list[int]:
    with tenant_scope(tenant.pk):
        visible = visible_versions(tenant=tenant, context=context, collections=collections or None)
        return sorted(visible.versions.values_list("number", flat=True))


@pytest.fixture
def document(harbour: Tenant) -> Document:
    return factories.document(harbour)


def test_as_of_a_moment_the_version_of_then_is_read(harbour: Tenant, document: Document) -> None:
    add_version(document, 1, 1, 2)
    add_version(document, 2, 2, 3)
    add_version(document, 3, 3)
    read = {number: numbers(harbour, as_of(number)) for number in (0.9, 1, 1.9, 2, 2.9, 3, 9)}
    assert read == {0.9: [], 1: [1], 1.9: [1], 2: [2], 2.9: [2], 3: [3], 9: [3]}
    assert numbers(harbour, HEAD) == [3]


def test_what_was_superseded_at_once_was_never_read(harbour: Tenant, document: Document) -> None:
    add_version(document, 1, 2, 2)
    add_version(document, 2, 1)
    assert numbers(harbour, as_of(2)) == [2]


def test_a_document_is_not_read_as_of_when_it_was_in_the_bin(harbour: Tenant, document: Document) -> None:
    add_version(document, 1, 1)
    services.delete_document(document=document, actor=ACTOR)
    with tenant_scope(harbour.pk):
        Document.objects.filter(pk=document.pk).update(deleted_at=hour(5))
    assert [numbers(harbour, as_of(number)) for number in (4.9, 5, 6)] == [[1], [], []]
    assert numbers(harbour, HEAD) == []
    services.restore_document(document=document, actor=ACTOR)
    assert numbers(harbour, HEAD) == [1]
    back = (timezone.now() - START) / timedelta(hours=1)
    assert [numbers(harbour, as_of(number)) for number in (4.9, 5, 6, back)] == [[1], [], [], [1]]


def test_each_time_in_the_bin_is_remembered(harbour: Tenant, document: Document) -> None:
    add_version(document, 1, 1)
    for _ in range(2):
        services.delete_document(document=document, actor=ACTOR)
        services.restore_document(document=document, actor=ACTOR)
    with tenant_scope(harbour.pk):
        document.refresh_from_db()
    (first, second) = document.absences
    assert first.lower < first.upper <= second.lower < second.upper
    with tenant_scope(harbour.pk):
        during = [one.lower + (one.upper - one.lower) / 2 for one in (first, second)]
        read = [Version.objects.recorded_by(moment).count() for moment in (*during, timezone.now())]
    assert read == [0, 0, 1]


def test_a_withdrawn_version_is_read_as_of_before(harbour: Tenant, document: Document) -> None:
    version = add_version(document, 1, 1)
    withdrawn = services.withdraw_version(version=version, actor=ACTOR)
    assert withdrawn.withdrawn_at == withdrawn.superseded_at
    assert numbers(harbour, HEAD) == []
    assert numbers(harbour, as_of(2)) == [1]
    with pytest.raises(NothingToDo, match="withdrawn already"):
        services.withdraw_version(version=version, actor=ACTOR)


def test_what_was_withdrawn_does_not_apply_on_any_day_unless_one_reads_as_known_before(
    harbour: Tenant, document: Document
) -> None:
    version = add_version(document, 1, 1, begins=date(2010, 1, 1))
    services.withdraw_version(version=version, actor=ACTOR)
    assert numbers(harbour, in_force(date(2015, 1, 1))) == []
    assert numbers(harbour, in_force(date(2015, 1, 1), known=2)) == [1]
    assert numbers(harbour, in_force(date(2015, 1, 1), known=0)) == []


def test_on_a_day_in_force_the_latest_that_applies_is_read(harbour: Tenant, document: Document) -> None:
    add_version(document, 1, 1, 2, begins=date(2011, 1, 1))
    add_version(document, 2, 2, 3, begins=date(2016, 1, 1), ends=date(2016, 12, 31))
    add_version(document, 3, 3, 4, begins=date(2016, 1, 1), ends=date(2016, 6, 30))
    add_version(document, 4, 4, begins=date(2013, 1, 1))
    days = {
        date(2010, 12, 31): [],
        date(2011, 1, 1): [1],
        date(2012, 12, 31): [1],
        date(2013, 1, 1): [4],
        date(2016, 1, 1): [3],  # Of two that begin on one day, the later one.
        date(2016, 6, 30): [3],
        date(2016, 7, 1): [2],
        date(2016, 12, 31): [2],
        date(2017, 1, 1): [4],  # What lasted for a while gives way again.
    }
    assert {day: numbers(harbour, in_force(day)) for day in days} == days
    assert numbers(harbour, in_force(date(2016, 1, 1), known=2.5)) == [2]


def test_without_a_day_a_version_applies_from_when_it_was_recorded(
    harbour: Tenant, document: Document
) -> None:
    add_version(document, 1, 1, 48)
    add_version(document, 2, 48)
    read = [numbers(harbour, in_force(date(2019, 12, 31))), numbers(harbour, in_force(date(2020, 1, 1)))]
    assert [*read, numbers(harbour, in_force(date(2020, 1, 3)))] == [[], [1], [2]]


def test_a_baseline_is_read_whatever_happens_to_its_documents(harbour: Tenant, document: Document) -> None:
    version = add_version(document, 1, 1)
    baseline = services.create_baseline(collection=document.collection, name="Spring", actor=ACTOR)
    with tenant_scope(harbour.pk):
        Version.objects.filter(pk=version.pk).update(superseded_at=hour(2))
    add_version(document, 2, 2)
    services.delete_document(document=document, actor=ACTOR)
    kept = ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk)
    assert numbers(harbour, kept) == [1]
    assert numbers(harbour, HEAD) == []


def test_published_is_where_the_pointer_points(harbour: Tenant, document: Document) -> None:
    collection = document.collection
    add_version(document, 1, 1, 2)
    first = services.create_baseline(collection=collection, name="1", actor=ACTOR, context=as_of(1))
    add_version(document, 2, 2)
    second = services.create_baseline(collection=collection, name="2", actor=ACTOR)
    with pytest.raises(ReadContextRefused, match="Nothing is published"):
        numbers(harbour, PUBLISHED)
    for baseline, read in ((first, [1]), (second, [2]), (first, [1])):
        services.publish_baseline(baseline=baseline, actor=ACTOR)
        assert numbers(harbour, PUBLISHED) == read
    services.unpublish_collection(collection=collection, actor=ACTOR)
    with pytest.raises(ReadContextRefused, match="Nothing is published"):
        numbers(harbour, PUBLISHED)


def test_each_collection_has_a_pointer_of_its_own(harbour: Tenant) -> None:
    versions = [factories.version(harbour) for _ in range(3)]
    for version in versions[:2]:
        made = services.create_baseline(collection=version.document.collection, name="1", actor=ACTOR)
        services.publish_baseline(baseline=made, actor=ACTOR)
    with tenant_scope(harbour.pk):
        visible = visible_versions(tenant=harbour, context=PUBLISHED)
        assert set(visible.versions) == set(versions[:2])
        assert len(visible.describe()["baselines"]) == 2
    assert len(numbers(harbour, PUBLISHED, versions[0].document.collection)) == 1
    with pytest.raises(ReadContextRefused, match="Nothing is published"):
        numbers(harbour, PUBLISHED, versions[2].document.collection)


def test_a_baseline_of_another_tenant_or_collection_is_none(harbour: Tenant, meridian: Tenant) -> None:
    theirs, own = factories.baseline(meridian), factories.baseline(harbour)
    for baseline, collections in ((theirs, ()), (own, (factories.collection(harbour),))):
        context = ReadContext(selector=Selector.BASELINE, baseline_id=baseline.pk)
        with pytest.raises(ReadContextRefused, match="no such baseline") as refused:
            numbers(harbour, context, *collections)
        assert refused.value.field == "baseline_id"


days = st.dates(date(2020, 1, 1), date(2020, 1, 9))
Period = tuple[date | None, date | None]


def is_forward(period: Period) -> bool:
    begins, ends = period
    return begins is None or ends is None or begins <= ends


dated: st.SearchStrategy[Period] = st.tuples(st.none() | days, st.none() | days).filter(is_forward)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
    max_examples=25,
)
@given(data=st.data(), periods=st.lists(dated, min_size=1, max_size=5))
def test_at_most_one_version_of_a_document_is_read_and_it_is_the_right_one(
    harbour: Tenant, data: st.DataObject, periods: list[Period]
) -> None:
    document = factories.document(harbour)
    place = document.collection
    last = len(periods)
    for number, (begins, ends) in enumerate(periods, 1):
        superseded = None if number == last else 24 * number
        add_version(document, number, 24 * (number - 1), superseded, begins=begins, ends=ends)
    moment = data.draw(st.integers(-60, 60 * 24 * (last + 1))) / 60
    right = [number for number in range(1, last + 1) if 24 * (number - 1) <= moment]
    assert numbers(harbour, as_of(moment), place) == right[-1:]
    day = data.draw(days)
    applying = [
        (begins or date(2020, 1, number), number)
        for number, (begins, ends) in enumerate(periods, 1)
        if (begins or date(2020, 1, number)) <= day and (ends is None or ends >= day)
    ]
    assert numbers(harbour, in_force(day), place) == [number for _, number in sorted(applying)[-1:]]
