"""Read the source of the licence: blocks with markers, and the numbers that Word will print for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ANCHOR = re.compile(r"\s*\{#([a-z-]+)\}$")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a Word list: its paragraph style, what it prints, and what it counts with."""

    style: str
    text: str
    format: str = "decimal"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a row of a table, with its place in a list where it has one."""

    style: str
    text: str
    anchor: str = ""
    list_id: int = 0
    level: int = 0


LISTS: dict[int, tuple[Level, ...]] = {
    1: (
        Level("Article", "Article %1."),
        Level("Clause", "%1.%2"),
        Level("Item", "(%3)", "lowerLetter"),
        Level("Subitem", "(%4)", "lowerRoman"),
    ),
    2: (
        Level("Schedule", "Schedule %1"),
        Level("ScheduleParagraph", "%2."),
        Level("ScheduleItem", "(%3)", "lowerLetter"),
        Level("ScheduleSubitem", "(%4)", "lowerRoman"),
    ),
}

PLAIN = {"!": "Title", "!!": "Subtitle", "%": "PlainHeading", "=": "Definition", "|": "Row"}
NUMBERED = {
    "#": (1, 0),
    "-": (1, 1),
    "--": (1, 2),
    "---": (1, 3),
    "##": (2, 0),
    "+": (2, 1),
    "++": (2, 2),
    "+++": (2, 3),
}


def read_blocks(source: str) -> Iterator[Block]:
    """Yield the blocks of a source: paragraphs apart by blank lines, tables with one row a line."""
    for paragraph in source.strip().split("\n\n"):
        rows = paragraph.split("\n") if paragraph.startswith("|") else [paragraph.replace("\n", " ")]
        yield from map(read_block, rows)


def read_block(line: str) -> Block:
    """Tell a block's kind by its marker."""
    marker, _, rest = line.partition(" ")
    found = ANCHOR.search(line)
    anchor = found[1] if found else ""
    text = ANCHOR.sub("", rest if marker in PLAIN or marker in NUMBERED else line)
    if marker in NUMBERED:
        list_id, level = NUMBERED[marker]
        return Block(LISTS[list_id][level].style, text, anchor, list_id, level)
    return Block(PLAIN.get(marker, "BodyText"), text, anchor)


def count(number: int, number_format: str) -> str:
    """Write a number as its level counts."""
    if number_format == "lowerLetter":
        return LETTERS[number - 1]
    return ROMANS[number - 1] if number_format == "lowerRoman" else str(number)


def number_blocks(blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """Return the number that Word prints before each block, empty where it prints none."""
    counters = {list_id: [0] * len(levels) for list_id, levels in LISTS.items()}
    return tuple(_next_number(block, counters) for block in blocks)


def _next_number(block: Block, counters: dict[int, list[int]]) -> str:
    if not block.list_id:
        return ""
    counter, levels = counters[block.list_id], LISTS[block.list_id]
    counter[block.level] += 1
    counter[block.level + 1 :] = [0] * (len(levels) - block.level - 1)
    printed = levels[block.level].text
    for place, level in enumerate(levels[: block.level + 1]):
        printed = printed.replace(f"%{place + 1}", count(counter[place], level.format))
    return printed
