"""Who acts, and the record of what they did."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_ipv46_address
from django.http import HttpRequest

from tenants.models import AuditEvent, Tenant, User


@dataclass(frozen=True)
class Actor:
    """A person, a program with a key, or a command."""

    label: str
    id: UUID | None = None
    address: str | None = None

    @classmethod
    def of_request(cls, request: HttpRequest) -> Actor:
        user, address = request.user, address_of(request)
        if isinstance(user, User):
            return cls(user.email, user.pk, address)
        return cls("anonymous", None, address)

    @classmethod
    def of_command(cls, name: str) -> Actor:
        return cls(f"manage.py {name}")


def address_of(request: HttpRequest) -> str | None:
    """Where a request comes from, as far as the server knows: a Unix socket or a bad proxy has no address."""
    address = request.META.get("REMOTE_ADDR")
    return address if address and is_valid_ip_address(address) else None


def is_valid_ip_address(text: str) -> bool:
    try:
        validate_ipv46_address(text)
    except ValidationError:
        return False
    return True


def record(*, tenant: Tenant | None, actor: Actor, action: str, target: str = "", **detail: object) -> None:
    """Write down what was done, in the transaction that does it."""
    AuditEvent.objects.create(
        tenant=tenant,
        actor=actor.label,
        actor_id=actor.id,
        address=actor.address,
        action=action,
        target=target[:300],
        detail=detail,
    )
