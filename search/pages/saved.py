"""Searches that people keep: their own, and those that are shared in the tenant."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from search.errors import SavedSearchRefused
from search.models import SavedSearch
from search.models.saved import LONGEST_NAME, LONGEST_QUERY
from search.pages.asked import Asked
from search.saved import change_search, forget_search, may_change, save_search
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.models import Membership
from tenants.views import tenant_page


class NameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    is_shared = forms.BooleanField(label=gettext_lazy("Share with everybody here"), required=False)


class SaveForm(NameForm):
    """A name for what the address of a search says."""

    query = forms.CharField(max_length=LONGEST_QUERY, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict | None = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial, auto_id="save-%s")

    def clean_query(self) -> str:
        """Keep what a search reads, and nothing else that an address may hold."""
        given = QueryDict(self.cleaned_data["query"])
        asked = Asked.read_from(given, read=given.get("read", "").strip())
        if not asked.query:
            raise forms.ValidationError(_("There is no search to keep. Search first."), code="empty")
        return asked.words


@tenant_view()
@require_safe
def saved_searches(request: HttpRequest, membership: Membership) -> HttpResponse:
    own = SavedSearch.objects.for_tenant(membership.tenant).seen_by(membership.user).select_related("owner")
    rows = [(one, query_of(one), may_change(one, membership)) for one in own]
    return tenant_page(request, membership, "saved_searches", {"rows": rows})


@tenant_view()
@require_POST
def create_saved_search(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = SaveForm(request.POST)
    if not form.is_valid():
        messages.error(request, first_error(form))
        return redirect("search", membership.tenant.slug)
    search = f"{reverse('search', kwargs={'slug': membership.tenant.slug})}?{form.cleaned_data['query']}"
    try:
        saved = save_search(membership=membership, actor=Actor.of_request(request), **form.cleaned_data)
    except (SavedSearchRefused, ValidationError) as error:
        messages.error(request, said(error))
    else:
        messages.success(request, _("“%(name)s” is kept.") % {"name": saved.name})
    return redirect(search)


@tenant_view()
@require_POST
def change_saved_search(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    saved, form = find_saved(membership, pk), NameForm(request.POST)
    if not form.is_valid():
        messages.error(request, first_error(form))
        return redirect("saved_searches", membership.tenant.slug)
    try:
        changed = change_search(
            saved=saved, membership=membership, actor=Actor.of_request(request), **form.cleaned_data
        )
    except (SavedSearchRefused, ValidationError) as error:
        messages.error(request, said(error))
    else:
        messages.success(request, _("“%(name)s” is changed.") % {"name": changed.name})
    return redirect("saved_searches", membership.tenant.slug)


@tenant_view()
@require_POST
def delete_saved_search(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    saved = find_saved(membership, pk)
    try:
        forget_search(saved=saved, membership=membership, actor=Actor.of_request(request))
    except SavedSearchRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("“%(name)s” is deleted.") % {"name": saved.name})
    return redirect("saved_searches", membership.tenant.slug)


def find_saved(membership: Membership, pk: UUID) -> SavedSearch:
    """Return a search that somebody can see: another's private one looks as if it were not there."""
    own = SavedSearch.objects.for_tenant(membership.tenant).seen_by(membership.user)
    found: SavedSearch = get_object_or_404(own, pk=pk)
    return found


def query_of(saved: SavedSearch) -> str:
    return QueryDict(saved.query).get("q", "")


def first_error(form: forms.Form) -> str:
    return str(next(iter(form.errors.values()))[0])


def said(error: SavedSearchRefused | ValidationError) -> str:
    return " ".join(error.messages) if isinstance(error, ValidationError) else str(error)
