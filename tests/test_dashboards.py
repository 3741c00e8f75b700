"""Searches are written down without their words, and dashboards tell what became of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries, Settings

from documents.forget import sweep_index
from documents.models import State
from search.ask import ask
from search.calls import month_before, usage_by_month
from search.dashboards.plots import draw_bars, draw_lines, round_up
from search.models import Call, CallState, Door, EvaluationRun, QueryRecord
from search.queries import summarize_queries
from search.record import digest_of
from tenants.models import Membership, Role, Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.searching import fill

HOSTILE = "<script>alert(1)</script>"
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def editor(harbour: Tenant) -> Membership:
    return factories.membership(harbour, Role.EDITOR)


def body(response: Any) -> str:
    return str(response.content.decode())


def rows(tenant: Tenant) -> list[QueryRecord]:
    with tenant_scope(tenant.pk):
        return list(QueryRecord.objects.order_by("at"))


def record(tenant: Tenant, **changes: Any) -> QueryRecord:
    facts: dict[str, Any] = {
        "at": NOW,
        "took_ms": 10.0,
        "result_count": 3,
        "confidence": "high",
        "mode": "hybrid",
        "door": Door.API,
        "length": 5,
        "digest": digest_of("pilot"),
    }
    with tenant_scope(tenant.pk):
        return QueryRecord.objects.create(tenant=tenant, **{**facts, **changes})


class TestRecord:
    def test_has_everything_but_the_words(self, harbour: Tenant) -> None:
        fill(harbour)
        answer = ask(tenant=harbour, query="pilot  Boat", door=Door.PAGE)
        (row,) = rows(harbour)
        assert (row.door, row.mode, row.length, row.text) == ("page", "hybrid", 11, "")
        assert (row.result_count, row.confidence) == (len(answer.hits), answer.confidence)
        assert (row.took_ms, row.at) == (answer.took_ms["total"], answer.read_at)
        assert row.digest == digest_of("pilot boat")
        assert row.digest != digest_of("pilot boats")

    def test_is_made_of_what_comes_by_a_door(self, harbour: Tenant) -> None:
        ask(tenant=harbour, query="pilot")
        assert rows(harbour) == []

    @pytest.mark.parametrize("path", ["search", "context"])
    def test_is_made_of_what_programs_ask(self, harbour: Tenant, path: str) -> None:
        token = factories.api_key(harbour, Scope.READ)[1]
        response = Client().post(
            f"/api/v1/{path}",
            json.dumps({"query": "pilot"}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}"},
        )
        assert response.status_code == 200
        assert [row.door for row in rows(harbour)] == ["api"]

    def test_takes_three_statements(self, harbour: Tenant) -> None:
        """A savepoint, the row, and the end of the savepoint."""
        ask(tenant=harbour, query="pilot", door=Door.API)  # What is learned once is learned.
        without = count_queries(lambda: ask(tenant=harbour, query="pilot"))
        assert count_queries(lambda: ask(tenant=harbour, query="pilot", door=Door.API)) == without + 3

    @pytest.mark.parametrize(
        ("keeps", "slow", "kept"), [(False, 1, ""), (True, 10_000_000, ""), (True, 1, "where is the pilot?")]
    )
    def test_has_the_words_of_bad_ones_where_that_is_allowed(
        self, harbour: Tenant, settings: Settings, keeps: bool, slow: int, kept: str
    ) -> None:
        fill(harbour)
        settings.KEEP_QUERIES, settings.SLOW_MS = keeps, slow
        ask(tenant=harbour, query="where is the pilot?", door=Door.API)
        (row,) = rows(harbour)
        assert row.result_count > 0
        assert row.text == kept

    def test_has_the_words_of_what_found_nothing(self, harbour: Tenant, settings: Settings) -> None:
        settings.KEEP_QUERIES, settings.SLOW_MS = True, 10_000_000
        ask(tenant=harbour, query="xyzzy", door=Door.API)
        assert [(row.result_count, row.text) for row in rows(harbour)] == [(0, "xyzzy")]

    def test_is_not_made_where_none_is_kept(self, harbour: Tenant, settings: Settings) -> None:
        settings.QUERY_DAYS = 0
        ask(tenant=harbour, query="pilot", door=Door.API)
        assert rows(harbour) == []

    def test_that_fails_does_not_fail_the_search(
        self, harbour: Tenant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def refuse(self: QueryRecord, **_: object) -> None:
            raise DatabaseError("pilot") from RuntimeError("pilot")

        monkeypatch.setattr(QueryRecord, "save", refuse)
        answer = ask(tenant=harbour, query="pilot", door=Door.API)
        assert answer.confidence == "none"
        assert "A search was not written down: RuntimeError" in caplog.text
        assert "pilot" not in caplog.text

    def test_that_the_database_refuses_does_not_fail_the_search(
        self, harbour: Tenant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("search.record.digest_of", lambda query: "x" * 65)
        with tenant_scope(harbour.pk):
            ask(tenant=harbour, query="pilot", door=Door.API)
            assert Tenant.objects.count() == 1  # The transaction goes on.
        assert rows(harbour) == []

    def test_goes_after_its_days(self, harbour: Tenant, meridian: Tenant, settings: Settings) -> None:
        settings.QUERY_DAYS = 7
        now = timezone.now()
        old = [record(tenant, at=now - timedelta(days=7, minutes=1)) for tenant in (harbour, meridian)]
        new = [record(tenant, at=now - timedelta(days=6, hours=23)) for tenant in (harbour, meridian)]
        sweep_index()
        assert [row.pk for tenant in (harbour, meridian) for row in rows(tenant)] == [row.pk for row in new]
        assert len(old) == 2


def count_queries(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        act()
    return len(captured)


class TestSummary:
    def test_counts_days_and_tells_the_worst(self, harbour: Tenant, settings: Settings) -> None:
        settings.SLOW_MS = 1000
        record(harbour, took_ms=100.0)
        record(harbour, took_ms=300.0)
        slow = record(harbour, took_ms=1000.0, at=NOW - timedelta(days=2))
        record(harbour, took_ms=999.0, result_count=0, at=NOW - timedelta(days=2))
        record(harbour, confidence="none", at=NOW - timedelta(days=1))
        record(harbour, at=datetime(2026, 3, 3, 23, 59, tzinfo=UTC), took_ms=9_999.0)  # A day too old.
        with tenant_scope(harbour.pk):
            found = summarize_queries(harbour, now=NOW, days=7)
        assert (found.count, found.unanswered, found.slow) == (5, 2, 1)
        assert (found.p50, round(found.p95, 1)) == (300.0, 999.8)
        days = {day.day: (day.count, day.unanswered, day.p50) for day in found.days}
        assert len(found.days) == 7
        assert days[date(2026, 3, 4)] == (0, 0, 0.0)
        assert days[date(2026, 3, 8)] == (2, 1, 999.5)
        assert days[date(2026, 3, 9)] == (1, 1, 10.0)
        assert days[date(2026, 3, 10)] == (2, 0, 200.0)
        assert [row.pk for row in found.slowest] == [slow.pk]
        assert [(row["count"], row["text"]) for row in found.missing] == [(2, "")]

    def test_of_nothing_is_nothing(self, harbour: Tenant) -> None:
        with tenant_scope(harbour.pk):
            found = summarize_queries(harbour, now=NOW, days=7)
        assert (found.count, found.p50, found.slowest, found.missing) == (0, 0.0, (), ())

    def test_tells_one_question_from_another(self, harbour: Tenant) -> None:
        for _ in range(2):
            record(harbour, result_count=0, digest="a", text="Where is it?")
        record(harbour, result_count=0, digest="b")
        with tenant_scope(harbour.pk):
            found = summarize_queries(harbour, now=NOW, days=7)
        assert [(row["digest"], row["count"], row["text"]) for row in found.missing] == [
            ("a", 2, "Where is it?"),
            ("b", 1, ""),
        ]


def run(
    tenant: Tenant, figure: float, *, name: str = "small", hours: int = 0, p95: float = 9.0
) -> EvaluationRun:
    with tenant_scope(tenant.pk):
        made = EvaluationRun.objects.create(
            tenant=tenant,
            name=name,
            collection="acts",
            question_count=2,
            measures=[
                {"way": "keyword", "figures": {"ndcg_at_10": figure / 2}},
                {"way": "exact first", "figures": {"ndcg_at_10": figure, "recall_at_10": 1.0}},
            ],
            latency={"total": {"p50": 4.0, "p95": p95}},
            settings={"top_k": 20, "reranker": None},
            code="abc",
        )
        EvaluationRun.objects.filter(pk=made.pk).update(created_at=NOW + timedelta(hours=hours))
    return made


class TestEvaluations:
    def test_are_drawn_with_their_history(self, editor: Membership) -> None:
        run(editor.tenant, 0.5)
        last = run(editor.tenant, 0.75, hours=1)
        run(editor.tenant, 0.3, name="other")
        response = client_of(editor).get("/t/harbour/evaluations/")
        sets = response.context["sets"]
        assert [(one.name, [point.figures["ndcg_at_10"] for point in one.points]) for one in sets] == [
            ("other", [0.3]),
            ("small", [0.5, 0.75]),
        ]
        page = body(response)
        assert page.count("<polyline") == 2  # Of the one that has a history: two figures.
        assert '0.7500 <span class="change-up">+0.2500</span>' in page
        assert f"/t/harbour/evaluations/{last.pk}/" in page

    def test_are_compared_with_the_run_before(self, editor: Membership) -> None:
        first, last = run(editor.tenant, 0.75), run(editor.tenant, 0.5, hours=1)
        page = body(client_of(editor).get(f"/t/harbour/evaluations/{last.pk}/"))
        assert '0.5000 <span class="change-down">-0.2500</span>' in page
        assert '0.2500 <span class="change-down">-0.1250</span>' in page
        assert f"/t/harbour/evaluations/{first.pk}/" in page
        assert page.count("<rect") == 2
        assert "first run of these questions" in body(
            client_of(editor).get(f"/t/harbour/evaluations/{first.pk}/")
        )

    def test_without_any_say_how_to_make_one(self, editor: Membership) -> None:
        assert "manage.py evaluate" in body(client_of(editor).get("/t/harbour/evaluations/"))

    def test_show_hostile_names_as_text(self, editor: Membership) -> None:
        made = run(editor.tenant, 0.5, name=HOSTILE)
        for path in ("", f"{made.pk}/"):
            page = body(client_of(editor).get(f"/t/harbour/evaluations/{path}"))
            assert HOSTILE not in page
            assert escape(HOSTILE) in page


class TestPages:
    def test_show_what_was_asked_in_vain(self, admin: Membership) -> None:
        record(admin.tenant, at=timezone.now(), result_count=0, text=HOSTILE)
        record(admin.tenant, at=timezone.now(), result_count=0, digest="a" * 64, length=7)
        page = body(client_of(admin).get("/t/harbour/queries/"))
        assert HOSTILE not in page
        assert escape(HOSTILE) in page
        assert "7 characters</span> <code>aaaaaaaa</code>" in page
        assert '<span class="figure">2</span>found nothing' in page

    @pytest.mark.parametrize(("asked", "days"), [("", 30), ("7", 7), ("30", 30), ("90", 30), ("x", 30)])
    def test_show_some_days(self, admin: Membership, asked: str, days: int) -> None:
        assert client_of(admin).get("/t/harbour/queries/", {"days": asked}).context["days"] == days

    def test_say_nothing_of_others(self, admin: Membership, meridian: Tenant) -> None:
        record(meridian, at=timezone.now(), result_count=0, text="secret words")
        other = run(meridian, 0.5, name="secret set")
        client = client_of(admin)
        for path in ("queries/", "evaluations/", "health/", "usage/"):
            assert "secret" not in body(client.get(f"/t/harbour/{path}"))
        assert client.get(f"/t/harbour/evaluations/{other.pk}/").status_code == 404

    def test_health_names_what_failed(self, editor: Membership) -> None:
        place = factories.document(editor.tenant, name=HOSTILE)
        factories.version(editor.tenant, of=place, state=State.FAILED)
        page = body(client_of(editor).get("/t/harbour/health/"))
        assert escape(HOSTILE) in page
        assert HOSTILE not in page
        assert "It is broken. Mend it." in page

    def test_change_nothing(self, admin: Membership) -> None:
        factories.one_of_each(admin.tenant)
        made = run(admin.tenant, 0.5)
        before = everything_of(admin.tenant)
        for path in ("queries/", "evaluations/", f"evaluations/{made.pk}/", "health/", "usage/"):
            assert client_of(admin).get(f"/t/harbour/{path}").status_code == 200
        assert everything_of(admin.tenant) == before

    @pytest.mark.parametrize("count", [1, 12])
    @pytest.mark.parametrize(("path", "queries"), [("queries/", 21), ("evaluations/", 17), ("health/", 35)])
    def test_ask_the_database_as_often_for_many_rows_as_for_one(
        self,
        admin: Membership,
        count: int,
        path: str,
        queries: int,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        for number in range(count):
            record(admin.tenant, at=timezone.now(), result_count=0, digest=str(number))
            run(admin.tenant, 0.5, name=str(number))
            factories.version(admin.tenant, state=State.FAILED)
        client = client_of(admin)
        with django_assert_num_queries(queries):
            assert client.get(f"/t/harbour/{path}").status_code == 200


class TestUsageByMonth:
    def test_has_each_month_also_those_without_any(self, harbour: Tenant) -> None:
        for at, role, cost in (
            (datetime(2026, 1, 31, 23, 59, tzinfo=UTC), "embedder", "0.5"),
            (datetime(2026, 1, 1, tzinfo=UTC), "contextualizer", "1.5"),
            (datetime(2026, 3, 2, tzinfo=UTC), "embedder", "0.25"),
            (datetime(2025, 12, 31, 23, 59, tzinfo=UTC), "embedder", "9"),
        ):
            with tenant_scope(harbour.pk):
                call = Call.objects.create(
                    tenant=harbour, role=role, backend="x", state=CallState.DONE, cost=Decimal(cost)
                )
                Call.objects.filter(pk=call.pk).update(at=at)
        months = usage_by_month(harbour, last=date(2026, 3, 1), count=3)
        assert [(month.first, month.cost) for month in months] == [
            (date(2026, 1, 1), Decimal(2)),
            (date(2026, 2, 1), Decimal(0)),
            (date(2026, 3, 1), Decimal("0.25")),
        ]
        assert months[0].costs == {"embedder": Decimal("0.5"), "contextualizer": Decimal("1.5")}

    @pytest.mark.parametrize(
        ("number", "expected"), [(0, (2026, 3)), (2, (2026, 1)), (3, (2025, 12)), (15, (2024, 12))]
    )
    def test_counts_back_over_years(self, number: int, expected: tuple[int, int]) -> None:
        assert month_before(date(2026, 3, 1), number) == date(*expected, 1)


class TestPlots:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [(0, 1), (-3, 1), (0.3, 0.5), (1, 1), (1.1, 2), (2.1, 2.5), (26, 50), (51, 100), (1e-6, 1e-6)],
    )
    def test_end_at_a_number_that_is_easy_to_read(self, value: float, expected: float) -> None:
        assert round_up(value) == expected

    def test_stack_bars_on_each_other(self) -> None:
        bars = draw_bars(["a", "b"], [("one", [2, 0]), ("two", [2, 4])], limit=3)
        assert [(one.series, one.title) for one in bars.segments] == [
            (0, "a: one 2"),
            (1, "a: two 2"),
            (1, "b: two 4"),
        ]
        first, second, third = bars.segments
        assert second.y + second.height == pytest.approx(first.y)
        assert first.y + first.height == pytest.approx(third.y + third.height)
        assert [tick.label for tick in bars.ticks] == ["0", "2.5", "5"]
        assert bars.limit is not None
        assert third.y < bars.limit.y < first.y

    def test_join_what_there_is(self) -> None:
        lines = draw_lines(["a", "b", "c"], [("one", [1, None, 0])])
        assert [dot.title for dot in lines.lines[0].dots] == ["a: one 1", "c: one 0"]
        assert len(lines.lines[0].points.split()) == 2
        assert draw_lines([], [("one", [])]).lines[0].points == ""

    def test_write_few_words_below(self) -> None:
        captions = draw_bars([str(number) for number in range(30)], [("one", [1] * 30)]).captions
        assert len(captions) <= 8
        assert captions[-1].text == "29"
