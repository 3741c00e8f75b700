"""Measure contexts for language models on a folder with known answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from search.evaluation.contexts import measure_contexts
from search.evaluation.measures import BadTruth


class Command(BaseCommand):
    help = "Tell how much of the known answers is in the contexts assembled for their questions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set_dir", type=Path)
        parser.add_argument("--json", action="store_true", help="one object on each line")
        parser.add_argument("--limit", type=int, metavar="N", help="ask the first N questions")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["set_dir"]
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        try:
            for measure in measure_contexts(folder, limit=options["limit"]):
                row = f"{measure.measure:<40} {measure.value:.4f}  n={measure.n}"
                self.stdout.write(measure.as_json() if options["json"] else row)
        except BadTruth as error:
            raise CommandError(str(error)) from error
