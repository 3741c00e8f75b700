"""Count automatic numbers the way Word prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from lxml import etree

from documents.convert.docx.names import (
    ALTERNATE,
    VALUE,
    WORD,
    choose_branch,
    find,
    is_on,
    number_of,
    value_of,
)
from documents.convert.docx.numerals import write_number
from documents.convert.docx.styles import Styles

LEVELS = 10  # Word has nine, OpenDocument ten.
BULLET = "-"
PLACEHOLDER = re.compile("%([1-9])")
WORDS = re.compile(r"\w{2}")
SEPARATORS = {"nothing": "", "space": " ", "tab": " "}


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered."""

    start: int = 1
    style: str = "decimal"
    pattern: str = ""
    separator: str = " "
    restarts_after: int | None = None
    is_legal: bool = False
    paragraph_style: str = ""
    width: int = 0

    @property
    def is_bullet(self) -> bool:
        """Tell a sign from a number or a word ("NOTE") that is repeated."""
        return self.style == "bullet" and not WORDS.search(self.pattern)

    def write(self, value: int, *, legal: bool) -> str:
        if self.width:
            return str(value).zfill(self.width)
        style = "decimal" if legal and self.style not in ("none", "bullet") else self.style
        return write_number(value, style)


@dataclass(frozen=True, slots=True)
class List:
    """A list that paragraphs refer to; those with the same `counter` count on from one another."""

    id: str
    counter: str
    levels: dict[int, Level]
    restarts: dict[int, int] = field(default_factory=dict)

    def start(self, level: int) -> int:
        return self.restarts.get(level, self.levels[level].start if level in self.levels else 1)

    def does_restart(self, level: int, *, after: int) -> bool:
        """Tell whether `level` starts anew once a paragraph of the level `after` has come."""
        limit = self.levels[level].restarts_after if level in self.levels else None
        return after < level if limit is None or limit > level else after < limit

    def level_of_style(self, style_id: str) -> int | None:
        return next(
            (n for n, level in self.levels.items() if style_id and level.paragraph_style == style_id), None
        )


class Counters:
    """Where every list of the document has got to."""

    def __init__(self) -> None:
        self._values: dict[str, list[int | None]] = {}
        self._used: set[tuple[str, int]] = set()

    def restart(self, numbered: List, level: int, start: int) -> None:
        """Let the next paragraph of a level have the number `start`."""
        self._values.setdefault(numbered.counter, [None] * LEVELS)[level] = start - 1

    def advance(self, numbered: List, level: int) -> str:
        """Count one paragraph and return its number as printed, with what separates it from the text."""
        values = self._values.setdefault(numbered.counter, [None] * LEVELS)
        if level in numbered.restarts and (numbered.id, level) not in self._used:
            values[level] = None
        self._used.add((numbered.id, level))
        for upper in range(level):
            values[upper] = numbered.start(upper) if values[upper] is None else values[upper]
        last = values[level]
        values[level] = numbered.start(level) if last is None else last + 1
        for lower in range(level + 1, LEVELS):
            if numbered.does_restart(lower, after=level):
                values[lower] = None
        return _print(numbered, level, values)


def _print(numbered: List, level: int, values: list[int | None]) -> str:
    printed = numbered.levels[level]
    if printed.is_bullet:
        return f"{BULLET} " if printed.pattern else ""
    write = partial(_write_placeholder, numbered, values, legal=printed.is_legal)
    text = " ".join(PLACEHOLDER.sub(write, printed.pattern).split())
    return text + printed.separator if text else ""


def _write_placeholder(numbered: List, values: list[int | None], match: re.Match[str], *, legal: bool) -> str:
    level = int(match[1]) - 1
    value = values[level]
    return (
        ""
        if value is None or level not in numbered.levels
        else numbered.levels[level].write(value, legal=legal)
    )


