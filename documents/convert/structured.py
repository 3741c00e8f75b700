"""Read JSON, whole or line by line, as an outline: names become headings, then labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from documents.convert.blocks import escape_start, squeeze, write_table
from documents.convert.converted import Converted
from documents.convert.text import clean, decode
from documents.errors import NoText, Unreadable

MAX_HEADING_DEPTH = 3
NAMES = ("title", "name", "label", "heading", "id")
MAX_CELL = 200


class Literal(str):
    """A number exactly as the file prints it."""

    __slots__ = ()


def convert_json(content: bytes, name: str) -> Converted:
    data = parse(clean(decode(content)).replace("\f", ""))
    text = "\n\n".join(write_value(data, 1))
    if not text.strip():
        raise NoText("There are no values in the file. Upload one with text in it.")
    title = data.get("title") if isinstance(data, dict) else None
    return Converted(text=text, title=squeeze(title) if isinstance(title, str) else "")


def parse(text: str) -> Any:
    """Read one value, or else one on each line."""
    try:
        return load(text)
    except json.JSONDecodeError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        try:
            return [load(line) for line in lines]
        except json.JSONDecodeError:
            raise Unreadable(
                f"The JSON breaks off or is not well formed (line {error.lineno}: {error.msg}). "
                "Correct it and upload it again."
            ) from error


def load(text: str) -> Any:
    try:
        return json.loads(text, parse_int=Literal, parse_float=Literal, parse_constant=Literal)
    except RecursionError as error:
        raise Unreadable("The parts of the file are nested too deeply. Simplify it.") from error


def write_value(data: Any, depth: int) -> Iterator[str]:
    if isinstance(data, dict):
        yield from write_object(data, depth)
    elif isinstance(data, list):
        yield from write_list(data, depth, "Item")
    elif text := write_scalar(data):
        yield escape_start(text)


def write_object(data: dict[str, Any], depth: int) -> Iterator[str]:
    """Write the plain members first come, the others under their names."""
    if depth > MAX_HEADING_DEPTH:
        yield from bullets(data, 0)
        return
    for key, value in data.items():
        if not isinstance(value, dict | list):
            yield write_member(key, value)
        elif value:
            yield f"{'#' * depth} {squeeze(key)}"
            yield from (
                write_list(value, depth + 1, key)
                if isinstance(value, list)
                else write_value(value, depth + 1)
            )


def write_member(key: str, value: Any) -> str:
    text = write_scalar(value)
    return f"{squeeze(key)}:\n\n{text}" if "\n" in text else escape_start(f"{squeeze(key)}: {text}".rstrip())


def write_list(items: list[Any], depth: int, name: str) -> Iterator[str]:
    """Write rows that are alike as a table, others one by one."""
    if is_table(items):
        columns = list(dict.fromkeys(key for item in items for key in item))
        yield write_table([columns, *[[write_scalar(item.get(key)) for key in columns] for item in items]])
    elif depth > MAX_HEADING_DEPTH or not any(isinstance(item, dict | list) for item in items):
        yield from bullets(items, 0)
    else:
        for number, item in enumerate(items, start=1):
            yield f"{'#' * depth} {name_item(item) or f'{squeeze(name)} {number}'}"
            yield from write_value(item, depth + 1)


def is_table(items: list[Any]) -> bool:
    if len(items) < 2 or not all(isinstance(item, dict) and item for item in items):  # noqa: PLR2004
        return False
    values = [value for item in items for value in item.values()]
    keys = {key for item in items for key in item}
    alike = sum(len(item) for item in items) * 2 >= len(keys) * len(items)
    return alike and not any(isinstance(value, dict | list) or is_long(value) for value in values)


def is_long(value: Any) -> bool:
    return isinstance(value, str) and (len(value) > MAX_CELL or "\n" in value)


def name_item(item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    names = (item.get(key) for key in NAMES)
    return next((squeeze(name) for name in names if isinstance(name, str) and not is_long(name)), "")


def bullets(data: Any, indent: int) -> Iterator[str]:
    """Write what is deeper than headings go as nested lists."""
    pairs = data.items() if isinstance(data, dict) else ((None, item) for item in data)
    for key, value in pairs:
        label = "" if key is None else f"{squeeze(key)}:"
        if isinstance(value, dict | list):
            if label:
                yield f"{'  ' * indent}- {label}"
            yield from bullets(value, indent + (1 if label else 0))
        else:
            yield f"{'  ' * indent}- {label} {squeeze(write_scalar(value))}".replace("-  ", "- ").rstrip()


def write_scalar(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return clean(str(value)).strip()
