"""Message Batches: all questions of a document at half the price, answered within a day."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from time import sleep
from typing import TypeVar

import anthropic
import httpx2
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from anthropic.types.messages.batch_create_params import Request

from search.backends.chats import read_count
from search.backends.contextualizers.base import BatchState, Excerpt, Manuscript, Outcome, ProviderFailed
from search.backends.contextualizers.prompt import Question
from search.backends.contextualizers.provider import ProviderContextualizer, read_json
from search.backends.marks import size_in_bytes
from search.backends.payment import Usage
from search.backends.retries import RequestFailed, call_again

# A batch may have 100,000 requests and 256 MB; each request repeats the document, and all are in memory.
BATCH_REQUESTS = 100_000
BATCH_BYTES = 100_000_000
OVERSIZED = "-oversized"
LONGEST_CONTEXT = 200  # Tokens. What a batch was asked for is not in its results.
FAILURES = {
    "errored": "the request was refused ({kind})",
    "canceled": "the batch was cancelled before this request",
    "expired": "the batch ran out of time before this request. Ask again",
}
T = TypeVar("T")


class AnthropicBatches(ProviderContextualizer[anthropic.Anthropic]):
    """Hands in, follows, collects and cancels batches. A long document is several, with their ids joined."""

    @abstractmethod
    def params(self, question: Question, *, max_tokens: int) -> MessageCreateParamsNonStreaming:
        """Return the request of a question."""

    def submit_batch(self, manuscript: Manuscript, excerpts: Sequence[Excerpt], *, max_tokens: int) -> str:
        """Hand in all excerpts, or as many as the provider takes: the others are left without an outcome."""
        ids: list[str] = []
        try:
            for part in _parts(self._questions(manuscript, excerpts, max_tokens)):
                ids += [self._submit(part, max_tokens)]
        except ProviderFailed:
            if not ids:
                raise
        return ",".join(ids)

    def _submit(self, questions: Sequence[Question], max_tokens: int) -> str:
        requests: list[Request] = [
            {"custom_id": _name(question), "params": self.params(question, max_tokens=max_tokens)}
            for question in questions
        ]
        create = self.client.messages.batches.with_raw_response.create
        return self._field(
            self._call(lambda: create(requests=requests).http_response, is_repeatable=False), "id"
        )

    def poll_batch(self, batch_id: str) -> BatchState:
        states = [self._poll(part) for part in _split(batch_id)]
        return BatchState(
            is_ended=all(state.is_ended for state in states),
            done=sum(state.done for state in states),
            total=sum(state.total for state in states),
        )

    def _poll(self, batch_id: str) -> BatchState:
        retrieve = self.client.messages.batches.with_raw_response.retrieve
        response = self._call(lambda: retrieve(batch_id).http_response)
        is_ended = self._field(response, "processing_status") == "ended"
        counts = read_json(response).get("request_counts")
        done = sum(read_count(counts, end) for end in ("succeeded", "errored", "canceled", "expired"))
        return BatchState(is_ended, done, done + read_count(counts, "processing"))

    def _field(self, response: httpx2.Response, name: str) -> str:
        """Return what a batch says of itself, or refuse an answer that is none."""
        batch = read_json(response)
        value = batch.get(name) if isinstance(batch, dict) else None
        if not isinstance(value, str) or not value:
            raise ProviderFailed(self.malformed(f"to a batch has no {name}").reason)
        return value

    def collect_batch(self, batch_id: str) -> Iterator[Outcome]:
        """Yield the outcomes in any order; a line that cannot be read has none, and is named."""
        return chain.from_iterable(map(self._collect, _split(batch_id)))

    def _collect(self, batch_id: str) -> Iterator[Outcome]:
        if not self._poll(batch_id).is_ended:
            raise ProviderFailed(f"{self.name}: {batch_id} has not ended. Poll it until it has.")
        # Not by the SDK's own method, which trusts the shape of what it reads on the way.
        path = f"/v1/messages/batches/{batch_id}/results"
        response = self._call(lambda: self.client.get(path, cast_to=httpx2.Response))
        lines = response.content.decode("utf-8", "replace").splitlines()
        for line in filter(None, map(str.strip, lines)):
            yield self._read_line(line)

    def _read_line(self, line: str) -> Outcome:
        try:
            row = json.loads(line)
            position, _, rest = row["custom_id"].partition("-")
            return self._read_result(int(position), row["result"], is_oversized=bool(rest))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ProviderFailed(self.malformed("to a batch has a broken line").reason) from error

    def _read_result(self, position: int, result: dict[str, object], *, is_oversized: bool) -> Outcome:
        if result["type"] != "succeeded":
            failure = f"{self.name}: {_failure(result)}."
            return Outcome(position, failure=failure, is_oversized=is_oversized)
        reply = self.read(result.get("message"), max_tokens=LONGEST_CONTEXT)
        failure = reply.trouble.reason if reply.trouble else ""
        context = "" if failure else reply.context
        return Outcome(position, context, failure, reply.usage or Usage(), is_oversized)

    def cancel_batch(self, batch_id: str) -> None:
        """Ask the provider to stop; what it has done by then is paid and can be collected."""
        for part in _split(batch_id):
            self._call(lambda part=part: self.client.messages.batches.cancel(part))  # type: ignore[misc]

    def _call(self, call: Callable[[], T], *, is_repeatable: bool = True) -> T:
        try:
            return call_again(
                call,
                place=self.name,
                errors=self.errors,
                waits=self._waits,
                sleep=self._sleep or sleep,
                is_repeatable=is_repeatable,
            )
        except RequestFailed as failed:
            raise ProviderFailed(failed.trouble.reason) from failed


def _name(question: Question) -> str:
    """Return the id of a request: its position, and what must be remembered until its result comes."""
    return f"{question.position}{OVERSIZED if question.is_oversized else ''}"


def _split(batch_id: str) -> list[str]:
    return [part for part in batch_id.split(",") if part]


def _parts(questions: Iterator[Question]) -> Iterator[list[Question]]:
    """Divide the questions into batches that are not too large."""
    part: list[Question] = []
    size = 0
    for question in questions:
        more = size_in_bytes(question.prefix) + size_in_bytes(question.ask)
        if part and (len(part) == BATCH_REQUESTS or size + more > BATCH_BYTES):
            yield part
            part, size = [], 0
        part.append(question)
        size += more
    if part:
        yield part


def _failure(result: dict[str, object]) -> str:
    kind: object = result
    for key in ("error", "error", "type"):
        kind = kind.get(key) if isinstance(kind, dict) else None
    sentence = FAILURES.get(str(result["type"]), "the request has no result")
    return sentence.format(kind=kind if isinstance(kind, str) else "no reason given")
