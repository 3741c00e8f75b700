"""Serve agents over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from documents.management.find import require_tenant
from search.mcp.callers import CallerRefused, program_of_key, program_of_tenant
from search.mcp.stdio import serve_stdio
from tenants.authentication import Program

NOBODY = "Say for whom: `--tenant SLUG`, or an API key in PANDECT_API_KEY."
BOTH = "PANDECT_API_KEY is set, which says for which tenant and what is allowed. Leave out {option}."


class Command(BaseCommand):
    help = (
        "Serve an agent by the Model Context Protocol over standard input and output, for one tenant. "
        "Over HTTP it is served at /mcp by the web server."
    )
    requires_system_checks = ()  # Clients wait a few seconds for it to start, and no longer.

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="or set PANDECT_API_KEY")
        parser.add_argument(
            "--allow-reindex", action="store_true", help="let the agent have documents reindexed"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        serve_stdio(chosen_program(options["tenant"], may_manage=options["allow_reindex"]))


def chosen_program(slug: str | None, *, may_manage: bool) -> Callable[[], Program]:
    """Return how to find out who calls. A key is looked up each time: it may be revoked."""
    if not settings.MCP_API_KEY:
        if slug is None:
            raise CommandError(NOBODY)
        program = program_of_tenant(require_tenant(slug), may_manage=may_manage)
        return lambda: program
    for option, is_given in (("--tenant", slug is not None), ("--allow-reindex", may_manage)):
        if is_given:
            raise CommandError(BOTH.format(option=option))
    find = partial(program_of_key, settings.MCP_API_KEY)
    try:
        find()
    except CallerRefused as error:
        raise CommandError(f"PANDECT_API_KEY: {error}") from error
    return find
