"""The page of a collection's settings: what a YAML file says of it, as a form."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from documents import services
from documents.configuration import Change, Configuration, explain, weigh, write_configuration
from documents.errors import DocumentError
from documents.models import Collection
from documents.pages.configuration_form import ConfigurationForm
from documents.pages.library import find_collection
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership, Role
from tenants.views import tenant_page


@tenant_view(role=Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def collection_settings(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    collection = find_collection(membership, pk)
    before: dict[str, Any] = collection.configuration
    if request.method != "POST":
        return settings_page(request, membership, collection, ConfigurationForm(initial=before))
    form = ConfigurationForm(request.POST, initial=before)
    if not form.is_valid() or not save(request, collection, form):
        return settings_page(request, membership, collection, form)
    tell_changes(request, before, form)
    return redirect("collection_settings", membership.tenant.slug, collection.pk)


def save(request: HttpRequest, collection: Collection, form: ConfigurationForm) -> bool:
    try:
        services.update_collection(
            collection=collection, actor=Actor.of_request(request), **form.cleaned_data
        )
    except (DocumentError, ValidationError) as error:
        form.add_error(
            None if isinstance(error, ValidationError) else "name",
            error if isinstance(error, ValidationError) else str(error),
        )
        return False
    return True


def tell_changes(request: HttpRequest, before: dict[str, Any], form: ConfigurationForm) -> None:
    """Say from when on each change holds, and what is odd about the whole."""
    after = form.cleaned_data
    changes = tuple(Change(name, before[name], after[name]) for name in after if before[name] != after[name])
    if not changes:
        messages.success(request, _("Nothing is different."))
    for line in explain(changes):
        messages.success(request, line)
    for warning in weigh(form.configuration()):
        messages.warning(request, warning.message)


def settings_page(
    request: HttpRequest, membership: Membership, collection: Collection, form: ConfigurationForm
) -> HttpResponse:
    values: dict[str, Any] = collection.configuration
    context = {
        "collection": collection,
        "form": form,
        "warnings": [] if form.is_bound else [one.message for one in weigh(Configuration(values))],
        "yaml": write_configuration(values),
    }
    return tenant_page(request, membership, "collection_settings", context, is_refused=form.is_bound)
