"""How fast searches are, and how true: `python -m tests.bench_search --chunks 10000 100000`.

Each size has a database of its own, in a temporary folder or below `--homes`, where it stays and is used
again. Figures are of one run, beside those of the raw queries in the same run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tests.bench_subject import Statement, Subject

ROOT = Path(__file__).resolve().parent.parent
ASKED = 200  # Questions, after some that warm up.
WARMING = 30
COMPARED = 100  # Questions whose answers are compared with exact ones.
LIMIT = 50  # Of each leg, as the pipeline asks for ten results.
CLIENTS = (1, 2, 4, 8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000])
    parser.add_argument(
        "--homes", type=Path, help="Where databases are kept; otherwise they are thrown away."
    )
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure)
        return
    with tempfile.TemporaryDirectory(prefix="pandect-bench-") as scratch:
        for chunks in arguments.chunks:
            run_in_home((arguments.homes or Path(scratch)) / f"home-{chunks}", chunks)


def run_in_home(home: Path, chunks: int) -> None:
    """Measure in a process of its own: settings are read once."""
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "tests.bench_search", "--measure", str(chunks)],
        cwd=ROOT,
        env={
            **os.environ,
            "PANDECT_HOME": str(home),
            "PANDECT_SCRATCH": "1",
            "DJANGO_SETTINGS_MODULE": "tests.bench_settings",
            "PANDECT_API_RATE": "0",
        },
        check=True,
    )


def measure(chunks: int) -> None:
    import django

    django.setup()
    from config.warm import settle
    from tests.bench_subject import Subject

    show(f"{chunks:,} chunks", f"load {os.getloadavg()[0]:.1f}")
    subject = Subject.prepare(chunks)
    settle()  # As a web process does.
    for name, size in subject.sizes().items():
        show(name, f"{size / 1e6:,.0f} MB")
    raw = subject.raw_statements(WARMING + ASKED, LIMIT)
    measure_legs(subject, *raw)
    measure_truth(subject)
    measure_whole(subject, *raw)
    measure_http(subject)


def measure_legs(subject: Subject, raw_words: Sequence[Statement], raw_vectors: Sequence[Statement]) -> None:
    clock = Clock(subject)
    clock.time("keyword: raw", lambda number: subject.run(raw_words[number]))
    clock.time("keyword: find", lambda number: subject.find(number, LIMIT))
    clock.time("keyword: leg", lambda number: subject.keyword(number, LIMIT))
    clock.time("dense: raw", lambda number: subject.run(raw_vectors[number]))
    clock.time("dense: leg", lambda number: subject.dense(number, LIMIT))
    clock.time("both legs", lambda number: subject.both(number, LIMIT))
    clock.time(
        "keyword: leg, one document", lambda number: subject.keyword(number, LIMIT, is_narrow=True), 50
    )
    clock.time("dense: leg, one document", lambda number: subject.dense(number, LIMIT, is_narrow=True), 50)


def measure_truth(subject: Subject) -> None:
    numbers = range(WARMING, WARMING + COMPARED)
    exact = [subject.exact_dense(number, 50) for number in numbers]
    found = [subject.dense(number, 50) for number in numbers]
    show("dense: recall@50", f"{share(found, exact):.4f} of {COMPARED} questions")
    numbers = numbers[: max(20, min(COMPARED, 10_000_000 // subject.chunks))]
    exact = [subject.exact_keyword(number, 50) for number in numbers]
    found = [subject.keyword(number, 50) for number in numbers]
    tens = share([one[:10] for one in found], [one[:10] for one in exact])
    show(
        "keyword: of the exact best 10, 50",
        f"{tens:.4f}, {share(found, exact):.4f} of {len(numbers)} questions",
    )
    for leg, (same, asked) in subject.compare_small().items():
        show(f"{leg}: 200 chunks next door", f"{same} of {asked} questions have exactly their own best ten")


def share(found: Sequence[Sequence[Any]], exact: Sequence[Sequence[Any]]) -> float:
    """Return which part of what should be found is."""
    pairs = zip(found, exact, strict=True)
    return float(np.mean([len(set(ours) & set(theirs)) / len(theirs) for ours, theirs in pairs if theirs]))


def measure_whole(subject: Subject, raw_words: Sequence[Statement], raw_vectors: Sequence[Statement]) -> None:
    """Time whole searches, in turn with the raw queries: the machine changes its speed."""

    def ask_raw(number: int) -> None:
        subject.run(raw_words[number])
        subject.run(raw_vectors[number])

    raw, whole = Clock(subject).time_in_turn(
        {"both raw queries": ask_raw, "search, in process": subject.search}
    )
    middle, most = np.percentile(whole, [50, 95]) / np.percentile(raw, [50, 95])
    show("  times both raw queries", f"p50 {middle:6.2f} p95 {most:6.2f}")
    stages: dict[str, list[float]] = {}
    for number in range(WARMING, WARMING + 50):
        for stage, took in subject.search(number).took_ms.items():
            stages.setdefault(stage, []).append(took)
    show("  of which", ", ".join(f"{stage} {np.median(took):.1f}" for stage, took in stages.items()))


def measure_http(subject: Subject) -> None:
    with subject.serving() as url:
        for clients in CLIENTS:
            times, seconds = subject.load(url, clients, ASKED, WARMING)
            show(
                f"search, HTTP, {clients} clients",
                f"{percentiles(times)}  {len(times) / seconds:.1f} a second",
            )


class Clock:
    """Times calls, and what they took of the processors: that does not depend on who else is at work."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def time(self, name: str, call: Callable[[int], object], asked: int = ASKED) -> None:
        self.time_in_turn({name: call}, asked)

    def time_in_turn(
        self, calls: Mapping[str, Callable[[int], object]], asked: int = ASKED
    ) -> list[list[float]]:
        """Show how long calls take, each question asked of all of them; return the milliseconds of each."""
        walls: list[list[float]] = [[] for _ in calls]
        processors: list[list[float]] = [[] for _ in calls]
        for number in range(WARMING + asked):
            for place, call in enumerate(calls.values()):
                began, spent = time.perf_counter(), self.spent()
                call(number)
                walls[place].append(1000 * (time.perf_counter() - began))
                processors[place].append((self.spent() - spent) / 1e6)
        for name, wall, processor in zip(calls, walls, processors, strict=True):
            show(name, f"{percentiles(wall[WARMING:])}  processors {percentiles(processor[WARMING:])}")
        return [wall[WARMING:] for wall in walls]

    def spent(self) -> int:
        """Return the nanoseconds that this process and the server's have worked for us."""
        return time.process_time_ns() + self.subject.server_nanoseconds()


def percentiles(milliseconds: Sequence[float]) -> str:
    middle, most, nearly_all = np.percentile(milliseconds, [50, 95, 99])
    return f"p50 {middle:6.1f} p95 {most:6.1f} p99 {nearly_all:6.1f} ms"


def show(what: str, value: str) -> None:
    sys.stdout.write(f"{what:<36} {value}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
