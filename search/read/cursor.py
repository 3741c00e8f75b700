"""Where a list goes on: the place of the last row that was shown, in a word that is handed back as it is."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from search.errors import BadCursor

LIMIT, MOST = 50, 200  # Of a page.
LONGEST = 2_000
LARGEST = 2**31 - 1
Kind = Callable[[Any], Any]
M = TypeVar("M", bound=Model)


def write_cursor(*values: object) -> str:
    written = [_written(value) for value in values]
    return urlsafe_b64encode(json.dumps(written, separators=(",", ":")).encode()).decode().rstrip("=")


def _written(value: object) -> object:
    match value:
        case UUID():
            return str(value)
        case datetime():
            return value.isoformat()
    return value


def read_cursor(cursor: str | None, *kinds: Kind) -> tuple[Any, ...] | None:
    """Return the values that were written, each of its kind; nothing where a list begins."""
    if not cursor:
        return None
    try:
        given = json.loads(urlsafe_b64decode(cursor[:LONGEST].encode() + b"=" * (-len(cursor) % 4)))
        return tuple(kind(value) for kind, value in zip(kinds, given, strict=True))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise BadCursor("Give “next” of the answer before, as it is.") from error


def position(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise ValueError(value)
    return value


def words(value: Any) -> str:
    if not isinstance(value, str) or "\x00" in value:
        raise ValueError(value)
    value.encode()
    return value


def identity(value: Any) -> UUID:
    return UUID(words(value))


def moment(value: Any) -> datetime:
    read = datetime.fromisoformat(words(value))
    if read.tzinfo is None:
        raise ValueError(value)
    return read.astimezone(UTC)  # PostgreSQL takes no zone that is 16 hours off.


def behind(fields: Sequence[str], values: Sequence[Any]) -> Q:
    """Match rows behind the one with these values, in the order of these fields, as `order_by` has them."""
    condition = Q()
    names = [field.removeprefix("-") for field in fields]
    for place, (field, value) in enumerate(zip(fields, values, strict=True)):
        same = Q(**dict(zip(names[:place], values[:place], strict=True)))
        further = "lt" if field.startswith("-") else "gt"
        condition |= same & Q(**{f"{names[place]}__{further}": value})
    return condition


def cut_page(
    rows: QuerySet[M], order: Mapping[str, Kind], *, after: str | None = None, limit: int = LIMIT
) -> tuple[list[M], str | None]:
    """Return a page of rows in an order that no two share a place in, and what leads to the next page.

    The order has fields as `order_by` does, each with what reads it from a cursor.
    """
    last = read_cursor(after, *order.values())
    if last:
        rows = rows.filter(behind(list(order), last))
    found = list(rows.order_by(*order)[: limit + 1])
    if len(found) <= limit:
        return found, None
    place = [attrgetter(field.removeprefix("-").replace("__", ".")) for field in order]
    return found[:limit], write_cursor(*(read(found[limit - 1]) for read in place))
