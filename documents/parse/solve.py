"""Decide which marks open units and how these nest, by the cheapest reading of the document as a whole.

Line by line, "(i)" after "(h)" is undecidable. So hypotheses are carried along: each is a stack of open
units and what it has cost to believe in it. Going on in a list is free, opening one costs a little, gaps
and odd starts cost more, and taking a mark for ordinary text costs what the mark looked like. A second
pass knows which style the document puts below which, and pays less for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log

from documents.parse.marks import ANCHOR, CERTAIN, DECIMAL, HEADING, HYPHENED, Mark, Reading
from documents.parse.numbers import Value
from documents.parse.ranks import Ranks, rank_kinds
from documents.parse.words import ANNEXES

BEAM = 8  # Hypotheses kept; more than two survive only where a document is truly ambiguous.
FIRST_MARGIN = 1.5  # The first pass only learns the document's habits.
MARGIN = 5.0  # Those that cost this much more than the best are given up.

OPEN = 1.0
ODD_START = 2.5
GAP = 1.0
BACK = 1.2  # A new list below a unit that has had text since: rare, drafters number on.
POP = 0.4
SAME_STYLE = 2.0
SECOND_LIST = 5.0  # Two lists of one style below one unit could not be told apart in a citation.
REPEAT = 3.5
RESTART = 3.0
HEADING_BELOW_TEXT = 2.5
WRONG_LEVEL = 3.0
OTHER_LOOK = 0.8
ITEM = 0.3
BARE = 1.0  # A number without any mark may be just a number.
THROUGH = 0.2  # Going on with the sections of the division before.
INSERTED = 0.1  # 3.1 after 3 may also stand below it.
SECOND_LIST_AFTER_TEXT = 1.0
BELOW_TEXT = 0.5  # A list below a unit follows it directly; after more text it may belong further up.
WEAK_HEADING = 1.5
CROSSING = 1.0  # Going on past a heading without a number.

PASSED_OVER = frozenset({"1.", "1"})
ANNEX_STYLES = frozenset(f"@{kind}" for kind in ANNEXES)


class Node:
    """An open unit in a hypothesis. Nodes are shared between hypotheses and never change."""

    __slots__ = ("depth", "is_annex", "is_item", "level", "looks_like_title", "mark", "parent", "signature",
                 "step", "style", "styles", "up", "value")  # fmt: skip

    def __init__(
        self, up: Node | None, parent: Node | None, style: str, value: Value, mark: int, step: int, level: int,
        *, looks_like_title: bool = True, is_item: bool = False,
    ) -> None:  # fmt: skip
        self.up = up
        self.parent = parent
        self.style = style
        self.value = value
        self.mark = mark
        self.step = step
        self.level = level
        self.looks_like_title = looks_like_title
        self.is_item = is_item
        self.is_annex = style in ANNEX_STYLES
        self.depth: int = up.depth + 1 if up else 0
        self.styles: frozenset[str] = (parent.styles | {style}) if parent else frozenset()
        self.signature: int = hash((up.signature if up else 0, style, value))


Trail = tuple[object, Node] | None


@dataclass(slots=True)
class Hypothesis:
    cost: float
    top: Node
    last: Trail  # The units found so far, newest first.
    through: float = 0.0  # The last number of sections that are numbered through all divisions.


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
    passed_over: float  # What the marks that open no unit would have been worth.


def solve_marks(marks: Sequence[Mark]) -> Solution:
    """Return the units of the cheapest reading."""
    ranks = rank_kinds(marks)
    has_decimals = sum(_is_multi_level(mark) for mark in marks) >= 2  # noqa: PLR2004
    first = _search(marks, Solver(ranks, has_decimals, {}), margin=FIRST_MARGIN)
    solver = Solver(ranks, has_decimals, _learn(_nodes(first)))
    return _solution(marks, _search(marks, solver, margin=MARGIN))


def _is_multi_level(mark: Mark) -> bool:
    return any(style == DECIMAL and len(value) > 1 for style, value in mark.steps[0])


def _search(marks: Sequence[Mark], solver: Solver, *, margin: float) -> Hypothesis:
    beam = [Hypothesis(0.0, Node(None, None, "", (), -1, 0, 0), None)]
    for index, mark in enumerate(marks):
        solver.margin, solver.limit = margin, inf
        beam = _prune((solver.extend(hypothesis, index, mark) for hypothesis in beam), margin)
    return beam[0]


def _prune(extensions: Iterable[Iterable[Hypothesis]], margin: float) -> list[Hypothesis]:
    best: dict[int, Hypothesis] = {}
    for extended in extensions:
        for hypothesis in extended:
            signature = hypothesis.top.signature
            known = best.get(signature)
            if known is None or hypothesis.cost < known.cost:
                best[signature] = hypothesis
    ordered = sorted(best.values(), key=lambda hypothesis: hypothesis.cost)[:BEAM]
    return [one for one in ordered if one.cost <= ordered[0].cost + margin]


def _nodes(hypothesis: Hypothesis) -> list[Node]:
    nodes: list[Node] = []
    link: object = hypothesis.last
    while isinstance(link, tuple):
        link, node = link
        nodes.append(node)
    nodes.reverse()
    return nodes


def _learn(nodes: Sequence[Node]) -> dict[tuple[str, str], float]:
    """Return what it costs to open a list of one style below another, given how often that was done."""
    opened = Counter((node.parent.style, node.style) for node in nodes if node.parent is not None)
    below = Counter(style for style, _ in opened.elements())
    return {
        (parent, style): min(2.0, -log(count / below[parent])) for (parent, style), count in opened.items()
    }


def _solution(marks: Sequence[Mark], best: Hypothesis) -> Solution:
    nodes = [node for node in _nodes(best) if not node.is_item]
    index_of = {id(node): index for index, node in enumerate(nodes)}
    units = tuple(
        Found(node.mark, node.step, node.style, node.value, _visible_parent(node, index_of)) for node in nodes
    )
    taken = {node.mark for node in _nodes(best)}
    passed = sum(mark.doubt for index, mark in enumerate(marks) if index not in taken)
    return Solution(units, best.cost, passed)


def _visible_parent(node: Node, index_of: dict[int, int]) -> int | None:
    parent = node.parent
    while parent is not None and parent.up is not None:
        if id(parent) in index_of:
            return index_of[id(parent)]
        parent = parent.parent
    return None


Extension = tuple[float, Node]

def _go_on(top: Node, node: Node, last: Trail, *, is_new: bool) -> tuple[Node, Node, Trail]:
    """Return the open units, the one that the next step stands below, and the units found."""
    return (node, node, (last, node)) if is_new else (top, node, last)



class Solver:
    """Extends hypotheses by one mark, with what is known about the document."""

    def __init__(
        self, ranks: Ranks, has_decimals: bool, learned: dict[tuple[str, str], float]
    ) -> None:
        self.ranks = ranks
        self.has_decimals = has_decimals
        self.learned = learned
        self.has_bare = any(style == "1" for _, style in learned)
        self.margin = MARGIN
        self.through = 0.0
        self.limit = inf  # What an extension may cost, given the cheapest so far.

    def extend(self, hypothesis: Hypothesis, index: int, mark: Mark) -> Iterator[Hypothesis]:
        self.through = hypothesis.through
        if mark.steps[0][0][0] == HEADING:
            opened = self._open_heading(hypothesis, index, mark)
            if mark.doubt >= CERTAIN:
                yield opened
            else:
                yield from (hypothesis, replace(opened, cost=opened.cost + WEAK_HEADING))
            return
        if mark.doubt < CERTAIN:
            self.limit = min(self.limit, hypothesis.cost + mark.doubt + self.margin)
            yield replace(hypothesis, cost=hypothesis.cost + mark.doubt)
        for extended in self._extend_chain(hypothesis, index, mark):
            self.limit = min(self.limit, extended.cost + self.margin)
            yield extended

    def _extend_chain(self, hypothesis: Hypothesis, index: int, mark: Mark) -> Iterator[Hypothesis]:
        """Place "(c)(1)(i)" step by step; what is open already, as "(c)" may be, is not opened again."""
        found: list[tuple[float, Node, Node | None, Trail]] = [
            (hypothesis.cost, hypothesis.top, None, hypothesis.last)
        ]
        final = len(mark.steps) - 1
        for step, readings in enumerate(mark.steps):
            extended = [
                (cost + extra, *_go_on(top, node, last, is_new=node.mark == index and node.step == step))
                for cost, top, floor, last in found
                for extra, node in self._extend_step(
                    top, floor, index, mark, step, readings, self.limit - cost, is_final=step == final
                )
            ]
            found = sorted(extended, key=lambda one: one[0])[:BEAM]
        for cost, top, _, last in found:
            yield Hypothesis(cost, top, last, _count_through(top, index, hypothesis.through))

    def _extend_step(
        self, top: Node, floor: Node | None, index: int, mark: Mark, step: int, readings: tuple[Reading, ...],
        limit: float, *, is_final: bool,
    ) -> Iterator[Extension]:  # fmt: skip
        for style, value in readings:
            if style[0] == "@":
                yield self._place_keyword(top, index, mark, style, value)
            elif style == DECIMAL:
                if self.has_decimals:
                    yield from self._place_decimal(top, index, mark, step, style, value)
            elif style in {f"A{DECIMAL}", HYPHENED}:
                yield from self._place_decimal(top, index, mark, step, style, value)
            elif style == ANCHOR:
                yield from ((0.0, named) for named in _named_by(top, value))
            elif floor is not None:
                yield from self._place_link(top, floor, index, mark, step, (style, value), is_final=is_final)
            else:
                yield from self._place_enumerator(
                    top, index, mark, step, (style, value), limit, is_final=is_final
                )

    def _place_link(
        self, top: Node, floor: Node, index: int, mark: Mark, step: int, reading: Reading, *, is_final: bool
    ) -> Iterator[Extension]:
        """Place a later step of a chain: it goes on directly below the step before it."""
        style, value = reading
        make = _maker(index, mark, step, style, value)
        above = top
        while above.depth > floor.depth + 1 and above.up is not None:
            above = above.up
        if above.depth == floor.depth + 1 and above.style == style:
            if (cost := _sibling_cost(above.value, value)) is not None:
                yield cost, make(floor, above.is_item)
                return
            if value == above.value:
                yield (0.0, above) if not is_final else (REPEAT, make(floor, above.is_item))
                return
        yield self._open_cost(floor, mark, reading, 0), make(floor, self._is_item(floor, style))

    # Headings without a number

    def _open_heading(self, hypothesis: Hypothesis, index: int, mark: Mark) -> Hypothesis:
        top = hypothesis.top
        if mark.level:
            up = top
            while up.up is not None and not (0 < up.level < mark.level or _holds(up, self.ranks) and not up.level):
                up = up.up
            node = Node(up, up, HEADING, (), index, 0, mark.level)
        else:
            node = self._open_plain_heading(top, index)
        return Hypothesis(hypothesis.cost, node, (hypothesis.last, node), hypothesis.through)

    def _open_plain_heading(self, top: Node, index: int) -> Node:
        """Open a heading that only looks like one: the lists before it may still go on behind it."""
        if top.style == HEADING and top.level == 0 and top.up is not None:
            top = top.up
        parent = top
        while parent.up is not None and not (parent.looks_like_title or parent.level) or (
            parent.style == HEADING and parent.level == 0 and parent.up is not None
        ):
            parent = parent.up or parent
        return Node(top, parent, HEADING, (), index, 0, 0)

    # Parts, chapters, sections, articles, annexes

    def _place_keyword(self, top: Node, index: int, mark: Mark, style: str, value: Value) -> Extension:
        place = self._place_annex if style in ANNEX_STYLES else self._place_division
        cost, up = place(top, mark, style, value)
        return cost, Node(up, up, style, value, index, 0, mark.level, looks_like_title=True)

    def _place_annex(self, top: Node, mark: Mark, style: str, value: Value) -> Extension:
        node = top
        inside: Node | None = None
        while node.up is not None:
            if node.is_annex:
                if node.style == style and value > node.value:
                    return (0.0 if _follows(node.value, value) else 0.3), node.up
                inside = inside or node
            if 0 < node.level < mark.level:
                return 0.5, node
            node = node.up
        if inside is not None and inside.style != style and not mark.level and self.ranks.is_repeated(style, value):
            return 0.5, inside
        return 0.5, node

    def _place_division(self, top: Node, mark: Mark, style: str, value: Value) -> Extension:
        node = top
        cost = 0.5
        while node.up is not None:
            if node.style == style:
                if value > node.value:
                    return (0.0 if _follows(node.value, value) else 0.3), node.up
                if value == node.value and mark.level and 0 < node.level < mark.level:
                    return cost, node
                cost = RESTART
            elif mark.level and node.level:
                if node.level < mark.level:
                    return cost, node
            elif node.is_annex or self._contains(node, mark, style, value):
                return cost, node
            node = node.up
        return cost, node

    def _contains(self, node: Node, mark: Mark, style: str, value: Value) -> bool:
        """Tell whether a division stands below an open unit: by its kind, its number, or a heading."""
        if node.style[:1] == "@":
            return self.ranks.above(node.style, style)
        if node.style in {DECIMAL, "1.", "1"} and len(value) > len(node.value):
            return value[: len(node.value)] == node.value
        return node.style == HEADING and node.level > 0 and not mark.level

    # 1, 1.1, 1.1.1 and A.1, A-1

    def _place_decimal(
        self, top: Node, index: int, mark: Mark, step: int, style: str, value: Value
    ) -> Iterator[Extension]:
        node = top
        again = 0.0
        while node.up is not None:
            relation = _relate(node, style, value)
            if relation is not None:
                cost, is_child = relation
                up = node if is_child else node.up
                yield self._decimal_node(cost, up, index, mark, step, style, value, node)
                return
            if node.is_annex:
                break
            again = SECOND_LIST if node.style == style else again
            if (
                node.style[:1] == "@" and len(value) == 1 and not node.is_annex
                and not (mark.level and 0 < node.level < mark.level)
                and any(style == DECIMAL for style in node.styles)
            ):
                break
            node = node.up
        start = 0.0 if all(part == 1 for part in value[style != DECIMAL :]) else ODD_START
        if len(value) == 1 and 0 < value[0] - self.through <= 1:
            start = min(start, THROUGH)
        yield self._decimal_node(OPEN + start + again, self._holder(top, mark, style), index, mark, step, style, value, None)

    def _decimal_node(
        self, cost: float, up: Node, index: int, mark: Mark, step: int, style: str, value: Value,
        sibling: Node | None,
    ) -> Extension:  # fmt: skip
        if sibling is not None and sibling.style == style and len(sibling.value) == len(value):
            cost += self._other_look(sibling, mark)
        if up.up is not None and mark.level and 0 < up.level >= mark.level and up.style != DECIMAL:
            cost += WRONG_LEVEL
        node = Node(up, up, style, value, index, step, mark.level, looks_like_title=mark.is_heading)
        return cost, node

    def _holder(self, top: Node, mark: Mark, style: str) -> Node:
        """Return the nearest heading or division that a first number can stand below."""
        node = top
        while node.up is not None:
            if node.style[:1] == "@" or (node.style == HEADING and (0 < node.level < (mark.level or 9))):
                return node
            if style != DECIMAL and node.looks_like_title:
                return node
            node = node.up
        return node

    def _other_look(self, sibling: Node, mark: Mark) -> float:
        if bool(sibling.level) != bool(mark.level):
            return OTHER_LOOK + 1.0
        return 0.0 if sibling.looks_like_title == mark.is_heading else OTHER_LOOK

    # (a), (1), (i), 1., a), …

    def _place_enumerator(
        self, top: Node, index: int, mark: Mark, step: int, reading: Reading, limit: float, *, is_final: bool
    ) -> Iterator[Extension]:
        style, value = reading
        make = _maker(index, mark, step, style, value)
        for cost, up, is_new, is_item in self._places(top, mark, reading, is_final=is_final):
            if cost <= limit:
                yield cost, make(up, is_item) if is_new else up

    def _places(
        self, top: Node, mark: Mark, reading: Reading, *, is_final: bool
    ) -> Iterator[tuple[float, Node, bool, bool]]:
        """Yield where a number can stand: its cost, the unit above, whether it is new, whether an item."""
        style, value = reading
        node = top
        popped = 0
        crossing = 0.0
        below: Node | None = None
        while node.up is not None:
            if node.style == style:
                if (cost := _sibling_cost(node.value, value)) is not None:
                    cost += INSERTED if style == "1" and value[0] % 1 else 0.0
                    yield cost + crossing + self._level_cost(node.up, mark, node), node.up, True, node.is_item
                elif value == node.value:
                    yield (REPEAT, node.up, True, node.is_item) if is_final else (0.0, node, False, False)
            elif node.style == HEADING:
                crossing += CROSSING
            again = 0.0
            if below is not None and below.style == style:
                again = SECOND_LIST_AFTER_TEXT - BACK - POP * popped if mark.follows_text else SECOND_LIST
            yield again + self._open_cost(node, mark, reading, popped), node, True, self._is_item(node, style)
            if node.is_annex or (node.style[:1] == "@" and style != "1"):
                return
            popped += 1
            below = node
            node = node.up
        yield self._open_cost(node, mark, reading, popped), node, True, self._is_item(node, style)

    def _is_item(self, node: Node, style: str) -> bool:
        """Below 5.1, a plain "1." is an item of a list and no unit: nobody cites it so."""
        return style == "1." and (node.is_item or (self.has_decimals and DECIMAL in node.styles))

    def _open_cost(self, node: Node, mark: Mark, reading: Reading, popped: int) -> float:
        style, value = reading
        cost = self.learned.get((node.style, style), 2.0) if self.learned else OPEN
        if style == "1":
            is_next = 0 < value[0] - self.through <= 1
            cost = THROUGH if is_next and self.through else cost + (0.0 if self.has_bare else BARE)
        if value[0] != 1 and not (style == "1" and cost == THROUGH):
            cost += ODD_START + min(3.0, 0.5 * log(value[0] + 1))
        if style in node.styles:
            cost += SAME_STYLE
        if style == "1" and value[0] % 1:
            cost += SECOND_LIST  # 12A goes on from 12 and opens nothing.
        if popped:
            cost += BACK + POP * popped
        elif mark.follows_text and node.up is not None and not node.looks_like_title:
            cost += BELOW_TEXT
        return cost + self._level_cost(node, mark, None)

    def _level_cost(self, parent: Node, mark: Mark, sibling: Node | None) -> float:
        cost = 0.0
        if mark.level:
            if parent.up is not None and not parent.level and parent.style[:1] != "@":
                cost += HEADING_BELOW_TEXT
            elif parent.level >= mark.level > 0 and parent.up is not None:
                cost += WRONG_LEVEL
        if sibling is not None and bool(sibling.level) != bool(mark.level):
            cost += OTHER_LOOK + 1.0
        return cost


def _count_through(top: Node, index: int, before: float) -> float:
    """Return the last number of a section; an annex counts anew."""
    node: Node | None = top
    while node is not None and node.mark == index:
        if node.is_annex:
            return 0.0
        if node.style == "1" or (node.style == DECIMAL and len(node.value) == 1):
            return node.value[0]
        node = node.up
    return before


def _maker(index: int, mark: Mark, step: int, style: str, value: Value) -> Callable[[Node, bool], Node]:
    def make(up: Node, is_item: bool) -> Node:
        return Node(
            up, up, style, value, index, step, mark.level, looks_like_title=mark.is_heading, is_item=is_item
        )

    return make


def _holds(node: Node, ranks: Ranks) -> bool:
    return node.style[:1] == "@" and ranks.is_division(node.style)


def _follows(before: Value, after: Value) -> bool:
    return before[:-1] == after[:-1] and 0 < after[-1] - before[-1] <= 1


def _sibling_cost(before: Value, after: Value) -> float | None:
    """Return what it costs to go on from one number to another, or None if it goes back."""
    difference = after[0] - before[0]
    if difference <= 0:
        return None
    return 0.0 if difference <= 1 else GAP + 0.4 * log(difference)


def _named_by(top: Node, value: Value) -> Iterator[Node]:
    """Yield the open units that the "2" of "2(b)" can name, such as Section 1013.2."""
    node: Node | None = top
    while node is not None and node.up is not None:
        is_section = node.style[:1] == "@" or node.style in {DECIMAL, "1", "1."}
        if is_section and node.value[-1:] == value:
            yield node
        node = node.up


def _relate(node: Node, style: str, value: Value) -> tuple[float, bool] | None:
    """Return the cost of a decimal number next to (False) or below (True) an open unit, if they are related."""
    known = node.value
    if node.style == style:
        if len(known) == len(value) and known[:-1] == value[:-1]:
            if value[-1] > known[-1]:
                return (0.0 if value[-1] - known[-1] <= 1 else GAP), False
            return (REPEAT, False) if value == known else None
        if len(known) < len(value) and value[: len(known)] == known:
            missing = len(value) - len(known) - 1
            return missing * 1.0 + (0.0 if value[-1] == 1 else 0.8), True
        return None
    if node.style[:1] == "@" and known and len(value) > 1 and value[: len(known)] == known:
        return (0.0 if value[-1] == 1 else 0.8), True
    return None
