"""What the pages of the administration have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.contrib import messages
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import pluralize

from documents.errors import DocumentError
from tenants.admin import AuditedAdmin

SHOWN_FAILURE = 120

M = TypeVar("M", bound=models.Model)


def act_on_each(request: HttpRequest, rows: Iterable[M], service: Callable[[M], object], done: str) -> None:
    """Do the same to each row, and say how often it worked and why it did not."""
    count = 0
    for row in rows:
        try:
            service(row)
        except DocumentError as error:
            messages.warning(request, str(error))
        else:
            count += 1
    messages.success(request, f"{count} {done.format(s=pluralize(count))}.")


class ReadOnlyAdmin(AuditedAdmin[M]):
    """Rows that come and change by services alone."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: M | None = None) -> tuple[str, ...]:
        rows = self.get_fields(request, obj)
        return tuple(str(name) for row in rows for name in ((row,) if isinstance(row, str) else row))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Offer no button to save what cannot be changed."""
        hidden = {"show_save": False, "show_save_and_continue": False}
        return super().change_view(request, object_id, form_url, {**hidden, **(extra_context or {})})
