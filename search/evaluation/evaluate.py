"""Measure whatever a folder has the truth of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from documents.models import Collection
from search.evaluation.as_of import measure_leaks, measure_reuse, measure_text, measure_units
from search.evaluation.ask import Asker
from search.evaluation.citing import find_citations, measure_citing
from search.evaluation.definitions import find_definitions, measure_definitions
from search.evaluation.fill_units import fill_units
from search.evaluation.fill_versions import fill_versions
from search.evaluation.histories import read_histories, read_known_units
from search.evaluation.manifest import measure_manifest, surprises
from search.evaluation.measures import BadTruth, Measure, Record, read_records
from search.evaluation.ranking import read_judgements
from search.evaluation.references import find_references, measure_references
from search.evaluation.scratch import fill_collection, newest_versions, scratch_tenant
from search.evaluation.searches import (
    name_units,
    score_definition_questions,
    score_lookups,
    score_rankings,
    score_refusals,
    score_spans,
)
from search.evaluation.sections import find_units, measure_sections
from search.evaluation.term_uses import find_term_uses, measure_term_uses
from search.evaluation.units import READERS, given_files, read_given
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


def score_lookup_answers(truth: Truth, asker: Asker, form: str) -> Iterable[Measure]:
    return score_lookups(asker, truth.read("lookup_queries.jsonl"), truth.read("lookup_qrels.jsonl"), form)


def score_lookup_refusals(truth: Truth, asker: Asker, form: str) -> Iterable[Measure]:
    return score_refusals(asker, truth.read("lookup_negative.jsonl"), form)


def score_definition_answers(truth: Truth, asker: Asker, form: str) -> Iterable[Measure]:
    questions, answers = truth.read("def_queries.jsonl"), truth.read("def_qrels.jsonl")
    return score_definition_questions(asker, questions, answers, form)


# What is measured on the documents of each form, by the files of which one must be there.
SCORES: tuple[tuple[tuple[str, ...], Callable[[Truth, Collection, str], Iterable[Measure]]], ...] = (
    (("sections.jsonl",), score_sections),
    (("definitions.jsonl",), score_definitions),
    (("refs.jsonl", "refs_partial.jsonl"), score_references),
    (("term_uses.jsonl",), score_term_uses),
    (("citing_qrels.jsonl",), score_citing),
)
# What is asked of the documents of each form.
ASKED: tuple[tuple[str, Callable[[Truth, Asker, str], Iterable[Measure]]], ...] = (
    ("lookup_qrels.jsonl", score_lookup_answers),
    ("lookup_negative.jsonl", score_lookup_refusals),
    ("def_qrels.jsonl", score_definition_answers),
)
WHOLE = ("qrels.tsv", "qrels.jsonl", "manifest.jsonl", "versions.jsonl")  # Truth about documents of one form.


def has_truth(folder: Path) -> bool:
    names = [name for names, _ in SCORES for name in names] + [name for name, _ in ASKED]
    return any(map(Truth(folder).has, [*names, *WHOLE]))


def evaluate_set(
    folder: Path,
    *,
    forms: tuple[str, ...] = FORMS,
    is_fresh: bool = False,
    limit: int | None = None,
    tell: Callable[[str], None] = print,
) -> Iterator[Measure]:
    """Read the documents of a set into its scratch tenant and yield what can be measured on them."""
    tenant, truth = scratch_tenant(folder), Truth(folder)
    for form in forms:
        if (folder / f"corpus_{form}").is_dir():
            yield from evaluate_form(folder, form, tenant, is_fresh=is_fresh, limit=limit, tell=tell)
    if truth.has("qrels.tsv"):
        yield from evaluate_units(folder, tenant, is_fresh=is_fresh, limit=limit, tell=tell)
    if truth.has("qrels.jsonl"):
        yield from evaluate_spans(folder, tenant, is_fresh=is_fresh, limit=limit, tell=tell)
    if truth.has("versions.jsonl"):
        yield from evaluate_versions(folder, tenant, is_fresh=is_fresh, limit=limit, tell=tell)
    if truth.has("manifest.jsonl"):
        yield from evaluate_manifest(folder, tenant, is_fresh=is_fresh, tell=tell)


def evaluate_form(
    folder: Path,
    form: str,
    tenant: Tenant,
    *,
    is_fresh: bool,
    limit: int | None = None,
    tell: Callable[[str], None] = print,
) -> Iterator[Measure]:
    collection = fill_collection(tenant, form, files_below(folder / f"corpus_{form}"), is_fresh=is_fresh)
    truth, asker = Truth(folder), Asker(collection, limit)
    for names, score in SCORES:
        if any(map(truth.has, names)):
            yield from score(truth, collection, form)
    for name, ask in ASKED:
        if truth.has(name):
            yield from ask(truth, asker, form)
    asker.complain(tell)


def evaluate_units(
    folder: Path, tenant: Tenant, *, is_fresh: bool, limit: int | None, tell: Callable[[str], None]
) -> Iterator[Measure]:
    if not given_files(folder):
        raise BadTruth(f"{folder}: qrels.tsv needs {', '.join(READERS)}, one of which gives the units.")
    collection = fill_units(tenant, folder, is_fresh=is_fresh, tell=tell)
    asker, units = Asker(collection, limit), name_units(collection, read_given(folder))
    questions = Truth(folder).read("queries.jsonl")
    yield from score_rankings(asker, questions, read_judgements(folder / "qrels.tsv"), units)
    asker.complain(tell)


def evaluate_spans(
    folder: Path, tenant: Tenant, *, is_fresh: bool, limit: int | None, tell: Callable[[str], None]
) -> Iterator[Measure]:
    collection = fill_collection(tenant, "corpus", files_below(folder / "corpus"), is_fresh=is_fresh)
    truth, asker = Truth(folder), Asker(collection, limit)
    yield from score_spans(asker, truth.read("queries.jsonl"), truth.read("qrels.jsonl"))
    asker.complain(tell)


def evaluate_versions(
    folder: Path, tenant: Tenant, *, is_fresh: bool, limit: int | None, tell: Callable[[str], None]
) -> Iterator[Measure]:
    truth = Truth(folder)
    histories = read_histories(folder, truth.read("versions.jsonl"))
    units = list(read_known_units(histories, truth.read("sections.jsonl")))
    collection = fill_versions(tenant, histories, is_fresh=is_fresh)
    asker = Asker(collection, limit)
    yield from measure_text(collection, histories, units)
    yield from measure_leaks(asker, histories, units, tell=tell)
    yield from measure_units(asker, histories, units)
    yield from measure_reuse(collection)
    asker.complain(tell)


def files_below(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by their paths in it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path for path in paths}


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
