"""The embedder that asks a server: vectors in order or an error that names what is wrong, never zeros."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from search.backends.embedders import openai as module
from search.backends.embedders.base import Embedder, EmbedderError
from search.backends.embedders.openai import OpenAIEmbedder, ProviderFailed
from tests.providers.openai_server import EMBEDDINGS, OpenAIServer
from tests.providers.server import OK, Answer
from tests.test_embedder import TEXTS, EmbedderContract, long_text

Rows = list[dict[str, Any]]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        server.native = 64
        yield server


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def embedder(server: OpenAIServer, slept: list[float]) -> OpenAIEmbedder:
    return OpenAIEmbedder(base_url=server.base_url, dimensions=64, sleep=slept.append)


class TestOpenAIEmbedder(EmbedderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def embedder(cls) -> Iterator[Embedder]:
        with OpenAIServer() as server:
            yield OpenAIEmbedder(base_url=server.base_url, dimensions=64, max_tokens=512)


def test_the_defaults_are_those_of_the_small_model() -> None:
    embedder = OpenAIEmbedder(api_key="k")
    assert (embedder.provider, embedder.model, embedder.dimensions) == (
        "openai",
        "text-embedding-3-small",
        1536,
    )
    assert (embedder.max_tokens, embedder.overlap, embedder.price) == (8191, 64, Decimal(0))
    assert OpenAIEmbedder(api_key="k", price="0.02").price == Decimal("0.02")


@pytest.mark.parametrize("price", ["cheap", "-1", "NaN"])
def test_a_price_that_is_none_is_named(price: str) -> None:
    with pytest.raises(ValueError, match=rf"OPTIONS\['price'\]: '{price}' is no price"):
        OpenAIEmbedder(api_key="k", price=price)


def test_making_one_connects_to_nothing_and_without_a_key_it_says_so(server: OpenAIServer) -> None:
    with pytest.raises(EmbedderError, match=r"no key\. Set api_key in the embedder's OPTIONS"):
        OpenAIEmbedder().embed_query("harbour")
    OpenAIEmbedder(base_url=server.base_url)
    assert server.requests == []


@pytest.mark.parametrize(
    ("model", "send", "sent"),
    [
        ("text-embedding-3-small", None, 64),
        ("text-embedding-3-large", None, 64),
        ("text-embedding-ada-002", None, None),
        ("nomic-embed-text", None, None),
        ("nomic-embed-text", True, 64),
        ("text-embedding-3-small", False, None),
    ],
)
def test_dimensions_are_sent_to_models_that_take_them(
    server: OpenAIServer, model: str, send: bool | None, sent: int | None
) -> None:
    options = {"base_url": server.base_url, "dimensions": 64, "send_dimensions": send}
    OpenAIEmbedder(model=model, **options).embed_query("harbour")  # type: ignore[arg-type]
    body = server.bodies(EMBEDDINGS)[0]
    assert (body.get("dimensions"), body["model"], body["encoding_format"]) == (sent, model, "base64")


def test_texts_are_sent_in_batches_and_their_order_is_kept(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder(base_url=server.base_url, dimensions=64, batch_size=3)
    together = embedder.embed_passages(TEXTS)
    assert [len(body["input"]) for body in server.bodies(EMBEDDINGS)] == [3, 3, 1]
    assert together == [embedder.embed_passages([text])[0] for text in TEXTS]


def test_a_request_has_a_limited_number_of_tokens(
    server: OpenAIServer, embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["a a a a"] * 5
    monkeypatch.setattr(module, "REQUEST_TOKENS", 8)
    embedder.embed_passages(texts)
    monkeypatch.setattr(module, "REQUEST_TOKENS", 7)
    embedder.embed_passages(texts)
    assert [len(body["input"]) for body in server.bodies(EMBEDDINGS)] == [2, 2, 1, 1, 1, 1, 1, 1]


def test_the_order_is_that_of_the_numbers_and_not_of_the_answer(
    server: OpenAIServer, embedder: OpenAIEmbedder
) -> None:
    straight = embedder.embed_passages(TEXTS)
    server.spoil = lambda rows: rows[::-1]
    assert embedder.embed_passages(TEXTS) == straight


def test_a_server_that_knows_only_numbers_gives_the_same(
    server: OpenAIServer, embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = embedder.embed_passages(TEXTS[:2])
    monkeypatch.setattr("tests.providers.openai_server._pack", lambda values: values)
    for plain, other in zip(embedder.embed_passages(TEXTS[:2]), packed, strict=True):
        assert plain == pytest.approx(other, abs=1e-6)


def test_what_each_request_took_is_told(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder(base_url=server.base_url, dimensions=64, batch_size=2)
    told: list[int] = []
    embedder.on_usage = told.append
    embedder.embed_passages(TEXTS[:3])
    assert told == [usage.input_tokens for usage in server.usages]
    assert len(told) == 2


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
def test_a_batch_that_failed_is_asked_for_again(
    server: OpenAIServer, embedder: OpenAIEmbedder, slept: list[float], status: int
) -> None:
    server.script = [Answer(status)] * 3
    assert len(embedder.embed_passages(TEXTS)) == len(TEXTS)
    assert slept == [1, 2, 4]


def test_retry_after_is_obeyed_up_to_a_minute(
    server: OpenAIServer, embedder: OpenAIEmbedder, slept: list[float]
) -> None:
    server.script = [Answer(429, headers={"Retry-After": after}) for after in ("9", "999999")]
    embedder.embed_query("harbour")
    assert slept == [9, 60]


@pytest.mark.parametrize(
    ("answers", "message", "requests"),
    [
        ([Answer(500)] * 4, "the provider answered with 500", 4),
        ([Answer(400)], "the provider answered with 400", 1),
        ([Answer(401)], r"the key is not accepted \(401\)\. Set the right api_key", 1),
        ([Answer(404)], "Set the right model and base_url", 1),
        ([Answer(is_dropped=True)] * 4, "no connection", 4),
        ([Answer(is_hung=True)] * 4, r"no answer in time \(ReadTimeout\)", 4),
        ([OK, Answer(400)], "the provider answered with 400", 2),
    ],
)
def test_a_batch_that_fails_for_good_fails_all_and_gives_no_vectors(
    server: OpenAIServer, answers: list[Answer], message: str, requests: int
) -> None:
    timeout = 1 if answers[0].is_hung else 30
    embedder = OpenAIEmbedder(
        base_url=server.base_url, dimensions=64, batch_size=4, timeout=timeout, sleep=lambda _: None
    )
    server.script = answers
    with pytest.raises(ProviderFailed, match=message):
        embedder.embed_passages(TEXTS)
    assert len(server.requests) == requests


def test_a_server_that_is_not_there_is_named(server: OpenAIServer, embedder: OpenAIEmbedder) -> None:
    server.shutdown()
    server.server_close()
    with pytest.raises(
        ProviderFailed, match=r"no connection \(ConnectError\)\. Check the network and base_url"
    ):
        embedder.embed_query("harbour")


def change(**fields: Any) -> Callable[[Rows], Rows]:
    return lambda rows: [{**rows[0], **fields}, *rows[1:]]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rows: rows[:-1], "has 6 vectors for 7 texts"),
        (lambda rows: [*rows, rows[0]], "has 8 vectors for 7 texts"),
        (lambda rows: [], "has 0 vectors for 7 texts"),
        (change(index=1), "their numbers are wrong"),
        (change(index=7), "their numbers are wrong"),
        (change(index=None), "their numbers are wrong"),
        (change(embedding=[1.0] * 63), "has 63 dimensions, and 64 are configured"),
        (change(embedding=[1.0] * 65), "has 65 dimensions, and 64 are configured"),
        (change(embedding=[0.0] * 64), "a vector without direction"),
        (change(embedding=[math.nan] + [1.0] * 63), "a vector without direction"),
        (change(embedding=[math.inf] + [1.0] * 63), "a vector without direction"),
        (change(embedding=[10**400] + [1] * 63), "a vector that is not numbers"),
        (change(embedding=["1.0"] * 64), "a vector that is not numbers"),
        (change(embedding=[True] * 64), "a vector that is not numbers"),
        (change(embedding=None), "a vector that is not numbers"),
        (change(embedding="no base64!"), "a vector that is not numbers"),
        (change(embedding="AAA="), "a vector that is not numbers"),
        (lambda rows: ["row"] * 7, "is not a list of vectors"),
    ],
)
def test_an_answer_that_is_not_a_vector_per_text_is_refused(
    server: OpenAIServer, embedder: OpenAIEmbedder, spoil: Callable[[Rows], Rows], message: str
) -> None:
    server.spoil = spoil
    if message == "is not a list of vectors":
        server.script = [Answer(body={"data": spoil([])})]
    with pytest.raises(EmbedderError, match=f"openai/text-embedding-3-small: the answer .*{message}"):
        embedder.embed_passages(TEXTS)


@pytest.mark.parametrize("raw", [b"", b"{", b"null", b"[]", b'{"data": null}', b"<html>"])
def test_an_answer_that_is_none_is_refused(
    server: OpenAIServer, embedder: OpenAIEmbedder, slept: list[float], raw: bytes
) -> None:
    server.script = [Answer(raw=raw)]
    with pytest.raises(EmbedderError, match="is not a list of vectors"):
        embedder.embed_query("harbour")
    assert slept == []


@pytest.mark.parametrize(
    ("text", "tokens"), [("Hello world", 2), (" a" * 50, 50), ("x" * 1000, 130), ("東京", 3), (" " * 120, 3)]
)
def test_tokens_are_those_of_the_models_and_never_fewer(text: str, tokens: int) -> None:
    pieces = OpenAIEmbedder(api_key="k").split(text)
    assert sum(piece.tokens for piece in pieces) == tokens
    assert [piece.start for piece in pieces] == [0, *(piece.end for piece in pieces[:-1])]
    assert pieces[-1].end == len(text)


def test_of_a_tokenizer_that_is_not_known_more_are_assumed() -> None:
    text = "internationalization of harbours"
    known, unknown = (
        sum(piece.tokens for piece in OpenAIEmbedder(api_key="k", model=model).split(text))
        for model in ("text-embedding-3-small", "nomic-embed-text")
    )
    assert (known, unknown) == (5, 7 + 1 + 3)


def test_a_long_question_is_asked_in_windows(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder(base_url=server.base_url, dimensions=64, max_tokens=100)
    assert math.hypot(*embedder.embed_query(long_text(60))) == pytest.approx(1)
    assert len(server.bodies(EMBEDDINGS)[0]["input"]) > 3
