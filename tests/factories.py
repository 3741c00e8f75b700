"""Rows to test with, one factory for each model that belongs to a tenant."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from django.db import models

from tenants.audit import Actor, record
from tenants.keys import Token
from tenants.models import ApiKey, AuditEvent, Membership, Role, Scope, Tenant, User
from tenants.scope import tenant_scope
from tenants.services import add_member, create_api_key, create_tenant

PASSWORD = "correct horse battery"
ACTOR = Actor("tests")
numbers = count(1)


def user(name: str = "person") -> User:
    return User.objects.create_user(f"{name}{next(numbers)}@example.org", PASSWORD)


def tenant(slug: str) -> Tenant:
    return create_tenant(name=slug.title(), slug=slug, actor=ACTOR)


def membership(tenant: Tenant, role: Role = Role.READER) -> Membership:
    return add_member(tenant=tenant, user=user(role.value), role=role, actor=ACTOR)


def api_key(tenant: Tenant, *scopes: Scope) -> tuple[ApiKey, Token]:
    return create_api_key(
        tenant=tenant, name=f"key {next(numbers)}", scopes=scopes or (Scope.READ,), actor=ACTOR
    )


def audit_event(tenant: Tenant) -> AuditEvent:
    with tenant_scope(tenant.pk):
        record(tenant=tenant, actor=ACTOR, action="test.happened", target="something")
        return AuditEvent.objects.for_tenant(tenant).filter(action="test.happened")[0]


# The walls are tested on a row of each model that has a tenant: a new model needs a line here.
ROW_OF: dict[type[models.Model], Callable[[Tenant], models.Model]] = {
    Tenant: lambda tenant: tenant,
    Membership: membership,
    ApiKey: lambda tenant: api_key(tenant)[0],
    AuditEvent: audit_event,
}


def row_of(model: type[models.Model], tenant: Tenant) -> models.Model:
    assert model in ROW_OF, f"Add a factory for {model._meta.label} to tests/factories.py."
    return ROW_OF[model](tenant)
