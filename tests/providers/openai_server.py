"""OpenAI's chat completions and embeddings: with its caching of prefixes, and both formats of vectors."""

from __future__ import annotations

import array
import base64
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any

from search.backends.embedders.hashed import HashedEmbedder
from search.backends.payment import Usage
from tests.providers.anthropic_server import EXCERPT
from tests.providers.server import Answer, Asked, ProviderServer

CHAT = "/v1/chat/completions"
EMBEDDINGS = "/v1/embeddings"
CACHE_STEP = 128  # Prefixes are cached in steps of so many tokens, from 1,024 on.
CACHE_FROM = 1024


class OpenAIServer(ProviderServer):
    """`usages` is what everybody pays; `native` the dimensions of the model for vectors."""

    scripted = frozenset({CHAT, EMBEDDINGS})

    def __init__(self) -> None:
        super().__init__()
        self.bytes_per_token = 4
        self.native = 1536
        self.spoil: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = lambda rows: rows
        self.reply: Callable[[str], str] = lambda excerpt: f"From the document: {excerpt[:40]}."
        self.usages: list[Usage] = []
        self._read: set[str] = set()

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def error(self, kind: str, message: str) -> Any:
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}

    def perform(self, asked: Asked) -> Answer:
        if asked.path == CHAT:
            return Answer(body=self._chat(asked.body))
        if asked.path == EMBEDDINGS:
            return self._embeddings(asked.body)
        return Answer(404, body=self.error("invalid_request_error", "no such path"))

    def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = "".join(message["content"] for message in body["messages"])
        found = EXCERPT.search(prompt)
        text = self.reply(found[1] if found else "")
        usage = self._use(prompt, text, body.get("max_tokens") or body.get("max_completion_tokens") or 10**6)
        is_cut = usage.output_tokens < self._size(text)
        return {
            "id": f"chatcmpl-{len(self.usages)}",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None},
                    "finish_reason": "length" if is_cut else "stop",
                    "logprobs": None,
                }
            ],
            "usage": {
                "prompt_tokens": usage.input_tokens + usage.cache_read_tokens,
                "completion_tokens": usage.output_tokens,
                "total_tokens": usage.input_tokens + usage.cache_read_tokens + usage.output_tokens,
                "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens},
            },
        }

    def _use(self, prompt: str, text: str, limit: int) -> Usage:
        with self.lock:
            shared = max((self._size(_shared(prompt, read)) for read in self._read), default=0)
            self._read.add(prompt)
            cached = shared // CACHE_STEP * CACHE_STEP if shared >= CACHE_FROM else 0
            output = min(self._size(text), limit)
            usage = Usage(self._size(prompt) + 8 - cached, 0, cached, output)
            self.usages.append(usage)
        return usage

    def _size(self, text: str) -> int:
        return -(-len(text.encode()) // self.bytes_per_token)

    def stream(self, asked: Asked, body: Any) -> Iterator[bytes]:
        for word in re.findall(r"\S+\s*", body["choices"][0]["message"]["content"]):
            yield _chunk(body, delta={"content": word}, finish_reason=None)
        yield _chunk(body, delta={}, finish_reason=body["choices"][0]["finish_reason"])
        yield b"data: [DONE]\n\n"

    def _embeddings(self, body: dict[str, Any]) -> Answer:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        dimensions = body.get("dimensions", self.native)
        if not texts or not all(texts) or dimensions > self.native:
            return Answer(400, body=self.error("invalid_request_error", "input or dimensions"))
        vectors = HashedEmbedder(dimensions=dimensions).vectors(texts)
        rows = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(vectors)]
        rows = self.spoil(rows)
        if body.get("encoding_format") == "base64":
            rows = [{**row, "embedding": _pack(row["embedding"])} for row in rows]
        tokens = sum(map(self._size, texts))
        self.usages.append(Usage(tokens))
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return Answer(body={"object": "list", "model": body["model"], "data": rows, "usage": usage})


def _shared(one: str, other: str) -> str:
    """Return the longest common beginning, found by halving."""
    length = bisect_left(range(1, len(one) + 1), True, key=lambda end: not other.startswith(one[:end]))
    return one[:length]


def _pack(values: Any) -> Any:
    """Return the bytes of the numbers; what are no numbers stays."""
    if not isinstance(values, list) or not all(isinstance(value, float) for value in values):
        return values
    return base64.b64encode(array.array("f", values).tobytes()).decode()


def _chunk(body: Any, **choice: Any) -> bytes:
    head = {name: body[name] for name in ("id", "created", "model")}
    chunk = {**head, "object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]}
    return f"data: {json.dumps(chunk)}\n\n".encode()
