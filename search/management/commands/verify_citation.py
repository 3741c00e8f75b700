"""Say whether what was cited still stands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from documents.errors import ReadContextRefused
from documents.management.find import require_tenant
from documents.management.progress import on_one_line
from documents.read_context import ReadContext
from search.citations.given import read_citation
from search.citations.verification import Reading, Verification
from search.citations.verify import verify_citation
from search.errors import CitationRefused

MOST_SHOWN = 500
SIGNS = {"removed": "[-{}-]", "added": "{{+{}+}}", "same": "{}"}


class Command(BaseCommand):
    help = "Say whether what was cited still stands; ends with 1 if anything does not."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", help="JSON: a citation, a list of them, or the answer to a search; - reads standard input"
        )
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument(
            "--at",
            default="head",
            metavar="WORDS",
            help="head, published, baseline:ID, 2016-03-01, effective:2016-03-01",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = require_tenant(options["tenant"])
        try:
            context = ReadContext.read_words(options["at"], now=timezone.now())
            citations = [
                read_citation(one, now=timezone.now()) for one in cited_in(read_json(options["file"]))
            ]
            verified = [verify_citation(one, tenant=tenant, context=context) for one in citations]
        except CitationRefused as error:
            raise CommandError(f"{error.field}: {error}") from error
        except ReadContextRefused as error:
            raise CommandError(f"--at: {error}") from error
        for one in verified:
            for line in lines(one):
                self.stdout.write(line)
        fallen = sum(not one.does_stand for one in verified)
        if fallen:
            raise CommandError(f"{fallen} of {len(verified)} do not stand.")


def read_json(name: str) -> Any:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{name}: this is not JSON ({error}).") from error


def cited_in(given: Any) -> list[Any]:
    """Return the citations of what a program has kept."""
    if isinstance(given, dict):
        if isinstance(given.get("results"), list):
            return cited_in(given["results"])
        given = given.get("citations", [given.get("citation", given)])
    if not isinstance(given, list) or not given:
        raise CommandError("There is no citation in it.")
    return [one["citation"] if isinstance(one, dict) and "citation" in one else one for one in given]


def lines(verified: Verification) -> Iterator[str]:
    yield f"{verified.status}: {on_one_line(verified.sentence)}"
    if verified.then is not None:
        yield f"  then: {shown(verified.then)}"
    if verified.now is not None and verified.now != verified.then:
        yield f"  now:  {shown(verified.now)}"
    if verified.difference:
        marked = "".join(SIGNS[one.kind].format(one.text) for one in verified.difference)
        yield f"  {cut(marked)}"
    for change in verified.since:
        yield f"  changed in version {change.version}, recorded {change.recorded_at:%Y-%m-%d %H:%M} UTC"


def shown(reading: Reading) -> str:
    place = on_one_line(", ".join(filter(None, [reading.document, reading.section_label])))
    return f"{place}, version {reading.version}: {cut(reading.text)}"


def cut(text: str) -> str:
    text = on_one_line(text)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1].rstrip()}…"
