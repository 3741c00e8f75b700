"""From a folder and a YAML file to a search, without code."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from documents.configuration import KEYS, read_configuration, write_configuration
from documents.models import Collection, Version
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests import factories
from tests.conftest import client_of
from tests.database import everything_of
from tests.processes import ROOT
from tests.searching import found
from tests.settings import SEARCH_BACKENDS

ACT = "# Harbour Act\n\n## Section 1. Ports\n\n(a) A port must be kept clear.\n\n(b) A quay too.\n"
YAML = "name: acts\ndescription: Acts of the port.\nsource: texts\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "act.md").write_text(ACT)
    return tmp_path


def apply(folder: Path, text: str | bytes, *options: str, tenant: str = "harbour") -> str:
    path = folder / "collection.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = StringIO()
    call_command("apply", str(path), "--tenant", tenant, *options, stdout=said, stderr=said)
    return said.getvalue()


def refused(folder: Path, text: str | bytes, *options: str, tenant: str = "harbour") -> str:
    with pytest.raises(CommandError) as failed:
        apply(folder, text, *options, tenant=tenant)
    return str(failed.value).replace(f"{folder}/", "")


def collection_of(tenant: Tenant, name: str = "acts") -> Collection:
    with tenant_scope(tenant.pk):
        return Collection.objects.get(name=name)


def test_a_folder_can_be_searched(harbour: Tenant, folder: Path) -> None:
    lines = apply(folder, YAML + "max_chunk_tokens: 100\n").splitlines()
    assert lines[:4] == [
        "acts: a new collection",
        "  description: none → 'Acts of the port.'",
        "  max_chunk_tokens: 800 → 100",
        f"  reads {folder}/texts",
    ]
    assert lines[4].startswith("[1/1] act.md: added, version 1, 4 sections")
    assert found(harbour, "Section 1(b)")[0] == "Section 1(b)"


def test_applying_again_changes_nothing(harbour: Tenant, folder: Path) -> None:
    apply(folder, YAML)
    before = everything_of(harbour)
    lines = apply(folder, YAML).splitlines()
    assert lines[0] == "acts: unchanged"
    assert lines[2].startswith("[1/1] act.md: unchanged, version 1")
    assert everything_of(harbour) == before


def test_what_changes_is_said_and_done(harbour: Tenant, folder: Path) -> None:
    apply(folder, YAML + "top_k: 20\n")
    said = apply(folder, YAML + "language: german\n").splitlines()
    assert said[:5] == [
        "acts: changed",
        "  top_k: 20 → 10 (the default: the file does not say)",
        "  language: 'english' → 'german'",
        "  Holds top_k: from the next search on.",
        "  Holds language: for versions to come; `manage.py rebuild_index` takes it to those that are ready.",
    ]
    changed = collection_of(harbour)
    assert (changed.top_k, changed.language) == (10, "german")
    with tenant_scope(harbour.pk):
        event = AuditEvent.objects.get(action="collection.changed")
    assert (event.actor, event.detail["fields"]) == ("manage.py apply", "language, top_k")


def test_a_dry_run_changes_nothing(harbour: Tenant, folder: Path) -> None:
    before = everything_of(harbour)
    said = apply(folder, YAML, "--dry-run").splitlines()
    assert said[0] == "acts: a new collection"
    assert said[-1] == "Nothing was changed: this was a dry run."
    assert everything_of(harbour) == before


def test_a_file_makes_several_collections_or_none(harbour: Tenant, folder: Path) -> None:
    two = f"{YAML}---\nname: laws\ndescription: Laws.\n"
    before = everything_of(harbour)
    assert refused(folder, two + "top_k: 0\n") == (
        "There is a mistake, and nothing was changed.\n"
        "collection.yaml:7:8: `top_k`: 0 is out of bounds. It is a whole number from 1 to 100."
    )
    assert everything_of(harbour) == before
    apply(folder, two)
    with tenant_scope(harbour.pk):
        assert list(Collection.objects.values_list("name", flat=True)) == ["acts", "laws"]
        assert Version.objects.head().get().document.collection.name == "acts"


def test_all_mistakes_are_said_at_once(harbour: Tenant, folder: Path) -> None:
    text = (
        "name: acts\ndescription: x\nsource: nowhere\nlanguage: klingon\nembedding_model: huge\n"
        "context_model: {provider: anthropic, name: claude, temperature: 0}\nkeyword_index: opensearch\n"
        "enable_reranking: true\nreranker_model: overlap\nembedding_dimensions: 3\n"
    )
    before = everything_of(harbour)
    lines = refused(folder, text).splitlines()
    assert lines[0] == "There are 7 mistakes, and nothing was changed."
    assert lines[1] == (
        "collection.yaml:3:9: `source`: there is no file and no folder nowhere. Paths begin at this file."
    )
    assert lines[2].startswith("collection.yaml:4:11: `language`: PostgreSQL knows no “klingon” here. Choose")
    cure = "Leave it out, or have it declared (docs/settings.md)."
    embedder = f"no such embedder is declared here, but hashed-64 (64 dimensions). {cure}"
    assert lines[3:] == [
        f"collection.yaml:5:18: `embedding_model`: {embedder}",
        f"collection.yaml:6:16: `context_model`: no contextualizer here is told a temperature. {cure}",
        f"collection.yaml:7:16: `keyword_index`: “opensearch” is not declared here, but postgres. {cure}",
        f"collection.yaml:9:17: `reranker_model`: no reranker is declared here. {cure}",
        f"collection.yaml:10:23: `embedding_dimensions`: {embedder}",
    ]
    assert everything_of(harbour) == before


OVERLAP = {"BACKEND": "search.backends.rerankers.overlap.OverlapReranker"}


@override_settings(SEARCH_BACKENDS={**SEARCH_BACKENDS, "reranker": OVERLAP})
def test_what_is_declared_is_accepted(harbour: Tenant, folder: Path) -> None:
    apply(
        folder,
        "name: acts\ndescription: x\nembedding_model: hashed-64\nembedding_dimensions: 64\n"
        "context_model: {provider: structural}\nkeyword_index: {provider: postgres}\n"
        "enable_reranking: true\nreranker_model: overlap\n",
    )
    made = collection_of(harbour)
    assert (made.enable_reranking, made.reranker_model) == (True, "overlap")
    assert "“huge” is not declared here, but overlap." in refused(
        folder, "name: acts\ndescription: x\nenable_reranking: true\nreranker_model: huge"
    )


def test_weights_are_warned_of(harbour: Tenant, folder: Path) -> None:
    said = apply(folder, "name: acts\ndescription: x\nsemantic_weight: 0.9\n")
    assert "collection.yaml:3:18: The weights sum to 1.4, not to 1: 0.9 + 0.3 + 0.2." in said
    assert collection_of(harbour).semantic_weight == 0.9


class TestSource:
    @pytest.fixture
    def inner(self, folder: Path) -> Path:
        (folder / "inner").mkdir()
        return folder / "inner"

    @pytest.mark.parametrize("source", ["../texts", "../texts/act.md", "link"])
    def test_leads_out_of_the_folder_only_if_that_is_allowed(
        self, harbour: Tenant, inner: Path, source: str
    ) -> None:
        (inner / "link").symlink_to(inner.parent / "texts")
        text = YAML.replace("texts", source)
        before = everything_of(harbour)
        assert refused(inner, text).endswith(
            "`source`: it leads out of the folder of this file. If that is meant, add --anywhere."
        )
        assert everything_of(harbour) == before
        assert "1 of 1 files read" in apply(inner, text, "--anywhere")

    @pytest.mark.parametrize(
        ("source", "reason"),
        [
            ("empty", "there are no files in it."),
            ("missing", "there is no file"),
            ('"a\\tb"', "there is no file"),
        ],
    )
    def test_has_to_be_there(self, harbour: Tenant, folder: Path, source: str, reason: str) -> None:
        (folder / "empty").mkdir()
        assert reason in refused(folder, YAML.replace("texts", source))

    def test_can_be_a_file_and_may_fail_alone(self, harbour: Tenant, folder: Path) -> None:
        (folder / "texts" / "bad.md").write_text("")
        assert refused(folder, YAML) == "1 of the files could not be read."
        with tenant_scope(harbour.pk):
            assert Version.objects.head().get().file_name == "act.md"
        assert "act.md: unchanged" in apply(folder, YAML.replace("texts", "texts/act.md"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"name: caf\xe9\n", "collection.yaml:1:10: This is no UTF-8. Save the file as UTF-8."),
        ("name: acts\n".encode("utf-16"), "collection.yaml:1:1: This is no UTF-8."),
        (b"x" * 400_001, "the file has more than 100,000 characters. Split it."),
        (b"", "There is nothing here."),
    ],
)
def test_what_is_no_configuration_is_refused(
    harbour: Tenant, folder: Path, content: bytes, reason: str
) -> None:
    before = everything_of(harbour)
    assert reason in refused(folder, content)
    assert everything_of(harbour) == before


def test_what_to_name_is_said(harbour: Tenant, folder: Path) -> None:
    with pytest.raises(CommandError, match=r"Name a file, and a tenant with --tenant\."):
        call_command("apply")
    with pytest.raises(CommandError, match="No tenant 'nobody'"):
        apply(folder, YAML, tenant="nobody")
    with pytest.raises(CommandError, match=r"cannot be opened: No such file"):
        call_command("apply", str(folder / "none.yaml"), "--tenant", "harbour")


def test_another_tenant_is_not_touched(harbour: Tenant, meridian: Tenant, folder: Path) -> None:
    apply(folder, YAML + "top_k: 20", tenant="meridian")
    before = everything_of(meridian)
    assert apply(folder, YAML).startswith("acts: a new collection")
    assert collection_of(harbour).top_k == 10
    assert everything_of(meridian) == before


def test_every_collection_is_written_as_the_file_that_makes_it(harbour: Tenant) -> None:
    collection = factories.collection(harbour)
    with tenant_scope(harbour.pk):
        Collection.objects.update(min_score=0.25, search_mode="exact", description="Two\nlines: yes")
        collection.refresh_from_db()
    settings: Any = collection.configuration
    (again,) = read_configuration(write_configuration(settings)).configurations
    assert again.settings == settings


def test_the_administration_warns_of_weights_too(harbour: Tenant, operator: Any) -> None:
    collection = factories.collection(harbour, "acts")
    url = f"/admin/documents/collection/{collection.pk}/change/"
    client = client_of(operator)
    form = client.get(url).context["adminform"].form
    data = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    response = client.post(url, {**data, "semantic_weight": "0.9"}, follow=True)
    assert "The weights sum to 1.4, not to 1: 0.9 + 0.3 + 0.2." in response.content.decode()
    assert collection_of(harbour).semantic_weight == 0.9


class TestGuide:
    """What docs/configuration.md shows is what happens."""

    GUIDE = (ROOT / "docs" / "configuration.md").read_text()

    def test_its_examples_can_be_applied(self, harbour: Tenant, folder: Path) -> None:
        examples = re.findall(r"```yaml\n(.*?)```", self.GUIDE, re.DOTALL)
        assert len(examples) == 2
        (folder / "acts").mkdir()
        (folder / "acts" / "act.md").write_text(ACT)
        for example in examples:
            assert apply(folder, example)
            assert "unchanged" in apply(folder, example)

    def test_its_table_has_every_key_with_its_default(self) -> None:
        rows = re.findall(r"^\| `([a-z_]+)` \| (.*?) \| (.*?) \|", self.GUIDE, re.MULTILINE)
        assert [name for name, *_ in rows] == [key.name for key in KEYS]
        for key, (_, default, limits) in zip(KEYS, rows, strict=True):
            value = str(key.default).lower() if isinstance(key.default, bool) else key.default
            assert default == ("required" if key.is_required else "none" if key.is_optional else f"`{value}`")
            if key.least is not None:
                assert limits.startswith(f"{key.least:,} to {key.most:,}")
            for choice in key.choices:
                assert f"`{choice}`" in limits
