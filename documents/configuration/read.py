"""A file of configuration, read: collections with their settings, or everything that is wrong with it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from documents.configuration.keys import KEYS, STORED, WEIGHTS, Key, Kind, Value, Values
from documents.configuration.nodes import Listing, NotYaml, Problem, Scalar, Spot, read_documents
from documents.configuration.nodes import Mapping as Entries
from documents.configuration.nodes import Node as Written

WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,11})", re.ASCII)
NUMBER = re.compile(r"[-+]?(?:[0-9]{1,20}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?", re.ASCII)
FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
LONGEST_SHOWN = 40
KINDS = {
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "timestamp": "a date",
    "null": "nothing",
    "merge": "a merge",
    "value": "a default",
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a collection is told: a value for each key, and where those that were written stand."""

    values: Mapping[str, Value | Values]
    spots: Mapping[str, Spot] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        return str(self.values["name"])

    @property
    def settings(self) -> dict[str, Value | Values]:
        """What the collection itself keeps."""
        return {name: self.values[name] for name in STORED}

    def spot(self, name: str) -> Spot:
        return self.spots.get(name, self.spots.get("name", Spot()))


@dataclass(frozen=True, slots=True)
class Configured:
    """The collections of a file; none if there is any problem."""

    configurations: tuple[Configuration, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def read_configuration(text: str) -> Configured:
    """Read a file that holds a collection, or several parted by `---`. No text makes it raise anything."""
    try:
        documents = read_documents(text)
    except NotYaml as error:
        return Configured(problems=(error.problem,))
    if not documents:
        return Configured(
            problems=(Problem(Spot(), "There is nothing here. Write a `name` and a `description`."),)
        )
    reader = Reader()
    found = [reader.read(node) for node in documents]
    reader.refuse_same_names(found)
    problems = tuple(sorted(set(reader.problems)))
    if problems:
        return Configured(problems=problems)
    return Configured(tuple(found), warnings=tuple(one for each in found for one in weigh(each)))


def weigh(configuration: Configuration) -> Iterator[Problem]:
    """Yield a warning if the weights do not sum to 1."""
    weights = [float(str(configuration.values[name])) for name in WEIGHTS]
    total = math.fsum(weights)
    if not math.isclose(total, 1, abs_tol=1e-6):
        first = next((name for name in WEIGHTS if name in configuration.spots), "name")
        shown = " + ".join(f"{weight:g}" for weight in weights)
        yield Problem(
            configuration.spot(first),
            f"The weights sum to {total:g}, not to 1: {shown}. Scores are then not shares of 1, and "
            "`min_score` means something else.",
        )


class Reader:
    """Reads documents, and keeps whatever is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def complain(self, spot: Spot, message: str) -> None:
        self.problems.append(Problem(spot, message))

    def read(self, node: Written) -> Configuration:
        """Return a configuration, which is of use if no problem was found."""
        if not isinstance(node, Entries):
            self.complain(node.spot, "A collection is made of keys: write `name: …` and `description: …`.")
            return Configuration({})
        values, spots = self.read_keys(node, KEYS, "")
        if values.get("enable_reranking") and not values.get("reranker_model"):
            self.complain(
                spots.get("reranker_model", spots["enable_reranking"]),
                "Reranking is enabled without a model. Name it as `reranker_model`, or do not enable it.",
            )
        return Configuration(values, spots)

    def refuse_same_names(self, found: Iterable[Configuration]) -> None:
        seen: dict[object, Spot] = {}
        for one in found:
            name = one.values.get("name")
            if name is not None and name in seen:
                self.complain(
                    one.spot("name"),
                    f"`{shown(str(name))}` is in line {seen[name].line} already. Each collection has a name "
                    "of its own.",
                )
            seen.setdefault(name, one.spot("name"))

    def read_keys(self, node: Entries, keys: Sequence[Key], above: str) -> tuple[Values, dict[str, Spot]]:
        known = {key.name: key for key in keys}
        values: Values = {key.name: key.default for key in keys if not key.parts}
        values |= {key.name: None for key in keys if key.parts}
        spots: dict[str, Spot] = {}
        for written, value in node.entries:
            key = self.find_key(written, known)
            if key is None:
                continue
            if key.name in spots:
                before = spots[key.name].line
                self.complain(
                    written.spot, f"`{above}{key.name}` is in line {before} already. Keep one of them."
                )
                continue
            spots[key.name] = value.spot
            values[key.name] = self.read_value(key, value, above)
        for key in keys:
            if key.is_required and key.name not in spots:
                self.complain(node.spot, f"`{above}{key.name}` is missing. {key.description}")
        return values, spots

    def find_key(self, written: Written, known: Mapping[str, Key]) -> Key | None:
        if not isinstance(written, Scalar):
            self.complain(written.spot, "A key is a word. Delete this one.")
            return None
        if written.text not in known:
            near = get_close_matches(written.text[:LONGEST_SHOWN], known, n=1)
            cure = f"Did you mean `{near[0]}`?" if near else f"Known are {', '.join(known)}."
            self.complain(written.spot, f"There is no key `{shown(written.text)}`. {cure}")
        return known.get(written.text)

    def read_value(self, key: Key, node: Written, above: str) -> Value | Values:
        if isinstance(node, Scalar):
            return self.read_scalar(key, node, above)
        if key.parts and isinstance(node, Entries):
            return self.read_keys(node, key.parts, f"{above}{key.name}.")[0]
        what = "A list" if isinstance(node, Listing) else "Keys"
        self.complain(node.spot, f"{what} cannot stand here. `{above}{key.name}` is {expected(key)}.")
        return None

    def read_scalar(self, key: Key, node: Scalar, above: str) -> Value | Values:
        if node.kind == "null" and key.is_optional:
            return key.default
        if key.short:
            part = next(one for one in key.parts if one.name == key.short)
            return {**defaults_of(key.parts), key.short: self.read_scalar(part, node, above)}
        try:
            return READERS[key.kind](key, node)
        except Refused as error:
            self.complain(node.spot, f"`{above}{key.name}`: {error}")
            return None


class Refused(Exception):
    """A value that cannot be; its message says why, and the cure."""


def read_text(key: Key, node: Scalar) -> str:
    if node.kind != "str":
        if node.kind == "null":
            raise Refused("it is empty. Write a text.")
        said = shown(node.text)
        raise Refused(f"YAML reads {said} as {KINDS.get(node.kind, 'no text')}. Put it in quotes: '{said}'.")
    text = node.text.strip()
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text):
        raise Refused("a character in it cannot be kept. Delete it.")
    if not text and not key.is_optional:
        raise Refused("it is empty. Write a text.")
    if key.longest is not None and len(text) > key.longest:
        raise Refused(f"it has {len(text):,} characters, and {key.longest} is the most. Shorten it.")
    if key.pattern and not re.fullmatch(key.pattern.rstrip("$") + r"\Z", text):
        raise Refused(f"“{shown(text)}” cannot be. {key.cure}")
    return text


def read_choice(key: Key, node: Scalar) -> str:
    if node.text in key.choices:
        return node.text
    near = get_close_matches(node.text[:LONGEST_SHOWN].lower(), key.choices, n=1)
    cure = f"Did you mean “{near[0]}”?" if near else ""
    raise Refused(f"“{shown(node.text)}” is none of {', '.join(key.choices)}. {cure}".rstrip())


def read_whole(key: Key, node: Scalar) -> int:
    if node.is_quoted or not WHOLE.fullmatch(node.text):
        raise Refused(f"{not_a(node)} whole number. It is {expected(key)}.")
    return int(within(key, int(node.text), node))


def read_number(key: Key, node: Scalar) -> float:
    if node.is_quoted or not NUMBER.fullmatch(node.text):
        raise Refused(f"{not_a(node)} number. It is {expected(key)}.")
    return within(key, float(node.text), node)


def read_flag(key: Key, node: Scalar) -> bool:
    is_word = node.kind == "bool"
    if not is_word:
        raise Refused(f"“{shown(node.text)}” is neither true nor false. Write one of these, without quotes.")
    return FLAGS[node.text.lower()]


def read_parts(key: Key, node: Scalar) -> Value:
    raise Refused(f"it is {expected(key)}.")


READERS: Mapping[Kind, Callable[[Key, Scalar], Value]] = {
    Kind.TEXT: read_text,
    Kind.CHOICE: read_choice,
    Kind.WHOLE: read_whole,
    Kind.NUMBER: read_number,
    Kind.FLAG: read_flag,
    Kind.PARTS: read_parts,
}


def within(key: Key, number: float, node: Scalar) -> float:
    too_small = key.least is not None and number < key.least
    too_large = key.most is not None and number > key.most
    if too_small or too_large:
        raise Refused(f"{shown(node.text)} is out of bounds. It is {expected(key)}.")
    return number


def expected(key: Key) -> str:
    """Say what a value may be."""
    match key.kind:
        case Kind.WHOLE | Kind.NUMBER:
            what = "a whole number" if key.kind == Kind.WHOLE else "a number"
            return f"{what} from {key.least:g} to {key.most:g}"
        case Kind.CHOICE:
            return f"one of {', '.join(key.choices)}"
        case Kind.FLAG:
            return "true or false"
        case Kind.PARTS:
            return f"made of the keys {', '.join(part.name for part in key.parts)}"
    return "a text"


def defaults_of(keys: Iterable[Key]) -> Values:
    return {key.name: key.default for key in keys}


def not_a(node: Scalar) -> str:
    if node.kind == "null":
        return "Nothing is no"
    is_number = node.is_quoted and NUMBER.fullmatch(node.text)
    return f"“{shown(node.text)}” is {'in quotes, so it is a text and no' if is_number else 'no'}"


def shown(text: str) -> str:
    """Return a text of a stranger on one line, not too long and without what a terminal would obey."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…"
