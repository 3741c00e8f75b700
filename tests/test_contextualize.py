"""Contexts are asked and paid for once, and kept; what cannot be had is told by structure, with a mark."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.models import F, Sum
from django.utils import timezone

from documents.models import Collection, State, Version
from documents.pipeline import work_of
from documents.reading import stored_reading
from documents.services import delete_document, purge_document
from search import services as search_services
from search.backends.contextualizers.base import Excerpt, Manuscript
from search.backends.contextualizers.structural import situate
from search.backends.payment import BUDGET_USED_UP
from search.budget import budget_of, lock_budget, take
from search.contextualize import (
    Work,
    cancel_batches,
    context_key,
    contextualize_work,
    follow_batches,
    situate_structurally,
)
from search.contextualize.batch import HANDED_IN_FOR
from search.contextualize.stage import NOT_ASKED
from search.contextualize.turn import BATCH_FOR, SINGLY_FOR, take_turn
from search.contextualize.work import keys_of
from search.embed import count_missing
from search.management.commands.recontextualize import Command
from search.models import Call, Context, ContextBatch, Placement
from search.place import Situated, place_passages
from search.services import set_budget
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.factories import ACTOR
from tests.findings import add
from tests.providers.anthropic_server import EXCERPT, MESSAGES, AnthropicServer
from tests.providers.server import OK, Answer, Asked

NAME = "anthropic/claude-haiku-4-5"
STRUCTURAL = "search.backends.contextualizers.structural.StructuralContextualizer"
BACKEND = "search.backends.contextualizers.anthropic.AnthropicContextualizer"
RACE = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def provider(server: AnthropicServer, settings: Any) -> Callable[..., None]:
    """Declare the provider as contextualizer, with options."""

    def declare(**options: Any) -> None:
        quick = {"api_key": "key", "base_url": server.url, "waits": (0.0, 0.0, 0.0), "timeout": 5}
        declared = {"BACKEND": BACKEND, "OPTIONS": {**quick, **options}}
        settings.SEARCH_BACKENDS = {**settings.SEARCH_BACKENDS, "contextualizer": declared}

    declare()
    return declare


def texts(count: int) -> list[str]:
    return [f"Berth {number} is kept clear at all times." for number in range(count)]


def work_on(version: Version, *said: str, title: str = "Harbour Act", concurrency: int = 4) -> Work:
    excerpts, start = [], 0
    for number, text in enumerate(said):
        end = start + len(text)
        excerpts.append(Excerpt(text, ("Part I",), f"Section {number + 1}", start=start, end=end))
        start = end + 2
    manuscript = Manuscript(title, "\n\n".join(said), ("Part I", "  Section 1"))
    return Work(version.tenant_id, version.pk, manuscript, excerpts, 100, concurrency)


def quietly(done: int, total: int) -> None:
    """Take no interest in how far it is."""


def contextualized(work: Work) -> list[Situated]:
    situated = contextualize_work(work, on_progress=quietly)
    assert situated is not None
    return situated


def asked_for(server: AnthropicServer) -> list[str]:
    """Return the excerpts of all requests, in the order in which they came."""
    bodies = server.bodies(MESSAGES)
    return [EXCERPT.findall(body["messages"][0]["content"][1]["text"])[0] for body in bodies]


def written_for(text: str) -> str:
    return f"From the document: {text[:40]}."


def kept(tenant: Tenant) -> set[str]:
    with tenant_scope(tenant.pk):
        return set(Context.objects.filter(tenant=tenant).values_list("text", flat=True))


def calls(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.pk):
        return sorted(Call.objects.for_tenant(tenant).values_list("state", flat=True))


def cost(tenant: Tenant) -> Decimal:
    with tenant_scope(tenant.pk):
        return Call.objects.for_tenant(tenant).aggregate(sum=Sum("cost"))["sum"] or Decimal(0)


def batches(tenant: Tenant) -> list[ContextBatch]:
    with tenant_scope(tenant.pk):
        return list(ContextBatch.objects.filter(tenant=tenant).order_by("created_at"))


def assert_settled(tenant: Tenant) -> None:
    """What is spent is what the calls cost, none is open, and nobody has a turn."""
    assert "open" not in calls(tenant)
    assert budget_of(tenant.pk).spent == cost(tenant)
    assert [batch for batch in batches(tenant) if batch.ended_at is None] == []


class TestKey:
    base = Excerpt("Keep clear.", ("Part I", "Chapter 2"), "Section 3")

    def key(self, excerpt: Excerpt = base, name: str = NAME, title: str = "Act", most: int = 100) -> str:
        return context_key(name, title, excerpt, most)

    def test_is_of_who_is_asked_title_place_and_text(self) -> None:
        others = [
            self.key(name="other"),
            self.key(title="Bill"),
            self.key(most=101),
            self.key(replace(self.base, text="Keep away.")),
            self.key(replace(self.base, heading="Section 4")),
            self.key(replace(self.base, path=("Part I",))),
            self.key(replace(self.base, path=("Part I, Chapter 2",))),
            self.key(replace(self.base, path=("Part I", "Chapter 2", "Section 3"), heading="")),
            self.key(replace(self.base, heading="Section", text="3Keep clear.")),
            self.key(replace(self.base, text="Keep clear.\ud800")),
        ]
        assert len({self.key(), *others}) == 11

    def test_is_not_of_what_moves_when_another_section_is_amended(self) -> None:
        moved = replace(self.base, start=900, end=911, label="Section 3")
        assert self.key(moved) == self.key()


class TestStructure:
    def test_asks_nobody_and_writes_nothing(self, harbour: Tenant) -> None:
        work = work_on(factories.version(harbour), *texts(2))
        told: list[tuple[int, int]] = []
        situated = contextualize_work(work, on_progress=lambda *now: told.append(now))
        assert situated == [
            Situated(excerpt.text, situate("Harbour Act", excerpt, 100)) for excerpt in work.excerpts
        ]
        assert (calls(harbour), batches(harbour), kept(harbour)) == ([], [], set())

    def test_marks_why_it_was_fallen_back_to_in_300_characters_at_most(self, harbour: Tenant) -> None:
        work = work_on(factories.version(harbour), "Keep clear.")
        for length, expected in ((300, 300), (301, 300)):
            (one,) = situate_structurally(work.manuscript, work.excerpts, 100, "x" * length)
            assert one.fallback == "x" * expected


@pytest.mark.usefixtures("provider")
class TestAsk:
    def test_each_chunk_gets_its_context_in_order_and_all_is_kept_and_paid(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        version, said, told = factories.version(harbour), texts(7), []
        situated = contextualize_work(
            work_on(version, *said), on_progress=lambda done, total: told.append((done, total))
        )
        assert situated is not None
        assert [(one.text, one.context) for one in situated] == [(text, written_for(text)) for text in said]
        assert [one.fallback for one in situated] == [""] * 7
        assert told == [(done, 7) for done in range(1, 8)]
        with tenant_scope(harbour.pk):
            rows = {row.pk: row for row in Context.objects.all()}
            tokens = Call.objects.aggregate(
                inputs=Sum("input_tokens"), reads=Sum("cache_read_tokens"), writes=Sum("cache_write_tokens")
            )
        assert [rows[one.written].text for one in situated if one.written] == list(map(written_for, said))
        assert {(row.version_id, row.contextualizer, row.is_oversized) for row in rows.values()} == {
            (version.pk, NAME, False)
        }
        assert calls(harbour) == ["done"] * 7
        assert tokens == {
            "inputs": sum(usage.input_tokens for usage in server.usages),
            "reads": sum(usage.cache_read_tokens for usage in server.usages),
            "writes": sum(usage.cache_write_tokens for usage in server.usages),
        }
        assert_settled(harbour)

    def test_the_same_document_again_is_free(self, harbour: Tenant, server: AnthropicServer) -> None:
        first = contextualized(work_on(factories.version(harbour), *texts(3)))
        paid = cost(harbour)
        assert contextualized(work_on(factories.version(harbour), *texts(3))) == first
        assert (len(server.requests), cost(harbour)) == (3, paid)

    def test_an_amended_document_pays_for_what_has_changed(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        said = texts(5)
        contextualized(work_on(factories.version(harbour), *said))
        amended = [*said[:2], "Berth 2 is open to all.", *said[3:]]
        situated = contextualized(work_on(factories.version(harbour), *amended))
        assert asked_for(server)[5:] == ["Berth 2 is open to all."]
        assert [one.context for one in situated] == list(map(written_for, amended))

    def test_another_tenant_pays_for_itself(
        self, harbour: Tenant, meridian: Tenant, server: AnthropicServer
    ) -> None:
        for tenant in (harbour, meridian):
            contextualized(work_on(factories.version(tenant), *texts(2)))
        assert sorted(asked_for(server)) == sorted(texts(2) * 2)
        assert min(cost(harbour), cost(meridian)) > 0

    def test_the_same_words_in_the_same_place_are_asked_for_once(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        work = work_on(factories.version(harbour), "Keep clear.", "Moor here.")
        twice = replace(work, excerpts=[*work.excerpts, work.excerpts[0]])
        told: list[tuple[int, int]] = []
        situated = contextualize_work(twice, on_progress=lambda *now: told.append(now))
        assert sorted(asked_for(server)) == ["Keep clear.", "Moor here."]
        assert situated is not None
        assert situated[0] == situated[2]
        assert told[-1] == (3, 3)

    def test_nobody_is_asked_about_a_blank(self, harbour: Tenant, server: AnthropicServer) -> None:
        situated = contextualized(work_on(factories.version(harbour), "Keep clear.", " \n"))
        assert asked_for(server) == ["Keep clear."]
        assert (situated[1].text, situated[1].written, situated[1].fallback) == (" \n", None, "")

    def test_a_document_without_chunks_has_no_contexts(self, harbour: Tenant) -> None:
        assert contextualized(work_on(factories.version(harbour))) == []

    def test_what_was_too_long_to_be_read_whole_is_marked(
        self, harbour: Tenant, provider: Callable[..., None]
    ) -> None:
        provider(window_tokens=2000)
        said = ["Keep clear. " * 400, "Moor here. " * 40]
        contextualized(work_on(factories.version(harbour), *said))
        with tenant_scope(harbour.pk):
            assert list(Context.objects.values_list("is_oversized", flat=True)) == [True, True]


@pytest.mark.usefixtures("provider")
class TestFallback:
    def test_a_provider_that_is_down_leaves_everything_to_the_structure(
        self, harbour: Tenant, provider: Callable[..., None]
    ) -> None:
        provider(base_url="http://127.0.0.1:9")
        work = work_on(factories.version(harbour), *texts(6))
        situated = contextualized(work)
        assert [one.context for one in situated] == [
            situate("Harbour Act", excerpt, 100) for excerpt in work.excerpts
        ]
        assert all("no connection" in one.fallback for one in situated)
        assert {one.written for one in situated} == {None}
        assert kept(harbour) == set()
        assert cost(harbour) == 0
        assert_settled(harbour)

    def test_what_has_failed_is_asked_for_anew_the_next_time(
        self, harbour: Tenant, server: AnthropicServer, provider: Callable[..., None]
    ) -> None:
        version = factories.version(harbour)
        provider(base_url="http://127.0.0.1:9")
        contextualized(work_on(version, *texts(3)))
        provider()
        situated = contextualized(work_on(version, *texts(3)))
        assert [one.fallback for one in situated] == ["", "", ""]
        assert sorted(asked_for(server)) == texts(3)

    def test_one_that_fails_does_not_take_the_others_with_it(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        server.policy = lambda asked: Answer(400) if "Berth 2 is" in ask_of(asked) else OK
        situated = contextualized(work_on(factories.version(harbour), *texts(4)))
        assert [bool(one.fallback) for one in situated] == [False, False, True, False]
        assert "400" in situated[2].fallback
        assert calls(harbour) == ["done", "done", "done", "failed"]
        assert_settled(harbour)

    @pytest.mark.parametrize(
        ("options", "reason"),
        [({"api_key": ""}, "no key. Set api_key"), ({"api_key": "wrong"}, "the key is not accepted (401)")],
    )
    def test_a_provider_that_is_declared_wrongly_is_named(
        self,
        harbour: Tenant,
        server: AnthropicServer,
        provider: Callable[..., None],
        options: dict[str, str],
        reason: str,
    ) -> None:
        server.key = "key"
        provider(**options)
        situated = contextualized(work_on(factories.version(harbour), *texts(3)))
        assert all(reason in one.fallback for one in situated)
        assert cost(harbour) == 0
        assert_settled(harbour)

    def test_an_answer_without_words_is_a_failure(self, harbour: Tenant, server: AnthropicServer) -> None:
        server.reply = lambda excerpt: "\u200b \n"
        (one,) = contextualized(work_on(factories.version(harbour), "Keep clear."))
        assert "empty" in one.fallback
        assert kept(harbour) == set()
        assert cost(harbour) > 0
        assert_settled(harbour)


def ask_of(asked: Asked) -> str:
    return str(asked.body["messages"][0]["content"][1]["text"])


@pytest.mark.usefixtures("provider")
class TestBudget:
    @pytest.mark.parametrize("dollars", ["0", "0.002", "0.01", "0.02", "0.05"])
    @pytest.mark.parametrize("concurrency", [1, 10])
    def test_is_never_exceeded_even_with_the_worst_of_tokenizers(
        self, harbour: Tenant, server: AnthropicServer, dollars: str, concurrency: int
    ) -> None:
        server.bytes_per_token = 1
        set_budget(tenant=harbour, monthly_limit=Decimal(dollars), actor=ACTOR)
        work = work_on(factories.version(harbour), *texts(20), concurrency=concurrency)
        situated = contextualized(work)
        written = [one for one in situated if one.written]
        assert cost(harbour) <= Decimal(dollars)
        assert len(written) == len(kept(harbour)) == len(server.usages)
        assert {one.fallback for one in situated} <= {"", BUDGET_USED_UP}
        assert (len(written) == 0) == (dollars in {"0", "0.002"})
        assert_settled(harbour)

    def test_whoever_gets_more_asks_for_the_rest(self, harbour: Tenant, server: AnthropicServer) -> None:
        server.bytes_per_token = 1
        set_budget(tenant=harbour, monthly_limit=Decimal("0.01"), actor=ACTOR)
        version = factories.version(harbour)
        first = contextualized(work_on(version, *texts(20)))
        assert 0 < sum(bool(one.written) for one in first) < 20
        set_budget(tenant=harbour, monthly_limit=Decimal(1), actor=ACTOR)
        assert all(one.written for one in contextualized(work_on(version, *texts(20))))
        assert sorted(asked_for(server)) == sorted(texts(20))

    def test_a_provider_that_costs_nothing_needs_none(
        self, harbour: Tenant, provider: Callable[..., None]
    ) -> None:
        provider(prices={"input": 0, "output": 0})
        set_budget(tenant=harbour, monthly_limit=Decimal(0), actor=ACTOR)
        assert all(one.written for one in contextualized(work_on(factories.version(harbour), *texts(3))))
        assert cost(harbour) == 0


class Stopped(Exception):
    """What a caller raises whose version is no longer its own."""


@pytest.mark.usefixtures("provider")
class TestInterrupted:
    def test_whoever_is_stopped_keeps_what_was_answered_and_settles_the_rest(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        def stop(done: int, total: int) -> None:
            if done == 5:
                raise Stopped

        work = work_on(factories.version(harbour), *texts(20))
        with pytest.raises(Stopped):
            contextualize_work(work, on_progress=stop)
        assert len(kept(harbour)) == 5
        asked = len(server.requests)
        assert 5 <= asked <= 5 + work.concurrency
        assert_settled(harbour)
        assert all(one.written for one in contextualized(work))
        assert len(server.requests) == asked + 15

    def test_what_is_under_way_when_time_is_up_is_waited_for(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        work = work_on(factories.version(harbour), *texts(3))
        assert contextualize_work(work, on_progress=quietly, most_seconds=0) is None
        assert (len(kept(harbour)), calls(harbour)) == (1, ["done"])
        assert_settled(harbour)
        assert contextualize_work(work, on_progress=quietly, most_seconds=0) is None
        situated = contextualize_work(work, on_progress=quietly, most_seconds=0)
        assert situated is not None
        assert all(one.written for one in situated)
        assert len(server.requests) == 3

    def test_time_that_brings_nothing_but_failures_ends_it(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        server.policy = lambda asked: Answer(400)
        work = work_on(factories.version(harbour), *texts(5))
        situated = contextualize_work(work, on_progress=quietly, most_seconds=0)
        assert situated is not None
        assert all("400" in one.fallback for one in situated)
        assert len(server.requests) == 1

    @pytest.mark.parametrize("status", [504, 529])
    def test_time_that_brings_no_answer_at_all_ends_it(
        self, harbour: Tenant, server: AnthropicServer, status: int
    ) -> None:
        server.policy = lambda asked: Answer(status)
        work = work_on(factories.version(harbour), *texts(5))
        situated = contextualize_work(work, on_progress=quietly, most_seconds=0)
        assert situated is not None
        assert all(one.fallback and not one.written for one in situated)
        assert_settled(harbour)

    @pytest.mark.parametrize("failing", [0, 1, 2, 3, 4, 5])
    def test_it_ends_however_many_fail_and_however_short_the_time(
        self, harbour: Tenant, server: AnthropicServer, failing: int
    ) -> None:
        wrong = {f"Berth {number} is" for number in range(failing)}
        server.policy = lambda asked: Answer(400) if any(one in ask_of(asked) for one in wrong) else OK
        work = work_on(factories.version(harbour), *texts(5)[::-1])
        for _ in range(6):
            situated = contextualize_work(work, on_progress=quietly, most_seconds=0)
            if situated is not None:
                break
        assert situated is not None
        assert sum(bool(one.written) for one in situated) == 5 - failing
        assert_settled(harbour)


def age(rows: Any, by: timedelta) -> None:
    rows.update(created_at=F("created_at") - by)


@pytest.mark.usefixtures("provider")
class TestTurns:
    def leave_behind(self, work: Work) -> None:
        """Take a turn as a worker does that is then killed."""
        keys = keys_of(work, NAME)
        assert take_turn(tenant_id=work.tenant_id, version_id=work.version_id, contextualizer=NAME, keys=keys)

    def test_what_somebody_else_asks_for_is_waited_for(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        dead = work_on(factories.version(harbour), *texts(3))
        self.leave_behind(dead)
        same = work_on(factories.version(harbour), *texts(4))
        assert contextualize_work(same, on_progress=quietly) is None
        assert server.requests == []
        with tenant_scope(harbour.pk):
            age(ContextBatch.objects, SINGLY_FOR - timedelta(minutes=1))
        assert contextualize_work(same, on_progress=quietly) is None
        with tenant_scope(harbour.pk):
            age(ContextBatch.objects, timedelta(minutes=2))
        assert all(one.written for one in contextualized(same))

    def test_others_are_not_held_up(self, harbour: Tenant, meridian: Tenant) -> None:
        self.leave_behind(work_on(factories.version(harbour), *texts(3)))
        other_title = work_on(factories.version(harbour), *texts(3), title="Pilot Act")
        other_tenant = work_on(factories.version(meridian), *texts(3))
        assert all(one.written for one in contextualized(other_title))
        assert all(one.written for one in contextualized(other_tenant))

    def test_who_takes_up_the_version_of_a_dead_worker_goes_on_at_once(self, harbour: Tenant) -> None:
        work = work_on(factories.version(harbour), *texts(3))
        self.leave_behind(work)
        assert all(one.written for one in contextualized(work))
        assert batches(harbour) == []

    def test_turns_of_the_dead_are_cleared_away(self, harbour: Tenant) -> None:
        self.leave_behind(work_on(factories.version(harbour), *texts(3)))
        follow_batches()
        assert len(batches(harbour)) == 1
        with tenant_scope(harbour.pk):
            age(ContextBatch.objects, SINGLY_FOR)
        follow_batches()
        assert batches(harbour) == []

    @RACE
    def test_two_that_ask_for_the_same_at_once_pay_once(self, server: AnthropicServer) -> None:
        tenant = factories.tenant("harbour")
        said = [texts(8), texts(12)]
        works = [work_on(factories.version(tenant), *some) for some in said]
        barrier = threading.Barrier(2)
        results: dict[int, list[Situated]] = {}

        def run(number: int) -> None:
            try:
                barrier.wait(60)
                while number not in results:
                    situated = contextualize_work(works[number], on_progress=quietly)
                    if situated is not None:
                        results[number] = situated
            finally:
                connection.close()

        threads = [threading.Thread(target=run, args=[number]) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        for number, some in enumerate(said):
            assert [one.context for one in results[number]] == list(map(written_for, some))
        assert sorted(asked_for(server)) == sorted(texts(12))
        assert_settled(tenant)


class TestBatches:
    @pytest.fixture(autouse=True)
    def by_the_batch(self, provider: Callable[..., None]) -> None:
        provider(batch_from=4)

    def test_from_so_many_on_a_batch_is_handed_in_waited_for_and_kept(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        work, told = work_on(factories.version(harbour), *texts(4)), []

        def come_again() -> list[Situated] | None:
            return contextualize_work(work, on_progress=lambda *now: told.append(now))

        assert come_again() is None
        (batch,) = batches(harbour)
        assert (batch.provider_id, batch.ended_at) == ("msgbatch_0001", None)
        assert budget_of(harbour.pk).spent == batch.reserved > 0
        assert come_again() is None
        assert told == [(0, 4)]
        situated = come_again()
        assert situated is not None
        assert [one.context for one in situated] == list(map(written_for, texts(4)))
        assert (asked_for(server), len(server.usages)) == ([], 4)
        with tenant_scope(harbour.pk):
            assert set(Call.objects.values_list("is_batch", "state")) == {(True, "done")}
        assert 0 < cost(harbour) < batch.reserved
        assert_settled(harbour)
        assert come_again() == situated

    def test_below_that_each_is_asked_for_by_itself(self, harbour: Tenant, server: AnthropicServer) -> None:
        contextualized(work_on(factories.version(harbour), *texts(3)))
        assert len(asked_for(server)) == 3
        assert batches(harbour) == []

    def test_a_batch_costs_half(
        self, harbour: Tenant, meridian: Tenant, server: AnthropicServer, provider: Callable[..., None]
    ) -> None:
        self.finish(work_on(factories.version(harbour), *texts(4)))
        server._cached.clear()
        provider(batch_from=None)
        contextualized(work_on(factories.version(meridian), *texts(4)))
        assert abs(cost(harbour) * 2 - cost(meridian)) <= Decimal("0.000008")  # Each is rounded up.

    def finish(self, work: Work) -> list[Situated]:
        for _ in range(6):
            if (situated := contextualize_work(work, on_progress=quietly)) is not None:
                return situated
        raise AssertionError("It does not end.")

    def test_parts_that_came_to_nothing_are_asked_for_singly_and_once(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        server.batch_ends = {"1": "expired", "3": "errored"}
        situated = self.finish(work_on(factories.version(harbour), *texts(8)))
        assert all(one.written for one in situated)
        assert sorted(asked_for(server)) == [texts(8)[1], texts(8)[3]]
        assert calls(harbour) == ["done"] * 8 + ["failed"] * 2
        assert_settled(harbour)

    def test_even_if_they_are_many_they_make_no_second_batch(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        server.batch_ends = {str(number): "expired" for number in range(8)}
        assert all(one.written for one in self.finish(work_on(factories.version(harbour), *texts(8))))
        assert (len(server.batches), len(asked_for(server))) == (1, 8)

    def test_a_worker_killed_while_it_handed_in_leaves_what_it_set_aside_spent(
        self, harbour: Tenant, server: AnthropicServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        work = work_on(factories.version(harbour), *texts(4))
        contextualize_work(work, on_progress=quietly)
        with tenant_scope(harbour.pk):
            ContextBatch.objects.update(provider_id="")
            age(ContextBatch.objects, HANDED_IN_FOR - timedelta(minutes=1))
        assert contextualize_work(work, on_progress=quietly) is None
        with tenant_scope(harbour.pk):
            age(ContextBatch.objects, timedelta(minutes=2))
        assert all(one.written for one in contextualized(work))
        (batch,) = batches(harbour)
        with tenant_scope(harbour.pk):
            lost = Call.objects.get(state="unknown")
        assert (lost.cost, lost.texts, lost.is_batch) == (batch.reserved, 4, True)
        assert cost(harbour) > batch.reserved
        assert_settled(harbour)

    def test_one_that_cannot_be_handed_in_costs_nothing_and_is_asked_for_singly(
        self, harbour: Tenant, provider: Callable[..., None]
    ) -> None:
        provider(batch_from=4, base_url="http://127.0.0.1:9")
        work = work_on(factories.version(harbour), *texts(4))
        assert contextualize_work(work, on_progress=quietly) is None
        assert (cost(harbour), calls(harbour)) == (Decimal(0), ["failed"])
        assert_settled(harbour)
        assert all("no connection" in one.fallback for one in contextualized(work))
        assert_settled(harbour)

    def test_a_provider_that_is_away_for_a_while_is_waited_for_up_to_a_day(
        self, harbour: Tenant, server: AnthropicServer, provider: Callable[..., None]
    ) -> None:
        work = work_on(factories.version(harbour), *texts(4))
        contextualize_work(work, on_progress=quietly)
        provider(batch_from=4, base_url="http://127.0.0.1:9")
        assert contextualize_work(work, on_progress=quietly) is None
        with tenant_scope(harbour.pk):
            age(ContextBatch.objects, BATCH_FOR)
        (batch,) = batches(harbour)
        assert all(one.fallback for one in contextualized(work))
        assert cost(harbour) == batch.reserved
        assert_settled(harbour)

    def test_another_contextualizer_does_not_ask_about_the_batch_of_the_one_before(
        self, harbour: Tenant, server: AnthropicServer, provider: Callable[..., None]
    ) -> None:
        work = work_on(factories.version(harbour), *texts(4))
        contextualize_work(work, on_progress=quietly)
        polls = len(server.requests)
        provider(model="claude-haiku-5")
        assert all(one.written for one in contextualized(work))
        assert len(asked_for(server)) == len(server.requests) - polls == 4
        assert_settled(harbour)

    def test_if_the_budget_is_too_small_for_all_some_are_asked_for_singly(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        server.bytes_per_token = 1
        set_budget(tenant=harbour, monthly_limit=Decimal("0.015"), actor=ACTOR)
        situated = contextualized(work_on(factories.version(harbour), *texts(20)))
        assert 0 < sum(bool(one.written) for one in situated) < 20
        assert (server.batches, cost(harbour) <= Decimal("0.015")) == ({}, True)
        assert_settled(harbour)

    def test_what_is_in_a_batch_is_not_asked_for_by_another_version(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        first = work_on(factories.version(harbour), *texts(4))
        second = work_on(factories.version(harbour), *texts(5))
        assert contextualize_work(first, on_progress=quietly) is None
        assert contextualize_work(second, on_progress=quietly) is None
        assert len(server.requests) == 1
        self.finish(first)
        assert all(one.written for one in contextualized(second))
        assert asked_for(server) == [texts(5)[4]]

    def test_a_cancelled_version_cancels_it_and_what_is_done_by_then_is_kept(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        version = factories.version(harbour, state=State.CONTEXTUALIZING)
        contextualize_work(work_on(version, *texts(4)), on_progress=quietly)
        cancel_batches(version.pk, harbour.pk)
        assert server.batches["msgbatch_0001"].is_cancelled
        assert follow_batches() == 0  # A worker may still come back to it.
        with tenant_scope(harbour.pk):
            Version.objects.filter(pk=version.pk).update(state=State.CANCELLED)
        assert follow_batches() == 0
        assert follow_batches() == 1
        assert (cost(harbour), calls(harbour)) == (Decimal(0), ["failed"] * 4)
        assert_settled(harbour)

    def test_what_a_dead_version_left_under_way_is_collected(
        self, harbour: Tenant, server: AnthropicServer
    ) -> None:
        server.polls_until_ended = 0
        version = factories.version(harbour, state=State.FAILED)
        contextualize_work(work_on(version, *texts(4)), on_progress=quietly)
        assert follow_batches() == 1
        assert kept(harbour) == set(map(written_for, texts(4)))
        assert_settled(harbour)
        assert follow_batches() == 0

    def test_cancelling_without_a_batch_or_a_provider_does_nothing(
        self, harbour: Tenant, server: AnthropicServer, provider: Callable[..., None]
    ) -> None:
        version = factories.version(harbour)
        cancel_batches(version.pk, harbour.pk)
        assert server.requests == []
        contextualize_work(work_on(version, *texts(4)), on_progress=quietly)
        provider(batch_from=4, base_url="http://127.0.0.1:9")
        cancel_batches(version.pk, harbour.pk)
        assert batches(harbour)[0].ended_at is None

    @RACE
    def test_two_that_collect_at_once_keep_and_pay_once(
        self, server: AnthropicServer, provider: Callable[..., None]
    ) -> None:
        provider(batch_from=4)
        server.polls_until_ended = 0
        tenant = factories.tenant("harbour")
        version = factories.version(tenant)
        contextualize_work(work_on(version, *texts(4)), on_progress=quietly)

        def collect() -> None:
            follow_batches()
            connection.close()

        threads = [threading.Thread(target=collect) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert (len(kept(tenant)), calls(tenant)) == (4, ["done"] * 4)
        assert_settled(tenant)


BERTH = "Berth {number} is kept clear at all times, and nobody moors there without leave of the master. "
ACT = "# Harbour Act\n\n" + "\n".join(
    f"## Section {number}. Berths\n\n{BERTH.format(number=number) * 30}\n" for number in range(1, 6)
)


def run(*arguments: str) -> list[str]:
    said = StringIO()
    call_command(*arguments, "--tenant", "harbour", stdout=said)
    return said.getvalue().splitlines()


def refuse(*arguments: str) -> str:
    with pytest.raises(CommandError) as failed:
        run(*arguments)
    return str(failed.value)


def placed(version: Version) -> list[tuple[str, str]]:
    """Return context and mark of each chunk."""
    with tenant_scope(version.tenant_id):
        rows = Placement.objects.filter(version=version).order_by("position")
        return list(rows.values_list("passage__context", "fallback"))


def is_embedded(version: Version) -> bool:
    with tenant_scope(version.tenant_id):
        return count_missing(version.pk) == 0


class TestRecontextualize:
    @pytest.fixture
    def act(self, harbour: Tenant, provider: Callable[..., None]) -> Version:
        """An act that was ingested while the provider was down; it is up again."""
        provider(base_url="http://127.0.0.1:9")
        act = add(factories.collection(harbour, "acts"), "act.md", ACT)
        assert act.state == State.READY
        assert all("no connection" in fallback for _, fallback in placed(act))
        provider()
        return act

    def test_one_command_has_a_version_found_by_its_contexts_and_takes_the_marks_away(
        self, act: Version, server: AnthropicServer
    ) -> None:
        before = placed(act)
        lines = run("recontextualize")
        after = placed(act)
        assert len(after) == len(before) == len(asked_for(server)) > 1
        assert {fallback for _, fallback in after} == {""}
        assert all(context.startswith("From the document: ") for context, _ in after)
        assert is_embedded(act)
        assert lines[0].startswith(f"1 version: {len(before)} chunks, none of them known already. Writing ")
        assert lines[1:] == ["act.md, version 1: complete"]
        assert run("recontextualize") == ["No version lacks a context."]

    def test_until_then_searches_find_it_as_before(
        self, act: Version, server: AnthropicServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before, seen = placed(act), []

        def look(*args: Any, **options: Any) -> None:
            seen.append((placed(act), is_embedded(act)))
            return place_passages(*args, **options)

        monkeypatch.setattr(search_services, "place_passages", look)
        run("recontextualize")
        assert seen == [(before, True)]
        assert placed(act) != before

    def test_a_dry_run_asks_nobody(self, act: Version, server: AnthropicServer) -> None:
        before = placed(act)
        (line,) = run("recontextualize", "--dry-run")
        assert re.search(
            r"Writing 5 contexts costs about \$0\.\d\d, at most \$0\.\d\d, and takes about ", line
        )
        assert (placed(act), server.requests) == (before, [])

    def test_while_the_provider_is_down_it_says_so(self, act: Version, provider: Callable[..., None]) -> None:
        provider(base_url="http://127.0.0.1:9")
        before = placed(act)
        said = refuse("recontextualize")
        assert said.startswith(f"{len(before)} of {len(before)} chunks keep the context of their structure: ")
        assert said.endswith("Run this again later.")
        assert placed(act) == before

    def test_it_says_if_the_budget_ended_it_and_goes_on_with_another(
        self, act: Version, harbour: Tenant, server: AnthropicServer
    ) -> None:
        server.bytes_per_token = 1
        set_budget(tenant=harbour, monthly_limit=Decimal("0.03"), actor=ACTOR)
        said = refuse("recontextualize")
        assert said.endswith("structure: The budget is used up. Raise it, or run this next month.")
        marks = [fallback for _, fallback in placed(act)]
        assert 0 < marks.count(BUDGET_USED_UP) < len(marks)
        assert cost(harbour) <= Decimal("0.03")
        set_budget(tenant=harbour, monthly_limit=Decimal(1), actor=ACTOR)
        run("recontextualize")
        assert {fallback for _, fallback in placed(act)} == {""}
        assert len(asked_for(server)) == len(marks)

    def test_batches_are_waited_for(
        self, act: Version, server: AnthropicServer, provider: Callable[..., None], monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(Command, "pause", 0.0)
        provider(batch_from=2)
        assert "takes up to a day" in run("recontextualize")[0]
        assert {fallback for _, fallback in placed(act)} == {""}
        assert (asked_for(server), len(server.batches)) == ([], 1)

    def test_other_collections_and_tenants_are_left_alone(
        self, act: Version, harbour: Tenant, meridian: Tenant, server: AnthropicServer
    ) -> None:
        factories.collection(harbour, "rules")
        assert run("recontextualize", "--collection", "rules") == ["No version lacks a context."]
        assert "No collection 'laws' in harbour" in refuse("recontextualize", "--collection", "laws")
        assert server.requests == []
        run("recontextualize", "--collection", "acts")
        assert {fallback for _, fallback in placed(act)} == {""}

    def test_what_was_ingested_with_contexts_needs_no_other_request(
        self, harbour: Tenant, server: AnthropicServer, provider: Callable[..., None]
    ) -> None:
        act = add(factories.collection(harbour, "acts"), "act.md", ACT)
        asked, before = len(server.requests), placed(act)
        assert asked == len(before)
        assert run("recontextualize", "--all") == ["No version lacks a context."]
        with tenant_scope(harbour.pk):
            reading = stored_reading(act.pk)
        assert reading is not None
        kept = contextualize_work(work_of(act.pk, harbour.pk, reading), is_asking=False)
        assert kept is not None
        assert [(one.context, one.fallback) for one in kept] == before
        again = add(factories.collection(harbour, "copies"), "act.md", ACT)
        assert (placed(again), len(server.requests)) == (before, asked)

    def test_all_means_those_that_another_contextualizer_situated(
        self, harbour: Tenant, server: AnthropicServer, provider: Callable[..., None], settings: Any
    ) -> None:
        declared = settings.SEARCH_BACKENDS
        settings.SEARCH_BACKENDS = {**declared, "contextualizer": {"BACKEND": STRUCTURAL}}
        acts = factories.collection(harbour, "acts")
        act = add(acts, "act.md", ACT)
        by_structure = placed(act)
        provider()
        assert run("recontextualize") == ["No version lacks a context."]
        run("recontextualize", "--all")
        assert len(asked_for(server)) == len(by_structure)
        assert all(context.startswith("From the document: ") for context, _ in placed(act))
        provider(model="claude-haiku-5")
        run("recontextualize", "--all")
        assert len(asked_for(server)) == 2 * len(by_structure)
        settings.SEARCH_BACKENDS = {**declared, "contextualizer": {"BACKEND": STRUCTURAL}}
        run("recontextualize", "--all")
        assert placed(act) == by_structure
        assert run("recontextualize", "--all") == ["No version lacks a context."]

    def test_a_collection_that_wants_no_contexts_gets_none(
        self, act: Version, server: AnthropicServer
    ) -> None:
        with tenant_scope(act.tenant_id):
            Collection.objects.update(contextual_embeddings=False)
        assert run("recontextualize", "--all") == ["No version lacks a context."]

    def test_what_is_rebuilt_takes_up_what_is_kept_and_asks_nobody(
        self, act: Version, server: AnthropicServer
    ) -> None:
        run("recontextualize")
        asked, contexts = len(server.requests), placed(act)
        with tenant_scope(act.tenant_id):
            Context.objects.filter(text__contains="Berth 3").delete()
            reading = stored_reading(act.pk)
        assert reading is not None
        situated = contextualize_work(work_of(act.pk, act.tenant_id, reading), is_asking=False)
        assert situated is not None
        assert [one.fallback for one in situated].count(NOT_ASKED) == 1
        assert sum(bool(one.written) for one in situated) == len(contexts) - 1
        assert len(server.requests) == asked

    def test_two_at_once_pay_once(self, act: Version, server: AnthropicServer) -> None:
        with tenant_scope(act.tenant_id):
            reading = stored_reading(act.pk)
        assert reading is not None
        work = work_of(act.pk, act.tenant_id, reading)
        keys = keys_of(work, NAME)
        assert take_turn(
            tenant_id=work.tenant_id, version_id=act.pk, contextualizer=NAME, keys=keys, is_alone=False
        )
        assert search_services.recontextualize(work=work, language="english") is None
        assert server.requests == []
        with tenant_scope(act.tenant_id):
            age(ContextBatch.objects, SINGLY_FOR)
        assert search_services.recontextualize(work=work, language="english") is not None


class TestUsageCommand:
    def test_shows_each_tenant_with_its_backends(
        self, harbour: Tenant, meridian: Tenant, provider: Callable[..., None]
    ) -> None:
        set_budget(tenant=meridian, monthly_limit=Decimal(5), actor=ACTOR)
        contextualized(work_on(factories.version(harbour), *texts(3)))
        said = StringIO()
        call_command("usage", stdout=said)
        lines = said.getvalue().splitlines()
        month = f"{timezone.now():%B %Y}"
        assert lines[0] == f"harbour: $0.01 of $20.00 spent in {month}"
        assert lines[1].split()[-1] == "cost"
        cells = lines[2].split()
        assert (cells[0], cells[1], cells[2], cells[-1]) == (NAME, "3", "0", f"${cost(harbour):.4f}")
        assert lines[3:] == [f"meridian: $0.00 of $5.00 spent in {month}"]
        assert run("usage") == lines[:3]

    def test_names_a_tenant_that_is_not_there(self, db: None) -> None:
        assert refuse("usage").startswith("No tenant 'harbour'.")


class TestDeletedDocuments:
    def test_what_their_batches_may_cost_is_written_down(self, harbour: Tenant) -> None:
        version = factories.version(harbour, state=State.CONTEXTUALIZING)
        with tenant_scope(harbour.pk):
            budget = lock_budget(harbour.pk)
            assert take(budget, Decimal("0.5"))
            ContextBatch.objects.create(
                tenant=harbour,
                version=version,
                contextualizer="anthropic/x",
                provider_id="msgbatch_1",
                keys=["a", "b"],
                reserved=Decimal("0.5"),
            )
        document = version.document
        delete_document(document=document, actor=ACTOR)
        purge_document(document=document, actor=ACTOR)
        with tenant_scope(harbour.pk):
            assert not ContextBatch.objects.exists()
            (call,) = Call.objects.all()
            assert budget_of(harbour.pk).spent == Decimal("0.5")
        assert (call.state, call.cost, call.texts, call.version_id) == ("unknown", Decimal("0.5"), 2, None)
        assert call.failure == "Its document was deleted."
