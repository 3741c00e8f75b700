"""Stages of a search: one that fails leaves the others alone, and what was paid for stays written."""

from __future__ import annotations

import pytest
from django.db import connection

from search.stages import FAILED, Stages
from tenants.audit import record
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.factories import ACTOR


def fail() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")
    return 1


@pytest.mark.parametrize(("is_writing", "kept"), [(True, 1), (False, 0)])
def test_what_a_writing_stage_has_written_stays_when_a_later_one_fails(
    harbour: Tenant, is_writing: bool, kept: int
) -> None:
    stages = Stages()

    def pay() -> str:
        record(tenant=harbour, actor=ACTOR, action="test.paid", target="x")
        return "paid"

    with tenant_scope(harbour.pk):
        assert stages.attempt("first", lambda: 1, instead=0) == 1
        assert stages.attempt("rerank", pay, instead="", is_writing=is_writing) == "paid"
        assert stages.attempt("suggest", fail, instead=0) == 0
        assert stages.attempt("last", lambda: 2, instead=0) == 2
        assert AuditEvent.objects.filter(action="test.paid").count() == kept
    assert stages.degraded == {"suggest": FAILED}
