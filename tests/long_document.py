"""A document of many pages, ready in seconds: read as the pipeline reads it, but for its vectors.

python -m tests.long_document --pages 1000     # into the demo of the product
python -m tests.long_document --measure        # what the reader takes there
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from random import Random
from typing import Any

import django
import psutil

from tests.bench import statute

NAME = "long-act.txt"


def add_long_document(collection: Any, *, pages: int, name: str = NAME, seed: int = 7) -> Any:
    """Add a law of so many pages, with its sections, chunks, definitions and references."""
    return add_without_vectors(collection, name, statute(Random(seed), pages))


def add_without_vectors(collection: Any, name: str, text: str | bytes) -> Any:
    from definitions.record import record_findings
    from documents.claim import claim_version, kept_alive
    from documents.models import Version
    from documents.pipeline import read_version
    from documents.publish import publish_version, stamp_version
    from documents.services import add_document
    from tenants.audit import Actor
    from tenants.scope import tenant_scope

    actor = Actor.of_command("long")
    content = text if isinstance(text, bytes) else text.encode()
    added = add_document(collection=collection, name=name, content=content, actor=actor, is_queued=False)
    claim = claim_version(added.pk, added.tenant_id)
    assert claim is not None
    with kept_alive(claim):
        reading = read_version(claim)
        with tenant_scope(claim.tenant_id):
            publish_version(
                claim,
                text=reading.converted.text,
                pages=reading.converted.pages,
                outline=reading.outline,
                pieces=reading.pieces,
            )
            record_findings(claim.version_id, reading.converted.text, reading.findings)
            stamp_version(claim)
    with tenant_scope(claim.tenant_id):
        found = Version.objects.select_related("document__collection", "document__tenant")
        return found.defer("text").get(pk=added.pk)


def measure(version: Any) -> None:
    """Say how long the server takes for the page, at places all over the document."""
    from django.conf import settings
    from django.test import Client

    from documents.models import Section
    from search.reader.parts import CACHE
    from tenants.models import Membership
    from tenants.scope import tenant_scope

    settings.ALLOWED_HOSTS = ["testserver"]
    tenant = version.document.tenant
    with tenant_scope(tenant.pk):
        rows = Section.objects.filter(version=version, position__gt=0).order_by("position")
        labels = list(rows.values_list("label", flat=True))
        member = Membership.objects.filter(tenant=tenant).select_related("user").earliest("created_at")
    client = Client()
    client.force_login(member.user)
    path = f"/t/{tenant.slug}/documents/{version.document_id}/read/"
    chosen = Random(1).sample(labels, 40)
    print(f"{len(labels)} units")
    time_answers(client, path, [{"at": label} for label in chosen[:3]])  # Loads templates and the like.
    CACHE.kept.clear()
    time_answers(client, path, [{}], "the first page, parts not known yet")
    time_answers(client, path, [{"at": label} for label in chosen], "the page at 40 units")
    time_answers(client, f"{path}part/", [{"part": part} for part in range(40)], "40 further parts")


def time_answers(client: Any, path: str, questions: list[dict[str, Any]], name: str = "") -> None:
    """Say what answers take: by the clock, and in work of the processors for Python and for the database."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    connection.ensure_connection()
    server = psutil.Process(connection.connection.info.backend_pid)
    times, python, database, sizes = [], [], [], []
    for asked in questions:
        begun = time.perf_counter(), time.process_time(), sum(server.cpu_times()[:2])
        response = client.get(path, asked)
        times.append((time.perf_counter() - begun[0]) * 1000)
        python.append((time.process_time() - begun[1]) * 1000)
        database.append((sum(server.cpu_times()[:2]) - begun[2]) * 1000)
        assert response.status_code == 200, response.status_code
        sizes.append(len(response.content))
    with CaptureQueriesContext(connection) as captured:
        client.get(path, questions[-1])
    if name:
        print(
            f"{name}: median {statistics.median(times):.0f} ms, most {max(times):.0f} ms; work "
            f"{statistics.mean(python):.0f} ms in Python, {statistics.mean(database):.0f} in the database; "
            f"{len(captured)} queries, {max(sizes) // 1000} kB at most"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tenant", default="harbour")
    parser.add_argument("--collection", default="harbour-rules")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--measure", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from documents.models import Collection, Version
    from tenants.scope import platform_scope, tenant_scope

    with platform_scope():
        collections = Collection.objects.select_related("tenant").filter(tenant__slug=options.tenant)
        collection = collections.get(name=options.collection)
    with tenant_scope(collection.tenant_id):
        known = Version.objects.head().filter(document__name=NAME).select_related("document__tenant")
        version = known.defer("text").first()
    version = version or add_long_document(collection, pages=options.pages)
    print(version.document_id)
    if options.measure:
        measure(version)


if __name__ == "__main__":
    main()
