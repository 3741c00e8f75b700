"""Places of a network in a picture: a row for each knot, an arc for each bundle of references."""

from __future__ import annotations

import math
from dataclasses import dataclass

from definitions.network import OTHERS, Bundle, Knot, Network

ROW = 26
LEFT, WIDTH = 330, 760  # Names stand left of the arcs.
TOP = 20
NARROWEST, WIDEST = 28, 380  # How far arcs reach.
LONGEST_NAME = 32  # As wide as the place for it, in capitals too.
WHOLE = "The document itself"


@dataclass(frozen=True, slots=True)
class Row:
    """A knot, and where its name ends."""

    knot: Knot
    y: float
    name: str


@dataclass(frozen=True, slots=True)
class Arc:
    """A bundle, as a path from its source to its target; downwards on paper is forwards in the text."""

    bundle: Bundle
    source: Knot
    target: Knot
    path: str
    width: float
    is_forward: bool


@dataclass(frozen=True, slots=True)
class Picture:
    rows: tuple[Row, ...]
    arcs: tuple[Arc, ...]
    height: int
    width: int = WIDTH
    left: int = LEFT


def lay_out(network: Network) -> Picture:
    """Place knots one below the other, in their order; the same network always looks the same."""
    rows = tuple(
        Row(knot, TOP + ROW * index, shorten(name_of(knot))) for index, knot in enumerate(network.knots)
    )
    longest = max(1, len(rows) - 1)
    light_first = sorted(network.bundles, key=lambda bundle: bundle.count)
    arcs = tuple(_arc(bundle, network, rows, longest) for bundle in light_first)
    return Picture(rows, arcs, TOP + ROW * len(rows))


def _arc(bundle: Bundle, network: Network, rows: tuple[Row, ...], longest: int) -> Arc:
    begin, end = rows[bundle.source].y, rows[bundle.target].y
    steps = abs(bundle.source - bundle.target)
    reach = NARROWEST + min(ROW * steps, (WIDEST - NARROWEST) * math.sqrt(steps / longest))
    x = round(LEFT + reach, 1)
    return Arc(
        bundle,
        network.knots[bundle.source],
        network.knots[bundle.target],
        f"M{LEFT} {begin:g}C{x:g} {begin:g} {x:g} {end:g} {LEFT} {end:g}",
        round(min(8.0, 1 + 1.2 * math.log2(bundle.count)), 1),
        bundle.target > bundle.source,
    )


def name_of(knot: Knot) -> str:
    if knot.key == OTHERS:
        return f"{knot.members} other{'s' if knot.members > 1 else ''}"
    if not knot.title or knot.title == knot.label:
        return knot.label or WHOLE
    return f"{knot.label} {knot.title}".strip()


def shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
