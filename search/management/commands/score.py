"""Measure the product on a folder of documents with known truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from search.evaluation import Measure, evaluate_set
from search.evaluation.evaluate import FORMS, has_truth
from search.evaluation.measures import BadTruth


class Command(BaseCommand):
    help = "Read a set of documents into a scratch tenant and score whatever truth the folder has."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set_dir", type=Path)
        parser.add_argument("--json", action="store_true", help="one object on each line")
        parser.add_argument("--form", choices=FORMS, help="one form of the documents only")
        parser.add_argument("--fresh", action="store_true", help="read everything anew")
        parser.add_argument("--limit", type=int, metavar="N", help="ask the first N questions of each kind")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["set_dir"]
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        forms = (options["form"],) if options["form"] else FORMS
        show = self.show_json if options["json"] else self.show_row
        if not has_truth(folder):
            raise CommandError(f"{folder} has no truth that can be scored: see docs/measuring.md.")
        try:
            for measure in evaluate_set(
                folder,
                forms=forms,
                is_fresh=options["fresh"],
                limit=options["limit"],
                tell=self.stderr.write,
            ):
                show(measure)
        except BadTruth as error:
            raise CommandError(str(error)) from error

    def show_json(self, measure: Measure) -> None:
        self.stdout.write(measure.as_json())

    def show_row(self, measure: Measure) -> None:
        self.stdout.write(f"{measure.measure:<28} {measure.form or '':<4} {measure.value:.4f}  n={measure.n}")
