"""A tenant with many chunks beside one with few, and the ways of searching them that are measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from documents.models import Version
from search.answer import Answer
from search.backends import keyword_index
from search.backends.keyword_indexes import postgres
from search.backends.keyword_indexes.base import Found
from search.backends.keyword_indexes.memory import MemoryKeywordIndex
from search.models import Embedding, EmbeddingSpace
from search.pipeline import search
from search.planning import planner_settings
from search.reach import Reach, reach_of
from search.request import Filters, SearchRequest
from search.retrieve.dense import by_scan, nearest_passages
from search.retrieve.keyword import matching_passages
from search.spaces import ensure_space
from tenants.models import Tenant
from tenants.scope import platform_scope, tenant_scope
from tests import factories
from tests.bench_fill import fill_tenant, keep_questions
from tests.corpus import Corpus, Question
from tests.processes import free_port

LARGE, SMALL = "large", "small"
FEW = 200
ELSEWHERE = 10_000_000  # The number of the small tenant's first law: its words and topics are the same.
ASKED = 1_000
SIZES = """
    SELECT relname, pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0)
    FROM pg_class WHERE relname IN ('search_passage', 'search_embedding', 'passages_by_words',
        'current_passages_by_words', 'passages_by_exact_words', 'search_termstatistics')
        OR relname ~ '^(space|past)_[0-9a-f]{32}$' ORDER BY 1
