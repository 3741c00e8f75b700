"""What is asked again is prepared in the session, and answers are the same as ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from documents.models import Collection, Version
from documents.read_context import Basis, ReadContext, Selector
from search import plans
from search.answer import Answer
from search.pipeline import search
from search.plans import HELD, forget_plans, kept_as, kept_plans, type_of
from search.request import Filters, Mode, SearchRequest
from search.round_trips import Asking, ask, together
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.searching import fill

numbers = count()


@pytest.fixture
def acts(harbour: Tenant) -> Collection:
    return fill(harbour)


def new(statement: str) -> str:
    """Return a statement that nobody has asked before."""
    return f"{statement} /* {next(numbers)} */"


def rows_of(statement: str, *values: Any) -> Asking[list[tuple[Any, ...]]]:
    (rows,) = yield [(statement, values)]
    return rows


def name_of(statement: str, *values: Any) -> str:
    return kept_as(statement, tuple(type_of(value) for value in values)).name


def held() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(HELD)
        return set((cursor.fetchone()[0] or "").split())


@contextmanager
def keeping() -> Iterator[None]:
    with kept_plans(" ".join(held())):
        yield


def sent(asking: Asking[Any]) -> tuple[Any, str]:
    """Return the answer, and what was sent for it."""
    with CaptureQueriesContext(connection) as queries:
        answer = ask(asking)
    (query,) = queries.captured_queries
    return answer, query["sql"]


@pytest.mark.django_db
class TestKept:
    def test_what_is_asked_again_is_prepared_and_then_run(self) -> None:
        statement = new("SELECT %s::int + %s::int")
        name = name_of(statement, 1, 1)
        with keeping():
            answers, messages = zip(*(sent(rows_of(statement, 1, n)) for n in range(4)), strict=True)
        assert answers == ([(1,)], [(2,)], [(3,)], [(4,)])
        plain, first, *later = messages
        assert plain.startswith("SELECT 1::int + 0::int")
        assert first.startswith(f"PREPARE {name}(integer, integer) AS SELECT $1::int + $2::int")
        assert first.endswith(f";EXECUTE {name}(1, 1)")
        assert later == [f"EXECUTE {name}(1, 2)", f"EXECUTE {name}(1, 3)"]
        assert name in held()

    def test_outside_nothing_is_prepared(self) -> None:
        statement = new("SELECT %s::int")
        assert [sent(rows_of(statement, n))[0] for n in range(3)] == [[(0,)], [(1,)], [(2,)]]
        assert name_of(statement, 0) not in held()

    def test_several_go_together_prepared_or_not(self) -> None:
        first, second, third = new("SELECT %s::int"), new("SELECT 'x'"), new("SELECT %s::text WHERE false")
        with keeping():
            for turn in range(4):
                asking = [
                    rows_of(first, turn),
                    rows_of(second),
                    rows_of("SAVEPOINT here"),
                    rows_of(third, ""),
                ]
                if turn == 2:
                    asking.append(rows_of(new("SELECT 5")))
                answer, _ = sent(together(*asking))
                assert answer[:4] == [[(turn,)], [("x",)], [], []]
                assert answer[4:] == ([[(5,)]] if turn == 2 else [])

    def test_the_same_question_twice_in_one_message(self) -> None:
        statement = new("SELECT %s::int")
        with keeping():
            ask(rows_of(statement, 0))
            answer, message = sent(together(rows_of(statement, 1), rows_of(statement, 2)))
        assert answer == [[(1,)], [(2,)]]
        assert message.count("PREPARE") == 1
        assert message.count("EXECUTE") == 2

    def test_a_percent_sign_stays_one(self) -> None:
        statement = new("SELECT %s::text LIKE 'a%%', 7 %% 4")
        with keeping():
            answers = [ask(rows_of(statement, word)) for word in ("ab", "b", "a")]
        assert answers == [[(True, 3)], [(False, 3)], [(True, 3)]]

    @given(
        st.lists(st.text().filter(lambda words: "\0" not in words), max_size=4),
        st.integers(1 - 2**31, 2**31 - 1),
    )
    def test_values_are_values(self, words: list[str], number: int) -> None:
        words = [word.encode("utf-8", "replace").decode() for word in words]
        statement = "SELECT %s::text[], %s::int, %s::text"
        asked_for = [words, number, "".join(words)]
        with transaction.atomic(), keeping():
            answers = [ask(rows_of(statement, *asked_for)) for _ in range(3)]
        assert answers == [[(words, number, "".join(words))]] * 3

    @pytest.mark.parametrize(
        ("statement", "values"),
        [
            ("SELECT %s <@ tstzrange('2020-01-01', NULL)", [datetime(2026, 1, 1, tzinfo=UTC)]),
            ("SELECT %s <@ daterange('2020-01-01', NULL)", [date(2026, 1, 1)]),
            ("SELECT %s - 1, pg_typeof(%s)::text", [2**31, 2**31 - 1]),
            ("SELECT pg_typeof(%s)::text, %s", [True, False]),
            ("SELECT pg_typeof(%s)::text", [UUID(int=7)]),
            ("SELECT coalesce(%s, 'none')", [None]),
            ("SELECT %s = ANY(%s::int[])", [3, [1, 2, 3]]),
        ],
    )
    def test_a_parameter_has_the_type_that_it_has_elsewhere(self, statement: str, values: list[Any]) -> None:
        statement = new(statement)
        plain = ask(rows_of(statement, *values))
        with keeping():
            assert [ask(rows_of(statement, *values)) for _ in range(3)] == [plain] * 3
        assert name_of(statement, *values) in held()

    def test_no_more_are_held_than_should_be(self, monkeypatch: pytest.MonkeyPatch) -> None:
        statements = [new("SELECT %s::int") for _ in range(4)]
        monkeypatch.setattr(plans, "MOST_HELD", len(held()) + 2)
        with keeping():
            for turn in range(3):
                answers = [ask(rows_of(statement, turn)) for statement in statements]
                assert answers == [[(turn,)]] * 4
        names = [name_of(statement, 0) for statement in statements]
        assert held().intersection(names) == set(names[:2])

    def test_no_more_are_known_than_should_be(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(plans, "MOST_KNOWN", 3)
        monkeypatch.setattr(plans, "_known", set())
        with keeping():
            for _ in range(10):
                ask(rows_of(new("SELECT 1")))
        assert len(plans._known) <= 3


@pytest.mark.django_db
class TestSessions:
    """Nothing is believed of a session but what it says itself."""

    def ask_thrice(self, statement: str) -> list[list[tuple[Any, ...]]]:
        with keeping():
            return [ask(rows_of(statement, n)) for n in range(3)]

    @pytest.mark.parametrize("clear", ["DEALLOCATE ALL", "DISCARD PLANS"])
    def test_one_that_was_cleared(self, clear: str) -> None:
        statement = new("SELECT %s::int")
        for _ in range(2):
            assert self.ask_thrice(statement) == [[(0,)], [(1,)], [(2,)]]
            with connection.cursor() as cursor:
                cursor.execute(clear)

    def test_one_that_was_rolled_back_has_them_still(self) -> None:
        statement = new("SELECT %s::int")
        with transaction.atomic():
            self.ask_thrice(statement)
            transaction.set_rollback(True)
        assert name_of(statement, 0) in held()
        assert self.ask_thrice(statement) == [[(0,)], [(1,)], [(2,)]]

    def test_a_fault_leaves_everything_askable(self) -> None:
        statement, wrong = new("SELECT %s::int"), new("SELECT 1 / %s::int")
        with keeping():
            ask(together(rows_of(statement, 1), rows_of(wrong, 1)))
            with pytest.raises(DatabaseError, match="division by zero"), transaction.atomic():
                ask(together(rows_of(statement, 1), rows_of(wrong, 0)))  # The first of them is prepared now.
            assert ask(together(rows_of(statement, 2), rows_of(wrong, 1))) == [[(2,)], [(1,)]]
            assert "EXECUTE" not in sent(rows_of(statement, 3))[1]
        with keeping():
            assert sent(rows_of(statement, 3))[1].startswith("EXECUTE")

    def test_one_block_inside_another(self) -> None:
        statement = new("SELECT %s::int")
        with keeping():
            ask(rows_of(statement, 0))
            with keeping():
                assert sent(rows_of(statement, 1))[1].startswith("PREPARE")
            assert sent(rows_of(statement, 2))[1].startswith("EXECUTE")
            with keeping():
                forget_plans(DatabaseError())
            assert sent(rows_of(statement, 3))[1] == statement.replace("%s", "3")


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_another_session_has_none(harbour: Tenant) -> None:
    statement = new("SELECT %s::int")
    for _ in range(2):
        with tenant_scope(harbour.pk), keeping():
            assert [ask(rows_of(statement, n)) for n in range(3)] == [[(0,)], [(1,)], [(2,)]]
        connection.close()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_session_whose_plans_are_of_another_time_is_left(harbour: Tenant) -> None:
    """As when a column gets another type while the product runs."""
    statement = new("SELECT a FROM changed")
    with tenant_scope(harbour.pk), connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE changed (a int)")
    with tenant_scope(harbour.pk), keeping():
        assert [ask(rows_of(statement)) for _ in range(3)] == [[]] * 3
    with tenant_scope(harbour.pk), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE changed ALTER COLUMN a TYPE text")
    with pytest.raises(DatabaseError, match="cached plan"), tenant_scope(harbour.pk), keeping():
        ask(rows_of(statement))
    connection.close_if_unusable_or_obsolete()  # As behind every request.
    assert connection.connection is None


class TestWalls:
    def test_a_plan_that_one_tenant_made_shows_another_its_own_rows(
        self, harbour: Tenant, meridian: Tenant
    ) -> None:
        own = {tenant: factories.collection(tenant).pk for tenant in (harbour, meridian)}
        statement = new("SELECT id FROM documents_collection")
        for _ in range(8):  # From the sixth on, the plan is one for all values.
            for tenant, collection in own.items():
                with tenant_scope(tenant.pk), keeping():
                    assert ask(rows_of(statement)) == [(collection,)]
        with platform_scope(), keeping():
            seen = {pk for (pk,) in ask(rows_of(statement))}
        assert seen >= set(own.values())
        with transaction.atomic(), keeping():
            assert ask(rows_of(statement)) == []


LATER = datetime(2100, 1, 1, tzinfo=UTC)
CONTEXTS = [
    ReadContext(),
    ReadContext(selector=Selector.PUBLISHED),
    ReadContext(selector=Selector.AS_OF, as_of=LATER),
    ReadContext(selector=Selector.AS_OF, as_of=LATER, basis=Basis.EFFECTIVE),
    ReadContext(selector=Selector.AS_OF, as_of=LATER, basis=Basis.EFFECTIVE, known_at=LATER),
]
REQUESTS: list[dict[str, Any]] = [
    {},
    {"mode": Mode.EXACT},
    {"has_facets": True, "has_parents": True, "neighbours": 1},
    {"filters": Filters(file_types=("md",), recorded_from=date(2000, 1, 1), chunk_types=("content",))},
    {"filters": Filters(languages=("english",), section_label="Section 2")},
]


class TestSearches:
    @pytest.mark.parametrize(
        "context", CONTEXTS, ids=lambda one: f"{one.selector}-{one.basis}-{bool(one.known_at)}"
    )
    @pytest.mark.parametrize("request_", REQUESTS, ids=str)
    def test_the_eighth_is_like_the_first(
        self, acts: Collection, request_: dict[str, Any], context: ReadContext
    ) -> None:
        """The first is planned, the second prepared, and from the seventh on one plan is for all values."""
        versions = Version.objects.for_tenant(acts.tenant).at(context)
        found = 0
        for query in ('vessel "shall not disclose"', "Section 2(a)", "what does vessel mean"):
            request = SearchRequest(query=query, **request_)
            first, *others = [search(request, versions, tenant=acts.tenant) for _ in range(8)]
            assert not first.degraded
            assert all(facts(other) == facts(first) for other in others)
            found += len(first.hits)
        assert found or context.selector == Selector.PUBLISHED
        assert len(held()) > 5


def facts(answer: Answer) -> tuple[object, ...]:
    """Return what does not differ with the moment of asking."""
    return answer.hits, answer.not_found, answer.suggestion, answer.confidence, answer.degraded, answer.facets
