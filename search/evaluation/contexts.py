"""Measure contexts for language models: how much of the answers is in them, within a budget."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from documents.models import Collection
from documents.tokens import count_tokens
from search.answer import Hit
from search.ask import ask
from search.context.assemble import results_for
from search.context.gather import gather_pieces, whereabouts_of
from search.context.order import order_pieces
from search.context.pack import pack_pieces
from search.context.pieces import Block, Piece, Role
from search.context.render import HEAD, render_block
from search.evaluation.evaluate import Truth, files_below
from search.evaluation.measures import BadTruth, Measure, Record
from search.evaluation.scratch import fill_collection, scratch_tenant, stem
from search.evaluation.spans import FoundSpan, merge_spans
from tenants.scope import tenant_scope

BUDGETS = (1_000, 2_000, 4_000)
FORM = "md"


@dataclass(frozen=True, slots=True)
class Inquest:
    """Questions of a set, where their answers are, and how documents are named there."""

    collection: Collection
    questions: Sequence[Record]
    answers: Mapping[str, Sequence[FoundSpan]]
    is_stem: bool

    def document(self, name: str) -> str:
        return stem(name) if self.is_stem else name


@dataclass(slots=True)
class Tally:
    """What came of all questions at one budget."""

    recalls: list[float] = field(default_factory=list)
    naive: list[float] = field(default_factory=list)
    tokens: Counter[Role] = field(default_factory=Counter)


def measure_contexts(folder: Path, *, limit: int | None = None) -> Iterator[Measure]:
    """Yield the share of the answers that is in contexts, beside that in results until one is too long."""
    inquest = open_set(folder)
    tallies = {budget: Tally() for budget in BUDGETS}
    for question in inquest.questions[:limit]:
        for budget, tally in tallies.items():
            add_question(inquest, question, budget, tally)
    for budget, tally in tallies.items():
        yield from describe_tally(tally, budget)


def open_set(folder: Path) -> Inquest:
    truth, tenant = Truth(folder), scratch_tenant(folder)
    answers: dict[str, list[FoundSpan]] = defaultdict(list)
    if truth.has("qrels.jsonl"):
        collection = fill_collection(tenant, "corpus", files_below(folder / "corpus"), is_fresh=False)
        for record in truth.read("qrels.jsonl"):
            answers[record["qid"]].append(FoundSpan(record["doc"], *record["span"]))
        return Inquest(collection, truth.read("queries.jsonl"), answers, is_stem=False)
    if not truth.has("def_qrels.jsonl"):
        raise BadTruth(f"{folder} has neither qrels.jsonl nor def_qrels.jsonl.")
    collection = fill_collection(tenant, FORM, files_below(folder / f"corpus_{FORM}"), is_fresh=False)
    for record in truth.read("def_qrels.jsonl"):
        answers[record["qid"]].append(FoundSpan(record["doc"], *record[FORM]))
    return Inquest(collection, truth.read("def_queries.jsonl"), answers, is_stem=True)


def add_question(inquest: Inquest, question: Record, budget: int, tally: Tally) -> None:
    tenant, answers = inquest.collection.tenant, inquest.answers[question["qid"]]
    with tenant_scope(tenant.pk):
        answer = ask(
            tenant=tenant,
            query=question["query"],
            collections=[inquest.collection.name],
            top_k=results_for(budget),
        )
        pieces = gather_pieces(answer.hits, query=question["query"])
    blocks = pack_pieces(order_pieces(pieces), budget=budget)
    found = [FoundSpan(inquest.document(one.where.document), one.start, one.end) for one in blocks]
    tally.recalls.append(recall(answers, found))
    tally.naive.append(recall(answers, take_whole(inquest, answer.hits, budget)))
    for mark, block in enumerate(blocks, 1):
        tally.tokens[block.role] += count_tokens(render_block(block, mark))


def take_whole(inquest: Inquest, hits: Sequence[Hit], budget: int) -> list[FoundSpan]:
    """Take results as they are, one after the other, until one is too long."""
    room = budget - count_tokens(HEAD)
    found = []
    for hit in hits:
        room -= count_tokens(render_block(plain_block(hit), hit.rank))
        if room < 0:
            break
        found.append(FoundSpan(inquest.document(hit.document_name), *hit.span))
    return found


def plain_block(hit: Hit) -> Block:
    piece = Piece(Role.PASSAGE, whereabouts_of(hit), hit.span[0], hit.content)
    return Block((piece,), piece.start, piece.text)


def recall(answers: Sequence[FoundSpan], found: Sequence[FoundSpan]) -> float:
    true, ours = merge_spans(answers), merge_spans(found)
    shared = sum(one.shared_with(other) for one in ours for other in true)
    return shared / max(1, sum(one.end - one.start for one in true))


def describe_tally(tally: Tally, budget: int) -> Iterator[Measure]:
    count = len(tally.recalls)
    yield Measure(f"context_recall_at_{budget}", sum(tally.recalls) / max(1, count), count)
    yield Measure(f"naive_recall_at_{budget}", sum(tally.naive) / max(1, count), count)
    for role in Role:
        share = tally.tokens[role] / max(1, sum(tally.tokens.values()))
        yield Measure(f"context_share_of_{role}_at_{budget}", share, count)
