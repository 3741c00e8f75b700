"""Limits towards providers: how often, how much at once, how long to wait, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.backends.contextualizers.costs import Bound, likely_usage
from search.backends.contextualizers.prompt import SYSTEM, Question
from search.backends.payment import OptionRefused, Prices, Usage, read_prices
from search.backends.retries import (
    Limiter,
    RequestFailed,
    Trouble,
    call_again,
    judge,
    read_retry_after,
    wait_before,
)

NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)
HAIKU = Prices(Decimal(1), Decimal("1.25"), Decimal("0.1"), Decimal(5))


class SdkError(Exception):
    """As both SDKs raise it: with a response, or with the cause that there is none."""

    def __init__(self, response: httpx2.Response | None = None) -> None:
        super().__init__("from the SDK")
        self.response = response


def answered(status: int, body: object = None, **headers: str) -> SdkError:
    return SdkError(
        httpx2.Response(status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})
    )


def unanswered(cause: Exception) -> SdkError:
    error = SdkError()
    error.__cause__ = cause
    return error


class TestLimiter:
    def test_it_lets_as_many_under_way_as_it_was_given(self) -> None:
        limiter = Limiter(3)
        rounds = [limiter.start() for _ in range(3) if limiter.has_room]
        assert (len(rounds), limiter.has_room, limiter.in_flight) == (3, False, 3)
        limiter.end(rounds[0], is_success=True)
        assert limiter.has_room

    @pytest.mark.parametrize("most", [0, -1, 1])
    def test_it_lets_one_under_way_at_least(self, most: int) -> None:
        assert (Limiter(most).limit, Limiter(most).has_room) == (1, True)

    def test_all_that_were_under_way_together_halve_it_once(self) -> None:
        limiter = Limiter(10)
        for started_in in [limiter.start() for _ in range(10)]:
            limiter.end(started_in, is_throttled=True)
        assert (limiter.limit, limiter.in_flight) == (5, 0)

    def test_the_next_round_halves_it_again_but_never_below_one(self) -> None:
        limiter, limits = Limiter(10), []
        for _ in range(5):
            limiter.end(limiter.start(), is_throttled=True)
            limits.append(limiter.limit)
        assert limits == [5, 2, 1, 1, 1]

    def test_it_grows_by_one_after_as_many_successes_as_it_allows(self) -> None:
        limiter, limits = Limiter(4), []
        limiter.end(limiter.start(), is_throttled=True)
        for _ in range(12):
            limiter.end(limiter.start(), is_success=True)
            limits.append(limiter.limit)
        assert limits == [2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4]

    def test_a_failure_that_is_not_for_haste_changes_nothing(self) -> None:
        limiter = Limiter(4)
        limiter.end(limiter.start())
        assert (limiter.limit, limiter.in_flight) == (4, 0)

    @given(st.integers(1, 20), st.lists(st.sampled_from(["throttled", "success", "failure"]), max_size=80))
    def test_it_stays_between_one_and_what_it_was_given(self, most: int, ends: list[str]) -> None:
        limiter = Limiter(most)
        for end in ends:
            limiter.end(limiter.start(), is_throttled=end == "throttled", is_success=end == "success")
            assert 1 <= limiter.limit <= most
        assert limiter.in_flight == 0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("60", 60),
        ("61", 60),
        ("4233600", 60),
        ("inf", 60),
        ("0", 0),
        ("-5", 0),
        ("nan", 0),
        ("", 0),
        ("soon", 0),
        ("Tue, 17 Nov 2026 12:00:30 GMT", 30),
        ("Tue, 17 Nov 2026 12:01:01 GMT", 60),
        ("Tue, 17 Nov 2026 11:59:00 GMT", 0),
        ("Tue, 17 Nov 2026 12:00:30 -0000", 30),
        ("Tue, 99 Nov 2026 12:00:30 GMT", 0),
        ("Tue, 99999999999999999999 Nov 2026 12:00:30 GMT", 0),
    ],
)
def test_retry_after_is_read_as_seconds_or_date_up_to_a_minute(header: str, seconds: float) -> None:
    assert read_retry_after(header, NOON) == seconds


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529, 599])
def test_what_may_pass_is_worth_asking_again(status: int) -> None:
    assert judge(answered(status), "x").is_passing


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
def test_what_will_not_pass_is_not(status: int) -> None:
    assert not judge(answered(status), "x").is_passing


@pytest.mark.parametrize(
    ("status", "cure"),
    [
        (401, "Set the right api_key"),
        (402, "Top it up"),
        (403, "set another api_key"),
        (404, "Set the right model and base_url"),
    ],
)
def test_what_is_true_of_all_requests_is_said_with_its_cure(status: int, cure: str) -> None:
    trouble = judge(answered(status), "openai/gpt")
    assert trouble.is_final
    assert trouble.reason.startswith("openai/gpt: ")
    assert cure in trouble.reason


def test_no_credit_is_not_mistaken_for_haste() -> None:
    trouble = judge(answered(429, {"error": {"code": "insufficient_quota", "message": "m"}}), "x")
    assert (trouble.is_final, trouble.is_throttled, trouble.is_passing) == (True, False, False)


def test_the_kind_of_an_error_is_told_and_never_its_sentence() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "while reading: SECRET CLAUSE"}}
    assert judge(answered(529, body), "x").reason == "x: the provider answered with 529 (overloaded_error)."


@pytest.mark.parametrize(
    "body", [None, [], "text", {"error": "x"}, {"error": {"type": 5}}, {"error": {"type": "a\nb"}}]
)
def test_an_error_of_any_shape_is_judged_by_its_status(body: object) -> None:
    assert judge(answered(500, body), "x").reason == "x: the provider answered with 500."


@pytest.mark.parametrize(
    ("error", "is_unknown"),
    [
        (unanswered(httpx2.ConnectError("refused")), False),
        (unanswered(httpx2.ConnectTimeout("t")), False),
        (unanswered(httpx2.PoolTimeout("t")), False),
        (unanswered(httpx2.ReadTimeout("t")), True),
        (unanswered(httpx2.WriteTimeout("t")), True),
        (unanswered(httpx2.ReadError("reset")), True),
        (unanswered(httpx2.RemoteProtocolError("closed")), True),
        (answered(429), False),
        (answered(400), False),
        (answered(500), False),
        (answered(529), False),
        (answered(408), True),
        (answered(502), True),
        (answered(504), True),
    ],
)
def test_what_the_provider_may_have_done_is_taken_for_paid(error: SdkError, is_unknown: bool) -> None:
    assert judge(error, "x").is_unknown == is_unknown


@pytest.mark.parametrize(
    ("attempt", "retry_after", "wait"),
    [(1, 0, 1), (2, 0, 2), (3, 0, 4), (4, 0, None), (1, 7, 7), (3, 2, 4), (4, 60, None)],
)
def test_waits_grow_and_obey_the_provider(attempt: int, retry_after: float, wait: float | None) -> None:
    assert wait_before(attempt, Trouble("r", is_passing=True, retry_after=retry_after)) == wait
    assert wait_before(attempt, Trouble("r", retry_after=retry_after)) is None


class TestCallAgain:
    def run(self, errors: list[SdkError], *, is_repeatable: bool = True) -> tuple[str, list[float]]:
        slept: list[float] = []

        def call() -> str:
            if errors:
                raise errors.pop(0)
            return "done"

        call_again_here: Callable[[], str] = lambda: call_again(  # noqa: E731
            call, place="x", errors=SdkError, sleep=slept.append, is_repeatable=is_repeatable
        )
        try:
            return call_again_here(), slept
        except RequestFailed as failed:
            return failed.trouble.reason, slept

    def test_it_asks_four_times(self) -> None:
        assert self.run([answered(500)] * 3) == ("done", [1, 2, 4])
        assert self.run([answered(500)] * 4) == ("x: the provider answered with 500.", [1, 2, 4])

    def test_it_waits_as_long_as_it_is_told(self) -> None:
        assert self.run([answered(429, retry_after="9"), answered(429, retry_after="999")]) == (
            "done",
            [9, 60],
        )

    def test_it_does_not_repeat_what_cannot_pass(self) -> None:
        assert self.run([answered(400)]) == ("x: the provider answered with 400.", [])

    def test_it_does_not_pay_twice_for_what_may_have_been_done(self) -> None:
        lost = unanswered(httpx2.ReadTimeout("t"))
        assert self.run([lost])[0] == "done"
        assert "no answer in time (ReadTimeout)" in self.run([lost], is_repeatable=False)[0]
        assert self.run([answered(500)], is_repeatable=False) == ("done", [1])


@pytest.mark.parametrize(
    ("usage", "cost", "halved"),
    [
        (Usage(), "0", "0"),
        (Usage(1), "0.000001", "0.000001"),
        (Usage(0, 1), "0.000002", "0.000001"),
        (Usage(0, 0, 1), "0.000001", "0.000001"),
        (Usage(0, 0, 0, 1), "0.000005", "0.000003"),
        (Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000), "7.35", "3.675"),
    ],
)
def test_a_cost_is_rounded_up_to_a_millionth(usage: Usage, cost: str, halved: str) -> None:
    assert HAIKU.cost(usage) == Decimal(cost)
    assert HAIKU.cost(usage, is_batch=True) == Decimal(halved)


def test_what_is_not_said_of_the_cache_is_a_share_of_the_input() -> None:
    prices = read_prices({"input": "3", "output": 15}, cache_write="1.25", cache_read="0.1")
    assert prices == Prices(Decimal(3), Decimal("3.75"), Decimal("0.3"), Decimal(15))
    given_all = {"input": 0.8, "cache_write": 1, "cache_read": "0.08", "output": 4, "batch": "0.4"}
    assert read_prices(given_all, cache_write="1", cache_read="1") == Prices(
        Decimal("0.8"), Decimal(1), Decimal("0.08"), Decimal(4), Decimal("0.4")
    )


@pytest.mark.parametrize(
    ("prices", "named"),
    [
        ({"input": 1}, r"OPTIONS\['prices'\]: output\."),
        ({}, r"OPTIONS\['prices'\]: input, output\."),
        ({"input": 1, "output": 5, "ouput": 5}, r"OPTIONS\['prices'\]: ouput\."),
        ({"input": "cheap", "output": 5}, r"OPTIONS\['prices'\]\['input'\]: 'cheap' is no price"),
        ({"input": 1, "output": -5}, r"OPTIONS\['prices'\]\['output'\]: -5 is no price"),
        ({"input": "NaN", "output": 5}, "'NaN' is no price"),
    ],
)
def test_prices_that_are_none_are_named(prices: dict[str, object], named: str) -> None:
    with pytest.raises(OptionRefused, match=named):
        read_prices(prices, cache_write="1", cache_read="1")


class TestBound:
    def test_without_knowledge_every_byte_is_a_token_at_the_dearest_price(self) -> None:
        bound = Bound(HAIKU, max_tokens=100)
        tokens = len(SYSTEM.encode()) + 1000 + 4 + 64
        assert bound.most(Question(0, "x" * 1000, "€x")) == HAIKU.cost(Usage(0, tokens, 0, 100))

    def test_it_is_closer_once_a_request_has_told_its_size(self) -> None:
        bound, question = Bound(HAIKU, max_tokens=100), Question(0, "x" * 100_000, "ask")
        bound.learn(question, Usage(10, 20_000, 0, 50))
        assert bound.most(question) == HAIKU.cost(Usage(0, 20_010 + 3 + 64, 0, 100))
        bound.learn(question, Usage(5, 0, 20_000, 50))
        assert bound.most(question) == HAIKU.cost(Usage(0, 20_005 + 3 + 64, 0, 100))

    def test_a_request_that_says_nothing_teaches_nothing(self) -> None:
        bound, question = Bound(HAIKU, max_tokens=100), Question(0, "prefix", "ask")
        before = bound.most(question)
        bound.learn(question, Usage(output_tokens=5))
        assert bound.most(question) == before

    def test_in_a_batch_it_is_half(self) -> None:
        usage = Usage(0, len(SYSTEM.encode()) + 100_000 + 3 + 64, 0, 100)
        most = Bound(HAIKU, max_tokens=100, is_batch=True).most(Question(0, "x" * 100_000, "ask"))
        assert most == HAIKU.cost(usage, is_batch=True)

    @given(st.text(max_size=200), st.text(max_size=50), st.integers(0, 300))
    def test_it_is_never_less_than_the_worst_tokenizer_makes_it(
        self, prefix: str, ask: str, output: int
    ) -> None:
        question = Question(0, prefix, ask)
        tokens = len((SYSTEM + prefix).encode()) + len(ask.encode())
        for usage in (Usage(tokens, 0, 0, output), Usage(0, tokens, 0, output), Usage(0, 0, tokens, output)):
            assert HAIKU.cost(usage) <= Bound(HAIKU, max_tokens=output).most(question)


class TestLikelyUsage:
    def test_the_prefix_is_written_once_and_read_by_the_others(self) -> None:
        questions = [Question(at, "word " * 5000, "what is this") for at in range(3)]
        usage = likely_usage(questions, max_tokens=100, cache_from=4096)
        assert usage.cache_read_tokens == 2 * usage.cache_write_tokens
        assert usage.cache_write_tokens > 6000
        assert (usage.input_tokens, usage.output_tokens) == (3 * 4, 225)

    def test_a_short_prefix_is_not_cached(self) -> None:
        usage = likely_usage([Question(at, "word", "ask") for at in range(3)], max_tokens=50, cache_from=4096)
        assert (usage.cache_write_tokens, usage.cache_read_tokens, usage.output_tokens) == (0, 0, 150)
        assert usage.input_tokens > 300

    def test_no_questions_take_nothing(self) -> None:
        assert likely_usage([], max_tokens=100, cache_from=0) == Usage()
