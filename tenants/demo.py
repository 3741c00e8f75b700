"""Demo tenants: two organisations, one person in both, one in each role, and one operator."""

from __future__ import annotations

from collections.abc import Iterator

from tenants.audit import Actor
from tenants.errors import UnknownTenant
from tenants.models import Membership, Role, User
from tenants.scope import tenant_scope
from tenants.services import add_member, create_tenant, find_tenant

PASSWORD = "pandect-demo"  # noqa: S105
OPERATOR = "operator@example.org"
ACTOR = Actor.of_command("load_demo")
TENANTS = {
    "harbour": (
        "Harbour Authority",
        {"ada": Role.ADMIN, "edgar": Role.EDITOR, "rosa": Role.READER},
    ),
    "meridian": ("Meridian Standards", {"ada": Role.READER, "mina": Role.ADMIN}),
}


def load_demo() -> Iterator[str]:
    """Create what is missing; yield a line for each thing made."""
    if not User.objects.filter(email=OPERATOR).exists():
        User.objects.create_superuser(OPERATOR, PASSWORD, name="Olive Operator")
        yield f"Made the operator {OPERATOR}."
    for slug, (name, people) in TENANTS.items():
        try:
            tenant = find_tenant(slug)
        except UnknownTenant:
            tenant = create_tenant(name=name, slug=slug, actor=ACTOR)
            yield f"Made the tenant {name}."
        for person, role in people.items():
            user = _person(person)
            with tenant_scope(tenant.pk):
                is_member = Membership.objects.for_tenant(tenant).filter(user=user).exists()
            if not is_member:
                add_member(tenant=tenant, user=user, role=role, actor=ACTOR)


def _person(first_name: str) -> User:
    email = f"{first_name}@example.org"
    return User.objects.filter(email=email).first() or User.objects.create_user(
        email, PASSWORD, name=first_name.title()
    )
