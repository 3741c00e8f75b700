"""The door of a tenant's pages: who may enter, and as what."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.utils.translation import gettext as _

from tenants.models import Membership, Role, Tenant, User
from tenants.scope import tenant_scope, user_scope

P = ParamSpec("P")
R = TypeVar("R", bound=HttpResponseBase)
TenantView = Callable[Concatenate[HttpRequest, Membership, P], HttpResponse]
View = Callable[..., HttpResponse]


def tenant_view(*, role: Role = Role.READER, is_scoped: bool = True) -> Callable[[TenantView[P]], View]:
    """Make a view of `/t/<slug>/…` that gets the membership of whoever asks, and acts for that tenant.

    A tenant that does not exist and one that is not theirs look the same: 404. A view that waits for others
    is not scoped: it opens scopes of its own before and after, and asks `find_membership` again in between.
    """

    def decorate(view: TenantView[P]) -> View:
        @wraps(view)
        def enter(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            membership = find_membership(request, slug)
            if not membership.allows(role):
                raise PermissionDenied(tell_role(role, membership.tenant))
            with tenant_scope(membership.tenant_id) if is_scoped else nullcontext():
                response = view(request, membership, *args, **kwargs)
                return rendered(response)

        return enter

    return decorate


def tell_role(role: Role, tenant: Tenant) -> str:
    if role == Role.ADMIN:
        return _("This page is for the admins of %(tenant)s.") % {"tenant": tenant}
    return _("This page is for the editors of %(tenant)s.") % {"tenant": tenant}


def find_membership(request: HttpRequest, slug: str) -> Membership:
    """Return what somebody is in a tenant at this moment; 404 if that is nothing."""
    if not isinstance(request.user, User):
        raise Http404
    with user_scope(request.user.pk):
        own = Membership.objects.of_user(request.user).filter(tenant__slug=slug, user__is_active=True)
        membership = own.first()
    if membership is None:
        raise Http404(f"You have no tenant {slug!r}.")
    membership.user = request.user
    return membership


def rendered(response: R) -> R:
    """Render now: Django would do it after the transaction, when the database shows nothing any more."""
    if isinstance(response, SimpleTemplateResponse):
        response.render()
    return response
