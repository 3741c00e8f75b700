"""What the API answers is what its description says, for every address and for its refusals.

`PANDECT_RECORD=1` writes the answers down as the examples of the description.
"""

from __future__ import annotations

import json
import os
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from documents.demo import DEMO_FILES
from documents.load_demo import DESCRIPTION
from documents.load_demo import NAME as RULES
from documents.models import Collection, Version
from documents.pipeline import ingest_version
from documents.services import add_document, create_collection
from tenants.models import Scope, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.described import operations
from tests.factories import ACTOR
from tests.problems import fields_of
from tests.walker import Walker, shortened

ACT = "harbour-safety-act.md"
QUESTION = "which vessels must take a pilot"
NOWHERE = uuid4()


@pytest.fixture
def rules(harbour: Tenant) -> Collection:
    """The demo, read; its act in two versions."""
    made = create_collection(tenant=harbour, name=RULES, description=DESCRIPTION, actor=ACTOR)
    for path in DEMO_FILES:
        read(made, path.name, path.read_bytes())
    act = next(path for path in DEMO_FILES if path.name == ACT)
    read(made, ACT, act.read_bytes().replace(b"6 metres", b"7 metres"))
    factories.evaluation_run(harbour)
    return made


def read(place: Collection, name: str, content: bytes) -> Version:
    version = add_document(collection=place, name=name, content=content, actor=ACTOR, is_queued=False)
    ingest_version(version.pk, version.tenant_id)
    return version


def versions_of(tenant: Tenant, name: str) -> list[Version]:
    with tenant_scope(tenant.pk):
        own = Version.objects.without_text().for_tenant(tenant).filter(document__name=name)
        return list(own.order_by("number"))


def test_every_address_answers_as_described(harbour: Tenant, rules: Collection) -> None:
    walker = Walker(harbour)
    old, new = versions_of(harbour, ACT)
    ask_and_read(walker, new)
    cite(walker)
    change(walker, rules, old, new)
    look(walker, new)
    collect(walker)
    tell(walker)
    keep(walker)
    assert set(operations()) - set(walker.answers) == set()
    if os.environ.get("PANDECT_RECORD"):
        answers = {name: walker.answers[name] for name in operations()}
        examples = {name: shortened(one) for name, one in answers.items() if not isinstance(one, bytes)}
        written = json.dumps(examples, ensure_ascii=False, indent=1)
        settings.API_EXAMPLES.write_text(written + "\n")


def ask_and_read(walker: Walker, act: Version) -> None:
    found = walker.ask("search", {"query": QUESTION, "top_k": 2})
    assert found["results"]
    everything = {
        **dict.fromkeys(("explain", "facets", "parents"), True),
        "neighbours": 1,
        "per_document": 1,
        "min_score": None,
        "mode": "hybrid",
        "collections": [RULES],
    }
    walker.ask("search", {"query": "Section 99 and “vessel”", **everything})
    walker.ask(
        "search", {"query": "Section 4", "read_context": {"as_of": "2016-03-01", "basis": "effective"}}
    )
    assert walker.refused("search", {"query": " "}) == 400
    assert walker.ask("get_context", {"query": QUESTION, "max_tokens": 500})["sources"]
    assert walker.ask("list_documents", limit=2)["next"]
    walker.ask("read_document", pk=act.document_id)
    assert walker.refused("read_document", pk=NOWHERE) == 404
    assert walker.ask("read_outline", pk=act.document_id, depth=2)["units"]
    assert walker.ask("read_section", document=ACT, label="Section 2")["text"]
    assert walker.refused("read_section", document=ACT, label="Section 99") == 404
    assert walker.refused("read_section") == 400
    assert walker.ask("lookup_definition", term="vessel")["others_count"] >= 0
    assert walker.ask("list_references", document=ACT, direction="out")["references"]
    walker.ask("list_references", document=ACT, label="Section 2", direction="in")
    walker.ask("read_history", pk=act.document_id, label="Section 2")
    assert walker.refused("read_history", pk=act.document_id, label="Section 99") == 404


