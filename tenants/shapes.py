"""What answers look like, read from the types that they are made of.

A frozen dataclass or a TypedDict becomes a component of the API's description: its docstring and the comments
behind its fields are what people read there, so that nothing is said twice.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints
from typing import is_typeddict as is_typed_dict
from uuid import UUID

Schema = dict[str, Any]
Register = Callable[[type, Callable[[], Schema]], Schema]

SHOWN_AS = "shown_as"  # In the metadata of a field: its name in answers, where that is another.
COMMENT = re.compile(r"^    (\w+): [^#\n]*  # (?!noqa|type:)(.+)$", re.MULTILINE)
MEANT = {Annotated: 1, Required: 0, NotRequired: 0}  # Of what a type says, the part that is its shape.
SCALARS: dict[Any, Schema] = {
    Any: {},
    NoneType: {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    UUID: {"type": "string", "format": "uuid"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    Decimal: {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"},  # A number would be rounded by its reader.
}


def show_answer(value: Any) -> Any:
    """Return an answer as JSON says it. `asdict` would also copy each id and each day in it, one by one."""
    if type(value) in SCALARS:
        return value
    if (names := _names_shown(value.__class__)) is not None:
        return {shown: show_answer(getattr(value, name)) for name, shown in names}
    if isinstance(value, Mapping):
        return {name: show_answer(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [show_answer(one) for one in value]
    return value


@cache
def _names_shown(kind: type) -> tuple[tuple[str, str], ...] | None:
    """Return the fields of a dataclass, each with its name in answers; nothing of what is none."""
    if not is_dataclass(kind):
        return None
    return tuple((one.name, one.metadata.get(SHOWN_AS, one.name)) for one in fields(kind))


class UnknownShape(TypeError):
    """A type that no answer has had yet."""


def shape_of(kind: Any, register: Register) -> Schema:
    """Return the schema of a type; `register` keeps those of classes, and returns what points to them."""
    if isinstance(kind, type) and issubclass(kind, str) and hasattr(kind, "__members__"):
        return {"type": "string", "enum": [str(member.value) for member in kind]}  # type: ignore[attr-defined]
    if kind in SCALARS:
        return dict(SCALARS[kind])
    if is_dataclass(kind) or is_typed_dict(kind):
        return register(kind, lambda: shape_of_class(kind, register))
    return shape_of_generic(kind, register)


def shape_of_generic(kind: Any, register: Register) -> Schema:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in MEANT:
        return shape_of(inner[MEANT[origin]], register)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in {Union, UnionType}:
        return shape_of_union(inner, register)
    if origin is tuple:
        return shape_of_tuple(inner, register)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": shape_of(inner[1], register)}
    if isinstance(origin, type) and issubclass(origin, Collection):
        return {"type": "array", "items": shape_of(inner[0], register)}
    raise UnknownShape(f"{kind!r}: say in tenants/shapes.py how JSON shows it.")


def shape_of_union(kinds: Iterable[Any], register: Register) -> Schema:
    shapes = [shape_of(kind, register) for kind in kinds]
    null = SCALARS[NoneType]
    others = [shape for shape in shapes if shape != null]
    if len(others) == len(shapes) or len(others) > 1 or "type" not in others[0]:
        return {"oneOf": shapes}
    only = others[0] | {"type": [others[0]["type"], "null"]}
    return only | {"enum": [*only["enum"], None]} if "enum" in only else only


def shape_of_tuple(kinds: tuple[Any, ...], register: Register) -> Schema:
    """Return a list of any length for `tuple[X, ...]`, and one of so many for `tuple[X, X]`."""
    if kinds[-1] is Ellipsis:
        return {"type": "array", "items": shape_of(kinds[0], register)}
    if len(set(kinds)) > 1:
        raise UnknownShape(f"{kinds!r}: let all be of one kind, or give them names.")
    size = len(kinds)
    return {"type": "array", "items": shape_of(kinds[0], register), "minItems": size, "maxItems": size}


def shape_of_class(kind: Any, register: Register) -> Schema:
    hints, comments = get_type_hints(kind, include_extras=True), comments_of(kind)
    names = (
        {one.name: one.metadata.get(SHOWN_AS, one.name) for one in fields(kind)} if is_dataclass(kind) else {}
    )
    properties = {
        names.get(name, name): _with_words(shape_of(hint, register), comments.get(name, ""))
        for name, hint in hints.items()
    }
    shape: Schema = {"type": "object", "properties": properties}
    if required := [names.get(name, name) for name, hint in hints.items() if is_always_there(kind, hint)]:
        shape["required"] = required
    return _with_words(shape, words_of(kind))


def is_always_there(kind: Any, hint: Any) -> bool:
    """Tell by the hint: of annotations that are kept as texts, a TypedDict does not know it itself."""
    if get_origin(hint) in {Required, NotRequired}:
        return get_origin(hint) is Required
    return getattr(kind, "__total__", True)


def words_of(kind: type) -> str:
    """Return what a docstring says, unless a dataclass has none and was given its signature instead."""
    words = inspect.cleandoc(kind.__doc__ or "")
    return "" if words.startswith((f"{kind.__name__}(", "dict(")) else words


@cache
def comments_of(kind: type) -> dict[str, str]:
    """Return the comments behind the fields of a class and of those that it extends."""
    bases = getattr(kind, "__orig_bases__", kind.__bases__)
    classes = [*(base for base in bases if isinstance(base, type)), kind]
    own = (cls for cls in classes if cls.__module__ not in {"builtins", "typing"})
    return {name: words for cls in own for name, words in COMMENT.findall(_source(cls))}


def _source(kind: type) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):  # Nobody promised us that the source is there.
        return ""


def _with_words(shape: Schema, words: str) -> Schema:
    if not words:
        return shape
    return {"allOf": [shape], "description": words} if "$ref" in shape else {**shape, "description": words}
