"""Run real workers on a real broker, for what is measured on them or done to them.

python -m tests.ingestion kill --kills 50 --flushes 5      # workers die, Redis is emptied
python -m tests.ingestion speed                            # the whole against the model alone
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import Pool
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, Self
from uuid import UUID

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 2
QUEUES = ("celery,convert,contextualize", "embed")

# Ready versions of which something is missing: chunks, placements, passages or vectors.
HALF = """
SELECT v.id FROM documents_version v
JOIN search_embeddingspace s ON s.tenant_id = v.tenant_id AND s.state = 'active'
WHERE v.state = 'ready' AND (
    NOT EXISTS (SELECT FROM documents_section WHERE version_id = v.id)
    OR coalesce((SELECT sum("end" - start) FROM documents_chunk WHERE version_id = v.id), 0) <> length(v.text)
    OR (SELECT count(*) FROM documents_chunk WHERE version_id = v.id)
        <> (SELECT count(*) FROM search_placement WHERE version_id = v.id)
    OR EXISTS (
        SELECT FROM search_placement p WHERE p.version_id = v.id AND NOT EXISTS (
            SELECT FROM search_embedding e WHERE e.passage_id = p.passage_id AND e.space_id = s.id
        )
    )
)
"""
ORPHANS = {
    "passages that nothing says": "SELECT count(*) FROM search_passage p WHERE NOT EXISTS"
    " (SELECT FROM search_placement WHERE passage_id = p.id)",
    "chunks of versions that are not ready": "SELECT count(*) FROM documents_chunk c JOIN documents_version v"
    " ON v.id = c.version_id WHERE v.state <> 'ready'",
    "positions that are placed twice": "SELECT count(*) FROM (SELECT FROM search_placement"
    " GROUP BY version_id, position HAVING count(*) > 1) twice",
    "windows that are embedded twice": "SELECT count(*) FROM (SELECT FROM search_embedding"
    ' GROUP BY passage_id, space_id, "window" HAVING count(*) > 1) twice',
    "vectors without length": "SELECT count(*) FROM search_embedding WHERE l2_norm(vector) < 0.99",
    "words that are counted wrongly": """
        SELECT count(*) FROM (
            SELECT tenant_id, language, term, sum(counted) FROM (
                SELECT tenant_id, language, substr(unnest(tsvector_to_array(full_text)), 7) AS term,
                    1 AS counted
                FROM search_passage
                UNION ALL
                SELECT tenant_id, language, '', 1 FROM search_passage
                UNION ALL
                SELECT tenant_id, language, ' ', 1 FROM search_passage WHERE is_past
                UNION ALL
                SELECT tenant_id, language, term, -passage_count FROM search_termstatistics
            ) both_sides GROUP BY 1, 2, 3 HAVING sum(counted) <> 0
        ) wrong""",
}


class Workers:
    """Celery workers of every queue, each in a process group of its own."""

    def __init__(self, home: Path, *, processes: int = PROCESSES) -> None:
        self.home = home
        self.processes = processes
        self.groups: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start them, and wait until they take messages."""
        ready = self._count_ready() + len(QUEUES)
        self.groups = [self._start(queues) for queues in QUEUES]
        while self._count_ready() < ready:
            assert all(group.poll() is None for group in self.groups)
            time.sleep(0.05)

    def _count_ready(self) -> int:
        return sum(log.read_text().count(" ready.") for log in self.home.glob("worker-*.log"))

    def _start(self, queues: str) -> subprocess.Popen[bytes]:
        log = (self.home / f"worker-{queues[:5]}.log").open("ab")
        name = f"{queues.replace(',', '-')}@here"
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "celery", "-A", "config", "worker", "-Q", queues, "-n", name),
                *("--concurrency", str(self.processes), "--loglevel", "INFO"),
            ],
            cwd=ROOT,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )

    def kill(self) -> None:
        """End all of them at once, as a power cut does."""
        for group in self.groups:
            os.killpg(group.pid, signal.SIGKILL)
            group.wait()

    def stop(self) -> None:
        for group in self.groups:
            if group.poll() is None:
                group.terminate()
        for group in self.groups:
            group.wait(60)


