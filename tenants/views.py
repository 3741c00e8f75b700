"""Pages: the front page, and for each tenant its overview, members, keys and activity."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tenants import services
from tenants.access import tenant_view
from tenants.audit import Actor
from tenants.errors import TenantError
from tenants.forms import AddMemberForm, ApiKeyForm, RoleForm
from tenants.models import ApiKey, AuditEvent, Membership, Role, Tenant, User
from tenants.scope import user_scope

EVENTS_PER_PAGE = 50
RECENT_EVENTS = 8


@login_not_required
@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """Say what this is; show those who are logged in where they can go."""
    if not isinstance(request.user, User):
        return render(request, "tenants/welcome.html")
    with user_scope(request.user.pk):
        memberships = list(Membership.objects.of_user(request.user).order_by("tenant__name"))
        closed = list(Tenant.objects.filter(is_active=False).values_list("name", flat=True))
    if len(memberships) == 1:
        return redirect("overview", memberships[0].tenant.slug)
    return render(request, "tenants/choose.html", {"memberships": memberships, "closed": closed})


@tenant_view()
@require_safe
def overview(request: HttpRequest, membership: Membership) -> HttpResponse:
    tenant = membership.tenant
    context: dict[str, Any] = {"members": Membership.objects.for_tenant(tenant).count()}
    if membership.allows(Role.ADMIN):
        context["keys"] = ApiKey.objects.for_tenant(tenant).usable().count()
        context["events"] = AuditEvent.objects.for_tenant(tenant)[:RECENT_EVENTS]
    return tenant_page(request, membership, "overview", context)


@tenant_view()
@require_safe
def members(request: HttpRequest, membership: Membership) -> HttpResponse:
    return members_page(request, membership, AddMemberForm(tenant=membership.tenant))


@tenant_view(role=Role.ADMIN)
@require_POST
def add_member(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = AddMemberForm(request.POST, tenant=membership.tenant)
    if not form.is_valid():
        return members_page(request, membership, form)
    user, role = form.cleaned_data["email"], form.cleaned_data["role"]
    try:
        services.add_member(tenant=membership.tenant, user=user, role=role, actor=Actor.of_request(request))
    except TenantError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, tell_role(user, role))
    return redirect("members", membership.tenant.slug)


@tenant_view(role=Role.ADMIN)
@require_POST
def change_role(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    other = get_object_or_404(Membership.objects.for_tenant(membership.tenant), pk=pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose one of the roles."))
    else:
        role = form.cleaned_data["role"]
        try:
            services.change_role(membership=other, role=role, actor=Actor.of_request(request))
        except TenantError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, tell_role(other.user, role))
    return redirect("members", membership.tenant.slug)


@tenant_view(role=Role.ADMIN)
@require_POST
def remove_member(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    other = get_object_or_404(Membership.objects.for_tenant(membership.tenant), pk=pk)
    try:
        services.remove_member(membership=other, actor=Actor.of_request(request))
    except TenantError as error:
        messages.error(request, str(error))
        return redirect("members", membership.tenant.slug)
    messages.success(request, _("%(user)s is no longer a member.") % {"user": other.user})
    if other.user_id == membership.user_id:
        return redirect("front")
    return redirect("members", membership.tenant.slug)


@tenant_view(role=Role.ADMIN)
@require_safe
def keys(request: HttpRequest, membership: Membership) -> HttpResponse:
    return keys_page(request, membership, ApiKeyForm())


@tenant_view(role=Role.ADMIN)
@never_cache
@require_POST
def create_key(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show the secret in the answer itself: it is stored nowhere, not even in the session."""
    form = ApiKeyForm(request.POST)
    if not form.is_valid():
        return keys_page(request, membership, form)
    try:
        key, token = services.create_api_key(
            tenant=membership.tenant,
            name=form.cleaned_data["name"],
            scopes=form.cleaned_data["scopes"],
            expires_at=form.expires_at(),
            key_id=form.cleaned_data["key_id"],
            created_by=membership.user,
            actor=Actor.of_request(request),
        )
    except TenantError as error:
        messages.error(request, str(error))
        return redirect("keys", membership.tenant.slug)
    return tenant_page(request, membership, "key_created", {"key": key, "token": str(token)})


@tenant_view(role=Role.ADMIN)
@require_POST
def revoke_key(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    key = get_object_or_404(ApiKey.objects.for_tenant(membership.tenant), pk=pk)
    services.revoke_api_key(key=key, actor=Actor.of_request(request))
    messages.success(request, _("The key “%(name)s” no longer works.") % {"name": key.name})
    return redirect("keys", membership.tenant.slug)


@tenant_view(role=Role.ADMIN)
@require_safe
def activity(request: HttpRequest, membership: Membership) -> HttpResponse:
    events = AuditEvent.objects.for_tenant(membership.tenant)
    page = Paginator(events, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    return tenant_page(request, membership, "activity", {"page": page})


def tell_role(user: User, role: Role) -> str:
    return _("%(user)s is now %(role)s.") % {"user": user, "role": role.label.lower()}


def members_page(request: HttpRequest, membership: Membership, form: AddMemberForm) -> HttpResponse:
    people = Membership.objects.for_tenant(membership.tenant).select_related("user")
    context = {"people": people.order_by("user__email"), "form": form, "roles": Role.choices}
    return tenant_page(request, membership, "members", context, is_refused=form.is_bound)


def keys_page(request: HttpRequest, membership: Membership, form: ApiKeyForm) -> HttpResponse:
    tenant_keys = ApiKey.objects.for_tenant(membership.tenant).select_related("created_by")
    context = {"keys": tenant_keys, "form": form}
    return tenant_page(request, membership, "keys", context, is_refused=form.is_bound)


def tenant_page(
    request: HttpRequest,
    membership: Membership,
    name: str,
    context: dict[str, Any],
    *,
    is_refused: bool = False,
) -> HttpResponse:
    """Render a page inside a tenant, with the way to one's other tenants."""
    with user_scope(membership.user_id):
        own = list(Membership.objects.of_user(membership.user).order_by("tenant__name"))
    context |= {
        "page_name": name,
        "membership": membership,
        "tenant": membership.tenant,
        "is_admin": membership.allows(Role.ADMIN),
        "others": [other for other in own if other.tenant_id != membership.tenant_id],
    }
    return render(request, f"tenants/{name}.html", context, status=422 if is_refused else 200)
