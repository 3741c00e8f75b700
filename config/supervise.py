"""Run programs as children, and see that they end together."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

STOP_SECONDS = 15
LARGEST_LOG = 10 * 2**20


@dataclass
class Child:
    """A program with its log."""

    name: str
    command: list[str]
    log: Path
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603
                tied_to_us(self.command),
                cwd=self.folder,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def status(self) -> int | None:
        """The exit status; none while it runs."""
        return None if self.process is None else self.process.poll()

    def last_words(self, lines: int = 10) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def stop(children: Iterable[Child]) -> None:
    """Ask all to end, wait for them, and end by force what does not, with all that they have started."""
    processes = [child.process for child in children if child.process is not None]
    running = [one for process in processes for one in tree_of(process)]
    for process in processes:
        if process.poll() is None:
            process.terminate()
    _, left = psutil.wait_procs(running, timeout=STOP_SECONDS)
    for one in left:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(left, timeout=STOP_SECONDS)
    for process in processes:
        process.poll()  # Takes note of it, lest it be thought alive.


def tree_of(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The program and what it has started: those would outlive it, and keep the servers that they use."""
    if process.poll() is not None:
        return []
    with suppress(psutil.NoSuchProcess):
        program = psutil.Process(process.pid)
        return [program, *program.children(recursive=True)]
    return []


def tied_to_us(command: list[str]) -> list[str]:
    """Have the kernel end the program when we are killed and cannot do it ourselves (Linux)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", *command] if setpriv else command
