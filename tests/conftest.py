"""Scratch services around the whole run, and the people and tenants that most tests need."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import hypothesis
import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker

from config.celery import app
from config.embedded import postgres, redis
from tenants.models import Membership, Role, Tenant, User
from tests import factories
from tests.browsing import (  # noqa: F401  # Fixtures for every module.
    chromium,
    context,
    is_read,
    page,
    product,
)
from tests.processes import end, environment

# How long an example takes tells of the machine, which others use too, and not of what is tested.
hypothesis.settings.register_profile(
    "patient",
    hypothesis.settings.default,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers first and stop them last, so that a run leaves nothing behind."""
    if is_first_process(config):
        postgres.ensure(settings.HOME)
        redis.ensure(settings.HOME)


def pytest_unconfigure(config: pytest.Config) -> None:
    postgres.release(settings.HOME)
    redis.release(settings.HOME)
    if is_first_process(config):
        shutil.rmtree(settings.HOME.path, ignore_errors=True)


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name no test by bytes: those of a zip hold the time, and the workers must agree on the names."""
    return argname if isinstance(val, bytes) else None


def is_first_process(config: pytest.Config) -> bool:
    return not hasattr(config, "workerinput")


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Create the database as its owner, even when no test asks for that connection."""
    with django_db_blocker.unblock():
        databases = setup_databases(verbosity=0, interactive=False)
    yield
    with django_db_blocker.unblock():
        connections.close_all()
        teardown_databases(databases, verbosity=0)


@pytest.fixture
def harbour(db: None) -> Tenant:
    return factories.tenant("harbour")


@pytest.fixture
def meridian(db: None) -> Tenant:
    return factories.tenant("meridian")


@pytest.fixture
def admin(harbour: Tenant) -> Membership:
    """An admin of harbour."""
    return factories.membership(harbour, Role.ADMIN)


@pytest.fixture
def reader(harbour: Tenant) -> Membership:
    return factories.membership(harbour, Role.READER)


@pytest.fixture
def stranger(meridian: Tenant) -> Membership:
    """An admin of another tenant."""
    return factories.membership(meridian, Role.ADMIN)


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser("operator@example.org", factories.PASSWORD)


@pytest.fixture
def worker(transactional_db: None) -> Iterator[None]:
    """A worker in a process of its own, on the database and the broker of these tests."""
    database = settings.DATABASES["default"]
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "config", "worker", "--pool", "solo"],
        cwd=settings.BASE_DIR,
        env=environment(
            settings.HOME.path,
            REDIS_URL=settings.CELERY_BROKER_URL,
            DATABASE_URL=f"postgresql://{database['USER']}@/{database['NAME']}?host={database['HOST']}",
        ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 120
        while not app.control.ping(timeout=1, limit=1):
            assert process.poll() is None
            assert time.monotonic() < deadline
        yield
    finally:
        end(process)


def client_of(who: Membership | User) -> Client:
    client = Client()
    client.force_login(who.user if isinstance(who, Membership) else who)
    return client
