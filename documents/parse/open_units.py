"""The units that are open at some place of a text, as one hypothesis has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from documents.parse.marks import DECIMAL, HEADING, Mark
from documents.parse.numbers import ALPHABETS, Value
from documents.parse.words import ANNEXES, DIVISIONS

SINGLE = frozenset(ALPHABETS)
DOUBLED = frozenset(letter * 2 for letter in ALPHABETS)
ANNEX_STYLES = frozenset(f"@{kind}" for kind in ANNEXES)


class Node:
    """An open unit, with those that are open around it. Nodes are shared between hypotheses and never change.

    `up` is the unit that was open before it. Its `parent` is the same, except for a heading that only looks
    like one: the list before such a heading may go on behind it.
    """

    __slots__ = ("depth", "in_annex", "is_annex", "is_heading", "is_item", "is_keyword", "level", "mark",
                 "parent",
                 "signature", "step", "style", "styles", "up", "value")  # fmt: skip

    def __init__(
        self,
        up: Node | None,
        parent: Node | None,
        style: str,
        value: Value,
        *,
        mark: int,
        step: int,
        level: int,
        is_heading: bool,
        is_item: bool = False,
    ) -> None:
        self.up = up
        self.parent = parent
        self.style = style
        self.value = value
        self.mark = mark
        self.step = step
        self.level = level
        self.is_heading = is_heading
        self.is_item = is_item
        self.is_keyword = style[:1] == "@"
        self.is_annex = style in ANNEX_STYLES
        self.in_annex: bool = self.is_annex or (up is not None and up.in_annex)
        self.depth: int = up.depth + 1 if up is not None else 0
        self.styles: frozenset[str] = parent.styles | {style} if parent is not None else frozenset()
        self.signature: int = hash((up.signature if up is not None else 0, style, value))

    @property
    def only_looks_like_heading(self) -> bool:
        return self.style == HEADING and self.level == 0

    def outward(self) -> Iterator[tuple[Node, Node]]:
        """Yield each open unit with the one around it, from here outwards, the document excepted."""
        node = self
        while node.up is not None:
            yield node, node.up
            node = node.up


def document() -> Node:
    """Return the unit that is always open."""
    return Node(None, None, "", (), mark=-1, step=0, level=0, is_heading=True)


@dataclass(frozen=True, slots=True)
class Step:
    """One reading of one number of a mark, about to find its place."""

    mark: Mark
    index: int  # Of the mark.
    number: int  # Of the number in its mark: 1 is the second of "(a)(1)".
    style: str
    value: Value
    is_final: bool
    only_goes_on: bool = False  # "bb" and "ba" lead on from another, and open no list.

    def open_below(self, up: Node, *, is_item: bool = False) -> Node:
        mark = self.mark
        is_heading = mark.is_heading or self.style[:1] == "@"
        return Node(
            up,
            up,
            self.style,
            self.value,
            mark=self.index,
            step=self.number,
            level=mark.level,
            is_heading=is_heading,
            is_item=is_item,
        )


def read_steps(mark: Mark, index: int) -> list[list[Step]]:
    """Return the numbers of a mark in their order, each in all its readings."""
    final = len(mark.steps) - 1
    return [
        [
            Step(mark, index, number, style, value, number == final, _only_goes_on(style, value))
            for style, value in readings
        ]
        for number, readings in enumerate(mark.steps)
    ]


@cache
def _only_goes_on(style: str, value: Value) -> bool:
    letters = style.strip("().")
    if letters in DOUBLED:
        return value[0] > 1
    return letters in SINGLE and value[0] % 1 > 0


Trail = tuple[object, Node] | None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What a reading of the text so far believes, and what that cost."""

    cost: float
    top: Node
    trail: Trail = None  # The units found so far, newest first.
    through: float = 0.0  # The last number of sections that are numbered through all divisions.

    def nodes(self) -> list[Node]:
        """Return the units found so far, oldest first."""
        nodes: list[Node] = []
        link: object = self.trail
        while isinstance(link, tuple):
            link, node = link
            nodes.append(node)
        nodes.reverse()
        return nodes


def count_through(top: Node, index: int, before: float) -> float:
    """Return the last number of a section after a mark was placed; an annex counts anew."""
    for node, _ in top.outward():
        if node.mark != index:
            break
        if node.is_annex:
            return 0.0
        if node.style == "1" or (node.style == DECIMAL and len(node.value) == 1):
            return node.value[0]
        if node.style == "1." and node.up is not None and holds_sections(node.up):
            return node.value[0]
    return before


def holds_sections(node: Node) -> bool:
    """Tell whether "1." below a unit may be a section: below a part it is, below an article it is not."""
    return node.up is None or node.level > 0 or node.style[1:] in DIVISIONS
