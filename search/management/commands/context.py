"""Print a context for a language model."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from documents.convert.converted import clean_text
from documents.management.find import require_tenant
from documents.management.read import require_context
from search.context.assemble import FEWEST_TOKENS, MAX_TOKENS, MOST_TOKENS, AssembledContext, assemble_context
from search.management.asking import add_question, refusals


class Command(BaseCommand):
    help = "Print what answers a question as a text for a language model, and what is known of it to stderr."

    def add_arguments(self, parser: CommandParser) -> None:
        add_question(parser)
        limits = f"{FEWEST_TOKENS:,} to {MOST_TOKENS:,}"
        parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS, metavar="N", help=limits)
        parser.add_argument("--no-relationships", action="store_true", help="passages alone")

    def handle(self, *args: Any, **options: Any) -> None:
        with refusals():
            assembled = assemble_context(
                tenant=require_tenant(options["tenant"]),
                query=options["query"],
                collections=options["collection"],
                read_context=require_context(options["read"]),
                max_tokens=options["max_tokens"],
                include_relationships=not options["no_relationships"],
            )
        if options["json"]:
            shown = asdict(assembled)
            self.stdout.write(json.dumps(shown, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))
            return
        self.stdout.write(clean_text(assembled.context), ending="")
        self.stderr.write(summary(assembled))


def summary(assembled: AssembledContext) -> str:
    count = len(assembled.sources)
    sources = "1 source" if count == 1 else f"{count} sources"
    missing = "".join(f" {one.reason}" for one in assembled.not_found)
    return f"{assembled.tokens:,} tokens, {sources}, confidence: {assembled.confidence}.{missing}"
