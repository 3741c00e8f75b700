"""Questions about a collection, with what their answers are held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from documents.models import Collection
from search.answer import Answer
from search.evaluation.evaluate import Truth, files_below
from search.evaluation.fill_units import fill_units
from search.evaluation.golden import FILE, read_golden
from search.evaluation.judge import Figures, Judge, figures_of_ranking
from search.evaluation.measures import BadTruth, Record
from search.evaluation.ranking import read_judgements
from search.evaluation.scratch import fill_collection, scratch_tenant
from search.evaluation.searches import name_units
from search.evaluation.units import given_files, read_given

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Suite:
    """What is asked, of which collection, and how answers become figures."""

    name: str
    collection: Collection
    questions: Sequence[Record]
    figures: Callable[[Mapping[str, Answer]], Figures]
    without_context: Callable[[], Suite] | None = None  # The same of an index without contexts.


def suite_of(
    path: Path,
    *,
    is_contextual: bool = True,
    is_fresh: bool = False,
    chunk_tokens: int | None = None,
    tell: Tell = print,
) -> Suite:
    """Return what a folder asks, with its documents read into a scratch tenant."""
    without_context = partial(suite_of, path, is_contextual=False, chunk_tokens=chunk_tokens, tell=tell)
    plain = without_context if is_contextual else None
    if given_files(path) and (path / "qrels.tsv").is_file():
        return _suite_of_units(path, plain, is_contextual=is_contextual, is_fresh=is_fresh, tell=tell)
    if not (path / FILE).is_file():
        raise BadTruth(f"{path} has neither qrels.tsv with given units nor {FILE}: see docs/measuring.md.")
    options = {"contextual_embeddings": is_contextual}
    limit = {} if chunk_tokens is None else {"max_chunk_tokens": chunk_tokens}
    files = {name: file for name, file in files_below(path).items() if name != FILE}
    tenant = scratch_tenant(path, is_contextual=is_contextual)
    collection = fill_collection(tenant, "golden", files, is_fresh=is_fresh, **options, **limit)
    return golden_suite(path / FILE, collection, tell=tell, without_context=plain)


def _suite_of_units(
    path: Path, plain: Callable[[], Suite] | None, *, is_contextual: bool, is_fresh: bool, tell: Tell
) -> Suite:
    tenant = scratch_tenant(path, is_contextual=is_contextual)
    collection = fill_units(tenant, path, is_fresh=is_fresh, is_contextual=is_contextual, tell=tell)
    units, truth = name_units(collection, read_given(path)), read_judgements(path / "qrels.tsv")
    questions = [one for one in Truth(path).read("queries.jsonl") if str(one["qid"]) in truth]

    def figures(answers: Mapping[str, Answer]) -> Figures:
        return figures_of_ranking(
            [(truth[question], units.ranked(answer.hits)) for question, answer in answers.items()]
        )

    return Suite(path.resolve().name, collection, questions, figures, plain)


def golden_suite(
    path: Path,
    collection: Collection,
    *,
    tell: Tell = print,
    without_context: Callable[[], Suite] | None = None,
) -> Suite:
    """Return the golden queries of a file about a collection that is there."""
    judge = Judge(collection, read_golden(path))
    for complaint in judge.lost():
        tell(complaint)
    questions = [{"qid": query.id, "query": query.query} for query in judge.queries]
    name = path.resolve().parent.name if path.name == FILE else path.stem
    return Suite(name, collection, questions, judge.figures, without_context)
