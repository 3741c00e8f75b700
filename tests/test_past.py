"""What superseded versions alone say is marked, and whoever reads what is current passes it by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.test import override_settings
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.forget import sweep_index
from documents.models import Document, State, Version
from search.backends import embedder
from search.backends.embedders.hashed import HashedEmbedder
from search.backends.keyword_indexes import postgres
from search.backends.keyword_indexes.bm25 import Asked, Term
from search.fill import index_space
from search.health import read_keywords
from search.models import Embedding, Passage, SpaceState
from search.past import mark_current, mark_past
from search.reach import Reach, reach_of
from search.retrieve.dense import nearest_passages
from search.retrieve.keyword import matching_passages
from search.spaces import clear_retired, ensure_space, fill_space, retire, start_space
from search.sweep import sweep_passages
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.findings import add
from tests.passages import (
    ALL,
    at_once,
    backends,
    counted_statistics,
    embed_all,
    everything,
    place,
    plans_of,
    say,
    statistics_of,
)

OLD = ("berth one", "berth two", "berth three")
NEXT = ("search.backends.embedders.hashed.HashedEmbedder", {"dimensions": 32})
NEW = ("berth one", "berth two", "berth four")


def supersede(tenant: Tenant, version: Version) -> None:
    with tenant_scope(tenant.pk):
        Version.objects.filter(pk=version.pk).update(superseded_at=timezone.now())


def amend(tenant: Tenant, version: Version, *texts: str, number: int = 2) -> Version:
    """Have another version of the same document, as the pipeline would."""
    supersede(tenant, version)
    with tenant_scope(tenant.pk):
        document = Document.objects.get(pk=version.document_id)
    later = say(tenant, *texts, of=document, number=number)
    embed_all(tenant, later)
    return later


def past_of(tenant: Tenant) -> list[str]:
    """The texts that are marked; their vectors must be, and no others, and they must be counted."""
    with tenant_scope(tenant.pk):
        marked = sorted(Passage.objects.filter(is_past=True).values_list("text", flat=True))
        vectors = Embedding.objects.filter(is_past=True).values_list("passage__text", flat=True)
        assert sorted(set(vectors)) == marked
        assert not Embedding.objects.filter(is_past=False, passage__is_past=True).exists()
    assert statistics_of(tenant) == counted_statistics(tenant)
    return marked


@pytest.fixture
def first(harbour: Tenant) -> Version:
    version = say(harbour, *OLD)
    embed_all(harbour, version)
    return version


@pytest.mark.django_db
class TestMarks:
    def test_what_only_a_superseded_version_says_is_past(self, harbour: Tenant, first: Version) -> None:
        amend(harbour, first, *NEW)
        assert past_of(harbour) == []
        assert mark_past(harbour.pk) == 1
        assert past_of(harbour) == ["berth three"]
        assert mark_past(harbour.pk) == 0

    def test_of_some_versions_others_are_left_alone(self, harbour: Tenant, first: Version) -> None:
        other = say(harbour, "pilot")
        embed_all(harbour, other)
        for version in (first, other):
            supersede(harbour, version)
        assert mark_past(harbour.pk, Version.objects.filter(pk=other.pk)) == 1
        assert past_of(harbour) == ["pilot"]

    def test_many_are_marked_in_portions(
        self, harbour: Tenant, first: Version, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("search.past.PORTION", 2)
        supersede(harbour, first)
        assert mark_past(harbour.pk) == 3
        assert past_of(harbour) == sorted(OLD)

    @pytest.mark.parametrize("state", [State.QUEUED, State.EMBEDDING, State.CANCELLED])
    def test_what_a_version_says_that_may_become_current_is_not(
        self, harbour: Tenant, first: Version, state: State
    ) -> None:
        later = amend(harbour, first, *OLD)
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=later.pk).update(state=state)
        assert mark_past(harbour.pk) == 0

    def test_what_nothing_says_is_swept_and_not_marked(self, harbour: Tenant, first: Version) -> None:
        supersede(harbour, first)
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=first.pk).delete()
        assert mark_past(harbour.pk) == 0
        assert sweep_passages(harbour.pk) == 3

    def test_whoever_says_it_again_takes_the_mark_away(self, harbour: Tenant, first: Version) -> None:
        second = amend(harbour, first, *NEW)
        mark_past(harbour.pk)
        amend(harbour, second, "berth three", number=3)
        assert past_of(harbour) == []
        assert mark_past(harbour.pk) == 3
        assert past_of(harbour) == ["berth four", "berth one", "berth two"]

    def test_a_superseded_version_that_is_placed_anew_takes_none_away(
        self, harbour: Tenant, first: Version
    ) -> None:
        amend(harbour, first, *NEW)
        mark_past(harbour.pk)
        place(harbour, *OLD, of=first)
        assert past_of(harbour) == ["berth three"]

    def test_a_version_that_becomes_current_again_takes_the_marks_away(
        self, harbour: Tenant, first: Version
    ) -> None:
        supersede(harbour, first)
        mark_past(harbour.pk)
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=first.pk).update(superseded_at=None)
            mark_current(harbour.pk, [first.pk])
        assert past_of(harbour) == []

    def test_a_space_that_is_built_has_the_marks(self, harbour: Tenant, first: Version) -> None:
        amend(harbour, first, *NEW)
        mark_past(harbour.pk)
        with backends(next_embedder=NEXT):
            space = start_space(harbour.pk, HashedEmbedder(dimensions=32))
            fill_space(space)
        with tenant_scope(harbour.pk):
            marks = dict(Embedding.objects.filter(space=space).values_list("passage__text", "is_past"))
        assert marks == {"berth one": False, "berth two": False, "berth three": True, "berth four": False}

    def test_what_is_past_goes_with_its_count(self, harbour: Tenant, first: Version) -> None:
        amend(harbour, first, *NEW)
        mark_past(harbour.pk)
        assert statistics_of(harbour)[postgres.PAST] == 1
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=first.pk).delete()
        assert sweep_passages(harbour.pk) == 1
        assert past_of(harbour) == []
        assert postgres.PAST not in statistics_of(harbour)

    def test_another_tenant_has_marks_of_its_own(
        self, harbour: Tenant, meridian: Tenant, first: Version
    ) -> None:
        theirs = say(meridian, *OLD)
        embed_all(meridian, theirs)
        supersede(meridian, theirs)
        assert mark_past(harbour.pk) == 0
        assert mark_past(meridian.pk) == 3
        assert past_of(harbour) == []

    def test_the_nightly_sweep_marks_what_was_missed(self, harbour: Tenant, first: Version) -> None:
        supersede(harbour, first)
        sweep_index()
        assert past_of(harbour) == sorted(OLD)


@pytest.mark.django_db
def test_the_pipeline_marks_what_a_new_version_replaces(harbour: Tenant) -> None:
    acts = factories.collection(harbour)
    add(acts, "act.md", "# Act\n\n## 1 Berths\n\nA berth is numbered.\n")
    add(acts, "act.md", "# Act\n\n## 1 Berths\n\nA berth is named.\n")
    (text,) = past_of(harbour)
    assert "numbered" in text


@pytest.mark.django_db
class TestReading:
    """Each leg, by each way that it has of looking."""

    def found(self, reach: Reach, *, limit: int = 10) -> list[set[str]]:
        tenant_id = reach.tenant_id
        space = ensure_space(tenant_id)
        with tenant_scope(tenant_id):
            near = nearest_passages(reach, embedder().embed_query("berth"), space=space, limit=limit)
            words = matching_passages(reach, "berth", languages=["english"], limit=limit).found
            texts = dict(Passage.objects.values_list("pk", "text"))
        return [{texts[one.passage] for one in leg} for leg in (near, words)]

    def before(self, tenant: Tenant) -> Reach:
        moment = timezone.now() - timedelta(days=1)
        return reach_of(tenant, Version.objects.for_tenant(tenant).recorded_by(moment), ALL)

    @pytest.fixture
    def tenant(self, harbour: Tenant, first: Version) -> Tenant:
        later = amend(harbour, first, *NEW)
        mark_past(harbour.pk)
        with tenant_scope(harbour.pk):
            days = timezone.now() - timedelta(days=2)
            Version.objects.filter(pk=first.pk).update(recorded_at=days)
            Version.objects.filter(pk=later.pk).update(recorded_at=timezone.now())
        return harbour

    @pytest.mark.parametrize("is_small", [True, False])
    @pytest.mark.parametrize("is_indexed", [True, False])
    def test_the_head_and_the_past_are_found_where_they_are_read(
        self, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, is_small: bool, is_indexed: bool
    ) -> None:
        if not is_small:
            monkeypatch.setattr(postgres, "SMALL", 0)
        if is_indexed:
            with tenant_scope(tenant.pk):
                connection.check_constraints()
                index_space(ensure_space(tenant.pk))
        assert self.found(everything(tenant)) == [set(NEW)] * 2
        assert self.found(self.before(tenant)) == [set(OLD)] * 2

    def test_at_the_head_nothing_that_is_past_is_looked_at(self, tenant: Tenant) -> None:
        with tenant_scope(tenant.pk):
            reach = everything(tenant)
            vector = embedder().embed_query("berth")
            near = nearest_passages(reach, vector, space=ensure_space(tenant.pk), limit=10)
            matching_passages(reach, "berth", languages=["english"], limit=10)
            past = Passage.objects.get(is_past=True).pk
        assert len(near) == 3
        assert past not in reach._asked

    def test_a_mark_that_is_missing_changes_nothing(self, tenant: Tenant) -> None:
        with tenant_scope(tenant.pk):
            Passage.objects.update(is_past=False)
            Embedding.objects.update(is_past=False)
        assert self.found(everything(tenant)) == [set(NEW)] * 2
        assert self.found(self.before(tenant)) == [set(OLD)] * 2


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
class TestPlans:
    @pytest.fixture
    def tenant(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tenant]:
        monkeypatch.setattr(postgres, "SMALL", 0)
        tenant = factories.tenant("harbour")
        with override_settings(SEARCH_HNSW_FROM=100):
            old = say(tenant, *(f"berth{number} quay" for number in range(200)))
            embed_all(tenant, old)
            supersede(tenant, old)
            embed_all(tenant, say(tenant, *(f"pilot{number} quay" for number in range(200))))
        mark_past(tenant.pk)
        with connections["owner"].cursor() as cursor:
            cursor.execute("VACUUM ANALYZE search_passage")
        yield tenant
        with tenant_scope(tenant.pk):
            retire(tenant.pk, SpaceState.ACTIVE)
        clear_retired(tenant.pk, grace=timedelta(0))

    def plans(self, reach: Reach) -> list[str]:
        with tenant_scope(reach.tenant_id), plans_of("<=>") as plans:
            vector = embedder().embed_query("quay")
            nearest_passages(reach, vector, space=ensure_space(reach.tenant_id), limit=5)
        return plans

    def test_the_head_walks_through_its_own_vectors(self, tenant: Tenant) -> None:
        (plan,) = self.plans(everything(tenant))
        assert "Index Scan using space_" in plan
        assert "past_" not in plan

    def test_what_is_read_otherwise_walks_through_both(self, tenant: Tenant) -> None:
        versions = Version.objects.for_tenant(tenant).recorded_by(timezone.now())
        plan = self.plans(reach_of(tenant, versions, ALL))[0]
        assert "Index Scan using space_" in plan
        assert "Index Scan using past_" in plan

    def test_words_at_the_head_come_from_an_index_of_what_is_current(self, tenant: Tenant) -> None:
        with plans_of("<#>") as plans:
            found = postgres.PostgresKeywordIndex().find(
                tenant.pk, "pilot7 pilot9", language="english", limit=5, is_head=True
            )
        assert len(found.found) == 2
        assert "Bitmap Index Scan on current_passages_by_words" in plans[0]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_marks_and_new_versions_at_once() -> None:
    """Nothing that a current version says is marked, whoever comes first."""
    tenant = factories.tenant("harbour")
    version = say(tenant, *OLD)
    embed_all(tenant, version)

    def write() -> None:
        last = version
        for number in range(2, 12):
            last = amend(tenant, last, *(OLD if number % 2 else NEW), number=number)

    at_once(write, lambda: [mark_past(tenant.pk) for _ in range(60)])
    assert set(past_of(tenant)).isdisjoint(OLD)
    mark_past(tenant.pk)
    assert past_of(tenant) == ["berth four"]


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["say", "supersede", "restore", "mark", "sweep", "delete"]),
        st.integers(0, 3),
        st.lists(st.sampled_from([*OLD, "berth four", "berth five"]), min_size=1, max_size=3, unique=True),
    ),
    max_size=12,
)


@pytest.mark.django_db
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OPERATIONS)
def test_whatever_is_done_nothing_current_is_marked(
    operations: Sequence[tuple[str, int, list[str]]],
) -> None:
    tenant = factories.tenant(f"t{uuid4().hex[:20]}")
    versions: list[Version] = []
    for operation, number, texts in operations:
        if operation == "say":
            versions.append(say(tenant, *texts))
            embed_all(tenant, versions[-1])
        elif operation == "mark":
            mark_past(tenant.pk)
        elif operation == "sweep":
            sweep_passages(tenant.pk)
        elif versions:
            change(tenant, versions, number % len(versions), operation)
        check(tenant)
    mark_past(tenant.pk)
    with tenant_scope(tenant.pk):
        assert not Passage.objects.filter(is_past=False).superseded().exists()


def change(tenant: Tenant, versions: list[Version], number: int, operation: str) -> None:
    version = versions[number]
    if operation == "supersede":
        supersede(tenant, version)
    elif operation == "restore":
        with tenant_scope(tenant.pk):
            Version.objects.filter(pk=version.pk).update(superseded_at=None)
            mark_current(tenant.pk, [version.pk])
    else:
        with tenant_scope(tenant.pk):
            Version.objects.filter(pk=versions.pop(number).pk).delete()


def check(tenant: Tenant) -> None:
    past_of(tenant)
    with tenant_scope(tenant.pk):
        said = Version.objects.filter(superseded_at=None).values("placements__passage")
        assert not Passage.objects.filter(is_past=True, pk__in=said).exists()


@given(st.integers(1, 10_000), st.data())
def test_a_question_is_scaled_to_what_is_current(total: int, data: st.DataObject) -> None:
    past = data.draw(st.integers(0, total - 1))
    counts = data.draw(st.lists(st.integers(1, total), max_size=5))
    terms = [Term(f"t{number}", count) for number, count in enumerate(counts)]
    asked = Asked(uuid4(), "english", {}, terms, [], total, past, "")
    head = asked.at_head()
    assert head.total == total - past
    assert [term.lexeme for term in head.terms] == [term.lexeme for term in terms]
    assert all(1 <= one.passage_count <= head.total for one in head.terms)


@pytest.mark.django_db
def test_the_count_of_what_is_past_is_no_word(harbour: Tenant, first: Version) -> None:
    supersede(harbour, first)
    mark_past(harbour.pk)
    with tenant_scope(harbour.pk):
        after = read_keywords(harbour)
    assert after.terms == 4  # "berth", "one", "two", "three".
    assert after.counted == {"english": 3}