class Numbering:
    """The lists of a document, and which of them a paragraph belongs to."""

    def __init__(self, root: etree._Element | None, styles: Styles) -> None:
        self._styles = styles
        self._lists = {} if root is None else _read_lists(root, styles)

    def find(self, paragraph: etree._Element) -> tuple[List, int] | None:
        """Return the list and the level of a paragraph, from its own properties or from its style."""
        properties = find(paragraph, "pPr/numPr")
        style_id = self._styles.style_of(paragraph)
        num_id = value_of(properties, "numId") or self._inherited_list(style_id)
        numbered = self._lists.get(num_id or "")
        if numbered is None:
            return None
        level = number_of(properties, "ilvl")
        if level is None:
            level = self._inherited_level(style_id, numbered)
        return (numbered, level) if level in numbered.levels else None

    def _inherited_list(self, style_id: str) -> str | None:
        return next(
            (style.num_id for style in self._styles.chain(style_id) if style.num_id is not None), None
        )

    def _inherited_level(self, style_id: str, numbered: List) -> int:
        """Ask the list which level is linked to the style; what the style itself says comes after that."""
        for style in self._styles.chain(style_id):
            linked = numbered.level_of_style(style.id)
            if linked is not None:
                return linked
            if style.level is not None:
                return style.level
        return 0


def _read_lists(root: etree._Element, styles: Styles) -> dict[str, List]:
    definitions = {e.get(f"{WORD}abstractNumId", ""): e for e in root.findall(f"{WORD}abstractNum")}
    instances = {e.get(f"{WORD}numId", ""): e for e in root.findall(f"{WORD}num")}
    lists = {}
    for num_id, instance in instances.items():
        definition = _find_definition(instance, instances, definitions, styles)
        if num_id != "0" and definition is not None:
            lists[num_id] = _read_list(num_id, instance, definition)
    return lists


def _find_definition(
    instance: etree._Element,
    instances: dict[str, etree._Element],
    definitions: dict[str, etree._Element],
    styles: Styles,
) -> etree._Element | None:
    """Follow a list that only names a numbering style to the list that the style stands for."""
    for _ in range(len(definitions) + 1):
        definition = definitions.get(value_of(instance, "abstractNumId"))
        link = value_of(definition, "numStyleLink")
        if not link:
            return definition
        num_id = next((style.num_id for style in styles.chain(link) if style.num_id), "")
        if num_id not in instances:
            return next((d for d in definitions.values() if value_of(d, "styleLink") == link), None)
        instance = instances[num_id]
    return None


def _read_list(num_id: str, instance: etree._Element, definition: etree._Element) -> List:
    levels = dict(map(_read_level, definition.findall(f"{WORD}lvl")))
    restarts = {}
    for override in instance.findall(f"{WORD}lvlOverride"):
        for element in override.findall(f"{WORD}lvl"):
            levels.update([_read_level(element)])
        start = number_of(override, "startOverride")
        if start is not None:
            restarts[_index(override)] = start
    counter = definition.get(f"{WORD}abstractNumId", "")
    return List(id=num_id, counter=counter, levels=levels, restarts=restarts)


def _read_level(element: etree._Element) -> tuple[int, Level]:
    style, width = _read_format(element)
    start = number_of(element, "start")
    return _index(element), Level(
        start=0 if start is None else start,
        style=style,
        pattern=value_of(element, "lvlText"),
        separator=SEPARATORS.get(value_of(element, "suff", "tab"), " "),
        restarts_after=number_of(element, "lvlRestart"),
        is_legal=bool(is_on(element, "isLgl")),
        paragraph_style=value_of(element, "pStyle"),
        width=width,
    )


def _read_format(element: etree._Element) -> tuple[str, int]:
    """Return the style of numbers and, for "001, 002, 003, ...", how many digits they have."""
    alternatives = element.find(ALTERNATE)
    own = find(element if alternatives is None else choose_branch(alternatives), "numFmt")
    if own is None:
        return "decimal", 0
    sample = own.get(f"{WORD}format", "").partition(",")[0].strip()
    is_padded = own.get(VALUE) == "custom" and sample.isdecimal()
    return own.get(VALUE, "decimal"), len(sample) if is_padded else 0


def _index(element: etree._Element) -> int:
    try:
        return int(element.get(f"{WORD}ilvl", "-1"))
    except ValueError:
        return -1
