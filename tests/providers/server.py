"""A provider's server: answers by script or by policy, and remembers what it was asked."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

PATIENCE = 20.0  # Seconds after which whoever waits for something here is wrong.


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    body: Any
    raw: bytes
    headers: Mapping[str, str]
    time: float
    in_flight: int  # With this one.
    number: int  # Among those that are scripted.


@dataclass(frozen=True, slots=True)
class Answer:
    """What to answer. Without a body it is what the provider would say."""

    status: int = 200
    body: Any = None
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)  # To the fields of the provider's own answer.
    is_hung: bool = False  # The work is done and paid, and nothing is ever sent.
    is_dropped: bool = False  # The connection is closed instead of an answer; the work is done.
    is_cut: bool = False  # The connection is closed in the middle of the answer.
    pause: float = 0.0  # Seconds between the events of a stream.


OK = Answer()
Policy = Callable[[Asked], Answer]


class ProviderServer(ThreadingHTTPServer):
    """Listens on a free port of the loopback; to be used in a `with`."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    scripted: frozenset[str] = frozenset()  # Paths that the script and the policy are for.

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Answer] = []
        self.policy: Policy | None = None
        self.key: str | None = None  # If set, the only one that is accepted.
        self.requests: list[Asked] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self._number = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def bodies(self, path: str) -> list[Any]:
        return [asked.body for asked in self.requests if asked.path == path]

    def receive(self, method: str, path: str, raw: bytes, headers: Mapping[str, str]) -> Asked:
        body = json.loads(raw) if raw else None
        with self.lock:
            number = self._number if path in self.scripted else -1
            self._number += path in self.scripted
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            asked = Asked(method, path, body, raw, headers, time.monotonic(), self.in_flight, number)
            self.requests.append(asked)
        return asked

    def leave(self) -> None:
        with self.lock:
            self.in_flight -= 1

    def decide(self, asked: Asked) -> Answer:
        if self.key is not None and self.key not in (asked.headers.get("authorization", ""), bearer(asked)):
            return Answer(401, body=self.error("authentication_error", "invalid key"))
        if asked.number < 0:
            return OK
        if self.policy:
            return self.policy(asked)
        return self.script[asked.number] if asked.number < len(self.script) else OK

    def error(self, kind: str, message: str) -> Any:
        raise NotImplementedError

    def perform(self, asked: Asked) -> Answer:
        """Do what is asked for and return the provider's own answer."""
        raise NotImplementedError

    def stream(self, asked: Asked, body: Any) -> Iterator[bytes]:
        """Yield the events in which an answer is streamed."""
        raise NotImplementedError

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that went away are what the tests are about."""


def bearer(asked: Asked) -> str:
    return asked.headers.get("authorization", "").removeprefix("Bearer ") or asked.headers.get(
        "x-api-key", ""
    )


class Handler(BaseHTTPRequestHandler):
    server: ProviderServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.answer("GET")

    def do_POST(self) -> None:
        self.answer("POST")

    def log_message(self, *_: object) -> None:
        """Be quiet."""

    def answer(self, method: str) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.counted(method, raw, headers) as asked:
            answer = self.complete(asked, self.server.decide(asked))
        if answer.is_hung:
            self.server.closing.wait(PATIENCE)
        if answer.is_hung or answer.is_dropped:
            self.drop()
        else:
            self.send(asked, answer)

    @contextmanager
    def counted(self, method: str, raw: bytes, headers: Mapping[str, str]) -> Iterator[Asked]:
        """Count a request as under way until its answer is about to be sent."""
        asked = self.server.receive(method, self.path.partition("?")[0], raw, headers)
        try:
            yield asked
        finally:
            self.server.leave()

    def complete(self, asked: Asked, answer: Answer) -> Answer:
        """Fill in what the provider itself would say."""
        if answer.body is not None or answer.raw is not None or answer.status != 200:
            body = answer.body or self.server.error("api_error", f"status {answer.status}")
            return Answer(
                answer.status, body, answer.raw, answer.headers, {}, answer.is_hung, answer.is_dropped
            )
        own = self.server.perform(asked)
        body = {**own.body, **answer.changes} if isinstance(own.body, dict) else own.body
        flags = (answer.is_hung, answer.is_dropped, answer.is_cut, answer.pause)
        return Answer(own.status, body, own.raw, {**own.headers, **answer.headers}, {}, *flags)

    def send(self, asked: Asked, answer: Answer) -> None:
        if isinstance(asked.body, dict) and asked.body.get("stream") and answer.status == 200:
            self.send_stream(asked, answer)
            return
        content = json.dumps(answer.body).encode() if answer.raw is None else answer.raw
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if answer.is_cut else content)
        if answer.is_cut:
            self.drop()

    def send_stream(self, asked: Asked, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, event in enumerate(self.server.stream(asked, answer.body)):
            if answer.is_cut and number:
                break
            self.wfile.write(event)
            self.wfile.flush()
            self.server.closing.wait(answer.pause)
        self.drop()

    def drop(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
