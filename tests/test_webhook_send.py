"""One message to a real receiver: what arrives, and what is said when it does not."""

from __future__ import annotations

import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from documents.webhooks.address import Address
from documents.webhooks.send import Answer, send_message
from tests.processes import dead_port
from tests.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


def send(url: str, **more: Any) -> Answer:
    options = {"is_private_allowed": True, "timeout": 60.0} | more
    return send_message(url, body=b'{"a": "\xc3\xa9"}', headers={"X-Own": "yes"}, **options)


def named(url: str, host: str) -> str:
    return f"{urlsplit(url).scheme}://{host}:{urlsplit(url).port}/"


def leads_to(*addresses: str) -> Any:
    """A resolver that knows one answer, and counts how often it is asked."""

    def look_up(host: str, port: int) -> list[Address]:
        look_up.asked.append(host)  # type: ignore[attr-defined]
        return [ip_address(text) for text in addresses]

    look_up.asked = []  # type: ignore[attr-defined]
    return look_up


def test_a_message_arrives_as_it_is(receiver: Receiver) -> None:
    assert send(receiver.url) == Answer(200)
    (message,) = receiver.got
    assert message.path == "/hook?from=pandect"
    assert message.body == b'{"a": "\xc3\xa9"}'
    assert message.headers["x-own"] == "yes"
    assert message.headers["host"] == urlsplit(receiver.url).netloc
    assert message.headers["user-agent"] == "Pandect-Webhooks/1"


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_an_acceptance(receiver: Receiver, status: int) -> None:
    receiver.statuses = [status]
    assert send(receiver.url).is_accepted


@pytest.mark.parametrize("status", [300, 400, 404, 410, 429, 500, 503])
def test_anything_else_is_none(receiver: Receiver, status: int) -> None:
    receiver.statuses, receiver.headers = [status], {"Retry-After": "7"}
    answer = send(receiver.url)
    assert not answer.is_accepted
    assert (answer.status, answer.retry_after) == (status, "7")
    assert answer.error.startswith(f"The receiver answered {status}.")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(receiver: Receiver, status: int) -> None:
    with receiving() as other:
        receiver.statuses, receiver.headers = [status], {"Location": other.url}
        answer = send(receiver.url)
        assert other.got == []
    assert answer.error == (
        f"The receiver answered {status}. Redirects are not followed: give the final address."
    )
    assert len(receiver.got) == 1


def test_a_long_answer_is_not_read(receiver: Receiver) -> None:
    receiver.body = b"x" * 5_000_000
    assert send(receiver.url) == Answer(200)


def test_a_slow_receiver_is_left_in_time(receiver: Receiver) -> None:
    receiver.is_slow = True
    begun = time.monotonic()
    assert send(receiver.url, timeout=0.3) == Answer(error="There was no answer within 0.3 seconds.")
    assert time.monotonic() - begun < 20  # Otherwise it would wait for longer.


def test_one_that_sends_byte_by_byte_is_left_in_time_too(receiver: Receiver) -> None:
    receiver.drips = True
    begun = time.monotonic()
    assert send(receiver.url, timeout=0.5) == Answer(error="There was no answer within 0.5 seconds.")
    assert time.monotonic() - begun < 20  # Otherwise it would wait for longer.


def test_a_slow_look_up_is_left_in_time(receiver: Receiver) -> None:
    is_over = Event()

    def look_up(host: str, port: int) -> list[Address]:
        is_over.wait(60)
        return []

    begun = time.monotonic()
    try:
        answer = send(receiver.url, timeout=0.2, look_up=look_up)
        assert time.monotonic() - begun < 20
    finally:
        is_over.set()
    assert answer == Answer(error="There was no answer within 0.2 seconds.")
    assert receiver.got == []


def test_a_receiver_that_is_down_is_named() -> None:
    with dead_port() as port:
        answer = send(f"http://127.0.0.1:{port}/")
    assert answer == Answer(error="The connection was refused: nothing listens there.")


