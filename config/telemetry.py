"""OpenTelemetry: off until an OTLP endpoint is configured, by the standard `OTEL_…` variables.

Spans say what ran and how long, never what a document or a query says: no query string, no SQL
parameters, no task arguments.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

ENDPOINTS = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)
# Attributes that carry a request's query string, under the old and the new conventions.
URL_ATTRIBUTES = ("http.url", "http.target", "url.full", "url.query")


def is_configured(environment: Mapping[str, str] = os.environ) -> bool:
    return environment.get("OTEL_SDK_DISABLED", "").lower() != "true" and any(
        environment.get(name) for name in ENDPOINTS
    )


def configure_telemetry(service: str) -> None:
    """Send spans and metrics of this process to the configured endpoint; without one, do nothing."""
    if not is_configured():
        return
    from opentelemetry.instrumentation.celery import CeleryInstrumentor
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
    from opentelemetry.instrumentation.redis import RedisInstrumentor

    os.environ.setdefault("OTEL_SERVICE_NAME", service)
    _configure_providers()
    DjangoInstrumentor().instrument(request_hook=forget_query_string, excluded_urls="healthz,readyz")
    CeleryInstrumentor().instrument()  # type: ignore[no-untyped-call]
    PsycopgInstrumentor().instrument()
    RedisInstrumentor().instrument()


def _configure_providers() -> None:
    from opentelemetry import metrics, trace
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    tracing = TracerProvider()
    tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(tracing)
    metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())]))


def forget_query_string(span: Any, request: Any) -> None:
    """People's queries travel in the address of a search page."""
    for name in URL_ATTRIBUTES:
        if value := (span.attributes or {}).get(name):
            span.set_attribute(name, "" if name == "url.query" else str(value).split("?")[0])
