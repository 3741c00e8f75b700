"""Search from the command line."""

from __future__ import annotations

import json
import shutil
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from documents.management.find import require_tenant
from documents.management.read import require_context
from search.ask import ask
from search.management.asking import add_question, refusals
from search.management.terminal import Terminal
from search.models import Door
from search.request import MOST_RESULTS
from tenants.shapes import show_answer

FEW = 5


class Command(BaseCommand):
    help = "Search by citation, phrase, words or question, and print what was found and why."

    def add_arguments(self, parser: CommandParser) -> None:
        add_question(parser)
        parser.add_argument("--top", type=int, default=FEW, metavar="N", help=f"1 to {MOST_RESULTS} results")
        parser.add_argument("--explain", action="store_true", help="how the query was understood")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["top"] <= MOST_RESULTS:
            raise CommandError(f"--top {options['top']}: give a number from 1 to {MOST_RESULTS}.")
        with refusals():
            answer = ask(
                tenant=require_tenant(options["tenant"]),
                query=options["query"],
                collections=options["collection"],
                read_context=require_context(options["read"]),
                top_k=options["top"],
                explain=options["explain"],
                door=Door.COMMAND,
            )
        if options["json"]:
            shown = show_answer(answer)
            self.stdout.write(json.dumps(shown, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))
            return
        for line in self.terminal(options["no_color"]).show(answer):
            self.stdout.write(line)

    def terminal(self, is_plain: bool) -> Terminal:
        is_coloured = self.stdout.isatty() and not is_plain
        return Terminal(shutil.get_terminal_size((100, 24)).columns, is_coloured)
