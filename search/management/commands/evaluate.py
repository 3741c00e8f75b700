"""Measure how well a set of questions is answered, and compare that with the last time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.management.find import require_collection, require_tenant
from search.evaluation.ablate import TOP_K, evaluate_suite, figures_by_way, run_before
from search.evaluation.measures import BadTruth
from search.evaluation.show import describe_run, show_run
from search.evaluation.suites import Suite, golden_suite, suite_of
from search.request import MOST_RESULTS

NO_CONTEXTS = "--ablate-context needs the documents of a set: it indexes them a second time."


class Command(BaseCommand):
    help = "Ask the questions of a set in several ways, print and keep the figures, and compare them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("set", type=Path, help="a folder with its truth, or a file of golden queries")
        parser.add_argument("--tenant", metavar="SLUG", help="whose collection is asked golden queries")
        parser.add_argument("--collection", metavar="NAME")
        parser.add_argument("--limit", type=int, metavar="N", help="ask the first N questions")
        parser.add_argument(
            "--top-k", type=int, default=TOP_K, metavar="K", help="results that are asked for"
        )
        parser.add_argument("--ablate-context", action="store_true", help="index without contexts too")
        parser.add_argument(
            "--chunk-tokens", type=int, metavar="N", help="cut the documents of golden queries so small"
        )
        parser.add_argument("--fresh", action="store_true", help="read everything anew")
        parser.add_argument("--json", action="store_true", help="one object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["top_k"] <= MOST_RESULTS:
            raise CommandError(f"--top-k: from 1 to {MOST_RESULTS}.")
        try:
            run = evaluate_suite(
                self.suite(options),
                top_k=options["top_k"],
                limit=options["limit"],
                is_context_ablated=options["ablate_context"],
                tell=self.stderr.write,
            )
        except BadTruth as error:
            raise CommandError(str(error)) from error
        before = run_before(run)
        if options["json"]:
            self.stdout.write(json.dumps(describe_run(run, before)))
            return
        for line in show_run(run, before):
            self.stdout.write(line)
        if not options["ablate_context"] and "dense, no context" not in figures_by_way(run):
            self.stdout.write(
                "All rows are of the index with its contexts; --ablate-context adds those without."
            )

    def suite(self, options: dict[str, Any]) -> Suite:
        path: Path = options["set"]
        if (options["tenant"] is None) != (options["collection"] is None):
            raise CommandError("Say both --tenant and --collection, or neither.")
        if options["tenant"] is None:
            if not path.is_dir():
                raise CommandError(
                    f"There is no folder {path}. Of a file, say --tenant and --collection too."
                )
            return suite_of(
                path,
                is_fresh=options["fresh"],
                chunk_tokens=options["chunk_tokens"],
                tell=self.stderr.write,
            )
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        if options["ablate_context"]:
            raise CommandError(NO_CONTEXTS)
        tenant = require_tenant(options["tenant"])
        collection = require_collection(tenant, options["collection"])
        return golden_suite(path, collection, tell=self.stderr.write)
