"""Make collections as a YAML file says, and read what it names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.configuration import (
    Configuration,
    Configured,
    Problem,
    Spot,
    describe_schema,
    explain,
    read_configuration,
)
from documents.configuration.nodes import MOST_CHARACTERS
from documents.errors import DocumentError
from documents.management.commands.ingest import read_now
from documents.management.find import require_tenant
from documents.management.progress import Progress, on_one_line
from documents.models import Collection
from documents.services import add_files
from documents.services.configuration import (
    Plan,
    apply_plans,
    check_installation,
    plan_configurations,
)
from documents.services.intake import largest_file
from documents.unpack import count_files, read_path
from tenants.audit import Actor
from tenants.models import Tenant

ACTOR = Actor.of_command("apply")
MOST_BYTES = 4 * MOST_CHARACTERS


@dataclass(frozen=True, slots=True)
class Folder:
    """Where sources are looked for: below a folder, unless they may be anywhere."""

    path: Path
    is_anywhere: bool = False

    def find(self, configuration: Configuration) -> Path | None:
        source = configuration.values["source"]
        return None if source is None else self.path / str(source)

    def check(self, configuration: Configuration) -> Iterator[Problem]:
        source = self.find(configuration)
        if source is not None and (reason := self.problem_of(source)):
            yield Problem(configuration.spot("source"), f"`source`: {reason}")

    def problem_of(self, source: Path) -> str:
        try:
            if not source.is_dir() and not source.is_file():
                return f"there is no file and no folder {on_one_line(str(source))}. Paths begin at this file."
            if not self.is_anywhere and not source.resolve().is_relative_to(self.path.resolve()):
                return "it leads out of the folder of this file. If that is meant, add --anywhere."
            return "" if count_files(source) else "there are no files in it."
        except OSError as error:
            return f"it cannot be opened: {error.strerror}."
        except ValueError:
            return "it is no path."


class Command(BaseCommand):
    help = "Make or change collections as a YAML file says, and read the files that it names."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", help="one collection, or several parted by ---")
        parser.add_argument("--tenant", metavar="SLUG")
        parser.add_argument("--dry-run", action="store_true", help="only say what would change")
        parser.add_argument(
            "--anywhere", action="store_true", help="let `source` lead out of the folder of the file"
        )
        parser.add_argument("--schema", action="store_true", help="print the JSON schema, for editors")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["schema"]:
            self.stdout.write(json.dumps(describe_schema(), indent=2, ensure_ascii=False))
            return
        path: Path | None = options["file"]
        if path is None or options["tenant"] is None:
            raise CommandError("Name a file, and a tenant with --tenant.")
        configured = read_file(path)
        tenant = require_tenant(options["tenant"])
        folder = Folder(path.parent, is_anywhere=options["anywhere"])
        require_sound(path, [*configured.problems, *check_all(configured, folder)])
        for warning in configured.warnings:
            self.stderr.write(f"Warning: {placed(path, warning)}")
        self.apply(tenant, configured.configurations, folder, is_dry=options["dry_run"])

    def apply(self, tenant: Tenant, wanted: Sequence[Configuration], folder: Folder, *, is_dry: bool) -> None:
        plans = plan_configurations(tenant=tenant, configurations=wanted)
        for plan in plans:
            self.describe(plan, folder)
        if is_dry:
            self.stdout.write("Nothing was changed: this was a dry run.")
            return
        try:
            collections = apply_plans(tenant=tenant, plans=plans, actor=ACTOR)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except DocumentError as error:
            raise CommandError(str(error)) from error
        failed = sum(
            self.read(collection, source)
            for collection, plan in zip(collections, plans, strict=True)
            if (source := folder.find(plan.configuration)) is not None
        )
        if failed:
            self.stdout.flush()  # The error below goes another way, and should come after.
            raise CommandError(f"{failed} of the files could not be read.")

    def describe(self, plan: Plan, folder: Folder) -> None:
        """Say what will change, and what that means."""
        name = plan.configuration.name
        if plan.collection is None:
            self.stdout.write(f"{name}: a new collection")
        elif not plan.changes:
            self.stdout.write(f"{name}: unchanged")
        else:
            self.stdout.write(f"{name}: changed")
        for change in plan.changes:
            self.stdout.write(f"  {on_one_line(str(change))}")
        if plan.collection is not None:
            for line in explain(plan.changes):
                self.stdout.write(f"  Holds {line}")
        if source := folder.find(plan.configuration):
            self.stdout.write(f"  reads {on_one_line(str(source.resolve()))}")

    def read(self, collection: Collection, source: Path) -> int:
        """Read files into a collection, and return how many could not be read."""
        progress = Progress(self.stdout, total=count_files(source))
        files = read_path(source, largest=largest_file())
        for one in add_files(collection=collection, files=files, actor=ACTOR, is_queued=False):
            progress.advance(one.name, *read_now(one))
        progress.finish()
        return len(progress.failures)


def read_file(path: Path) -> Configured:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be opened: {error.strerror}.") from error
    if len(content) > MOST_BYTES:
        raise CommandError(f"{path}: the file has more than {MOST_CHARACTERS:,} characters. Split it.")
    try:
        return read_configuration(content.decode())
    except UnicodeDecodeError as error:
        before = content[: error.start]
        spot = Spot(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        return Configured(problems=(Problem(spot, "This is no UTF-8. Save the file as UTF-8."),))


def check_all(configured: Configured, folder: Folder) -> Iterator[Problem]:
    for configuration in configured.configurations:
        yield from check_installation(configuration)
        yield from folder.check(configuration)


def require_sound(path: Path, problems: Sequence[Problem]) -> None:
    if problems:
        lines = [placed(path, problem) for problem in sorted(problems)]
        count = "There is a mistake" if len(lines) == 1 else f"There are {len(lines)} mistakes"
        raise CommandError("\n".join([f"{count}, and nothing was changed.", *lines]))


def placed(path: Path, problem: Problem) -> str:
    """Say where a problem is in a way that editors and terminals can follow."""
    return f"{path}:{problem.spot.line}:{problem.spot.column}: {problem.message}"
