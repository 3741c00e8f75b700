"""A receiver of webhooks on this machine, as somebody would write one with the standard library."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from tests.docs import example


@dataclass
class Message:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> Any:
        return json.loads(self.body)

    def is_genuine(self, secret: str, **more: Any) -> bool:
        """Check as docs/webhooks.md says."""
        genuine: bool = example("webhooks.md")["is_genuine"](secret, self.headers, self.body, **more)
        return genuine


class Receiver:
    """Answers with the statuses that it is told to, the last one for ever, and keeps what came."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.statuses: list[int] = [200]
        self.headers: dict[str, str] = {}
        self.body = b""
        self.got: list[Message] = []
        self.is_slow = False  # Then nothing is answered until the end.
        self.drips = False  # Then the answer comes byte by byte.
        self.is_over = Event()

    @property
    def ids(self) -> list[str]:
        return [message.id for message in self.got]

    def next_status(self) -> int:
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.receiver.got.append(Message(self.path, headers, body))
        if self.server.receiver.is_slow:
            self.server.receiver.is_over.wait(60)
        elif self.server.receiver.drips:
            self.drip()
        else:
            self.answer()

    def answer(self) -> None:
        self.send_response(self.server.receiver.next_status())
        for name, value in self.server.receiver.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.receiver.body)

    def drip(self) -> None:
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000:
            if self.server.receiver.is_over.wait(0.05):
                return
            try:
                self.wfile.write(bytes([byte]))
            except OSError:
                return

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    receiver: Receiver

    def handle_error(self, *_: object) -> None:
        """Whoever hangs up in the middle is no fault of ours."""


@contextmanager
def receiving(*, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    receiver = Receiver("")
    server = Server(("127.0.0.1", 0), Handler)
    server.receiver = receiver
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}/hook?from=pandect"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.is_over.set()
        server.shutdown()
        thread.join()
        server.server_close()
