"""OpenTelemetry: nothing by default; what ran, and never what was asked, when there is a collector."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from config.telemetry import configure_telemetry, forget_query_string, is_configured
from tests.processes import Up, free_port, manage
from tests.test_up import Browser

QUERY = "whistleblower"
PAGE = "GET t/<slug:slug>/"
OF_WORKERS = {
    "run/tenants.tasks.sweep_expired_keys",
    "SELECT",
    "LPUSH",
    "run/documents.tasks.read_next",
    "run/documents.tasks.embed_next",
    "pandect.ingest",
    "convert",
    "parse",
    "chunk",
    "contextualize",
    "embed",
    "index",
}
METRICS = {"django_model_inserts", "http.server.duration"}
SWEEP = """
from datetime import timedelta
from django.utils.timezone import now
from tenants.models import ApiKey
from tenants.scope import platform_scope
from tenants.tasks import sweep_expired_keys
with platform_scope():
    ApiKey.objects.update(created_at=now() - timedelta(2), expires_at=now() - timedelta(1))
sweep_expired_keys.delay()
"""


class Collector(http.server.ThreadingHTTPServer):
    """Takes what OTLP exporters send over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), CollectorHandler)
        self.traces: list[ExportTraceServiceRequest] = []
        self.metrics: list[ExportMetricsServiceRequest] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def spans(self) -> list[tuple[str, Any]]:
        """Service name and span."""
        return [
            (attribute.value.string_value, span)
            for request in self.traces
            for resource in request.resource_spans
            for attribute in resource.resource.attributes
            if attribute.key == "service.name"
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def span_names(self, service: str) -> set[str]:
        return {span.name for name, span in self.spans() if name == service}

    def published(self) -> list[Any]:
        """The spans of versions that were read, with what they hold."""
        return [span for _, span in self.spans() if span.name == "pandect.ingest" and span.attributes]

    def metric_names(self) -> set[str]:
        return {
            metric.name
            for request in self.metrics
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def everything(self) -> str:
        return "".join(str(request) for request in (*self.traces, *self.metrics))


class CollectorHandler(http.server.BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            self.server.traces.append(ExportTraceServiceRequest.FromString(body))
        else:
            self.server.metrics.append(ExportMetricsServiceRequest.FromString(body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def attributes(span: Any) -> dict[str, str]:
    return {attribute.key: attribute.value.string_value for attribute in span.attributes}


@pytest.mark.system
@pytest.mark.timeout(900)
def test_requests_tasks_database_and_redis_are_traced_without_what_was_asked(
    collector: Collector, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    up = Up(
        home,
        free_port(),
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        OTEL_EXPORTER_OTLP_COMPRESSION="none",
        OTEL_BSP_SCHEDULE_DELAY="200",
        OTEL_METRIC_EXPORT_INTERVAL="500",
    )
    try:
        up.await_welcome()
        browser = Browser(up.url)
        browser.log_in("ada@example.org", "pandect-demo")
        browser.get(f"/t/harbour/?q={QUERY}")
        assert manage(home, "create_api_key", "old", "--tenant", "harbour").returncode == 0
        assert manage(home, "shell", "-c", SWEEP).returncode == 0
        deadline = time.monotonic() + 300
        while not is_complete(collector) and time.monotonic() < deadline:
            time.sleep(0.2)
    finally:
        up.end()
    spans = collector.spans()
    page = [attributes(s) for service, s in spans if service == "pandect-web" and s.name == PAGE]
    assert page[0]["http.route"] == "t/<slug:slug>/"
    assert collector.span_names("pandect-web") >= {PAGE, "SELECT"}
    assert collector.span_names("pandect-worker") >= OF_WORKERS
    counts = {a.key: a.value.int_value for a in collector.published()[0].attributes}
    assert counts["ingest.document_count"] == 1
    assert counts["ingest.chunk_count"] > 0
    assert [s.name for service, s in spans if service == "pandect-web" and s.name == "PING"] == []
    assert not any("readyz" in str(span) or "healthz" in str(span) for _, span in spans)
    assert collector.metric_names() >= METRICS
    said = collector.everything()
    assert QUERY not in said
    assert "pandect-demo" not in said
    assert "ada@example.org" not in said
    assert "Aldmere" not in said  # A word of each demo document.


def is_complete(collector: Collector) -> bool:
    return (
        collector.span_names("pandect-web") >= {PAGE, "SELECT"}
        and collector.span_names("pandect-worker") >= OF_WORKERS
        and collector.metric_names() >= METRICS
        and collector.published() != []
    )


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "TRUE"}, False),
    ],
)
def test_it_is_off_until_there_is_an_endpoint(variables: dict[str, str], expected: bool) -> None:
    assert is_configured(variables) is expected


def test_off_means_that_nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.telemetry._configure_providers", lambda: pytest.fail("configured"))
    configure_telemetry("test")


class Span:
    def __init__(self, **values: str) -> None:
        self.attributes = {name.replace("_", "."): value for name, value in values.items()}

    def set_attribute(self, name: str, value: str) -> None:
        self.attributes[name] = value


def test_query_strings_are_forgotten_under_both_conventions() -> None:
    span = Span(
        http_url=f"http://x/search?q={QUERY}",
        http_target=f"/search?q={QUERY}",
        url_full=f"http://x/search?q={QUERY}",
        url_query=f"q={QUERY}",
        url_path="/search",
    )
    forget_query_string(span, None)
    assert span.attributes == {
        "http.url": "http://x/search",
        "http.target": "/search",
        "url.full": "http://x/search",
        "url.query": "",
        "url.path": "/search",
    }
