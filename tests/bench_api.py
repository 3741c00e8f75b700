"""How the API bears fifty programs at a time: `python -m tests.bench_api --chunks 10000`.

Real HTTP with keep-alive, on loopback, against the web server as `manage.py up` runs it; each program asks
again as soon as it is answered. The vectors of questions are known: what a model would take is no part of it.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import psutil

ROOT = Path(__file__).resolve().parent.parent
CLIENTS, SECONDS, MOST = 50, 60, 20_000
PROCESSES = 1  # As `manage.py up` has it.
STARTED = ("Application startup complete.", "Models are loaded")
EVERY = 10  # Seconds between two looks at the memory.
ASKED = 200
TENANT = "bench"
Request = tuple[str, str, bytes | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--processes", type=int, default=PROCESSES, help="Of the web server.")
    parser.add_argument("--home", type=Path, help="Where the database is kept and used again.")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pandect-bench-") as scratch:
        home = arguments.home or Path(scratch) / "home"
        home.mkdir(parents=True, exist_ok=True)
        os.environ |= {
            "PANDECT_HOME": str(home),
            "PANDECT_SCRATCH": "1",
            "PANDECT_API_RATE": "0",
            "DJANGO_SETTINGS_MODULE": "tests.bench_settings",
        }
        try:
            measure(arguments)
        finally:
            stop_servers()  # Before their folder goes.


def measure(arguments: argparse.Namespace) -> None:
    key, requests = prepare(arguments.chunks)
    with served(arguments.processes) as (port, process):
        report(run(port, key, requests, process, clients=arguments.clients, seconds=arguments.seconds))


def stop_servers() -> None:
    from django.conf import settings
    from django.db import connections

    from config.embedded import postgres, redis

    connections.close_all()
    postgres.release(settings.HOME)
    redis.release(settings.HOME)


def prepare(chunks: int) -> tuple[str, list[Request]]:
    """Fill the database, unless it is; return a key, and what to ask."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from tests import factories
    from tests.bench_fill import fill_tenant, keep_questions
    from tests.bench_subject import find_tenant
    from tests.corpus import Corpus

    call_command("migrate", verbosity=0)
    corpus = Corpus(1)
    tenant = find_tenant(TENANT) or fill_tenant(TENANT, corpus, chunks)
    laws = range(max(1, chunks // 100 * 9 // 10))
    questions = [corpus.question(number, laws) for number in range(ASKED)]
    keep_questions(settings.HOME.path, questions)
    _, token = factories.api_key(tenant)
    names = [corpus.law(number).name for number in range(20)]
    return str(token), list(mixed([one.text for one in questions], names))


def mixed(questions: list[str], names: list[str]) -> Iterator[Request]:
    """Yield of ten requests six searches, two units, a definition and a context."""
    for number, question in enumerate(questions):
        name = names[number % len(names)]
        match number % 10:
            case 6 | 7:
                asked = {"document": name, "label": f"Article {number % 5 + 1}"}
                yield "GET", f"/api/v1/sections?{urlencode(asked)}", None
            case 8:
                yield "GET", f"/api/v1/definitions?{urlencode({'term': question.split()[0]})}", None
            case 9:
                yield "POST", "/api/v1/context", json.dumps({"query": question}).encode()
            case _:
                yield "POST", "/api/v1/search", json.dumps({"query": question}).encode()


@contextmanager
def served(processes: int) -> Iterator[tuple[int, psutil.Process]]:
    """Run the web server as `manage.py up` does, until all its processes are there: connections stay."""
    from django.conf import settings

    from tests.fuzzing import await_answer
    from tests.processes import free_port

    port, log = free_port(), settings.HOME.logs / "web.log"
    command = [sys.executable, "-m", "config.serve", "config.asgi:application", "--port", str(port)]
    options = ["--workers", str(processes), "--lifespan", "on", "--no-access-log", "--no-proxy-headers"]
    with log.open("w") as stream:
        process = subprocess.Popen([*command, *options], cwd=ROOT, stdout=stream, stderr=stream)
    try:
        while any(log.read_text().count(words) < processes for words in STARTED):
            if process.poll() is not None:
                sys.exit(log.read_text())
            time.sleep(0.1)
        await_answer(f"http://127.0.0.1:{port}", process)
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


@dataclass
class Result:
    took: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # By address.
    statuses: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)  # Megabytes.
    threads: int = 0
    connections: int = 0
    seconds: float = 0.0
    worked: dict[str, float] = field(default_factory=dict)  # Seconds of the processors, by who worked.


def run(
    port: int,
    key: str,
    requests: list[Request],
    process: psutil.Process,
    *,
    clients: int,
    seconds: int,
) -> Result:
    result, numbers = Result(), itertools.count()
    began, before = time.monotonic(), worked(process)
    deadline = began + seconds
    askers = [
        threading.Thread(
            target=ask_until, args=(port, key, requests, numbers, result), kwargs={"deadline": deadline}
        )
        for _ in range(clients)
    ]
    for asker in askers:
        asker.start()
    watch(result, process, deadline)
    for asker in askers:
        asker.join()
    result.seconds = time.monotonic() - began
    result.memory.append(megabytes(process))
    result.worked = {who: spent - before[who] for who, spent in worked(process).items()}
    return result


def ask_until(
    port: int,
    key: str,
    requests: list[Request],
    numbers: Iterator[int],
    result: Result,
    *,
    deadline: float,
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    while time.monotonic() < deadline and (number := next(numbers)) < MOST:
        method, path, body = requests[number % len(requests)]
        began = time.perf_counter()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            response.read()
        except OSError as error:
            result.statuses[type(error).__name__] += 1
            connection.close()
            continue
        result.took[path.split("?")[0].split("/")[-1]].append(time.perf_counter() - began)
        result.statuses[str(response.status)] += 1
    connection.close()


def watch(result: Result, process: psutil.Process, deadline: float) -> None:
    while True:
        result.memory.append(megabytes(process))
        result.threads = max(result.threads, sum(one.num_threads() for one in tree(process)))
        result.connections = max(result.connections, count_connections())
        if time.monotonic() + EVERY > deadline:
            return
        time.sleep(EVERY)


def count_connections() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
        found: Any = cursor.fetchone()
        return int(found[0])


def tree(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def megabytes(process: psutil.Process) -> int:
    """Return what a process and those it has started hold for themselves and share, each once."""
    return sum(int(one.memory_full_info().pss) for one in tree(process)) // 2**20


def worked(process: psutil.Process) -> dict[str, float]:
    """Return the seconds that processors have worked for the web server, for PostgreSQL and for us."""
    from django.conf import settings

    postmaster = int((settings.HOME.path / "postgres" / "postmaster.pid").read_text().split()[0])
    roots = {"web": process, "PostgreSQL": psutil.Process(postmaster)}
    return {
        **{who: sum(spent(one) for one in tree(root)) for who, root in roots.items()},
        "programs": time.process_time(),
    }


def spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def report(result: Result) -> None:
    from tests.bench_search import show

    every = [took for kind in result.took.values() for took in kind]
    show("load of the machine at the end", f"{os.getloadavg()[0]:.1f}")
    show("answers", ", ".join(f"{status}: {count:,}" for status, count in sorted(result.statuses.items())))
    show("p50, p95, p99", percentiles(every))
    for kind, took in sorted(result.took.items()):
        show(f"  {kind}", f"{percentiles(took)} of {len(took):,}")
    show("answers in a second", f"{len(every) / result.seconds:.1f}")
    for who, seconds in result.worked.items():
        of_all = f"{seconds / result.seconds:.2f} processors"
        show(f"work of {who}", f"{1000 * seconds / len(every):.1f} ms for an answer, {of_all}")
    show("memory of the web server, each ten seconds", " ".join(map(str, result.memory)) + " MB")
    show("threads and connections at most", f"{result.threads}, {result.connections}")


def percentiles(seconds: list[float]) -> str:
    return ", ".join(f"{1000 * value:.0f}" for value in np.percentile(seconds, [50, 95, 99])) + " ms"


if __name__ == "__main__":
    main()
