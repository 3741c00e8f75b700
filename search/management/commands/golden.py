"""Make golden queries from the documents of a collection."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.management.find import require_collection, require_tenant
from search.evaluation.generate import MOST, generate_golden
from search.evaluation.golden import write_golden


class Command(BaseCommand):
    help = (
        "Print golden queries, made from the headings, definitions and references of a collection, as YAML."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--collection", required=True, metavar="NAME")
        parser.add_argument("--seed", type=int, default=0, help="another one makes other queries")
        parser.add_argument("--count", type=int, default=MOST, metavar="N", help=f"at most so many ({MOST})")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = require_collection(require_tenant(options["tenant"]), options["collection"])
        queries = generate_golden(collection, seed=options["seed"], most=options["count"])
        if not queries:
            raise CommandError(
                f"{collection.name} has no ready document with headings, definitions or references."
            )
        self.stdout.write(write_golden(queries), ending="")
