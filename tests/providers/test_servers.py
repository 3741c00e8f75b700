"""The servers speak to the providers' own SDKs as the providers do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import anthropic
import httpx2
import openai
import pytest

from tests.providers.anthropic_server import BATCHES, AnthropicServer
from tests.providers.openai_server import OpenAIServer
from tests.providers.rerank_server import RerankServer
from tests.providers.server import Answer

LONG = "The harbour master keeps a register. " * 200


@pytest.fixture
def claude() -> Iterator[AnthropicServer]:
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def gpt() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def to_anthropic(server: AnthropicServer, **options: int) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="k", base_url=server.url, **{"max_retries": 0, **options})  # type: ignore[arg-type]


def to_openai(server: OpenAIServer) -> openai.OpenAI:
    return openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0)


def ask(client: anthropic.Anthropic, question: str) -> anthropic.types.Message:
    return client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=50,
        messages=[
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}},
                    {"type": "text", "text": question},
                ],
            }
        ],
    )


def test_a_prefix_is_written_to_the_cache_once_and_then_read(claude: AnthropicServer) -> None:
    client = to_anthropic(claude)
    usages = [ask(client, question).usage for question in ("a", "b")]
    assert [(usage.cache_creation_input_tokens, usage.cache_read_input_tokens) for usage in usages] == [
        (1850, 0),
        (0, 1850),
    ]


def test_a_prefix_that_is_too_short_is_not_cached(claude: AnthropicServer) -> None:
    claude.cache_from = 1851
    usages = [ask(to_anthropic(claude), "a").usage for _ in range(2)]
    assert [(usage.input_tokens, usage.cache_read_input_tokens) for usage in usages] == [(1859, 0)] * 2


def test_tokens_are_counted(claude: AnthropicServer) -> None:
    count = to_anthropic(claude).messages.count_tokens(
        model="claude-haiku-4-5", messages=[{"role": "user", "content": "x" * 400}]
    )
    assert (count.input_tokens, claude.usages) == (100, [])


@pytest.mark.parametrize("pause", [0, 0.01])
def test_an_answer_is_streamed(claude: AnthropicServer, pause: float) -> None:
    claude.script = [Answer(pause=pause)]
    claude.reply = lambda _: "One two three."
    with to_anthropic(claude).messages.stream(
        model="claude-haiku-4-5", max_tokens=50, messages=[{"role": "user", "content": "x"}]
    ) as stream:
        assert list(stream.text_stream) == ["One ", "two ", "three."]
        assert stream.get_final_message().usage.output_tokens == 4


def test_a_chat_is_streamed(gpt: OpenAIServer) -> None:
    gpt.script = [Answer(pause=0.01)]
    gpt.reply = lambda _: "One two."
    chunks = to_openai(gpt).chat.completions.create(
        model="gpt", messages=[{"role": "user", "content": "x"}], stream=True
    )
    assert [chunk.choices[0].delta.content for chunk in chunks] == ["One ", "two.", None]


def test_the_sdk_asks_again_when_it_is_let(claude: AnthropicServer) -> None:
    claude.script = [
        Answer(429, headers={"Retry-After": "0.01"}),
        Answer(529, headers={"Retry-After": "0.01"}),
    ]
    assert ask(to_anthropic(claude, max_retries=2), "a").stop_reason == "end_turn"
    assert [asked.headers["x-stainless-retry-count"] for asked in claude.requests] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(429), anthropic.RateLimitError),
        (Answer(529), anthropic.OverloadedError),
        (Answer(500), anthropic.InternalServerError),
        (Answer(401), anthropic.AuthenticationError),
        (Answer(is_hung=True), anthropic.APITimeoutError),
        (Answer(is_dropped=True), anthropic.APIConnectionError),
        (Answer(is_cut=True), anthropic.APIConnectionError),
    ],
)
def test_errors_are_those_that_the_sdk_knows(
    claude: AnthropicServer, answer: Answer, error: type[Exception]
) -> None:
    claude.script = [answer]
    with pytest.raises(error):
        ask(to_anthropic(claude).with_options(timeout=0.3), "a")


def test_a_batch_is_read_by_the_sdk(claude: AnthropicServer) -> None:
    client = to_anthropic(claude)
    claude.batch_ends = {"b": "errored"}
    params: anthropic.types.message_create_params.MessageCreateParamsNonStreaming = {
        "model": "claude-haiku-4-5",
        "max_tokens": 50,
        "messages": [{"role": "user", "content": "x"}],
    }
    batch = client.messages.batches.create(
        requests=[{"custom_id": name, "params": params} for name in ("a", "b")]
    )
    states = [client.messages.batches.retrieve(batch.id).processing_status for _ in range(2)]
    results = {row.custom_id: row.result.type for row in client.messages.batches.results(batch.id)}
    assert (states, results) == (["in_progress", "ended"], {"a": "succeeded", "b": "errored"})
    assert client.messages.batches.cancel(batch.id).id == batch.id


@pytest.mark.parametrize("custom_id", ["", "a b", "x" * 65, "ü"])
def test_a_batch_with_an_id_that_is_none_is_refused(claude: AnthropicServer, custom_id: str) -> None:
    with pytest.raises(anthropic.BadRequestError):
        to_anthropic(claude).post(
            BATCHES, body={"requests": [{"custom_id": custom_id, "params": {}}]}, cast_to=object
        )


@pytest.mark.parametrize("form", ["float", "base64", openai.omit])
def test_vectors_come_in_both_formats(
    gpt: OpenAIServer, form: Literal["float", "base64"] | openai.Omit
) -> None:
    embeddings = to_openai(gpt).embeddings
    row = embeddings.create(model="m", input="harbour", dimensions=8, encoding_format=form).data[0]
    assert isinstance(row.embedding, str if form == "base64" else list)
    assert len(row.embedding) == (44 if form == "base64" else 8)


def test_a_key_that_is_not_the_right_one_is_refused(gpt: OpenAIServer) -> None:
    gpt.key = "other"
    with pytest.raises(openai.AuthenticationError):
        to_openai(gpt).embeddings.create(model="m", input="harbour")


@pytest.fixture
def services() -> Iterator[RerankServer]:
    with RerankServer() as server:
        yield server


QUERY = {"query": "harbour", "top_n": 2, "documents": ["a", "the harbour", "b"]}


def test_services_give_the_best_first_and_no_more_than_was_asked_for(services: RerankServer) -> None:
    rows = [{"index": 1, "relevance_score": 1.0}, {"index": 0, "relevance_score": 0.0}]
    cohere = httpx2.post(services.cohere, json=QUERY).json()
    assert (cohere["results"], cohere["meta"]) == (rows, {"billed_units": {"search_units": 1}})
    jina = httpx2.post(services.jina, json={**QUERY, "model": "m"}).json()
    assert jina == {"model": "m", "results": rows, "usage": {"total_tokens": 5}}


def test_text_embeddings_inference_has_its_own_shape_and_limit(services: RerankServer) -> None:
    body: dict[str, Any] = {"query": "harbour", "texts": ["a", "the harbour"], "raw_scores": False}
    assert httpx2.post(services.tei, json=body).json() == [
        {"index": 1, "score": 1.0},
        {"index": 0, "score": 0.0},
    ]
    answers = [httpx2.post(services.tei, json={**body, "texts": ["a"] * count}) for count in (32, 33)]
    assert [answer.status_code for answer in answers] == [200, 413]


@pytest.mark.parametrize("change", [{"query": ""}, {"documents": []}, {"documents": [""]}, {"colour": 1}])
def test_services_refuse_what_they_do_not_know(services: RerankServer, change: dict[str, Any]) -> None:
    assert httpx2.post(services.cohere, json={**QUERY, **change}).status_code == 400