def test_a_host_that_is_not_known_is_named() -> None:
    def look_up(host: str, port: int) -> list[Address]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert send("http://nowhere.example/", look_up=look_up).error == (
        "The host is not known. Look for a misspelling."
    )
    assert send("http://nowhere.example/", look_up=leads_to()).error == (
        "The host is not known. Look for a misspelling."
    )


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (b"", "The receiver closed the connection without an answer."),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "What came back is no answer in HTTP."),
        (b"HTTP/1.1 xyz OK\r\n\r\n", "What came back is no answer in HTTP."),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n", "What came back is no answer in HTTP."),
    ],
)
def test_what_speaks_no_http_is_named(said: bytes, error: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client:
                client.recv(65536)
                client.sendall(said)
                client.shutdown(socket.SHUT_WR)
                client.recv(65536)

        thread = Thread(target=serve)
        thread.start()
        assert send(f"http://127.0.0.1:{server.getsockname()[1]}/") == Answer(error=error)
        thread.join()


def test_nothing_is_sent_inside_unless_that_is_allowed(receiver: Receiver) -> None:
    answer = send(receiver.url, is_private_allowed=False)
    assert "not on the public internet" in answer.error
    answer = send(
        named(receiver.url, "example.org"), is_private_allowed=False, look_up=leads_to("8.8.8.8", "127.0.0.1")
    )
    assert answer.error.startswith("example.org leads to 127.0.0.1, which is not on the public internet.")
    assert receiver.got == []


def test_the_connection_goes_to_the_address_that_was_checked(receiver: Receiver) -> None:
    """A name is looked up once: there is no second time at which it could lead elsewhere."""
    look_up = leads_to("127.0.0.1")
    assert send(named(receiver.url, "hooks.example"), look_up=look_up) == Answer(200)
    assert look_up.asked == ["hooks.example"]
    assert receiver.got[0].headers["host"] == f"hooks.example:{urlsplit(receiver.url).port}"


def test_the_next_address_is_tried_if_the_first_does_not_answer(receiver: Receiver) -> None:
    look_up = leads_to("127.0.0.2", "127.0.0.1")
    assert send(named(receiver.url, "hooks.example"), look_up=look_up) == Answer(200)


class TestTls:
    """A receiver with a certificate for hooks.example, of an authority of our own."""

    @pytest.fixture
    def certificate(self, tmp_path: Path) -> Path:
        path = tmp_path / "hooks.pem"
        names = ["-subj", "/CN=hooks.example", "-addext", "subjectAltName=DNS:hooks.example"]
        files = ["-keyout", str(path.with_suffix(".key")), "-out", str(path)]
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        command = ["openssl", "req", "-x509", *kind, *names, *files]
        subprocess.run(command, check=True, capture_output=True)
        return path

    @pytest.fixture
    def served(self, certificate: Path) -> Iterator[Receiver]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        self.asked: list[str | None] = []
        context.sni_callback = lambda sock, name, _: self.asked.append(name)
        with receiving(tls=context) as made:
            yield made

    def test_the_name_is_verified_and_not_the_address(
        self, served: Receiver, certificate: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        look_up = leads_to("127.0.0.1")
        assert send(named(served.url, "hooks.example"), look_up=look_up) == Answer(200)
        assert self.asked == ["hooks.example"]
        answer = send(named(served.url, "other.example"), look_up=look_up)
        assert answer.status is None
        assert "not accepted: Hostname mismatch" in answer.error
        assert len(served.got) == 1

    def test_an_authority_that_nobody_knows_is_refused(self, served: Receiver) -> None:
        answer = send(named(served.url, "hooks.example"), look_up=leads_to("127.0.0.1"))
        assert answer.error == "The certificate of the receiver is not accepted: self-signed certificate."
        assert served.got == []

    def test_a_receiver_without_tls_is_named(self, receiver: Receiver) -> None:
        answer = send(receiver.url.replace("http:", "https:"))
        assert answer.error == "The receiver does not speak TLS as it should. Is it http rather than https?"
