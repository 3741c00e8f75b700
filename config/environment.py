"""Read settings from environment variables, with errors that say which one and what to do."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


class Environment:
    """Typed reading of a mapping of environment variables.

    Every variable `NAME` can also be given as `NAME_FILE`, the path of a file that holds the value,
    which is how container platforms hand over secrets.
    """

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        self.variables = variables

    def text(self, name: str, default: str = "") -> str:
        if path := self.variables.get(f"{name}_FILE"):
            try:
                return Path(path).read_text(encoding="utf-8").strip()
            except OSError as error:
                raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {error.strerror}.") from error
        return self.variables.get(name, "").strip() or default

    def required(self, name: str, cure: str) -> str:
        if value := self.text(name):
            return value
        raise ImproperlyConfigured(f"{name} is not set. {cure}")

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self.text(name, "1" if default else "0").lower()
        if value in TRUE:
            return True
        if value in FALSE:
            return False
        raise ImproperlyConfigured(f"{name}={value}: expected 1 or 0.")

    def number(self, name: str, default: int, *, least: int = 0) -> int:
        value = self.text(name, str(default))
        if not value.isascii() or not value.isdigit() or int(value) < least:
            raise ImproperlyConfigured(f"{name}={value}: expected a whole number of at least {least}.")
        return int(value)

    def words(self, name: str, default: Collection[str] = ()) -> list[str]:
        value = self.text(name)
        return value.replace(",", " ").split() if value else list(default)

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        value = self.text(name, default)
        if value not in choices:
            raise ImproperlyConfigured(f"{name}={value}: expected one of {', '.join(choices)}.")
        return value
