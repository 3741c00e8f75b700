"""Passages to test the index with, and embedders that misbehave."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import override_settings

from documents.models import Chunk, Document, Version
from search.backends.embedders.base import EmbedderError, Vector
from search.backends.embedders.hashed import HashedEmbedder
from search.embed import embed_some
from search.lexemes import WORD
from search.models import Embedding, Passage, TermStatistics
from search.place import Situated, place_passages
from search.reach import Reach, reach_of
from search.request import Filters
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests import factories

ALL = Filters()


def place(
    tenant: Tenant, *texts: str | Situated, of: Version | None = None, language: str = "english"
) -> Version:
    """Place texts as the chunks of a version."""
    version = of or factories.version(tenant)
    situated = [text if isinstance(text, Situated) else Situated(text) for text in texts]
    place_passages(tenant_id=tenant.pk, version_id=version.pk, language=language, situated=situated)
    return version


def embed_all(tenant: Tenant, version: Version) -> None:
    while embed_some(tenant_id=tenant.pk, version_id=version.pk).left:
        pass


def say(
    tenant: Tenant,
    *texts: str,
    of: Document | None = None,
    number: int = 1,
    language: str = "english",
) -> Version:
    """Place texts as the chunks of a version, and write these chunks too."""
    version = factories.version(tenant, of=of, number=number)
    section = factories.section(tenant, of=version)
    places = [0, *accumulate(map(len, texts))]
    with tenant_scope(tenant.pk):
        Chunk.objects.bulk_create(
            Chunk(
                tenant=tenant,
                version=version,
                section=section,
                position=position,
                start=start,
                end=end,
                lead_start=start,
                token_count=1,
                digest=sha256(texts[position].encode()).hexdigest(),
            )
            for position, (start, end) in enumerate(pairwise(places))
        )
    return place(tenant, *texts, of=version, language=language)


def everything(tenant: Tenant, filters: Filters = ALL) -> Reach:
    """The newest versions of all documents of a tenant."""
    return reach_of(tenant, Version.objects.for_tenant(tenant).head(), filters)


def texts_of(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.pk):
        return sorted(Passage.objects.values_list("text", flat=True))


def statistics_of(tenant: Tenant, language: str = "english") -> dict[str, int]:
    with tenant_scope(tenant.pk):
        return dict(TermStatistics.objects.filter(language=language).values_list("term", "passage_count"))


def counted_statistics(tenant: Tenant, language: str = "english") -> dict[str, int]:
    """What the statistics must be, counted from the rows."""
    with tenant_scope(tenant.pk), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {WORD}, count(*) FROM search_passage, unnest(full_text) WHERE language = %s GROUP BY 1"
            " UNION ALL SELECT '', count(*) FROM search_passage WHERE language = %s HAVING count(*) > 0"
            " UNION ALL SELECT ' ', count(*) FROM search_passage WHERE language = %s AND is_past"
            " HAVING count(*) > 0",
            [language] * 3,
        )
        return dict(cursor.fetchall())


def window_counts(tenant: Tenant) -> list[int]:
    """How many vectors each passage has, over all spaces."""
    with tenant_scope(tenant.pk):
        return [Embedding.objects.filter(passage=passage).count() for passage in Passage.objects.all()]


@contextmanager
def backends(**roles: tuple[str, dict[str, Any]]) -> Iterator[None]:
    """Declare other backends: role=(path, options)."""
    declared = {role: {"BACKEND": path, "OPTIONS": options} for role, (path, options) in roles.items()}
    with override_settings(SEARCH_BACKENDS={**settings.SEARCH_BACKENDS, **declared}):
        yield


SETTINGS = re.compile(r"(?:SET LOCAL [^;]+; )*")  # That go before a statement.


@contextmanager
def plans_of(part: str) -> Iterator[list[str]]:
    """Collect the plans of statements that have a part."""
    plans: list[str] = []

    def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if part in sql:
            execute(SETTINGS.sub(r"\g<0>EXPLAIN ", sql, count=1), params, many, context)
            cursor = context["cursor"]
            while cursor.description is None:
                cursor.nextset()
            plans.append("\n".join(line for (line,) in cursor.fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield plans


def at_once(*actions: Callable[[], object]) -> None:
    """Run actions in threads, each on its own connection; fail if one of them fails."""
    errors: list[BaseException] = []

    def run(action: Callable[[], object]) -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


class HaltingEmbedder(HashedEmbedder):
    """Says that it has begun, and does not go on."""

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        time.sleep(600)
        return super().vectors(texts)


class SlowEmbedder(HashedEmbedder):
    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        time.sleep(0.05)
        return super().vectors(texts)


class PickyEmbedder(HashedEmbedder):
    """Fails at a text that it does not like, after it has embedded those before it."""

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        made = []
        for text in texts:
            if "poison" in text:
                raise EmbedderError("picky: it does not like a text. Leave it out.")
            made += super().vectors([text])
        return made


class MeteredEmbedder(HashedEmbedder):
    """Says what it used, as those that cost do."""

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        if self.on_usage is not None:
            self.on_usage(sum(len(text.split()) for text in texts))
        return super().vectors(texts)


class BrokenEmbedder(HashedEmbedder):
    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        raise EmbedderError("broken: no text can be embedded. Mend it.")
