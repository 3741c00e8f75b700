"""What several views of the API need."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.request import Request

from tenants.api import acting_program
from tenants.audit import Actor, address_of


class Conflict(APIException):
    """What was asked does not apply to the state that it is in."""

    status_code = 409
    default_code = "conflict"


def exact(facts: dict[str, Any]) -> dict[str, Any]:
    """Write amounts of money as texts: numbers in JSON are rounded by whoever reads them."""
    return {name: f"{fact:f}" if isinstance(fact, Decimal) else fact for name, fact in facts.items()}


def actor_of(request: Request) -> Actor:
    program = acting_program(request)
    return Actor(program.label, program.id, address_of(request))
