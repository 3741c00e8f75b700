"""Two tenants with people to try the product with."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from tenants.demo import PASSWORD, load_demo


class Command(BaseCommand):
    help = "Create the demo tenants and people, unless they exist. Not for production."

    def handle(self, *args: Any, **options: Any) -> None:
        for line in load_demo():
            self.stdout.write(line)
        self.stdout.write(f"Password of everyone: {PASSWORD}")
