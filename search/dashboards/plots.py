"""Bars and lines as places in a picture: what a template writes as SVG, without a library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 880, 240
LEFT, RIGHT, TOP, BOTTOM = 76, 24, 18, 30  # Around the plot itself, for what is written there.
MOST_LABELS = 8  # Below the plot, so that they do not touch.
STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across the plot, and what it stands for."""

    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Caption:
    """A word below the plot."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar, of the series with that number."""

    x: float
    y: float
    width: float
    height: float
    series: int
    title: str


class Frame:
    """How large every plot is, for whoever writes it."""

    __slots__ = ()
    width, height = WIDTH, HEIGHT
    left, right = LEFT, WIDTH - RIGHT
    base = HEIGHT - 8  # Of the words below.


@dataclass(frozen=True, slots=True)
class Bars(Frame):
    ticks: tuple[Tick, ...]
    captions: tuple[Caption, ...]
    segments: tuple[Segment, ...]
    names: tuple[str, ...]
    limit: Tick | None = None


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    series: int
    points: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Lines(Frame):
    ticks: tuple[Tick, ...]
    captions: tuple[Caption, ...]
    lines: tuple[Line, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(line.name for line in self.lines)


def draw_bars(
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[float]]],
    *,
    unit: str = "{:g}",
    limit: float | None = None,
) -> Bars:
    """Stack the values of several series, a bar for each label; a limit is a line across all."""
    totals = [sum(values[index] for _, values in series) for index in range(len(labels))]
    top = round_up(max([*totals, limit or 0]))
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(labels))
    segments = []
    for index, label in enumerate(labels):
        below = 0.0
        for number, (name, values) in enumerate(series):
            high = height_of(values[index], top)
            if high > 0:
                y = place(below + values[index], top)
                title = f"{label}: {name} {unit.format(values[index])}"
                x = LEFT + index * slot + slot * 0.15
                segments.append(Segment(rounded(x), y, rounded(slot * 0.7), rounded(high), number, title))
            below += values[index]
    return Bars(
        ticks_of(top, unit),
        captions_of(labels, slot),
        tuple(segments),
        tuple(name for name, _ in series),
        None if limit is None else Tick(place(limit, top), unit.format(limit)),
    )


def draw_lines(
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[float | None]]],
    *,
    unit: str = "{:g}",
    top: float | None = None,
) -> Lines:
    """Join the values of each series, from the left to the right; where there is none, the line goes on."""
    values = [value for _, row in series for value in row if value is not None]
    top = top or round_up(max(values, default=0))
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(labels))
    lines = []
    for number, (name, row) in enumerate(series):
        dots = tuple(
            Dot(
                rounded(LEFT + (index + 0.5) * slot),
                place(value, top),
                f"{labels[index]}: {name} {unit.format(value)}",
            )
            for index, value in enumerate(row)
            if value is not None
        )
        lines.append(Line(name, number, " ".join(f"{dot.x:g},{dot.y:g}" for dot in dots), dots))
    return Lines(ticks_of(top, unit), captions_of(labels, slot), tuple(lines))


def round_up(value: float) -> float:
    """Return a number that is easy to read and not below the value."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return float(f"{next(step for step in STEPS if step * power >= value * (1 - 1e-9)) * power:.12g}")


def height_of(value: float, top: float) -> float:
    return max(0.0, value) / top * (HEIGHT - TOP - BOTTOM)


def place(value: float, top: float) -> float:
    return rounded(HEIGHT - BOTTOM - height_of(value, top))


def rounded(value: float) -> float:
    return round(value, 2)


def ticks_of(top: float, unit: str) -> tuple[Tick, ...]:
    return tuple(Tick(place(top * share, top), unit.format(top * share)) for share in (0, 0.5, 1))


def captions_of(labels: Sequence[str], slot: float) -> tuple[Caption, ...]:
    """Write some of the labels, the last one always."""
    every = math.ceil(len(labels) / MOST_LABELS) or 1
    last = len(labels) - 1
    return tuple(
        Caption(rounded(LEFT + (index + 0.5) * slot), label)
        for index, label in enumerate(labels)
        if (last - index) % every == 0
    )
