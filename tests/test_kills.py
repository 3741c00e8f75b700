"""Workers are killed and Redis is emptied while documents are ingested. `make kill` does so for longer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.processes import ROOT, kill_all, running_from

WRONGS = [
    "half_seen",
    "ready versions that are not whole",
    "passages that nothing says",
    "chunks of versions that are not ready",
    "positions that are placed twice",
    "windows that are embedded twice",
    "vectors without length",
    "words that are counted wrongly",
    "versions too many or too few",
]


@pytest.mark.system
@pytest.mark.timeout(1000)
def test_every_document_ends_ready_and_whole_and_no_half_one_was_ever_seen(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.ingestion", "kill"]
    few = ["--kills", "4", "--flushes", "1", "--documents", "3", "--pages", "10"]
    output = run_whole([*command, *few], tmp_path, seconds=900)
    said = dict(line.split(": ", 1) for line in output.splitlines() if not line.startswith(" "))
    assert said["states"] == "{'ready': 3}", output
    assert int(said["looks"]) > 0
    assert {name: said[name] for name in WRONGS} == dict.fromkeys(WRONGS, "0")


def run_whole(command: list[str], folder: Path, *, seconds: float) -> str:
    """Return what a program says in so many seconds; what it has started ends with it in any case."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},  # Of its servers, which are known by their folder.
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            program = psutil.Process(process.pid)
            kill_all([program, *program.children(recursive=True)])
        kill_all(running_from(folder))
    assert process.returncode == 0, errors
    return output
