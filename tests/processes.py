"""Start the product's own programs, as people do."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from django.conf import settings

ROOT: Path = settings.BASE_DIR
DATA = Path(os.environ.get("PANDECT_DATA", ROOT / "var" / "data"))  # Documents with known truth, if any.
OURS = ("PANDECT_", "DATABASE_", "REDIS_", "OTEL_", "DJANGO_SETTINGS_MODULE")


def environment(home: Path, **more: str) -> dict[str, str]:
    """A shell in which nobody has set anything of ours."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**plain, "PANDECT_HOME": str(home), "PANDECT_SCRATCH": "1", **more}


def manage(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of `manage.py` from the folder itself."""
    return manage_from(home, home, *arguments, **variables)


def manage_from(
    folder: Path, home: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", str(ROOT / "manage.py"), *arguments],
        env=environment(home, **variables),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def dead_port() -> Iterator[int]:
    """A port on which nobody listens, and that nobody else can take meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield int(bound.getsockname()[1])


def end(process: subprocess.Popen[Any], seconds: float = 60) -> None:
    """Ask a program to end; by force if it does not."""
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def running_from(home: Path) -> list[psutil.Process]:
    """Processes that use a folder: the servers name it in their command line.

    Their names are in `info`: some end at any moment, and could not be asked for it then.
    """
    return [
        process
        for process in psutil.process_iter(["cmdline", "name"])
        if any(str(home) in part for part in process.info["cmdline"] or ())
    ]


def is_alive(process: psutil.Process) -> bool:
    """Tell whether it runs. One that has ended, and of which nobody has taken note, does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def kill_all(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


class Up:
    """`manage.py up` in a process group of its own."""

    def __init__(self, home: Path, port: int, *prefix: str, **more: str) -> None:
        self.home = home
        self.port = port
        self.output = home.parent / f"up-{port}.txt"
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [*prefix, sys.executable, str(ROOT / "manage.py"), "up", "--port", str(port)],
                env=environment(home, PYTHONUNBUFFERED="1", **more),
                cwd=home,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def said(self) -> str:
        return self.output.read_text()

    def await_welcome(self, seconds: float = 300) -> None:
        deadline = time.monotonic() + seconds
        while "Ctrl-C stops everything" not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.1)

    def interrupt(self) -> int:
        """Press Ctrl-C: the whole group hears it."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(120)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)

    def end(self) -> None:
        try:
            if self.process.poll() is None:
                self.interrupt()
        finally:
            if self.process.poll() is None:
                self.kill()
