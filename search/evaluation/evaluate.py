"""Measure whatever a folder has the truth of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from documents.models import Collection
from search.evaluation.citing import find_citations, measure_citing
from search.evaluation.definitions import find_definitions, measure_definitions
from search.evaluation.manifest import measure_manifest, surprises
from search.evaluation.measures import Measure, Record, read_records
from search.evaluation.references import find_references, measure_references
from search.evaluation.scratch import fill_collection, newest_versions, scratch_tenant
from search.evaluation.sections import find_units, measure_sections
from search.evaluation.term_uses import find_term_uses, measure_term_uses
from tenants.models import Tenant

FORMS = ("md", "txt")


@dataclass(frozen=True, slots=True)
class Truth:
    """The files of a folder that say what is true."""

    folder: Path

    def has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def read(self, name: str) -> list[Record]:
        """Return the records of a file, or none if the folder does not have it."""
        return list(read_records(self.folder / name)) if self.has(name) else []


def score_sections(truth: Truth, collection: Collection, form: str) -> Iterable[Measure]:
    return measure_sections(find_units(collection), truth.read("sections.jsonl"), form)


def score_definitions(truth: Truth, collection: Collection, form: str) -> Iterable[Measure]:
    return measure_definitions(
        find_definitions(collection),
        truth.read("definitions.jsonl"),
        truth.read("definitions_unmarked.jsonl"),
        form,
    )


def score_references(truth: Truth, collection: Collection, form: str) -> Iterable[Measure]:
    return measure_references(
        find_references(collection),
        truth.read("refs.jsonl"),
        form,
        units=truth.read("sections.jsonl"),
        documents=truth.read("docs.jsonl"),
        partial=truth.read("refs_partial.jsonl"),
    )


def score_term_uses(truth: Truth, collection: Collection, form: str) -> Iterable[Measure]:
    return measure_term_uses(find_term_uses(collection), truth.read("term_uses.jsonl"), form)


def score_citing(truth: Truth, collection: Collection, form: str) -> Iterable[Measure]:
    questions, units = truth.read("citing_queries.jsonl"), truth.read("sections.jsonl")
    found = find_citations(collection, questions, units, form)
    return measure_citing(found, truth.read("citing_qrels.jsonl"), form)


# What is measured on the documents of each form, by the files of which one must be there.
SCORES: tuple[tuple[tuple[str, ...], Callable[[Truth, Collection, str], Iterable[Measure]]], ...] = (
    (("sections.jsonl",), score_sections),
    (("definitions.jsonl",), score_definitions),
    (("refs.jsonl", "refs_partial.jsonl"), score_references),
    (("term_uses.jsonl",), score_term_uses),
    (("citing_qrels.jsonl",), score_citing),
)


def has_truth(folder: Path) -> bool:
    names = [name for names, _ in SCORES for name in names]
    return any(map(Truth(folder).has, [*names, "manifest.jsonl"]))


def evaluate_set(
    folder: Path,
    *,
    forms: tuple[str, ...] = FORMS,
    is_fresh: bool = False,
    tell: Callable[[str], None] = print,
) -> Iterator[Measure]:
    """Read the documents of a set into its scratch tenant and yield what can be measured on them."""
    tenant = scratch_tenant(folder)
    for form in forms:
        if (folder / f"corpus_{form}").is_dir():
            yield from evaluate_form(folder, form, tenant, is_fresh=is_fresh)
    if (folder / "manifest.jsonl").is_file():
        yield from evaluate_manifest(folder, tenant, is_fresh=is_fresh, tell=tell)


def evaluate_form(folder: Path, form: str, tenant: Tenant, *, is_fresh: bool) -> Iterator[Measure]:
    files = {path.name: path for path in sorted((folder / f"corpus_{form}").iterdir()) if path.is_file()}
    collection = fill_collection(tenant, form, files, is_fresh=is_fresh)
    truth = Truth(folder)
    for names, score in SCORES:
        if any(map(truth.has, names)):
            yield from score(truth, collection, form)


def evaluate_manifest(
    folder: Path, tenant: Tenant, *, is_fresh: bool, tell: Callable[[str], None]
) -> Iterator[Measure]:
    truth = Truth(folder).read("manifest.jsonl")
    files = {
        record["file"]: folder / record["file"] for record in truth if (folder / record["file"]).is_file()
    }
    versions = dict(newest_versions(fill_collection(tenant, "files", files, is_fresh=is_fresh)))
    for surprise in surprises(versions, truth):
        tell(surprise)
    yield from measure_manifest(versions, truth)