"""
Statement = tuple[str, Any]
SERVE = (sys.executable, "-m", "config.serve", "config.asgi:application", "--log-level", "warning")


@dataclass(frozen=True)
class Subject:
    chunks: int
    large: Tenant
    small: Tenant
    questions: list[Question]
    nearby: list[Question]  # Questions to the small tenant.
    space: EmbeddingSpace
    document: UUID
    process: int

    @classmethod
    def prepare(cls, chunks: int) -> Subject:
        """Use what is there, or fill the database."""
        call_command("migrate", verbosity=0)
        corpus = Corpus(1)
        began = time.perf_counter()
        laws = chunks // 100  # Of a hundred passages on average.
        tenants = {slug: find_tenant(slug) for slug in (LARGE, SMALL)}
        if tenants[LARGE] is None:
            tenants[LARGE] = fill_tenant(LARGE, corpus, chunks)
            sys.stdout.write(f"filled in {time.perf_counter() - began:.0f} s\n")
        if tenants[SMALL] is None:
            tenants[SMALL] = fill_tenant(SMALL, corpus, FEW, first=ELSEWHERE)
        questions = [corpus.question(number, range(laws * 9 // 10)) for number in range(ASKED)]
        keep_questions(settings.HOME.path, questions)
        nearby = [corpus.question(number, range(ELSEWHERE, ELSEWHERE + 1)) for number in range(50)]
        large, small = tenants[LARGE], tenants[SMALL]
        assert large is not None
        assert small is not None
        return cls(
            chunks, large, small, questions, [*nearby, *questions[:50]], ensure_space(large.pk),
            some_document(large), backend_process(),
        )  # fmt: skip

    def sizes(self) -> dict[str, int]:
        with connection.cursor() as cursor:
            cursor.execute(SIZES)
            return dict(cursor.fetchall())

    def server_nanoseconds(self) -> int:
        return int(Path(f"/proc/{self.process}/schedstat").read_text().split()[0])

    def reach(self, *, is_narrow: bool = False) -> Reach:
        filters = Filters(documents=(self.document,)) if is_narrow else Filters()
        return reach_of(self.large, Version.objects.for_tenant(self.large).head(), filters)

    def find(self, number: int, limit: int) -> Sequence[Found]:
        asked = self.questions[number].text
        return keyword_index().find(self.large.pk, asked, language="english", limit=limit).found

    def keyword(self, number: int, limit: int, *, is_narrow: bool = False) -> list[UUID]:
        reach, asked = self.reach(is_narrow=is_narrow), self.questions[number].text
        found = matching_passages(reach, asked, languages=["english"], limit=limit).found
        return [one.passage for one in found]

    def dense(self, number: int, limit: int, *, is_narrow: bool = False) -> list[UUID]:
        reach, vector = self.reach(is_narrow=is_narrow), self.questions[number].vector.tolist()
        return [one.passage for one in nearest_passages(reach, vector, space=self.space, limit=limit)]

    def both(self, number: int, limit: int) -> None:
        self.keyword(number, limit)
        self.dense(number, limit)

    def search(self, number: int) -> Answer:
        head = Version.objects.for_tenant(self.large).head()
        answer = search(SearchRequest(query=self.questions[number].text), head, tenant=self.large)
        assert len(answer.hits) == 10
        assert not answer.degraded
        return answer

    def exact_keyword(self, number: int, limit: int) -> list[UUID]:
        """Score every passage."""
        before, postgres.SMALL = postgres.SMALL, 10**9
        try:
            return [one.passage for one in self.find(number, limit)]
        finally:
            postgres.SMALL = before

    def exact_dense(self, number: int, limit: int) -> list[UUID]:
        windows = Embedding.objects.filter(tenant=self.large, space=self.space)
        with tenant_scope(self.large.pk):
            found = by_scan(windows, self.questions[number].vector.tolist(), limit)
        return [one.passage for one in found]

    def compare_small(self) -> dict[str, tuple[int, int]]:
        """Count the questions to which the small tenant gets exactly its own best ten."""
        reach = reach_of(self.small, Version.objects.for_tenant(self.small).head(), Filters())
        space, same = ensure_space(self.small.pk), {"keyword": 0, "dense": 0}
        windows = Embedding.objects.filter(tenant=self.small, space=space)
        for asked in self.nearby:
            words = matching_passages(reach, asked.text, languages=["english"], limit=10).found
            true = MemoryKeywordIndex().find(self.small.pk, asked.text, language="english", limit=10).found
            same["keyword"] += ids(words) == ids(true)
            near = nearest_passages(reach, asked.vector.tolist(), space=space, limit=10)
            with tenant_scope(self.small.pk):
                all_of_them = by_scan(windows, asked.vector.tolist(), 10)
            same["dense"] += ids(near) == ids(all_of_them)
        return {leg: (count, len(self.nearby)) for leg, count in same.items()}

    def raw_statements(self, count: int, limit: int) -> tuple[list[Statement], list[Statement]]:
        """Return the statements by which the legs find candidates, to be run by themselves."""
        words = [caught("<#>", lambda n=n: self.find(n, limit)) for n in range(count)]
        vectors = [caught("<=>", lambda n=n: self.dense(n, limit)) for n in range(count)]
        return words, vectors

    def run(self, statement: Statement) -> None:
        settings_ = {"enable_seqscan": "off", "hnsw.ef_search": "400", "enable_sort": "on"}
        with tenant_scope(self.large.pk), planner_settings(settings_), connection.cursor() as cursor:
            cursor.execute(*statement)
            while cursor.description is None:  # Settings go before it.
                cursor.nextset()
            cursor.fetchall()

    @contextmanager
    def serving(self) -> Iterator[tuple[int, str]]:
        """Run the web server; yield its port and a key."""
        _, token = factories.api_key(self.large)
        port = free_port()
        server = subprocess.Popen(
            [*SERVE, "--port", str(port)],
            cwd=settings.BASE_DIR,
            env=dict(os.environ),
        )
        try:
            await_server(port)
            yield port, str(token)
        finally:
            server.terminate()
            server.wait(30)

    def load(
        self, served: tuple[int, str], clients: int, asked: int, warming: int
    ) -> tuple[list[float], float]:
        """Ask over HTTP, several at once; return what each answer took and what all took."""
        texts = [question.text for question in self.questions[: warming + asked]]
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(lambda part: ask_all(served, part), split(texts[:warming], clients)))
            began = time.perf_counter()
            times = list(pool.map(lambda part: ask_all(served, part), split(texts[warming:], clients)))
            return [took for part in times for took in part], time.perf_counter() - began


def split(texts: Sequence[str], parts: int) -> list[Sequence[str]]:
    return [texts[number::parts] for number in range(parts)]


def ask_all(served: tuple[int, str], texts: Sequence[str]) -> list[float]:
    port, token = served
    client = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    times = []
    for text in texts:
        began = time.perf_counter()
        client.request("POST", "/api/v1/search", json.dumps({"query": text}), headers)
        response = client.getresponse()
        body = response.read()
        times.append(1000 * (time.perf_counter() - began))
        assert response.status == 200, body[:500]
    return times


def await_server(port: int) -> None:
    for _ in range(200):
        try:
            client = HTTPConnection("127.0.0.1", port, timeout=5)
            client.request("GET", "/healthz")
            client.getresponse()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("The server did not start.")


def find_tenant(slug: str) -> Tenant | None:
    with platform_scope():
        return Tenant.objects.filter(slug=slug).first()


def some_document(tenant: Tenant) -> UUID:
    with tenant_scope(tenant.pk):
        found = (
            Version.objects.for_tenant(tenant)
            .order_by("document__name")
            .values_list("document_id", flat=True)
        )
        return found[37]


def backend_process() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def caught(part: str, call: Any) -> Statement:
    """Return the first statement with a part that a call runs."""
    statements: list[Statement] = []

    def catch(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if part in sql:
            statements.append((sql, parameters))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(catch):
        call()
    return statements[0]


def ids(found: Sequence[Found]) -> list[UUID]:
    return [one.passage for one in found]
