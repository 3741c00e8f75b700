"""Workers are killed and Redis is emptied while documents are ingested. `make kill` does so for longer."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes import ROOT

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
def test_every_document_ends_ready_and_whole_and_no_half_one_was_ever_seen() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.ingestion", "kill"]
    few = ["--kills", "4", "--flushes", "1", "--documents", "3", "--pages", "10"]
    done = subprocess.run([*command, *few], cwd=ROOT, capture_output=True, text=True, timeout=280, check=True)
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines() if not line.startswith(" "))
    assert said["states"] == "{'ready': 3}", done.stdout
    assert int(said["looks"]) > 0
    assert {name: said[name] for name in WRONGS} == dict.fromkeys(WRONGS, "0")
