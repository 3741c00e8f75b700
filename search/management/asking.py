"""What commands that ask a question have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError, CommandParser

from documents.errors import ReadContextRefused
from documents.management.read import add_read_argument
from search.errors import SearchError


def add_question(parser: CommandParser) -> None:
    parser.add_argument("query")
    parser.add_argument("--tenant", required=True, metavar="SLUG")
    parser.add_argument(
        "--collection", action="append", default=[], metavar="NAME", help="may be given several times"
    )
    add_read_argument(parser)
    parser.add_argument("--json", action="store_true", help="all of the answer, as the API gives it")


@contextmanager
def refusals() -> Iterator[None]:
    try:
        yield
    except (SearchError, ReadContextRefused) as error:
        raise CommandError(str(error)) from error