def cite(walker: Walker) -> None:
    citation = walker.answers["search"]["results"][0]["citation"]
    assert walker.ask("verify_citation", {"citation": citation})["status"] == "stands"
    walker.ask("verify_citation", {"citations": [citation, {**citation, "version_id": str(NOWHERE)}]})
    assert walker.refused("verify_citation", {"citation": {"span": "x"}}) == 400
    quoted = "this Act applies to every vessel, person and activity in the harbour"
    text = f"Under section 2 of the Harbour Safety Act, “{quoted}”; see also section 99."
    assert walker.ask("check_citations", {"text": text})["checked"]


def compared_with(pk: Any) -> dict[str, Any]:
    return {"with": pk}  # Python keeps the name for itself.


def change(walker: Walker, rules: Collection, old: Version, new: Version) -> None:
    walker.ask("read_version", pk=new.pk)
    walker.ask("compare_versions", pk=new.pk, **compared_with(old.pk))
    assert walker.refused("compare_versions", pk=new.pk, **compared_with(NOWHERE)) == 404
    first = walker.ask("create_baseline", {"name": "First", "versions": [str(old.pk)]}, pk=rules.pk)
    second = walker.ask("create_baseline", {"name": "Second"}, pk=rules.pk)
    assert walker.refused("create_baseline", {"name": "Second"}, pk=rules.pk) in {400, 409}
    walker.ask("list_baselines", pk=rules.pk)
    walker.ask("read_baseline", pk=second["id"])
    walker.ask("compare_baselines", pk=second["id"], **compared_with(first["id"]))
    walker.ask("publish_baseline", pk=second["id"])
    walker.ask("search", {"query": QUESTION, "read_context": {"selector": "published"}})
    walker.ask("unpublish_collection", pk=rules.pk)
    assert walker.refused("unpublish_collection", pk=rules.pk) == 409
    walker.ask("date_version", {"effective_from": "2016-03-01", "effective_to": None}, pk=new.pk)
    walker.ask("restore_version", pk=old.pk)
    walker.ask("withdraw_version", pk=new.pk)
    assert walker.refused("withdraw_version", pk=new.pk) == 409
    waiting = add_document(collection=rules, name="new.md", content=b"# New\n", actor=ACTOR, is_queued=False)
    walker.ask("cancel_version", pk=waiting.pk)
    walker.ask("retry_version", pk=waiting.pk)
    assert walker.refused("retry_version", pk=new.pk) == 409
    file = SimpleUploadedFile("act.md", b"# Act\n\n## Section 1. Ports\n\nKeep clear.\n")
    walker.ask("estimate_files", pk=rules.pk, files={"files": file})


def look(walker: Walker, act: Version) -> None:
    walker.ask("list_versions", pk=act.document_id)
    chunk = walker.ask("list_chunks", pk=act.pk, limit=2)["chunks"][0]
    walker.ask("read_chunk", pk=chunk["id"])
    walker.ask("read_chunk", pk=chunk["id"], headers={"If-None-Match": walker.etag})
    assert walker.statuses["read_chunk"] == {200, 304}
    assert walker.refused("list_chunks", pk=act.pk, after="x") == 400
    job = walker.ask("list_jobs")["jobs"][0]
    walker.ask("read_job", pk=job["id"])
    walker.ask("read_index")
    walker.ask("rebuild_index", {"collection": RULES})
    assert walker.refused("rebuild_index", {"collection": "nowhere"}) == 400
    run = walker.ask("list_evaluations")["evaluations"][0]
    walker.ask("read_evaluation", pk=run["id"])
    walker.ask("download_source", pk=act.pk)
    assert walker.ask("read_text", pk=act.pk).startswith(b"# Harbour Safety Act")
    walker.ask("delete_document", pk=act.document_id)
    walker.ask("list_bin")
    walker.ask("restore_document", pk=act.document_id)
    assert walker.refused("purge_document", pk=act.document_id) == 409


def collect(walker: Walker) -> None:
    asked = {"name": "acts", "description": "The acts of the port."}
    once = {"Idempotency-Key": str(uuid4())}
    made = walker.ask("create_collection", asked, headers=once)
    assert walker.ask("create_collection", asked, headers=once) == made
    assert walker.refused("create_collection", {**asked, "name": "others"}, headers=once) == 422
    assert walker.refused("create_collection", asked) == 409
    walker.ask("list_collections")
    walker.ask("read_collection", pk=made["id"])
    walker.ask("change_collection", {"top_k": 20}, pk=made["id"], headers={"If-Match": walker.etag})
    stale = {"If-Match": '"x"'}
    assert walker.refused("change_collection", {"top_k": 5}, pk=made["id"], headers=stale) == 412
    upload(walker, made["id"])
    assert walker.refused("delete_collection", pk=made["id"]) == 400  # There is the order.
    walker.ask("delete_collection", pk=made["id"], confirm="acts")


