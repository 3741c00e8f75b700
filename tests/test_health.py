"""`/healthz` and `/readyz` tell the truth."""

from __future__ import annotations

import json

import pytest
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config import health
from config.celery import app


def ready() -> tuple[int, dict[str, str]]:
    response = Client().get("/readyz", headers={"Host": "10.1.2.3"})
    return response.status_code, json.loads(response.content)


def test_healthz_needs_nothing_and_no_host_name() -> None:
    response = Client().get("/healthz", headers={"Host": "10.1.2.3"})
    assert (response.status_code, json.loads(response.content)) == (200, {"status": "ok"})


@pytest.mark.usefixtures("worker")
def test_ready_when_everything_answers() -> None:
    assert ready() == (200, {"status": "ok", "database": "ok", "broker": "ok", "worker": "ok"})


def test_not_ready_without_a_worker(db: None) -> None:
    assert ready() == (
        503,
        {"status": "unavailable", "database": "ok", "broker": "ok", "worker": "none answered"},
    )


def test_not_ready_without_a_broker(db: None, monkeypatch: pytest.MonkeyPatch, settings: object) -> None:
    monkeypatch.setattr(app, "_ensure_broker", lambda: None)
    monkeypatch.setattr(app.conf, "broker_write_url", "redis+socket:///nowhere/redis.sock")
    status, parts = ready()
    assert (status, parts["broker"], parts["worker"]) == (503, "does not answer", "not asked: no broker")


def test_not_ready_without_a_database(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "check_broker", lambda: "ok")
    monkeypatch.setattr(health, "check_worker", lambda: "ok")
    connection = connections["default"]
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    assert ready() == (
        503,
        {"status": "unavailable", "database": "does not answer", "broker": "ok", "worker": "ok"},
    )


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_not_ready_before_the_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "check_broker", lambda: "ok")
    monkeypatch.setattr(health, "check_worker", lambda: "ok")
    (last,) = MigrationLoader(None).graph.leaf_nodes("tenants")
    recorder = MigrationRecorder(connections["owner"])
    recorder.record_unapplied(*last)
    try:
        assert ready()[1]["database"] == "1 migrations pending"
    finally:
        recorder.record_applied(*last)
