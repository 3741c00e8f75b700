"""Every command that acts for a tenant, asked for what another one has: told nothing, and nothing changed."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from documents.models import Collection, Document
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.database import everything_of
from tests.searching import ACT, add, make_collection

OURS = {"tenants", "documents", "definitions", "search"}
HIDDEN = "six knots"
# What each command is asked with: {id} and {name} are of a document of another tenant, {collection} is its.
ASKED = {
    "apply": ["{yaml}"],
    "change_embedder": [],
    "context": ["how fast in the inner harbour?", "--collection", "{collection}"],
    "create_api_key": ["A key"],
    "define": ["vessel", "--document", "{id}"],
    "evaluate": ["{set}", "--collection", "{collection}"],
    "export": ["{zip}", "--collection", "{collection}"],
    "golden": ["--collection", "{collection}"],
    "import": ["{zip}"],
    "ingest": ["{yaml}", "--collection", "{collection}", "--document", "{id}"],
    "outline": ["{id}"],
    "prune_versions": [],
    "rebuild_index": [],
    "recontextualize": ["--collection", "{collection}"],
    "references": ["Section 2", "--document", "{name}"],
    "refresh_findings": ["--document", "{id}"],
    "search": ["six knots in the inner harbour"],
    "usage": [],
    "verify_citation": ["{citation}"],
}
ELSEWHERE = {"mcp"}  # It serves; tests/test_mcp_tools.py asks each of its tools.


def takes_tenant(name: str, app: str) -> bool:
    parser = load_command_class(app, name).create_parser("manage.py", name)
    return any("--tenant" in action.option_strings for action in parser._actions)


COMMANDS = sorted(
    name
    for name, app in get_commands().items()
    if str(app).split(".")[0] in OURS and takes_tenant(name, str(app))
)


def test_every_command_of_a_tenant_is_asked() -> None:
    assert set(COMMANDS) == ASKED.keys() | ELSEWHERE


@pytest.fixture
def document(harbour: Tenant) -> Document:
    place = make_collection(harbour, "acts")
    add(place, "act.md", ACT)
    with tenant_scope(harbour.pk):
        return Document.objects.select_related("collection").get()


@pytest.fixture
def files(document: Document, tmp_path: Path) -> dict[str, str]:
    """What commands read: a citation of the other tenant's words, and files that hold nothing of it."""
    with tenant_scope(document.tenant_id):
        version = document.versions.get()
    citation = {"version_id": str(version.pk), "span": [0, 4], "content_hash": "0" * 64}
    (tmp_path / "citation.json").write_text(json.dumps(citation))
    (tmp_path / "mine.yaml").write_text("name: mine\ndescription: Ours.\n")
    (tmp_path / "golden.yaml").write_text("queries: []\n")
    return {
        "id": str(document.pk),
        "name": document.name,
        "collection": document.collection.name,
        "citation": str(tmp_path / "citation.json"),
        "yaml": str(tmp_path / "mine.yaml"),
        "set": str(tmp_path / "golden.yaml"),
        "zip": str(tmp_path / "a.zip"),
    }


@pytest.mark.parametrize("name", sorted(ASKED))
def test_commands_neither_tell_nor_change_what_another_tenant_has(
    name: str, harbour: Tenant, meridian: Tenant, files: dict[str, str]
) -> None:
    before = everything_of(harbour)
    said = StringIO()
    try:
        arguments = [part.format(**files) for part in ASKED[name]]
        call_command(name, *arguments, "--tenant", meridian.slug, stdout=said, stderr=said)
    except CommandError as error:
        said.write(str(error))
    assert HIDDEN not in said.getvalue()
    assert files["id"] not in said.getvalue().replace(files["id"], "", 1)  # An error may say it back once.
    assert everything_of(harbour) == before


def test_what_is_asked_would_be_told_to_its_own_tenant(harbour: Tenant, files: dict[str, str]) -> None:
    said = StringIO()
    call_command("context", ASKED["context"][0], "--tenant", harbour.slug, stdout=said)
    assert HIDDEN in said.getvalue()


def test_collections_of_another_are_not_there(meridian: Tenant, files: dict[str, str]) -> None:
    with tenant_scope(meridian.pk):
        assert not Collection.objects.exists()
