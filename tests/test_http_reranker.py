"""The reranker that asks a service: a score per passage in time, or an error that names what is wrong."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest

from search.backends.payment import OptionRefused, Usage
from search.backends.rerankers.base import RerankerError
from search.backends.rerankers.http import HttpReranker
from search.backends.watch import OutOfTime, Watch
from tests.providers.purse import MemoryPurse, Settled
from tests.providers.rerank_server import COHERE, JINA, TEI, RerankServer
from tests.providers.server import Answer

KEY = "co-very-secret"
NOTHING = Decimal(0)
QUESTION = "harbour QUESTIONTEXT"
PASSAGES = ["a PASSAGETEXT", "the harbour", "the harbour questiontext"]


@pytest.fixture
def server() -> Iterator[RerankServer]:
    with RerankServer() as server:
        yield server


def make(server: RerankServer, **options: Any) -> HttpReranker:
    return HttpReranker(**{"base_url": server.cohere, "model": "m", "api_key": KEY, "timeout": 30, **options})


def refusal(reranker: HttpReranker, purse: MemoryPurse | None = None) -> str:
    with pytest.raises(RerankerError) as refused:
        reranker.scores(QUESTION, PASSAGES, purse=purse)
    chain: BaseException | None = refused.value
    while chain:  # Neither the error nor what led to it tells what was asked.
        for secret in (KEY, "QUESTIONTEXT", "PASSAGETEXT", "questiontext"):
            assert secret not in str(chain)
        chain = chain.__cause__ or chain.__context__
    return str(refused.value)


class TestStyles:
    def test_cohere_is_asked_as_it_wants_to_be(self, server: RerankServer) -> None:
        assert make(server).scores(QUESTION, PASSAGES) == [0.0, pytest.approx(0.248, abs=1e-3), 1.0]
        assert server.bodies(COHERE) == [{"model": "m", "query": QUESTION, "documents": PASSAGES, "top_n": 3}]
        headers = server.requests[0].headers
        assert (headers["authorization"], headers["content-type"]) == (f"Bearer {KEY}", "application/json")

    def test_without_model_and_key_none_is_sent(self, server: RerankServer) -> None:
        make(server, base_url=server.jina, model="", api_key="").scores(QUESTION, PASSAGES)
        assert server.bodies(JINA) == [{"query": QUESTION, "documents": PASSAGES, "top_n": 3}]
        assert "authorization" not in server.requests[0].headers

    def test_text_embeddings_inference_cuts_what_is_too_long(self, server: RerankServer) -> None:
        scores = make(server, base_url=server.tei, style="tei").scores(QUESTION, PASSAGES)
        assert (scores[0], scores[2]) == (0.0, 1.0)
        body = {"query": QUESTION, "texts": PASSAGES, "raw_scores": False, "truncate": True}
        assert server.bodies(TEI) == [body]

    def test_passages_and_questions_are_cut(self, server: RerankServer) -> None:
        make(server, max_characters=3).scores("q" * 5000, ["abcdef", "ab"])
        body = server.bodies(COHERE)[0]
        assert (body["documents"], body["query"]) == (["abc", "ab"], "q" * 2000)

    @pytest.mark.parametrize(("count", "requests"), [(4, 2), (5, 3)])
    def test_many_passages_are_asked_about_in_parts(
        self, server: RerankServer, count: int, requests: int
    ) -> None:
        passages = [f"harbour {'x ' * number}" if number % 2 else "x" for number in range(count)]
        scores = make(server, max_documents=2).scores("harbour", passages)
        assert [score > 0 for score in scores] == [number % 2 == 1 for number in range(count)]
        assert len(server.requests) == requests

    def test_a_part_is_as_large_as_each_style_takes(self, server: RerankServer) -> None:
        make(server).scores("harbour", ["x"] * 101)
        make(server, base_url=server.tei, style="tei").scores("harbour", ["x"] * 33)
        assert [len(body["documents"]) for body in server.bodies(COHERE)] == [100, 1]
        assert [len(body["texts"]) for body in server.bodies(TEI)] == [32, 1]


def rows(*pairs: tuple[Any, Any], **more: Any) -> bytes:
    results = [{"index": index, "relevance_score": score, **more} for index, score in pairs]
    return json.dumps({"results": results}).encode()


WRONG_NUMBERS = "results for 3 passages, or their numbers are wrong"
NO_LIST = "the answer is not a list of results"
NO_NUMBER = "the answer has a score that is not a number"


class TestAnswers:
    @pytest.mark.parametrize(
        ("raw", "said"),
        [
            (b"", NO_LIST),
            (b"<html>", NO_LIST),
            (b"\xff\xfe", NO_LIST),
            (b"[" * 100_000, NO_LIST),
            (b"[" + b" " * 10_000_000 + b"]", NO_LIST),
            (b"7", NO_LIST),
            (b'{"results": {"0": 1}}', NO_LIST),
            (b'{"results": [1, 2, 3]}', NO_LIST),
            (b'{"results": []}', f"has 0 {WRONG_NUMBERS}"),
            (rows((0, 1.0), (1, 1.0)), f"has 2 {WRONG_NUMBERS}"),
            (rows((0, 1.0), (1, 1.0), (1, 1.0)), f"has 3 {WRONG_NUMBERS}"),
            (rows((0, 1.0), (1, 1.0), (3, 1.0)), WRONG_NUMBERS),
            (rows((0, 1.0), (1, 1.0), (-1, 1.0)), WRONG_NUMBERS),
            (rows((0, 1.0), (1, 1.0), (2, 1.0), (2, 1.0)), WRONG_NUMBERS),
            (rows((0, 1.0), (1, 1.0), ("2", 1.0)), WRONG_NUMBERS),
            (rows((0, 1.0), (1, 1.0), (2.0, 1.0)), WRONG_NUMBERS),
            (rows((0, 1.0), (True, 1.0), (2, 1.0)), WRONG_NUMBERS),
            (rows((0, 1.0), ([], 1.0), (2, 1.0)), WRONG_NUMBERS),
            (rows((0, float("nan")), (1, 1.0), (2, 1.0)), NO_NUMBER),
            (rows((0, float("inf")), (1, 1.0), (2, 1.0)), NO_NUMBER),
            (rows((0, None), (1, 1.0), (2, 1.0)), NO_NUMBER),
            (rows((0, "1"), (1, 1.0), (2, 1.0)), NO_NUMBER),
            (rows((0, True), (1, 1.0), (2, 1.0)), NO_NUMBER),
            (rows((0, 10**400), (1, 1.0), (2, 1.0)), NO_NUMBER),
        ],
    )
    def test_that_are_none_are_named(self, server: RerankServer, raw: bytes, said: str) -> None:
        server.script = [Answer(raw=raw)]
        message = refusal(make(server))
        assert message.startswith("http/m: the answer ")
        assert said in message
        assert message.endswith("Check model, base_url and style in the reranker's OPTIONS.")
        assert len(server.requests) == 1

    def test_may_say_more_and_come_in_any_order(self, server: RerankServer) -> None:
        server.script = [Answer(raw=rows((2, 1), (0, -3.5), (1, 0), document={"text": "x"}))]
        assert make(server).scores(QUESTION, PASSAGES) == [-3.5, 0.0, 1.0]


class TestTrouble:
    @pytest.mark.parametrize(
        ("status", "said"),
        [
            (401, "the key is not accepted (401)"),
            (404, "the model or the address is not known (404)"),
            (400, "the provider answered with 400"),
            (422, "the provider answered with 422"),
            (307, "the provider answered with 307"),
        ],
    )
    def test_that_stays_is_told_at_once(self, server: RerankServer, status: int, said: str) -> None:
        body = {"message": f"bad {QUESTION} {KEY}", "error": {"type": QUESTION + "é"}}
        server.script = [Answer(status, body=body, headers={"Location": server.jina})]
        assert f"http/m: {said}" in refusal(make(server))
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        "trouble", [Answer(503), Answer(429), Answer(is_dropped=True), Answer(is_cut=True)]
    )
    def test_that_passes_is_asked_about_once_more(self, server: RerankServer, trouble: Answer) -> None:
        server.script = [trouble]
        assert make(server).scores(QUESTION, PASSAGES)[2] == 1.0
        assert len(server.requests) == 2
        server.script = [trouble] * 4
        assert refusal(make(server)).startswith("http/m: ")
        assert len(server.requests) == 4

    def test_that_lasts_longer_than_a_search_waits_is_not_waited_for(self, server: RerankServer) -> None:
        server.script = [Answer(429, headers={"Retry-After": "30"})]
        began = time.monotonic()
        assert refusal(make(server, timeout=5)) == "http/m: the provider answered with 429."
        assert time.monotonic() - began < 9  # A hung server hangs for longer.
        assert len(server.requests) == 1

    def test_a_server_that_is_silent_is_left(self, server: RerankServer) -> None:
        server.script = [Answer(is_hung=True)]
        began = time.monotonic()
        assert "no answer" in refusal(make(server, timeout=0.3))
        assert time.monotonic() - began < 9  # A hung server hangs for longer.

    @pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
    def test_a_server_that_drips_is_left(self, start: bytes) -> None:
        with dripping(start) as address:
            began = time.monotonic()
            message = refusal(HttpReranker(base_url=address, model="m", timeout=0.5))
        assert "no answer" in message
        assert time.monotonic() - began < 9  # A hung server hangs for longer.

    def test_nobody_there_is_told(self) -> None:
        message = refusal(HttpReranker(base_url="http://127.0.0.1:9/rerank", model="m"))
        assert message == "http/m: no connection (ConnectError). Check the network and base_url."

    def test_nothing_that_was_asked_is_logged(
        self, server: RerankServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        server.script = [Answer(500), Answer(raw=b"x")]
        refusal(make(server))
        assert all(secret not in caplog.text for secret in (KEY, "QUESTIONTEXT", "PASSAGETEXT"))


@contextmanager
def dripping(start: bytes) -> Iterator[str]:
    """Listen, and answer with a byte now and then, without end."""
    closing = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener, start, closing))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/rerank"
        finally:
            closing.set()
            thread.join(60)


def drip(listener: socket.socket, start: bytes, closing: threading.Event) -> None:
    with listener.accept()[0] as connection:
        try:
            connection.sendall(start or b"HTTP/1.1 200 OK\r\nx-")
            while not closing.wait(0.05):
                connection.sendall(b"x")
        except OSError:
            pass


class TestMoney:
    def test_searches_are_paid_for(self, server: RerankServer) -> None:
        reranker = make(server, prices={"search": "2"}, max_documents=2)
        purse = MemoryPurse(reranker.prices)
        reranker.scores(QUESTION, PASSAGES, purse=purse)
        assert purse.settled == [Settled(Decimal("0.002"), Usage(searches=1), "", is_unknown=False)] * 2
        assert (purse.spent, purse.set_aside) == (Decimal("0.004"), NOTHING)

    def test_tokens_are_paid_for_as_they_were_counted(self, server: RerankServer) -> None:
        reranker = make(server, base_url=server.jina, prices={"input": "1000"})
        purse = MemoryPurse(reranker.prices)
        reranker.scores(QUESTION, PASSAGES, purse=purse)
        assert purse.settled[0].usage == Usage(input_tokens=9, searches=1)
        assert purse.spent == Decimal("0.009")
        assert purse.reserved[0] == Decimal(len(server.requests[0].raw)) / 1000

    def test_tokens_that_nobody_counted_cost_what_was_set_aside(self, server: RerankServer) -> None:
        reranker = make(server, prices={"input": "1"})  # Cohere's answer counts searches.
        purse = MemoryPurse(reranker.prices)
        reranker.scores(QUESTION, PASSAGES, purse=purse)
        assert [one.is_unknown for one in purse.settled] == [True]
        assert purse.spent == purse.reserved[0]

    def test_without_money_nobody_is_asked(self, server: RerankServer) -> None:
        reranker = make(server, prices={"search": "2"})
        purse = MemoryPurse(reranker.prices, budget=Decimal("0.0019"))
        assert refusal(reranker, purse).startswith("http/m: The budget is used up.")
        assert (server.requests, purse.spent, purse.set_aside) == ([], NOTHING, NOTHING)

    @pytest.mark.parametrize(
        ("answer", "cost", "requests"),
        [
            (Answer(401), "0", 1),
            (Answer(503), "0", 2),
            (Answer(502), "0.002", 1),  # A gateway's: whoever is behind it may have done the work.
            (Answer(is_hung=True), "0.002", 1),
            (Answer(raw=b"x"), "0.002", 1),
        ],
    )
    def test_what_fails_costs_what_it_may_have_cost(
        self, server: RerankServer, answer: Answer, cost: str, requests: int
    ) -> None:
        server.script = [answer, answer]
        reranker = make(server, prices={"search": "2"}, timeout=1 if answer.is_hung else 30)
        purse = MemoryPurse(reranker.prices)
        message = refusal(reranker, purse)
        assert (purse.spent, purse.set_aside, len(server.requests)) == (Decimal(cost), NOTHING, requests)
        assert message.startswith(purse.settled[0].failure)

    def test_long_passages_count_in_parts(self, server: RerankServer) -> None:
        reranker = make(server, prices={"search": "2"})
        purse = MemoryPurse(reranker.prices)
        reranker.scores("harbour", ["x" * 3000] * 34, purse=purse)  # 102 parts.
        assert (purse.reserved, purse.spent) == ([Decimal("0.004")], Decimal("0.002"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base_url": ""}, r"OPTIONS\['base_url'\]"),
        ({"base_url": "ftp://x:secret@y"}, r"OPTIONS\['base_url'\]"),
        ({"base_url": "https://"}, r"OPTIONS\['base_url'\]"),
        ({"base_url": "http://x:secret/rerank"}, r"OPTIONS\['base_url'\]"),
        ({"base_url": f"http://secret{'x' * 64}.org"}, r"OPTIONS\['base_url'\]"),
        ({"style": "jina"}, r"OPTIONS\['style'\]: 'jina' is none of cohere, tei"),
        ({"timeout": 0}, r"OPTIONS\['timeout'\]"),
        ({"timeout": float("inf")}, r"OPTIONS\['timeout'\]"),
        ({"max_documents": -1}, r"OPTIONS\['max_documents'\]"),
        ({"max_characters": 0}, r"OPTIONS\['max_characters'\]"),
        ({"api_key": f"{KEY}\n"}, r"OPTIONS\['api_key'\] holds a character"),
        ({"prices": {"output": 1}}, r"OPTIONS\['prices'\]: output\."),
        ({"prices": {"search": "cheap"}}, "'cheap' is no price"),
    ],
)
def test_options_that_are_none_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionRefused, match=said) as refused:
        HttpReranker(**{"base_url": "https://x.example.org/rerank", **options})
    assert "secret" not in str(refused.value)


class TestWatch:
    def test_returns_and_raises_what_the_call_does(self) -> None:
        until = time.monotonic() + 60
        assert Watch().call(lambda: 7, until=until) == 7
        with pytest.raises(ZeroDivisionError):
            Watch().call(lambda: 1 // 0, until=until)

    def test_has_only_so_many_under_way_and_takes_more_when_one_ends(self) -> None:
        watch, ending = Watch(most=1), threading.Event()
        for _ in range(2):  # The first is left behind; for the second there is no place.
            with pytest.raises(OutOfTime):
                watch.call(lambda: ending.wait(60), until=time.monotonic() + 0.1)
        ending.set()
        assert watch.call(lambda: 7, until=time.monotonic() + 60) == 7

    def test_does_not_wait_for_what_is_over(self) -> None:
        with pytest.raises(OutOfTime):
            Watch().call(lambda: time.sleep(0.2), until=time.monotonic() - 1)
