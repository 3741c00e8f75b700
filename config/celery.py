"""The Celery application. Start a worker with `celery -A config worker`."""

import os
from typing import Any

from celery import Celery
from celery.concurrency.thread import TaskPool as Threads
from celery.signals import worker_init, worker_process_init, worker_ready
from kombu import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class PandectCelery(Celery):
    """Celery on the embedded Redis, if that is what the settings say; it starts with the first connection."""

    def connection_for_read(self, *args: Any, **kwargs: Any) -> Connection:
        self._ensure_broker()
        return super().connection_for_read(*args, **kwargs)

    def connection_for_write(self, *args: Any, **kwargs: Any) -> Connection:
        self._ensure_broker()
        return super().connection_for_write(*args, **kwargs)

    def _ensure_broker(self) -> None:
        from django.conf import settings

        from config.embedded import redis

        if settings.EMBEDDED_REDIS:
            redis.ensure(settings.HOME)


app = PandectCelery("pandect")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect(weak=False)
def keep_database(**_: object) -> None:
    """Hold the embedded database in the process that ends last; its children leave without goodbye."""
    from django.conf import settings

    from config.database.settings import EMBEDDED
    from config.embedded import postgres

    if settings.DATABASES["default"]["ENGINE"] == EMBEDDED:
        postgres.ensure(settings.HOME)


@worker_process_init.connect(weak=False)
def trace_worker_process(**_: object) -> None:
    """Exporters run threads, which do not survive a fork: each worker process has its own."""
    from config.telemetry import configure_telemetry

    configure_telemetry("pandect-worker")


@worker_ready.connect(weak=False)
def trace_threads(sender: Any, **_: object) -> None:
    """A worker that works in threads has no other process than this."""
    if isinstance(sender.pool, Threads):
        trace_worker_process()
