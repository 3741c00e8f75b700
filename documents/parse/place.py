"""Where a number can stand among the units that are open, and what it costs to believe so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property
from math import log

from documents.parse.marks import ANCHOR, DECIMAL, HEADING, HYPHENED, LETTERED, SECTIONS_OF_CODES, Mark
from documents.parse.numbers import Value
from documents.parse.open_units import ANNEX_STYLES, Node, Step, holds_sections
from documents.parse.ranks import Ranks

# What things cost. Going on with the next number is free; a mark that opens no unit costs what it looks
# like, which is 4 to 8 for most. The figures were chosen on laws and standards of several countries.
OPEN = 1.0
OPEN_UNSEEN = 2.0  # In the second pass: a style below another as nowhere else in the document.
ODD_START = 2.5
EXCERPT = 0.7  # A part of a law begins with any section.
GAP = 1.0
MISSING_LEVEL = 1.0
BACK = 1.2  # A new list further out: drafters number on instead.
POP = 0.4
SAME_STYLE = 2.0  # (1) somewhere below (1), as the fifth level of American regulations is.
SECOND_LIST = 5.0  # Two lists of one style below one unit could not be told apart in a citation.
SECOND_LIST_AFTER_TEXT = 1.0  # Unless text between them does.
BELOW_TEXT = 0.5  # A list follows its unit directly; after more text it may belong further out.
REPEAT = 3.5
RESTART = 3.0
NEW_DIVISION = 0.5
DIVISION_GAP = 0.3
HEADING_BELOW_TEXT = 2.5
WRONG_LEVEL = 3.0
OTHER_LOOK = 0.8
OTHER_MARKUP = 1.8
CROSSING = 1.0  # Going on past a heading without a number.
BARE = 1.0  # A number without any sign may be just a number.
THROUGH = 0.2  # Going on with the sections of the division before.
THROUGH_GAP = 1.2  # The same, with some numbers left out for sections to come.
INSERTED = 0.1  # 3.1 after 3 may also stand below it.

LOOKS_LIKE_UNIT = 3.0
SECTION_STYLES = frozenset({"1", "1."})
DEEPEST = 30  # Lists this deep do not go on behind a heading.

Extension = tuple[float, Node]  # A cost and the unit that is then open.


@dataclass(frozen=True)
class Habits:
    """What is known about a document as a whole."""

    ranks: Ranks
    has_decimals: bool  # Whether it numbers 1, 1.1, 1.1.1, in its body or in an annex.
    has_decimals_in_body: bool
    learned: Mapping[tuple[str, str], float] = field(default_factory=dict)

    @cached_property
    def has_bare_sections(self) -> bool:
        return any(style == "1" for _, style in self.learned)

    def counts_decimals(self, node: Node) -> bool:
        """Tell whether 1, 1.1, 1.1.1 may stand below a unit; annexes that do so say nothing of the body."""
        return self.has_decimals if node.in_annex else self.has_decimals_in_body

    def cost_of_opening(self, above: str, style: str) -> float:
        return self.learned.get((above, style), OPEN_UNSEEN) if self.learned else OPEN


def place_step(
    step: Step, top: Node, floor: Node | None, habits: Habits, *, through: float, limit: float
) -> Iterator[Extension]:
    """Yield the places of a number that cost no more than the limit.

    They are below `floor`, if that is the number before it in "(a)(1)". `through` is the last section.
    """
    if step.only_goes_on and step.style not in top.styles:
        return
    if step.style[:1] == "@":
        yield _place_division(step, top, habits)
    elif step.style in {DECIMAL, LETTERED, HYPHENED}:
        if step.style != DECIMAL or habits.counts_decimals(top):
            yield _place_decimal(step, top, through)
    elif step.style == ANCHOR:
        yield from ((0.0, node) for node, _ in top.outward() if _is_named(node, step.value))
    elif floor is not None:
        yield _place_link(step, top, floor, habits, through)
    else:
        for cost, up, kind in _enumerate_places(step, top, habits, through):
            if cost <= limit:
                yield (
                    cost,
                    up if kind is Kind.OPEN_ALREADY else step.open_below(up, is_item=kind is Kind.ITEM),
                )


def place_surely(readings: Sequence[Step], top: Node) -> Node | None:
    """Place a number that can only be the next in one open list; most are, and need no weighing."""
    sure: tuple[Step, Node] | None = None
    styles = {step.style: step for step in readings}
    mark = readings[0].mark
    if mark.level or mark.doubt < LOOKS_LIKE_UNIT:
        return None
    if len(styles) < len(readings):
        return None
    if any(step.value[0] == 1 or step.style[:1] == "@" for step in readings):
        return None
    node = top
    while node.up is not None:
        if node.style == HEADING or node.is_keyword:
            return None if sure is None or node.style == HEADING else sure[0].open_below(sure[1])
        step = styles.get(node.style)
        if step is not None:
            if sure is not None or node.level or node.is_item or not _is_next(node.value, step.value):
                return None
            sure = step, node.up
        node = node.up
    return sure[0].open_below(sure[1]) if sure is not None else None


def _is_next(before: Value, after: Value) -> bool:
    return before[:-1] == after[:-1] and 0 < after[-1] - before[-1] <= 1


def place_heading(mark: Mark, index: int, top: Node, ranks: Ranks) -> Node:
    """Open a heading without a number."""
    if mark.level:
        above = _above_heading(mark, top, ranks)
        return Node(above, above, HEADING, (), mark=index, step=0, level=mark.level, is_heading=True)
    if top.only_looks_like_heading and top.up is not None:
        top = top.up
    parent = top
    for node, around in top.outward():
        if node.is_heading and not node.only_looks_like_heading:
            break
        parent = around
    around = top if top.depth < DEEPEST else parent
    return Node(around, parent, HEADING, (), mark=index, step=0, level=0, is_heading=True)


def _above_heading(mark: Mark, top: Node, ranks: Ranks) -> Node:
    above = top
    for node, around in top.outward():
        if 0 < node.level < mark.level or (node.level == 0 and ranks.is_division(node.style)):
            return node
        above = around
    return above


# Parts, chapters, sections, articles, annexes


def _place_division(step: Step, top: Node, habits: Habits) -> Extension:
    find = _find_annex_place if step.style in ANNEX_STYLES else _find_division_place
    cost, up = find(step, top, habits)
    return cost, step.open_below(up)


def _find_annex_place(step: Step, top: Node, habits: Habits) -> Extension:
    inside: Node | None = None
    above = top
    for node, around in top.outward():
        if node.is_annex:
            if node.style == step.style and step.value > node.value:
                return _cost_of_going_on(node.value, step.value), around
            inside = inside or node
        if 0 < node.level < step.mark.level:
            return NEW_DIVISION, node
        above = around
    if inside is None or inside.style == step.style or step.mark.level:
        return NEW_DIVISION, above
    return NEW_DIVISION, inside if habits.ranks.is_repeated(step.style, step.value) else above


def _find_division_place(step: Step, top: Node, habits: Habits) -> Extension:
    cost = NEW_DIVISION
    above = top
    level = step.mark.level
    for node, around in top.outward():
        if node.style == step.style:
            if step.value > node.value:
                return _cost_of_going_on(node.value, step.value), around
            if step.value == node.value and 0 < node.level < level:
                return cost, node
            cost = RESTART
        elif level and node.level:
            if node.level < level or (node.level == level and _contains(node, step, habits.ranks)):
                return cost, node
        elif node.is_annex or _contains(node, step, habits.ranks):
            return cost, node
        above = around
    return cost, above


def _contains(node: Node, step: Step, ranks: Ranks) -> bool:
    """Tell whether a division stands below an open unit: by its kind, its number, or a heading."""
    if node.is_keyword:
        return ranks.above(node.style, step.style)
    if node.style in {DECIMAL, "1.", "1"}:
        return len(step.value) > 1 and step.value[:1] == node.value and step.style not in node.styles
    return node.style == HEADING and node.level > 0 and not step.mark.level


def _cost_of_going_on(before: Value, after: Value) -> float:
    return 0.0 if _is_next(before, after) else DIVISION_GAP


# 1, 1.1, 1.1.1 and A.1, A-1


def _place_decimal(step: Step, top: Node, through: float) -> Extension:
    again = 0.0
    base = top
    for node, around in top.outward():
        if not step.is_final and node.style == step.style and node.value == step.value:
            return 0.0, node
        if (related := _relate(node, step)) is not None:
            cost, is_below = related
            return cost + _cost_of_markup(node, step), step.open_below(node if is_below else around)
        if node.is_annex:
            break
        if node.style == step.style:
            again = max(again, _cost_of_other(node, step.value))
            base = around
    is_start = all(part == 1 for part in step.value[step.style != DECIMAL :])
    start = 0.0 if is_start or (again == MISSING_LEVEL and step.value[-1] == 1) else ODD_START
    if len(step.value) == 1 and 0 < step.value[0] - through <= 1:
        start = min(start, THROUGH)
    return OPEN + start + again, step.open_below(_holder(step, base))


def _cost_of_other(node: Node, value: Value) -> float:
    """Return the cost of a number that no open one leads to: 2.1 after 1.3 lacks its 2."""
    if node.style == HYPHENED:
        return 0.0  # AT-1 after AC-3 is another family.
    return MISSING_LEVEL if node.value[: len(value)] < value else SECOND_LIST


def _relate(node: Node, step: Step) -> tuple[float, bool] | None:
    """Return the cost of a number next to (False) or below (True) an open unit, if the two are related."""
    known, value = node.value, step.value
    if not known or (node.style != step.style and not (node.is_keyword and len(value) > 1)):
        return None
    if node.style == step.style and len(known) == len(value) and known[:-1] == value[:-1]:
        if value[-1] > known[-1]:
            return (0.0 if value[-1] - known[-1] <= 1 else GAP), False
        return (REPEAT, False) if value == known else None
    if len(known) < len(value) and value[: len(known)] == known:
        missing = (len(value) - len(known) - 1) * MISSING_LEVEL
        return missing + (0.0 if value[-1] == 1 else NEW_DIVISION), True
    return None


def _cost_of_markup(node: Node, step: Step) -> float:
    if node.style != step.style or len(node.value) != len(step.value):
        return 0.0
    if bool(node.level) != bool(step.mark.level):
        return OTHER_MARKUP
    return 0.0 if node.is_heading == step.mark.is_heading else OTHER_LOOK


def _holder(step: Step, top: Node) -> Node:
    """Return the nearest heading or division that a first number can stand below."""
    above = top
    for node, around in top.outward():
        if node.is_keyword or (node.style == HEADING and 0 < node.level < (step.mark.level or 9)):
            return node
        if step.style != DECIMAL and node.is_heading:
            return node
        above = around
    return above


# (a), (1), (i), 1., a), …


def _is_named(node: Node, value: Value) -> bool:
    """Tell whether the "2" of "2(b)" names an open unit, such as Section 1013.2."""
    return (node.is_keyword or node.style in {DECIMAL, "1", "1."}) and node.value[-1:] == value


def _place_link(step: Step, top: Node, floor: Node, habits: Habits, through: float) -> Extension:
    """Place a later number of "(a)(1)(i)": directly below the one before it."""
    above = top
    while above.depth > floor.depth + 1 and above.up is not None:
        above = above.up
    if above.depth == floor.depth + 1 and above.style == step.style:
        if (cost := _cost_of_next(above.value, step.value)) is not None:
            return cost, step.open_below(floor, is_item=above.is_item)
        if step.value == above.value:
            return (REPEAT, step.open_below(floor)) if step.is_final else (0.0, above)
    is_item = _kind_of_list(step, floor, habits) is Kind.ITEM
    return _cost_of_opening(step, floor, habits, through, popped=0), step.open_below(floor, is_item=is_item)


class Kind(Enum):
    """What becomes of a number at a place: a unit, an item of a list, or nothing new."""

    UNIT = 1
    ITEM = 2
    OPEN_ALREADY = 3


Place = tuple[float, Node, Kind]


def _enumerate_places(step: Step, top: Node, habits: Habits, through: float) -> Iterator[Place]:
    """Yield each place of a number: next to a unit of its style, or the first below any open unit."""
    style = step.style
    crossing = 0.0
    below: Node | None = None
    node = top
    popped = 0
    while node.up is not None:
        if node.style == style:
            yield from _places_beside(step, node, node.up, crossing)
        elif node.style == HEADING:
            crossing += CROSSING
        again = _cost_of_second_list(step, below, popped)
        cost = _cost_of_opening(step, node, habits, through, popped=popped)
        yield again + cost, node, _kind_of_list(step, node, habits)
        if node.is_annex or (style != "1" and (node.is_keyword or node.style == DECIMAL)):
            return
        popped += 1
        below = node
        node = node.up
    yield (
        _cost_of_opening(step, node, habits, through, popped=popped),
        node,
        _kind_of_list(step, node, habits),
    )


def _places_beside(step: Step, node: Node, around: Node, crossing: float) -> Iterator[Place]:
    kind = Kind.ITEM if node.is_item else Kind.UNIT
    if (cost := _cost_of_next(node.value, step.value)) is not None:
        cost += crossing + _cost_of_level(step.mark, around, sibling=node)
        yield cost + (INSERTED if _is_inserted(step) else 0.0), around, kind
    elif step.value == node.value:
        yield (REPEAT, around, kind) if step.is_final else (0.0, node, Kind.OPEN_ALREADY)


def _kind_of_list(step: Step, node: Node, habits: Habits) -> Kind:
    """Below 5.1, a plain "1." is an item of a list and no unit: nobody cites it so."""
    is_item = step.style == "1." and (
        node.is_item or (habits.counts_decimals(node) and DECIMAL in node.styles)
    )
    return Kind.ITEM if is_item else Kind.UNIT


def _is_inserted(step: Step) -> bool:
    return step.style in {"1", "(a)", "a)", "a."} and step.value[0] % 1 > 0


def _cost_of_next(before: Value, after: Value) -> float | None:
    """Return what it costs to go on from one number to another, or None if that goes back."""
    difference = after[0] - before[0]
    if difference <= 0:
        return None
    return 0.0 if difference <= 1 else GAP + 0.4 * log(difference)


def _cost_of_second_list(step: Step, below: Node | None, popped: int) -> float:
    if below is None or below.style != step.style:
        return 0.0
    return SECOND_LIST_AFTER_TEXT - BACK - POP * popped if step.mark.follows_text else SECOND_LIST


def _cost_of_opening(step: Step, node: Node, habits: Habits, through: float, *, popped: int) -> float:
    cost = _cost_of_first(step, node, habits, through)
    if step.style == node.style and not (node.is_heading and not step.mark.is_heading):
        cost += SECOND_LIST  # Items of a list may stand below a heading that is numbered like them.
    elif step.style in node.styles and step.style != node.style:
        cost += SAME_STYLE
    if popped:
        cost += BACK + POP * popped
    elif step.mark.follows_text and node.up is not None and not node.is_heading:
        cost += BELOW_TEXT
    return cost + _cost_of_level(step.mark, node)


def _cost_of_first(step: Step, node: Node, habits: Habits, through: float) -> float:
    cost = habits.cost_of_opening(node.style, step.style)
    first = step.value[0]
    if step.style in SECTION_STYLES:
        return _cost_of_first_section(step, node, habits, through, cost)
    return cost if first == 1 else cost + _cost_of_odd_start(first)


def _cost_of_first_section(step: Step, node: Node, habits: Habits, through: float, cost: float) -> float:
    first = step.value[0]
    if through and 0 < first - through <= 1 and _goes_through(step, node, habits):
        return THROUGH
    is_later = 0 < through < first and first % 1 == 0
    if is_later and step.mark.is_heading and habits.ranks.is_division(node.style):
        return THROUGH_GAP
    if step.style == "1":
        if first % 1:
            return cost + SECOND_LIST  # 12A goes on from 12 and opens nothing.
        cost = min(cost, OPEN) if habits.has_bare_sections else cost + BARE
    if first == 1:
        return cost
    return cost + (EXCERPT if _is_excerpt(step, node, through) else _cost_of_odd_start(first))


def _goes_through(step: Step, node: Node, habits: Habits) -> bool:
    if step.value[0] % 1:  # 13A may be the first of Part IA.
        return habits.ranks.is_division(node.style)
    return step.style == "1" or holds_sections(node)


def _is_excerpt(step: Step, node: Node, through: float) -> bool:
    """Tell whether a list may begin so late: in a part of a law, or behind a paragraph without a number."""
    first = step.value[0]
    if not through and node.up is not None and holds_sections(node):
        return step.mark.is_heading or first >= SECTIONS_OF_CODES
    return first == 2 and node.style in {"@article", "@sign"}  # noqa: PLR2004


@cache
def _cost_of_odd_start(first: float) -> float:
    return ODD_START + min(3.0, 0.5 * log(first + 1))


def _cost_of_level(mark: Mark, parent: Node, sibling: Node | None = None) -> float:
    """Return what it costs that Markdown headings say otherwise."""
    cost = 0.0
    if mark.level and parent.up is not None:
        if not parent.level and not parent.is_keyword:
            cost += HEADING_BELOW_TEXT
        elif parent.level >= mark.level:
            cost += WRONG_LEVEL
    if sibling is not None and bool(sibling.level) != bool(mark.level):
        cost += OTHER_MARKUP
    return cost
