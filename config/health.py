"""`/healthz`: this process answers. `/readyz`: what it needs answers too.

Asked by load balancers and container platforms, by address rather than by name, without TLS and often:
so they are answered before hosts are checked, requests redirected or sessions read.
"""

from __future__ import annotations

from django.db import DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from kombu.exceptions import OperationalError
from opentelemetry.instrumentation.utils import suppress_instrumentation

from config.celery import app
from config.embedded import EmbeddedError
from config.middleware import Handler

LIVENESS, READINESS = "/healthz", "/readyz"
PING_SECONDS = 1.0
OK = "ok"


def health_middleware(get_response: Handler) -> Handler:
    answers = {LIVENESS: health, READINESS: readiness}

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = answers.get(request.path_info)
        return answer() if answer else get_response(request)

    return middleware


def health() -> JsonResponse:
    return JsonResponse({"status": OK})


def readiness() -> JsonResponse:
    """Ask each part; 503 and the name of what is missing unless all of them answer."""
    with suppress_instrumentation():  # Probes come every few seconds; their spans would bury the rest.
        parts = {"database": check_database(), "broker": check_broker()}
        parts["worker"] = check_worker() if parts["broker"] == OK else "not asked: no broker"
    ready = all(state == OK for state in parts.values())
    body = {"status": OK if ready else "unavailable", **parts}
    return JsonResponse(body, status=200 if ready else 503, headers={"Cache-Control": "no-store"})


def check_database() -> str:
    try:
        executor = MigrationExecutor(connections["default"])
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (DatabaseError, EmbeddedError):
        return "does not answer"
    return f"{len(pending)} migrations pending" if pending else OK


def check_broker() -> str:
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except (OperationalError, EmbeddedError, OSError):
        return "does not answer"
    return OK


def check_worker() -> str:
    replies = app.control.ping(timeout=PING_SECONDS, limit=1)
    return OK if replies else "none answered"
