"""`manage.py score`: any folder of the layout, by the rules of the measurement."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from documents.models import Document, Section, Version
from search.evaluation.sections import FoundUnit, measure_sections
from tenants.errors import UnknownTenant
from tenants.scope import tenant_scope
from tenants.services import find_tenant

ACT = "Article 1 Scope\n\n(a) Ships.\n\n(b) Berths.\n\nArticle 2 Fees\n\nFees are due.\n"
TRUTH = [
    {"id": "1", "parent": "act", "numbered": True, "start": 0},
    {"id": "1a", "parent": "1", "numbered": True, "start": 17},
    {"id": "1b", "parent": "1", "numbered": True, "start": 29},
    {"id": "2", "parent": "act", "numbered": True, "start": 42},
    {"id": "2p", "parent": "2", "numbered": False, "start": 58},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a set of one act, in both forms."""
    folder = tmp_path / "Small Set"
    for form, text in (("txt", ACT), ("md", ACT.replace("Article", "## Article"))):
        (folder / f"corpus_{form}").mkdir(parents=True)
        (folder / f"corpus_{form}" / f"act.{form}").write_text(text)
    write(
        folder / "sections.jsonl",
        [{"doc": "act", "id": "act", "parent": None, "md": [0, 1], "txt": [0, 1]}, *units()],
    )
    return folder


def units() -> list[dict[str, Any]]:
    shifts = [0, 3, 3, 3, 6]  # Each "## " before it.
    return [
        {"doc": "act", "txt": [unit["start"], 0], "md": [int(str(unit["start"])) + shift, 0], **unit}
        for unit, shift in zip(TRUTH, shifts, strict=True)
    ]


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def score(folder: Path, *options: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    call_command("score", str(folder), "--json", *options, stdout=out, stderr=io.StringIO())
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.django_db
def test_a_perfect_outline_has_full_marks_in_both_forms(folder: Path) -> None:
    assert score(folder) == [
        {"measure": measure, "value": 1.0, "n": 4, "form": form}
        for form in ("md", "txt")
        for measure in ("section_precision", "section_recall", "section_f1", "parent_accuracy")
    ]


@pytest.mark.django_db
def test_one_form_can_be_asked_for(folder: Path) -> None:
    assert {line["form"] for line in score(folder, "--form", "txt")} == {"txt"}


@pytest.mark.django_db
def test_the_scratch_tenant_is_kept_and_made_anew_when_asked(folder: Path) -> None:
    score(folder)
    tenant = find_tenant("score-small-set")

    def versions() -> set[Any]:
        with tenant_scope(tenant.pk):
            return set(Version.objects.for_tenant(tenant).values_list("pk", flat=True))

    first = versions()
    score(folder)
    assert versions() == first
    score(folder, "--fresh")
    assert len(versions()) == 2
    assert versions().isdisjoint(first)


@pytest.mark.django_db
def test_a_document_that_left_the_folder_leaves_the_tenant(folder: Path) -> None:
    (folder / "corpus_txt" / "other.txt").write_text("Article 1 Other\n\nWords.\n")
    score(folder)
    (folder / "corpus_txt" / "other.txt").unlink()
    score(folder)
    tenant = find_tenant("score-small-set")
    with tenant_scope(tenant.pk):
        assert sorted(Document.objects.for_tenant(tenant).values_list("name", flat=True)) == [
            "act.md",
            "act.txt",
        ]
        assert Section.objects.filter(tenant=tenant).count() == 10


@pytest.mark.django_db
def test_odd_files_are_held_against_their_manifest(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("Words.")
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 8)
    expected = {"good.txt": "text", "empty.md": "no_crash", "noise.bin": "reject", "gone.pdf": "text"}
    write(tmp_path / "manifest.jsonl", [{"file": file, "expect": what} for file, what in expected.items()])
    assert score(tmp_path) == [{"measure": "as_expected", "value": 0.75, "n": 4}]


@pytest.mark.django_db
def test_a_folder_without_truth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no truth"):
        score(tmp_path)
    with pytest.raises(UnknownTenant):
        find_tenant(f"score-{tmp_path.name}".replace("_", "-")[:50])


@pytest.mark.django_db
def test_a_broken_line_is_named(folder: Path) -> None:
    with (folder / "sections.jsonl").open("a") as file:
        file.write("{oh\n")
    with pytest.raises(CommandError, match=r"sections\.jsonl, line 7: not a JSON object"):
        score(folder)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no folder"):
        score(tmp_path / "nowhere")


def test_a_unit_without_a_parent_stands_below_the_document() -> None:
    truth = [{"doc": "act", "id": "1", "parent": None, "numbered": True, "txt": [9, 20]}]
    for is_outermost, accuracy in ((True, 1.0), (False, 0.0)):
        found = [FoundUnit("act", 9, 0, is_outermost)]
        assert measure_sections(found, truth, "txt")[-1].value == accuracy


def test_measures_count_places_once_and_take_any_right_parent() -> None:
    truth = units()
    found = [
        FoundUnit("act", 0, None),
        FoundUnit("act", 0, 0),  # A second unit at the same place.
        FoundUnit("act", 17, 0),
        FoundUnit("act", 29, 17),  # With a wrong parent.
        FoundUnit("act", 99, 0),  # Where there is none.
    ]
    measures = {one.measure: (one.value, one.n) for one in measure_sections(found, truth, "txt")}
    assert measures == {
        "section_precision": (3 / 4, 4),
        "section_recall": (3 / 4, 4),
        "section_f1": (3 / 4, 4),
        "parent_accuracy": (2 / 3, 3),
    }
