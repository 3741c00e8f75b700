"""YAML from strangers as a tree that knows where everything stands.

Nothing is constructed from it but texts, lists and mappings: no tags, no anchors, no merges. What YAML takes
a bare word for is told beside the word, and the reader decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

MOST_CHARACTERS = 100_000
DEEPEST = 5
STANDARD = "tag:yaml.org,2002:"
NO_TAGS = "Tags such as {tag} are not read here. Write the value itself."
NO_ANCHORS = "Anchors and aliases (& and *) are not read here. Write the value out where it is needed."
NO_TABS = "A tab stands where the indentation is. Indent with blanks."


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A place in a file, counted from 1 as editors do."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong somewhere, and the cure."""

    spot: Spot
    message: str

    def __str__(self) -> str:
        return f"line {self.spot.line}, column {self.spot.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    spot: Spot
    is_quoted: bool = False  # Or a block: a text, whatever it looks like.

    @property
    def kind(self) -> str:
        """What YAML 1.1 takes it for: str, int, float, bool, null, timestamp."""
        if self.is_quoted:
            return "str"
        tag: str = RESOLVER.resolve(yaml.ScalarNode, self.text, (True, False))  # type: ignore[no-untyped-call]
        return tag.removeprefix(STANDARD)


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[Node, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Mapping:
    entries: tuple[tuple[Node, Node], ...]
    spot: Spot


Node = Scalar | Listing | Mapping
RESOLVER = yaml.resolver.Resolver()


class NotYaml(Exception):
    """A text that cannot be read as YAML, or not safely."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read_documents(text: str) -> list[Node]:
    """Return the documents of a file, without those that hold nothing."""
    text = text.removeprefix("\ufeff")
    if len(text) > MOST_CHARACTERS:
        raise refusal(
            Spot(), f"The file has {len(text):,} characters, and {MOST_CHARACTERS:,} is the most. Split it."
        )
    found = build_documents(text)
    return [node for node in found if not (isinstance(node, Scalar) and node.kind == "null")]


def build_documents(text: str) -> list[Node]:
    try:
        loader = yaml.SafeLoader(text)
    except yaml.reader.ReaderError as error:
        raise refusal(
            spot_of_position(text, error.position), "A character that cannot be shown. Delete it."
        ) from error
    builder = Builder()
    while True:
        try:
            event = loader.get_event() if loader.check_event() else None  # type: ignore[no-untyped-call]
        except yaml.MarkedYAMLError as error:
            raise refusal(spot_of(error.problem_mark or error.context_mark), words_of(text, error)) from error
        except (ValueError, OverflowError) as error:  # Of PyYAML itself: "\U11111111", %YAML 1.999….
            raise refusal(spot_of(loader.get_mark()), "An escape or a number that means nothing.") from error
        if event is None:
            return builder.documents
        builder.take(event)


class Builder:
    """Makes trees of events, without recursion."""

    def __init__(self) -> None:
        self.documents: list[Node] = []
        self.open: list[tuple[bool, Spot, list[Node]]] = []  # Whether it is a mapping, where, what is in it.

    def take(self, event: Any) -> None:
        match event:
            case yaml.AliasEvent():
                raise refusal(spot_of(event.start_mark), NO_ANCHORS)
            case yaml.ScalarEvent():
                self.require_plain(event)
                self.add(Scalar(event.value, spot_of(event.start_mark), bool(event.style)))
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self.require_plain(event)
                self.begin(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.end()

    def require_plain(self, event: Any) -> None:
        if event.anchor is not None:
            raise refusal(spot_of(event.start_mark), NO_ANCHORS)
        if event.tag is not None:
            tag = str(event.tag).replace(STANDARD, "!!")[:40]
            raise refusal(spot_of(event.start_mark), NO_TAGS.format(tag=tag))

    def begin(self, event: Any) -> None:
        if len(self.open) == DEEPEST:
            raise refusal(spot_of(event.start_mark), f"More than {DEEPEST} levels deep. Nothing here is.")
        self.open.append((isinstance(event, yaml.MappingStartEvent), spot_of(event.start_mark), []))

    def end(self) -> None:
        is_mapping, spot, nodes = self.open.pop()
        if is_mapping:
            self.add(Mapping(tuple(zip(nodes[::2], nodes[1::2], strict=True)), spot))
        else:
            self.add(Listing(tuple(nodes), spot))

    def add(self, node: Node) -> None:
        if self.open:
            self.open[-1][2].append(node)
        else:
            self.documents.append(node)


def refusal(spot: Spot, message: str) -> NotYaml:
    return NotYaml(Problem(spot, message))


def spot_of(mark: Any) -> Spot:
    return Spot() if mark is None else Spot(mark.line + 1, mark.column + 1)


def spot_of_position(text: str, position: int) -> Spot:
    before = text[:position]
    return Spot(before.count("\n") + 1, position - before.rfind("\n"))


def words_of(text: str, error: yaml.MarkedYAMLError) -> str:
    """Say what is wrong where PyYAML stops."""
    mark = error.problem_mark
    if mark is not None and text[mark.index : mark.index + 1] == "\t":
        return NO_TABS
    said = " ".join(part for part in (error.context, error.problem) if part)
    return f"This is no YAML: {' '.join(said.split())}. Look at the indentation, colons and quotes before it."