class Watcher:
    """Reads all the while, as people do, and keeps the ready versions that were not whole."""

    def __init__(self, tenant_id: UUID) -> None:
        self.tenant_id = tenant_id
        self.half: set[UUID] = set()
        self.looks = 0
        self._is_over = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        from django.db import connection

        from tenants.scope import tenant_scope

        while not self._is_over.wait(0.02):
            with tenant_scope(self.tenant_id), connection.cursor() as cursor:
                cursor.execute(HALF)
                self.half.update(row[0] for row in cursor.fetchall())
            self.looks += 1
        connection.close()


@contextmanager
def scratch(**variables: str) -> Iterator[Path]:
    """Set Django up on servers of our own, which are gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="pandect-ingestion-"))
    for name in [name for name in os.environ if name.startswith(("PANDECT_", "DATABASE_", "REDIS_"))]:
        del os.environ[name]
    os.environ |= {
        "PANDECT_HOME": str(home),
        "PANDECT_SCRATCH": "1",
        "PANDECT_LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        **variables,
    }
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from config.embedded import postgres, redis

    call_command("migrate", verbosity=0)
    redis.ensure(settings.HOME)
    try:
        yield home
    finally:
        from django.db import connections

        connections.close_all()
        redis.release(settings.HOME)
        postgres.release(settings.HOME)
        shutil.rmtree(home, ignore_errors=True)


def make_collection(name: str = "rules") -> Any:
    from documents.services import create_collection
    from tenants.services import create_tenant

    actor = act()
    tenant = create_tenant(name=f"Tenant of {name}", slug=name, actor=actor)
    return create_collection(tenant=tenant, name=name, description="Measured.", actor=actor)


def act() -> Any:
    from tenants.audit import Actor

    return Actor.of_command("ingestion")


def upload(collection: Any, texts: Sequence[str | bytes], suffix: str = "txt", *, name: str = "act") -> None:
    from documents.services import add_document

    for position, text in enumerate(texts):
        content = text if isinstance(text, bytes) else text.encode()
        add_document(collection=collection, name=f"{name}{position}.{suffix}", content=content, actor=act())


def states(tenant_id: UUID) -> dict[str, int]:
    from collections import Counter

    from documents.models import Version
    from tenants.scope import tenant_scope

    with tenant_scope(tenant_id):
        return dict(Counter(Version.objects.values_list("state", flat=True)))


def is_settled(tenant_id: UUID) -> bool:
    return set(states(tenant_id)) <= {"ready", "failed", "cancelled"}


def reconcile() -> None:
    """Do what the scheduler has workers do every minute."""
    from documents.tasks import reconcile_versions

    reconcile_versions()


def retry_failed(tenant_id: UUID) -> int:
    """Press “Try again”, as a person does."""
    from documents.models import State, Version
    from documents.services import retry_version
    from tenants.scope import tenant_scope

    with tenant_scope(tenant_id):
        failed = list(
            Version.objects.without_text()
            .filter(state=State.FAILED)
            .select_related("document__tenant", "document__collection")
        )
    for version in failed:
        print(f"  failed: {version.failure}")
        retry_version(version=version, actor=act())
    return len(failed)


def empty_redis() -> None:
    from django.conf import settings
    from redis import Redis

    from config.embedded.redis import socket_path

    with Redis(unix_socket_path=str(socket_path(settings.HOME))) as client:
        client.flushall()


def kill_workers(
    *, kills: int, flushes: int, documents: int, pages: int, seed: int, longest: float = 4
) -> dict[str, Any]:
    """Ingest documents while workers die at random moments; return what is wrong afterwards."""
    from tests.bench import statute

    chance = Random(seed)
    with scratch(PANDECT_STUCK_SECONDS="3") as home:
        collection = make_collection()
        tenant_id = collection.tenant_id
        texts = [statute(Random(seed + number), pages) for number in range(documents)]
        upload(collection, texts)
        workers = Workers(home)
        emptied = set(chance.sample(range(kills), k=min(flushes, kills)))
        retried = killed = 0
        with Watcher(tenant_id) as watcher:
            while killed < kills and states(tenant_id) != {"ready": documents}:
                workers.start()
                time.sleep(chance.uniform(0, longest))
                workers.kill()
                if killed in emptied:
                    empty_redis()
                killed += 1
                print(f"  kill {killed}: {states(tenant_id)}", flush=True)
                time.sleep(chance.uniform(0, 1))
                reconcile()
            workers.start()
            deadline = time.monotonic() + 600
            while time.monotonic() < deadline:
                reconcile()
                retried += retry_failed(tenant_id)
                if is_settled(tenant_id) and not retried_now(tenant_id):
                    break
                time.sleep(1)
            workers.stop()
        return {
            "kills": killed,
            "states": states(tenant_id),
            "retried": retried,
            "looks": watcher.looks,
            "half_seen": len(watcher.half),
            **wrongs(tenant_id, documents),
        }


def retried_now(tenant_id: UUID) -> bool:
    return states(tenant_id).get("failed", 0) > 0


def wrongs(tenant_id: UUID, documents: int) -> dict[str, int]:
    """Count what must not be."""
    from django.db import connection

    from documents.models import Version
    from tenants.scope import tenant_scope

    found = {}
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(HALF)
        found["ready versions that are not whole"] = len(cursor.fetchall())
        for name, query in ORPHANS.items():
            cursor.execute(query)
            found[name] = cursor.fetchone()[0]
        found["versions too many or too few"] = abs(Version.objects.count() - documents)
    return found


def measure_speed(*, documents: int, pages: int) -> None:
    """Compare the whole, from upload to ready, with the model alone, on the same texts and in one run."""
    from tests.bench import pdf, show, statute

    with scratch() as home:
        collection = make_collection()
        workers = Workers(home)
        workers.start()
        try:
            ingest(
                collection, [statute(Random(-number), 2) for number in range(1, 9)], name="warm"
            )  # Loads it.
            law = [statute(Random(number), pages) for number in range(documents)]
            took = ingest(collection, law, name="law")
            windows = windows_of(collection.tenant_id)
            raw = raw_seconds(windows)
            show(f"{documents} laws of {pages} pages: from upload to ready", took, "s")
            show(f"the model alone, {PROCESSES} processes, {len(windows)} windows", raw, "s")
            show("the pipeline keeps", raw / took, "of the throughput of the model (at least 0.85)")
            show(
                "100 pages of law",
                ingest(collection, [statute(Random(77), 100)], name="long"),
                "s (below 30)",
            )
            show(
                "100 pages of PDF",
                ingest(collection, [pdf(Random(78), 100)], "pdf", name="scan"),
                "s (below 30)",
            )
        finally:
            workers.stop()


def ingest(collection: Any, texts: Sequence[str | bytes], suffix: str = "txt", *, name: str) -> float:
    """Return the seconds from the first upload until all is ready."""
    begun = time.perf_counter()
    upload(collection, texts, suffix, name=name)
    while not is_settled(collection.tenant_id):
        time.sleep(0.05)
    assert set(states(collection.tenant_id)) == {"ready"}, states(collection.tenant_id)
    return time.perf_counter() - begun


def windows_of(tenant_id: UUID) -> list[str]:
    """Return what was embedded, as the model was given it."""
    from search import backends
    from search.models import Passage
    from search.windows import cut_passage
    from tenants.scope import tenant_scope

    with tenant_scope(tenant_id):
        passages = list(Passage.objects.only("context", "text"))
    model = backends.embedder()
    return [window for one in passages for window in cut_passage(model, context=one.context, text=one.text)]


def raw_seconds(texts: Sequence[str]) -> float:
    """Return how long the model takes for texts, in as many processes as workers embed with."""
    share = [texts[number::PROCESSES] for number in range(PROCESSES)]
    with Pool(PROCESSES) as pool:
        pool.map(embed_alone, [["Load the model."]] * PROCESSES, chunksize=1)
        begun = time.perf_counter()
        pool.map(embed_alone, share, chunksize=1)
        return time.perf_counter() - begun


def embed_alone(texts: Sequence[str]) -> None:
    from search import backends

    backends.embedder().vectors(texts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["kill", "speed"])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--flushes", type=int, default=5)
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.what == "speed":
        measure_speed(documents=options.documents, pages=options.pages)
        return
    result = kill_workers(
        kills=options.kills,
        flushes=options.flushes,
        documents=options.documents,
        pages=options.pages,
        seed=options.seed,
    )
    for name, value in result.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
