"""`manage.py check` builds every declared backend and names what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

from search.backends.declared import BackendError, build_backend, declared_roles


@register()
def check_backends(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    errors: list[CheckMessage] = []
    for role in declared_roles():
        try:
            build_backend(role)
        except BackendError as error:
            errors.append(Error(str(error), id="search.E001"))
    return errors
