"""Run programs as children, and see that they end together."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

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
    """Ask all to end, wait for them, and end by force what does not."""
    processes = [child.process for child in children if child.process is not None]
    for process in processes:
        if process.poll() is None:
            process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def tied_to_us(command: list[str]) -> list[str]:
    """Have the kernel end the program when we are killed and cannot do it ourselves (Linux)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", *command] if setpriv else command
