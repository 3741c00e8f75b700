"""Units of real regulations, cited from each version and verified against the next, if they are at hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from documents.models import Version
from documents.parse import Outline, parse_outline
from search.citations import GivenCitation, Status, verify_citation
from search.citations.edition import Edition
from search.citations.locate import Cited, locate_words
from search.citations.volume import hash_of
from search.evaluation.measures import read_records
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.processes import DATA
from tests.searching import add, make_collection

FOLDER = DATA / "versions"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="The documents are not here.")
SHARE = 0.1  # Of the units that stand; those that do not are all taken.

Record = dict[str, Any]


def editions() -> dict[str, list[tuple[Edition, list[Record]]]]:
    """Return the texts of each document in their order, with the units that the truth knows."""
    truth: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in read_records(FOLDER / "sections.jsonl"):
        truth[record["doc"], record["version"]].append(record)
    found: dict[str, list[tuple[Edition, list[Record]]]] = defaultdict(list)
    for record in read_records(FOLDER / "versions.jsonl"):
        text = (FOLDER / record["file"]).read_text()
        outline: Outline = parse_outline(text, is_markdown=True)
        edition = Edition(text, outline.units)
        found[record["doc"]].append((edition, truth[record["doc"], record["version"]]))
    return found


def expected(record: Record, following: list[Record]) -> str:
    by_cite = {one["cite"]: one["sha"] for one in following}
    if record["cite"] in by_cite:
        return "stands" if by_cite[record["cite"]] == record["sha"] else "changed"
    return "moved" if record["sha"] in by_cite.values() else "removed"


def cited_units(old: Edition, records: list[Record]) -> Iterator[tuple[Record, Cited]]:
    """Yield the units that both the truth and our outline know, by their whole text."""
    by_start = {(unit.start, old.text[unit.start : unit.end].strip()): n for n, unit in enumerate(old.units)}
    for record in records:
        start, end = record["md"]
        unit = by_start.get((start, old.text[start:end].strip()))
        if unit:
            yield record, Cited(old, old.span(unit), unit)


def confusion() -> Counter[tuple[str, str]]:
    """Count what is answered by what is true."""
    table: Counter[tuple[str, str]] = Counter()
    for versions in editions().values():
        chance = Random(1)
        for (old, records), (new, following) in pairwise(versions):
            for record, cited in cited_units(old, records):
                truth = expected(record, following)
                if truth != "stands" or chance.random() < SHARE:
                    table[truth, str(locate_words(cited, new).status)] += 1
    return table


def test_what_became_of_each_unit_in_the_next_version() -> None:
    """What the truth calls removed, and was put elsewhere with a few other words, is called changed here."""
    table = confusion()
    answers = ("stands", "changed", "moved", "removed")
    print("\n" + "".join(f"{name:>10}" for name in ("", *answers)))
    for truth in answers:
        print(f"{truth:>10}" + "".join(f"{table[truth, answer]:>10}" for answer in answers))
    totals = {truth: sum(table[truth, answer] for answer in answers) for truth in answers}
    assert table["stands", "stands"] >= totals["stands"] - 3  # Labels that the outline gives otherwise.
    assert table["changed", "changed"] >= 0.95 * totals["changed"]
    assert table["moved", "moved"] == totals["moved"] > 0
    assert table["removed", "removed"] + table["removed", "changed"] == totals["removed"] > 0
    assert table["changed", "stands"] <= 1  # A heading that ends earlier in the outline than in the truth.
    assert table["removed", "stands"] == table["moved", "stands"] == 0


def test_a_unit_is_verified_against_the_version_that_is_read(harbour: Tenant) -> None:
    """The same answers come from the database, whole: for what changed in one real amendment."""
    (old, records), (new, following) = editions()["12cfr1013"][4:6]
    collection = make_collection(harbour, max_chunk_tokens=800)
    first, second = (add(collection, "1013.md", edition.text) for edition in (old, new))
    with tenant_scope(harbour.pk):
        assert list(Version.objects.order_by("number").values_list("pk", flat=True)) == [first.pk, second.pk]
    changed = [
        (record, cited)
        for record, cited in cited_units(old, records)
        if expected(record, following) == "changed"
    ]
    assert len(changed) == 4
    for _, cited in changed:
        given = GivenCitation(
            version_id=first.pk,
            span=cited.span,
            content_hash=hash_of(old.text[slice(*cited.span)]),
            section_label=cited.label,
        )
        verified = verify_citation(given, tenant=harbour)
        assert verified.status == Status.CHANGED
        assert verified.now is not None
        assert (verified.now.section_label, verified.now.version) == (cited.label, 2)
        assert [change.version for change in verified.since] == [2]
