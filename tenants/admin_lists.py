"""What keeps the lists of the administration short, whatever the tables hold."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from tenants.models import AuditEvent, Tenant

MOST_COUNTED = 10_000
MOST_CHOICES = 100


class ShortPaginator(Paginator[Any]):
    """Counts no further than anybody turns pages."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by().values("pk")[:MOST_COUNTED].count())


class TenantFilter(admin.SimpleListFilter):
    """Offers the first tenants, and the one that was chosen; who has more of them searches."""

    title = "tenant"
    parameter_name = "tenant__id__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = Tenant.objects.order_by("name").values_list("pk", "name")
        found = [(str(pk), name) for pk, name in rows[:MOST_CHOICES]]
        chosen = request.GET.get(self.parameter_name, "")
        if chosen and chosen not in dict(found):
            found += [(str(pk), name) for pk, name in _of(rows, "pk", chosen)]
        return found

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else _of(queryset, "tenant", self.value())


class ActionFilter(admin.SimpleListFilter):
    """Offers what was done lately: looking through all takes too long."""

    title = "action"
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        some = AuditEvent.objects.order_by("-at").values("pk")[:MOST_COUNTED]
        actions = AuditEvent.objects.order_by("action").filter(pk__in=some)
        return [(action, action) for action in actions.values_list("action", flat=True).distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else queryset.filter(action=self.value())


def _of(rows: Any, name: str, pk: str | None) -> Any:
    """Return the rows of an id; none for what is no id."""
    try:
        return rows.filter(**{name: pk})
    except ValidationError:
        return rows.none()
