"""Anthropic's Messages API: with its prompt cache, token counts, batches and streams."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from search.backends.payment import Usage
from tests.providers.server import Answer, Asked, ProviderServer

MESSAGES = "/v1/messages"
COUNT = "/v1/messages/count_tokens"
BATCHES = "/v1/messages/batches"
CUSTOM_ID = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
EXCERPT = re.compile(r"<excerpt>\n(.*)\n</excerpt>", re.DOTALL)
REMOVED = ("temperature", "top_p", "top_k")  # From the SDK, and refused by the models.
DAY = "2026-11-17T00:00:00Z"


@dataclass(slots=True)
class Batch:
    """A batch and what becomes of its requests."""

    id: str
    requests: list[dict[str, Any]]
    polls: int = 0
    is_cancelled: bool = False
    results: list[dict[str, Any]] = field(default_factory=list)


class AnthropicServer(ProviderServer):
    """`usages` is what everybody pays; `bytes_per_token = 1` is the worst tokenizer there can be."""

    scripted = frozenset({MESSAGES})

    def __init__(self) -> None:
        super().__init__()
        self.bytes_per_token = 4
        self.cache_from = 0  # Tokens that a prefix needs to be cached.
        self.reply: Callable[[str], str] = lambda excerpt: f"From the document: {excerpt[:40]}."
        self.usages: list[Usage] = []
        self.batches: dict[str, Batch] = {}
        self.polls_until_ended = 1
        self.batch_ends: dict[str, str] = {}  # By custom id: errored, canceled or expired.
        self.broken_results: bytes | None = None  # Sent instead of the lines.
        self._cached: set[str] = set()

    def error(self, kind: str, message: str) -> Any:
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}

    def perform(self, asked: Asked) -> Answer:
        if "anthropic-version" not in asked.headers:
            return self._refuse("anthropic-version: header is required")
        if asked.path == MESSAGES:
            return self._message(asked.body)
        if asked.path == COUNT:
            return Answer(body={"input_tokens": self._size(_texts(asked.body))})
        if asked.path.startswith(BATCHES):
            return self._batches(asked)
        return Answer(404, body=self.error("not_found_error", "no such path"))

    def _refuse(self, message: str) -> Answer:
        return Answer(400, body=self.error("invalid_request_error", message))

    def _message(self, body: dict[str, Any]) -> Answer:
        missing = [name for name in ("model", "max_tokens", "messages") if name not in body]
        unknown = [name for name in REMOVED if name in body]
        if missing or unknown:
            return self._refuse(f"{missing} {unknown}")
        return Answer(body=self.message(body))

    def message(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the message that answers a request, and count what it takes."""
        found = EXCERPT.search(_texts(body))
        text = self.reply(found[1] if found else "")
        usage = self._use(body, text)
        return {
            "id": f"msg_{len(self.usages)}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": text}],
            "stop_reason": "max_tokens" if usage.output_tokens == body["max_tokens"] else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": usage.input_tokens,
                "cache_creation_input_tokens": usage.cache_write_tokens,
                "cache_read_input_tokens": usage.cache_read_tokens,
                "output_tokens": usage.output_tokens,
            },
        }

    def _use(self, body: dict[str, Any], text: str) -> Usage:
        prefix = _prefix(body)
        size = self._size(prefix) if prefix else 0
        rest = self._size(_texts(body)[len(prefix) :]) + 8
        output = min(self._size(text), body["max_tokens"])
        with self.lock:
            is_cacheable = bool(size) and size >= self.cache_from
            is_known = prefix in self._cached
            if is_cacheable:
                self._cached.add(prefix)
                usage = Usage(rest, 0 if is_known else size, size if is_known else 0, output)
            else:
                usage = Usage(rest + size, output_tokens=output)
            self.usages.append(usage)
        return usage

    def _size(self, text: str) -> int:
        return -(-len(text.encode()) // self.bytes_per_token)

    def stream(self, asked: Asked, body: Any) -> Iterator[bytes]:
        start = {**body, "content": [], "stop_reason": None, "usage": {**body["usage"], "output_tokens": 1}}
        yield _event("message_start", message=start)
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for word in re.findall(r"\S+\s*", body["content"][0]["text"]):
            yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": word})
        yield _event("content_block_stop", index=0)
        delta = {"stop_reason": body["stop_reason"], "stop_sequence": None}
        yield _event("message_delta", delta=delta, usage={"output_tokens": body["usage"]["output_tokens"]})
        yield _event("message_stop")

    def _batches(self, asked: Asked) -> Answer:
        batch_id, _, action = asked.path.removeprefix(BATCHES).strip("/").partition("/")
        if not batch_id:
            return self._create(asked.body["requests"])
        batch = self.batches.get(batch_id)
        if batch is None:
            return Answer(404, body=self.error("not_found_error", "no such batch"))
        if action == "results":
            return self._results(batch)
        if action == "cancel":
            batch.is_cancelled = True
            return Answer(body=self._state(batch))
        batch.polls += 1
        return Answer(body=self._state(batch))

    def _create(self, requests: list[dict[str, Any]]) -> Answer:
        ids = [request["custom_id"] for request in requests]
        if not ids or len(set(ids)) != len(ids) or not all(map(CUSTOM_ID.match, ids)):
            return self._refuse("requests: custom_id")
        batch = Batch(f"msgbatch_{len(self.batches) + 1:04}", requests)
        self.batches[batch.id] = batch
        return Answer(body=self._state(batch))

    def _is_ended(self, batch: Batch) -> bool:
        return batch.polls > self.polls_until_ended

    def _state(self, batch: Batch) -> dict[str, Any]:
        is_ended = self._is_ended(batch)
        ends = [self._end(batch, request) for request in batch.requests] if is_ended else []
        counts = {end: ends.count(end) for end in ("succeeded", "errored", "canceled", "expired")}
        status = "ended" if is_ended else "canceling" if batch.is_cancelled else "in_progress"
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": status,
            "request_counts": {**counts, "processing": len(batch.requests) - len(ends)},
            "created_at": DAY,
            "expires_at": DAY,
            "ended_at": DAY if is_ended else None,
            "results_url": f"{self.url}{BATCHES}/{batch.id}/results" if is_ended else None,
        }

    def _end(self, batch: Batch, request: dict[str, Any]) -> str:
        return "canceled" if batch.is_cancelled else self.batch_ends.get(request["custom_id"], "succeeded")

    def _results(self, batch: Batch) -> Answer:
        """Give the results in an order that is not that of the requests."""
        if not self._is_ended(batch):
            return Answer(404, body=self.error("not_found_error", "not ended"))
        batch.results = batch.results or [self._result(batch, request) for request in batch.requests[::-1]]
        lines = "".join(json.dumps(result) + "\n" for result in batch.results).encode()
        content = lines if self.broken_results is None else self.broken_results
        return Answer(raw=content, headers={"Content-Type": "application/x-jsonl"})

    def _result(self, batch: Batch, request: dict[str, Any]) -> dict[str, Any]:
        end = self._end(batch, request)
        result: dict[str, Any] = {"type": end}
        if end == "succeeded":
            result["message"] = self.message(request["params"])
        elif end == "errored":
            result["error"] = self.error("invalid_request_error", "max_tokens")
        return {"custom_id": request["custom_id"], "result": result}


def _blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    system = body.get("system") or []
    yield from [{"text": system}] if isinstance(system, str) else system
    for message in body["messages"]:
        content = message["content"]
        yield from [{"text": content}] if isinstance(content, str) else content


def _texts(body: dict[str, Any]) -> str:
    return "".join(block["text"] for block in _blocks(body))


def _prefix(body: dict[str, Any]) -> str:
    """Return all text up to the last block that is marked for the cache."""
    blocks = list(_blocks(body))
    marked = [number for number, block in enumerate(blocks) if "cache_control" in block]
    return "".join(block["text"] for block in blocks[: marked[-1] + 1]) if marked else ""


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
