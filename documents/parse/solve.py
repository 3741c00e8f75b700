"""Decide which marks open units and how these nest, by the cheapest reading of the document as a whole.

Line by line, "(i)" after "(h)" is undecidable. So hypotheses are carried along: each is a stack of open
units and what it has cost to believe in it. Going on in a list is free, opening one costs a little, gaps
and odd starts cost more, and taking a mark for ordinary text costs what the mark looked like. A second
pass knows which style the document puts below which, and pays less for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import inf, log

from documents.parse.marks import CERTAIN, DECIMAL, HEADING, Mark
from documents.parse.numbers import Value
from documents.parse.open_units import (
    ANNEX_STYLES,
    Hypothesis,
    Node,
    Step,
    Trail,
    count_through,
    document,
    read_steps,
)
from documents.parse.place import OPEN_UNSEEN, Habits, place_heading, place_step, place_surely
from documents.parse.ranks import rank_kinds

BEAM = 8  # Hypotheses kept; more than two survive only where a document is truly ambiguous.
MARGIN = 4.0  # Those that cost this much more than the best are given up.
FIRST_MARGIN = 1.0  # The first pass only learns the document's habits.
LEARNED_FROM = 2000  # Marks; a document of that many has shown its habits.
WEAK_HEADING = 1.5
UNNUMBERED = 8.0  # A heading whose number leads nowhere is still a heading.
FEWEST_DECIMALS = 2


@dataclass(frozen=True, slots=True)
class Found:
    """A unit that the cheapest hypothesis believes in."""

    mark: int
    step: int
    style: str
    value: Value
    parent: int | None  # Index among the found, or None for the document itself.


@dataclass(frozen=True, slots=True)
class Solution:
    units: tuple[Found, ...]
    cost: float


def solve_marks(marks: Sequence[Mark]) -> Solution:
    """Return the units of the cheapest reading."""
    body = takewhile(lambda mark: mark.steps[0][0][0] not in ANNEX_STYLES, marks)
    habits = Habits(rank_kinds(marks), _has_decimals(marks), _has_decimals(body))
    first = _search(marks[:LEARNED_FROM], habits, margin=FIRST_MARGIN)
    best = _search(marks, replace(habits, learned=_learn(first.nodes())), margin=MARGIN)
    return Solution(_found(best.nodes()), best.cost)


def _has_decimals(marks: Iterable[Mark]) -> bool:
    return sum(_is_multi_level(mark) for mark in marks) >= FEWEST_DECIMALS


def _is_multi_level(mark: Mark) -> bool:
    return any(style == DECIMAL and len(value) > 1 for style, value in mark.steps[0])


def _learn(nodes: Sequence[Node]) -> Mapping[tuple[str, str], float]:
    """Return what it costs to open a list of one style below another, given how often that was done."""
    opened = Counter((node.parent.style, node.style) for node in nodes if node.parent is not None)
    below = Counter(style for style, _ in opened.elements())
    return {
        (parent, style): min(OPEN_UNSEEN, -log(count / below[parent]))
        for (parent, style), count in opened.items()
    }


def _found(nodes: Sequence[Node]) -> tuple[Found, ...]:
    shown = [node for node in nodes if not node.is_item]
    index_of = {id(node): index for index, node in enumerate(shown)}
    return tuple(
        Found(node.mark, node.step, node.style, node.value, _visible_parent(node, index_of)) for node in shown
    )


def _visible_parent(node: Node, index_of: Mapping[int, int]) -> int | None:
    parent = node.parent
    while parent is not None:
        if id(parent) in index_of:
            return index_of[id(parent)]
        parent = parent.parent
    return None


def _search(marks: Sequence[Mark], habits: Habits, *, margin: float) -> Hypothesis:
    """Carry hypotheses along all marks; return the cheapest."""
    beam = [Hypothesis(0.0, document())]
    for index, mark in enumerate(marks):
        if mark.steps[0][0][0] == HEADING:
            extended = _extend_by_heading(beam, mark, index, habits)
        else:
            extended = _extend_by_number(beam, mark, index, habits, margin)
        beam = _prune(extended, margin)
    return beam[0]


def _prune(hypotheses: Iterable[Hypothesis], margin: float) -> list[Hypothesis]:
    """Keep the cheapest, and of those that agree on what is open only one."""
    best: dict[int, Hypothesis] = {}
    for hypothesis in hypotheses:
        known = best.get(hypothesis.top.signature)
        if known is None or hypothesis.cost < known.cost:
            best[hypothesis.top.signature] = hypothesis
    ordered = sorted(best.values(), key=lambda hypothesis: hypothesis.cost)[:BEAM]
    return [hypothesis for hypothesis in ordered if hypothesis.cost <= ordered[0].cost + margin]


def _extend_by_heading(
    beam: Sequence[Hypothesis], mark: Mark, index: int, habits: Habits
) -> Iterator[Hypothesis]:
    is_certain = mark.doubt >= CERTAIN
    for hypothesis in beam:
        node = place_heading(mark, index, hypothesis.top, habits.ranks)
        cost = hypothesis.cost if is_certain else hypothesis.cost + WEAK_HEADING
        yield replace(hypothesis, cost=cost, top=node, trail=(hypothesis.trail, node))
        if not is_certain:
            yield hypothesis


def _extend_by_number(
    beam: Sequence[Hypothesis], mark: Mark, index: int, habits: Habits, margin: float
) -> Iterator[Hypothesis]:
    """Yield what a mark can mean to each hypothesis, as far as that can still win."""
    steps = read_steps(mark, index)
    limit = inf
    for hypothesis in beam:
        if len(steps) == 1 and (node := place_surely(steps[0], hypothesis.top)) is not None:
            limit = min(limit, hypothesis.cost + margin)
            through = count_through(node, index, hypothesis.through)
            yield Hypothesis(hypothesis.cost, node, (hypothesis.trail, node), through)
            continue
        if not mark.level and mark.doubt < CERTAIN:
            limit = min(limit, hypothesis.cost + mark.doubt + margin)
            yield Hypothesis(
                hypothesis.cost + mark.doubt, hypothesis.top, hypothesis.trail, hypothesis.through
            )
        for extended in _extend_by_chain(hypothesis, steps, habits, limit):
            limit = min(limit, extended.cost + margin)
            yield extended
        if mark.level and hypothesis.cost + UNNUMBERED <= limit:
            node = place_heading(mark, index, hypothesis.top, habits.ranks)
            yield Hypothesis(hypothesis.cost + UNNUMBERED, node, (hypothesis.trail, node), hypothesis.through)


@dataclass(frozen=True, slots=True)
class _Part:
    """A hypothesis in the middle of "(c)(1)(i)"."""

    cost: float
    top: Node
    floor: Node | None  # The number just placed, below which the next one stands.
    trail: Trail


def _extend_by_chain(
    hypothesis: Hypothesis, chain: Sequence[Sequence[Step]], habits: Habits, limit: float
) -> Iterator[Hypothesis]:
    """Place the numbers of a mark one by one; what is open already is not opened again."""
    parts = [_Part(hypothesis.cost, hypothesis.top, None, hypothesis.trail)]
    for readings in chain:
        longer = [
            _go_on(part, cost, node, step)
            for part in parts
            for step in readings
            for cost, node in place_step(
                step, part.top, part.floor, habits, through=hypothesis.through, limit=limit - part.cost
            )
        ]
        parts = sorted(longer, key=lambda part: part.cost)[:BEAM]
    index = chain[0][0].index
    for part in parts:
        through = count_through(part.top, index, hypothesis.through)
        yield Hypothesis(part.cost, part.top, part.trail, through)


def _go_on(part: _Part, cost: float, node: Node, step: Step) -> _Part:
    is_new = node.mark == step.index and node.step == step.number
    if is_new:
        return _Part(part.cost + cost, node, node, (part.trail, node))
    return _Part(part.cost + cost, part.top, node, part.trail)