def upload(walker: Walker, pk: str) -> None:
    act = SimpleUploadedFile("act.md", b"# Act\n\n## Section 1. Ports\n\nKeep clear.\n")
    taken = walker.ask("upload_documents", pk=pk, files={"files": act, "effective_from": "2016-03-01"})
    assert taken["files"][0]["outcome"] == "added"
    walker.ask("delete_document", pk=taken["files"][0]["document_id"])
    walker.ask("purge_document", pk=taken["files"][0]["document_id"])
    assert walker.refused("read_document", pk=taken["files"][0]["document_id"]) == 404
    assert walker.refused("upload_documents", pk=pk, files={}) == 400
    begun = walker.ask("begin_upload", {"name": "order.md", "size": 8}, pk=pk)
    walker.ask("append_part", b"# Ord", pk=begun["id"], headers={"Upload-Offset": "0"})
    assert walker.refused("append_part", b"er\n", pk=begun["id"], headers={"Upload-Offset": "3"}) == 409
    walker.ask("read_upload_offset", pk=begun["id"])
    walker.ask("append_part", b"er\n", pk=begun["id"], headers={"Upload-Offset": "5"})
    walker.ask("read_upload", pk=begun["id"])
    other = walker.ask("begin_upload", {"name": "notice.md", "size": 9}, pk=pk)
    walker.ask("cancel_upload", pk=other["id"])


def tell(walker: Walker) -> None:
    asked = {"url": "https://example.org/hooks/pandect", "events": ["version.ready", "version.failed"]}
    made = walker.ask("create_webhook", asked)
    assert walker.refused("create_webhook", {**asked, "url": "ftp://example.org"}) == 400
    walker.ask("list_webhooks")
    walker.ask("read_webhook", pk=made["id"])
    walker.ask("test_webhook", pk=made["id"])
    walker.ask("list_deliveries", pk=made["id"])
    walker.ask("rotate_secret", pk=made["id"])
    walker.ask("change_webhook", {"is_active": False}, pk=made["id"])
    walker.ask("delete_webhook", pk=made["id"])


def keep(walker: Walker) -> None:
    walker.ask("read_tenant")
    walker.ask("read_usage")
    walker.ask("read_retention")
    walker.ask("set_retention", {"keep_versions_days": 3650})


@pytest.mark.parametrize("name", list(operations()))
class TestRefusals:
    def test_without_a_key_are_as_described(self, name: str, harbour: Tenant) -> None:
        walker = Walker(harbour)
        walker.headers = {}
        assert walker.refused(name, pk=NOWHERE) == 401

    def test_of_a_key_without_a_scope_are_as_described(self, name: str, harbour: Tenant) -> None:
        walker, needed = Walker(harbour), operations()[name].said["x-required-scopes"]
        _, token = factories.api_key(harbour, *(scope for scope in Scope if scope not in needed))
        walker.headers = {"Authorization": f"Bearer {token}"}
        assert walker.refused(name, pk=NOWHERE) == 403

    def test_of_what_nobody_knows_in_an_address_are_as_described(self, name: str, harbour: Tenant) -> None:
        walker = Walker(harbour)
        answer = walker.ask(name, pk=NOWHERE, unheard=1)
        assert walker.status == 400
        if operations()[name].method != "head":  # Which says nothing but its status.
            assert fields_of(answer) == ["unheard"]

    def test_of_what_is_nowhere_or_nothing_are_as_described(self, name: str, harbour: Tenant) -> None:
        walker, one = Walker(harbour), operations()[name]
        if "{id}" in one.path or "requestBody" in one.said:
            body: Any = (
                [] if "application/json" in one.said.get("requestBody", {}).get("content", {}) else None
            )
            assert walker.refused(name, body, pk=NOWHERE) in {400, 404, 415}
