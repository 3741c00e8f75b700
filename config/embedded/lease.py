"""Share a background server among processes: the first in starts it, the last out stops it.

Each process that uses the server holds a shared `flock` on one file. Whoever leaves lets go of it and
tries to take the lock exclusively: that works only if nobody else holds it, and then the server is
stopped. The kernel drops the locks of a killed process, so no lock can be stale.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from config.embedded.errors import EmbeddedError


class Server(Protocol):
    def is_running(self) -> bool: ...
    def start(self) -> None: ...

    def stop(self) -> None:
        """Do nothing if it does not run."""


class Lease:
    def __init__(self, server: Server, folder: Path, name: str) -> None:
        self.server = server
        self.gate = folder / f"{name}.gate"
        self.users = folder / f"{name}.users"
        self.held: int | None = None
        self.guard = threading.Lock()

    def acquire(self) -> None:
        """Make sure that the server runs, and keep it running until this process ends."""
        with self.guard:
            if self.held is not None:
                return
            with locked(self.gate):
                held = open_lock(self.users)
                fcntl.flock(held, fcntl.LOCK_SH)
                try:
                    if not self.server.is_running():
                        self.server.start()
                except BaseException:
                    os.close(held)
                    self._stop_if_last()
                    raise
            self.held = held
            atexit.register(self.release)

    def release(self) -> None:
        """Let go; stop the server if nobody else uses it."""
        with self.guard:
            if self.held is None:
                return
            atexit.unregister(self.release)
            with locked(self.gate):
                # Closing, not unlocking: a forked child shares this lock and may still need it.
                os.close(self.held)
                self.held = None
                self._stop_if_last()

    def _stop_if_last(self) -> None:
        if self._is_last():
            self.server.stop()

    def _is_last(self) -> bool:
        users = open_lock(self.users)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(users)
        return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file, waiting for it if need be."""
    handle = open_lock(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def open_lock(path: Path) -> int:
    try:
        return os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise EmbeddedError(
            f"Cannot write {path}: {error.strerror}. Set PANDECT_HOME to a folder that you may write to."
        ) from error
