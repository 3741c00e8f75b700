"""Create a tenant from the command line."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.audit import Actor
from tenants.models import User
from tenants.services import create_tenant


class Command(BaseCommand):
    help = "Create a tenant, with a first admin."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="its name in addresses, such as harbour")
        parser.add_argument("name", help="its name for people, such as “Harbour Authority”")
        parser.add_argument("--admin", metavar="EMAIL", help="an existing person to be its admin")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = create_tenant(
                name=options["name"],
                slug=options["slug"],
                admin=find_person(options["admin"]),
                actor=Actor.of_command("create_tenant"),
            )
        except ValidationError as error:
            problems = [f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items()]
            raise CommandError(" ".join(problems)) from error
        self.stdout.write(f"Created {tenant}: /t/{tenant.slug}/")


def find_person(email: str | None) -> User | None:
    if email is None:
        return None
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist as error:
        raise CommandError(
            f"Nobody has the address {email}. Whoever runs this installation creates people in /admin/."
        ) from error
