"""Send one message, and tell what came back. Neither tables nor settings are known here.

The host is looked up once, and the connection goes to the very address that was checked: a name that leads
elsewhere a moment later leads nobody inside. Redirects are not followed, and proxies are not asked.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, RemoteDisconnected
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from documents.errors import BadAddress
from documents.webhooks.address import PORTS, Address, Target, read_address, require_public

TIMEOUT = 10.0  # Seconds, for everything from the look-up to the answer.
MOST_READ = 1024  # Bytes of the answer's body, out of politeness: nobody looks at them.
MOST_ADDRESSES = 4
REDIRECTS = range(300, 400)
PROBLEMS: dict[type[Exception], str] = {
    ssl.SSLError: "The receiver does not speak TLS as it should. Is it http rather than https?",
    socket.gaierror: "The host is not known. Look for a misspelling.",
    ConnectionRefusedError: "The connection was refused: nothing listens there.",
    RemoteDisconnected: "The receiver closed the connection without an answer.",
    HTTPException: "What came back is no answer in HTTP.",
}

LookUp = Callable[[str, int], list[Address]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a message: a status, or in words why there is none."""

    status: int | None = None
    error: str = ""
    retry_after: str = ""

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004


class Deadline:
    """A moment by which everything has to be over, however many small steps it takes."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def look_up_host(host: str, port: int) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(where[0]) for *_, where in found))


def send_message(
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    is_private_allowed: bool = False,
    timeout: float = TIMEOUT,
    look_up: LookUp = look_up_host,
) -> Answer:
    """Post a body to an address, within a time, unless it leads where nothing may be sent."""
    deadline = Deadline(timeout)
    try:
        target = read_address(url, is_private_allowed=is_private_allowed)
        addresses = within(deadline, lambda: look_up(target.host, target.port))
        if not is_private_allowed:
            require_public(target.host, addresses)
        with closing(dial(target, addresses, deadline)) as sock:
            return post(sock, target, body, headers, deadline)
    except BadAddress as error:
        return Answer(error=str(error))
    except (OSError, HTTPException) as error:
        return Answer(error=in_words(error, timeout))


def within(deadline: Deadline, act: Callable[[], list[Address]]) -> list[Address]:
    """Do in a thread what knows no time limit of its own."""
    outcome: SimpleQueue[list[Address] | OSError] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put(act())
        except (OSError, UnicodeError) as error:  # Names that cannot be encoded are not found either.
            outcome.put(error if isinstance(error, OSError) else socket.gaierror(str(error)))

    Thread(target=run, daemon=True).start()
    try:
        found = outcome.get(timeout=deadline.left())
    except Empty as error:
        raise TimeoutError from error
    if isinstance(found, OSError):
        raise found
    return found


def dial(target: Target, addresses: Sequence[Address], deadline: Deadline) -> socket.socket:
    """Connect to the first address that answers, each with its share of the time; encrypt where asked."""
    tried = list(addresses)[:MOST_ADDRESSES]
    for position, address in enumerate(tried):
        share = deadline.left() / (len(tried) - position)
        try:
            sock = socket.create_connection((str(address), target.port), timeout=share)
        except OSError:
            if position == len(tried) - 1:
                raise
        else:
            return encrypt(sock, target.host, deadline) if target.scheme == "https" else sock
    raise socket.gaierror(socket.EAI_NONAME, "no address")


def encrypt(sock: socket.socket, host: str, deadline: Deadline) -> ssl.SSLSocket:
    """Speak TLS with whoever can prove to be the host, whatever address that has."""
    try:
        sock.settimeout(deadline.left())
        return ssl.create_default_context().wrap_socket(sock, server_hostname=host.rstrip("."))
    except BaseException:
        sock.close()
        raise


def post(
    sock: socket.socket, target: Target, body: bytes, headers: Mapping[str, str], deadline: Deadline
) -> Answer:
    connection = HTTPConnection(target.host, target.port)
    connection.sock = TimedSocket(sock, deadline)
    every = {"Host": host_header(target), "Connection": "close", "User-Agent": "Pandect-Webhooks/1"}
    connection.request("POST", target.path, body, {**every, **headers})
    response = connection.getresponse()
    finish(response)
    return answer_of(response)


def finish(response: HTTPResponse) -> None:
    """Let the receiver say a little more, so that it is not cut short amid an ordinary answer."""
    with suppress(OSError, HTTPException):
        response.read(MOST_READ)


def answer_of(response: HTTPResponse) -> Answer:
    status = response.status
    answer = Answer(status, retry_after=response.getheader("Retry-After", "") or "")
    if answer.is_accepted:
        return answer
    said = f"The receiver answered {status}."
    if status in REDIRECTS:
        said = f"The receiver answered {status}. Redirects are not followed: give the final address."
    return Answer(status, said, answer.retry_after)


def host_header(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == PORTS[target.scheme] else f"{host}:{target.port}"


def in_words(error: OSError | HTTPException, timeout: float) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The certificate of the receiver is not accepted: {error.verify_message}."
    if isinstance(error, TimeoutError):
        return f"There was no answer within {timeout:g} seconds."
    for kind, words in PROBLEMS.items():
        if isinstance(error, kind):
            return words
    return f"The connection failed: {getattr(error, 'strerror', None) or type(error).__name__}."


class TimedSocket:
    """What `http.client` needs of a socket, with one deadline for all of it.

    A socket's own time-out begins anew with each byte, and a receiver may send one every nine seconds.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self.sock = sock
        self.deadline = deadline

    def sendall(self, data: bytes) -> None:
        self.sock.settimeout(self.deadline.left())
        self.sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(TimedReader(self.sock, self.deadline))

    def close(self) -> None:
        """Leave that to whoever has opened it."""


class TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self.sock = sock
        self.deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.sock.settimeout(self.deadline.left())
        return self.sock.recv_into(buffer)
