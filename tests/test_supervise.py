"""What `up` has started ends with it, whatever it does about being asked."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from config import supervise
from config.supervise import Child, stop
from tests.processes import is_alive

OBEDIENT = "import time; print('begun', flush=True); time.sleep(600)"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + OBEDIENT
WITH_A_DEAF_ONE = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {DEAF!r}]); "


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "STOP_SECONDS", 2)


def begin(folder: Path, program: str, *, lines: int = 1) -> Child:
    """Start a program and wait until all of it has begun."""
    child = Child("program", [sys.executable, "-c", program], log=folder / "program.log", folder=folder)
    child.start()
    deadline = time.monotonic() + 60
    while child.log.read_text().count("begun") < lines:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return child


def tree(child: Child) -> list[psutil.Process]:
    assert child.process is not None
    program = psutil.Process(child.process.pid)
    return [program, *program.children(recursive=True)]


@pytest.mark.parametrize(
    ("program", "size"),
    [(OBEDIENT, 1), (DEAF, 1), (WITH_A_DEAF_ONE + OBEDIENT, 2), (WITH_A_DEAF_ONE + DEAF, 2)],
)
def test_nothing_of_it_is_left(tmp_path: Path, program: str, size: int) -> None:
    child = begin(tmp_path, program, lines=size)
    started = tree(child)
    assert len(started) == size
    stop([child])
    assert [process for process in started if is_alive(process)] == []


def test_one_that_has_ended_by_itself_and_one_that_never_began_are_no_trouble(tmp_path: Path) -> None:
    ended = begin(tmp_path, "print('begun')")
    assert ended.process is not None
    ended.process.wait(60)
    stop([ended, Child("never", ["true"], log=tmp_path / "never.log", folder=tmp_path)])
    assert ended.status() == 0
