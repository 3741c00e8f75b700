"""What is read as of a day, measured on documents of which every version is known."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command

from documents import services
from documents.models import Version
from documents.read_context import HEAD
from search.answer import Answer
from search.evaluation.as_of import WAYS, find_leaks, in_force, random_searches
from search.evaluation.ask import Asker
from search.evaluation.histories import Histories, KnownVersion, hash_words, read_histories
from search.evaluation.measures import read_records
from search.evaluation.scratch import find_collection
from tenants.scope import tenant_scope
from tenants.services import find_tenant
from tests.factories import ACTOR

FEES = "# Port Fees\n\n## § 1. Fees\n\n(a) A berth costs {} crowns a day.\n\n(b) Water is free.\n"
WASTE = "# Waste Rules\n\n## § 1. Waste\n\nWaste goes ashore, as § 2 says.\n\n## § 2. Oil\n\nOil {}.\n"
VERSIONS = [
    ("fees", "1", "2010-01-01", FEES.format("four")),
    ("fees", "2", "2012-01-01", FEES.format("five")),
    ("fees", "3", "2012-01-01", FEES.format("six")),  # Supersedes the second on its own day.
    ("fees", "4", "2015-01-01", FEES.format("seven")),
    ("waste", "1", "2011-01-01", WASTE.format("is burnt")),
    ("waste", "2", "2015-01-01", WASTE.format("is kept aboard")),
]
UNITS = {"fees": {"§ 1(a)": ("(a)", "(b)"), "§ 1(b)": ("(b)", "")}, "waste": {"§ 2": ("## § 2", "")}}


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def units_of(doc: str, version: str, day: str, text: str) -> list[dict[str, Any]]:
    found = []
    for cite, (first, behind) in UNITS[doc].items():
        start = text.index(first)
        end = text.index(behind, start) if behind else len(text)
        sha = hash_words(text[start:end])
        unit = {"doc": doc, "version": version, "effective": day, "cite": cite, "sha": sha}
        found.append({**unit, "md": [start, end]})
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Amended"
    records = []
    for doc, version, day, text in VERSIONS:
        path = folder / doc / f"{version}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        file = path.relative_to(folder).as_posix()
        records.append({"doc": doc, "version": version, "effective": day, "file": file})
    write(folder / "versions.jsonl", records)
    write(folder / "sections.jsonl", [unit for version in VERSIONS for unit in units_of(*version)])
    return folder


def score(folder: Path, *options: str) -> dict[str, tuple[float, int]]:
    out = io.StringIO()
    call_command("score", str(folder), "--json", *options, stdout=out, stderr=io.StringIO())
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    return {line["measure"]: (round(line["value"], 4), line["n"]) for line in lines}


def kept_versions() -> dict[UUID, tuple[str, int, date | None]]:
    tenant = find_tenant("score-amended")
    with tenant_scope(tenant.pk):
        rows = Version.objects.values_list("pk", "document__name", "number", "effective_from")
        return {pk: (name, number, day) for pk, name, number, day in rows}


@pytest.mark.django_db
def test_each_unit_is_read_as_of_its_day_and_nothing_else_is_found(folder: Path) -> None:
    figures = score(folder, "--limit", "40")
    assert figures == {
        "as_of_text": (1.0, 8),  # Of ten, two were superseded on their own day.
        "as_of_leak_free": (1.0, 40),
        "as_of_unit": (1.0, 8),
        "reused_share": (0.0, 6),  # Each version is one chunk.
    }
    assert sorted(kept_versions().values()) == sorted(
        (f"{doc}.md", int(version), date.fromisoformat(day)) for doc, version, day, _ in VERSIONS
    )


@pytest.mark.django_db
def test_versions_are_kept_until_they_change_or_that_is_asked_for(folder: Path) -> None:
    score(folder, "--limit", "1")
    first = kept_versions()
    score(folder, "--limit", "1")
    assert kept_versions() == first
    score(folder, "--limit", "1", "--fresh")
    second = kept_versions()
    assert set(second).isdisjoint(first)
    assert sorted(second.values()) == sorted(first.values())
    truth = (folder / "versions.jsonl").read_text().splitlines()
    (folder / "versions.jsonl").write_text("\n".join(truth[:4]))
    (folder / "sections.jsonl").unlink()
    assert score(folder, "--limit", "8")["as_of_text"] == (0.0, 0)
    assert {name for name, *_ in kept_versions().values()} == {"fees.md"}


@pytest.mark.django_db
def test_a_text_that_is_not_read_as_of_its_day_is_counted(folder: Path) -> None:
    score(folder, "--limit", "1")
    tenant = find_tenant("score-amended")
    with tenant_scope(tenant.pk):
        last = Version.objects.get(document__name="fees.md", number=4)
    services.withdraw_version(version=last, actor=ACTOR)
    figures = score(folder, "--limit", "40")
    assert figures["as_of_text"] == (0.75, 8)  # On that day it says what it said in 2012.
    assert figures["as_of_leak_free"][0] < 1


@pytest.mark.django_db
def test_the_head_is_a_leak_on_an_earlier_day(folder: Path) -> None:
    score(folder, "--limit", "1")
    collection = find_collection(find_tenant("score-amended"), "versions")
    assert collection is not None
    histories = read_histories(folder, list(read_records(folder / "versions.jsonl")))
    day = date(2013, 5, 5)
    for way in WAYS:
        right = Asker(collection).ask("berth", way, in_force(day))
        wrong = Asker(collection).ask("berth", way, HEAD)
        assert list(find_leaks(right, histories, day)) == []
        leaks = list(find_leaks(wrong, histories, day))
        assert leaks[0].startswith("3 does not say “# Port Fees")
    early = list(find_leaks(right, histories, date(2009, 12, 31)))
    assert early[0].startswith("fees.md said nothing yet")


@pytest.mark.django_db
def test_what_stands_around_a_result_can_leak_too(folder: Path) -> None:
    score(folder, "--limit", "1")
    collection = find_collection(find_tenant("score-amended"), "versions")
    assert collection is not None
    histories = read_histories(folder, list(read_records(folder / "versions.jsonl")))
    day = date(2016, 1, 1)
    answer = Asker(collection).ask("waste ashore", WAYS[1], in_force(day))
    (hit,) = [hit for hit in answer.hits if hit.references]
    moved = replace(hit, references=(replace(hit.references[0], span=(0, 3)),))
    assert list(find_leaks(Answer(hits=(hit,)), histories, day)) == []
    assert len(list(find_leaks(Answer(hits=(moved,)), histories, day))) == 1
    later = Histories([*histories.versions, known("tides", "1", date(2020, 1, 1))])
    led = replace(hit, references=(replace(hit.references[0], target_document_name="tides.md"),))
    assert list(find_leaks(Answer(hits=(led,)), later, day)) == [
        f"tides.md said nothing yet, and “{hit.references[0].text}” leads there"
    ]


def known(doc: str, name: str, day: date) -> KnownVersion:
    return KnownVersion(doc, name, day, Path(f"{uuid4()}.md"), "Words.")


def test_of_one_days_versions_the_last_is_in_force() -> None:
    first, second = known("act", "1", date(2012, 1, 1)), known("act", "2", date(2012, 1, 1))
    late = known("act", "3", date(2011, 1, 1))  # Recorded last, and applies from before.
    histories = Histories([first, second, late])
    days = (date(2010, 12, 31), date(2011, 1, 1), date(2011, 12, 31), date(2012, 1, 1), date(2020, 1, 1))
    assert [histories.in_force("act.md", day) for day in days] == [None, late, late, second, second]
    assert [histories.is_ever_in_force(one) for one in (first, second, late)] == [False, True, True]


def test_random_searches_are_the_same_each_time_and_ask_every_leg() -> None:
    histories = Histories([known("act", "1", date(2012, 1, 1))])
    first, second = (list(random_searches(histories, [], 8)) for _ in range(2))
    assert first == second
    assert [way.mode for _, way, _ in first] == ["semantic", "keyword", "exact", "hybrid"] * 2
    assert min(day for *_, day in first) >= date(2011, 11, 2)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "record", "named"),
    [
        ("versions.jsonl", {"doc": "fees", "version": "5", "effective": "soon", "file": "fees/1.md"}, "soon"),
        (
            "versions.jsonl",
            {"doc": "fees", "version": "5", "effective": "2016-01-01", "file": "x.md"},
            "x.md",
        ),
        ("versions.jsonl", {"doc": "fees"}, "file"),
        ("sections.jsonl", {"doc": "fees", "version": "9"}, "no version of"),
    ],
)
def test_truth_that_cannot_be_read_is_named(
    folder: Path, name: str, record: dict[str, Any], named: str
) -> None:
    with (folder / name).open("a") as file:
        file.write(json.dumps(record))
    with pytest.raises(CommandError, match=named):
        score(folder)
