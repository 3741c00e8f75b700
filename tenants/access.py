"""The door of a tenant's pages: who may enter, and as what."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse

from tenants.models import Membership, Role, User
from tenants.scope import tenant_scope, user_scope

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)
TenantView = Callable[Concatenate[HttpRequest, Membership, P], HttpResponse]
View = Callable[..., HttpResponse]


def tenant_view(*, role: Role = Role.READER) -> Callable[[TenantView[P]], View]:
    """Make a view of `/t/<slug>/…` that gets the membership of whoever asks, and acts for that tenant.

    A tenant that does not exist and one that is not theirs look the same: 404.
    """

    def decorate(view: TenantView[P]) -> View:
        @wraps(view)
        def enter(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            membership = find_membership(request, slug)
            if not membership.allows(role):
                raise PermissionDenied(f"This page is for the {role.label.lower()}s of {membership.tenant}.")
            with tenant_scope(membership.tenant_id):
                response = view(request, membership, *args, **kwargs)
                return rendered(response)

        return enter

    return decorate


def find_membership(request: HttpRequest, slug: str) -> Membership:
    if not isinstance(request.user, User):
        raise Http404
    with user_scope(request.user.pk):
        membership = Membership.objects.of_user(request.user).filter(tenant__slug=slug).first()
    if membership is None:
        raise Http404(f"You have no tenant {slug!r}.")
    membership.user = request.user
    return membership


def rendered(response: R) -> R:
    """Render now: Django would do it after the transaction, when the database shows nothing any more."""
    if isinstance(response, SimpleTemplateResponse):
        response.render()
    return response
