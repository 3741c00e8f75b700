"""Background work, done by a real worker through a real broker."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from config.celery import app
from tenants import tasks
from tenants.models import ApiKey
from tenants.scope import tenant_scope
from tests import factories


def becomes_true(condition: Callable[[], bool], seconds: float = 120) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.usefixtures("worker")
def test_expired_keys_are_swept_in_each_tenant_that_has_some() -> None:
    tenants = [factories.tenant(slug) for slug in ("one", "two", "three")]
    keys = [factories.api_key(tenant)[0] for tenant in tenants]
    past = timezone.now() - timedelta(days=1)
    for tenant in tenants[:2]:
        with tenant_scope(tenant.pk):
            ApiKey.objects.update(created_at=past - timedelta(days=1), expires_at=past)

    def revoked() -> list[bool]:
        found = []
        for key in keys:
            with tenant_scope(key.tenant_id):
                found.append(ApiKey.objects.get(pk=key.pk).revoked_at is not None)
        return found

    tasks.sweep_expired_keys.delay()
    assert becomes_true(lambda: revoked() == [True, True, False])


@pytest.mark.usefixtures("worker")
def test_old_sessions_are_cleared() -> None:
    now = timezone.now()
    Session.objects.create(session_key="old", session_data="", expire_date=now - timedelta(days=1))
    Session.objects.create(session_key="new", session_data="", expire_date=now + timedelta(days=1))
    tasks.clear_expired_sessions.delay()
    assert becomes_true(lambda: list(Session.objects.values_list("session_key", flat=True)) == ["new"])


def test_everything_that_beat_schedules_exists() -> None:
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled
    assert scheduled <= set(app.tasks)
