"""Nothing that can be asked breaks the API, or is answered otherwise than its description says.

Some requests of each kind for each address, the same ones each time; `make fuzz-api` asks many more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from documents.models import Collection
from documents.pipeline import ingest_version
from documents.services import add_document
from tenants.models import Scope, Tenant
from tests import factories
from tests.factories import ACTOR
from tests.fuzzing import Asker, fuzz
from tests.searching import ACT, RULES

pytestmark = [
    pytest.mark.system,
    # The owner empties the tables afterwards: the application may not.
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
EXAMPLES = 4


@pytest.fixture
def harbour() -> Tenant:
    return factories.tenant("harbour")


def fill(tenant: Tenant) -> Collection:
    place = factories.collection(tenant, "acts")
    for name, text in (("act.md", ACT), ("rules.md", RULES)):
        version = add_document(
            collection=place, name=name, content=text.encode(), actor=ACTOR, is_queued=False
        )
        ingest_version(version.pk, version.tenant_id)
    return place


@pytest.mark.timeout(1200)
def test_nothing_that_can_be_asked_breaks_it(
    harbour: Tenant, live_server: LiveServer, settings: Any, tmp_path: Path
) -> None:
    settings.API_RATE = 0
    fill(harbour)
    key = str(factories.api_key(harbour, *Scope)[1])
    ids = Asker(live_server.url, key).gather_ids()
    options = ("--phases", "examples,fuzzing", "--max-examples", str(EXAMPLES), "--no-shrink")
    asked = fuzz(live_server.url, key, ids, tmp_path, *options)
    assert asked.returncode == 0, asked.stdout[-6000:] + asked.stderr[-2000:]
    assert "failures" not in asked.stdout.splitlines()[-1]
