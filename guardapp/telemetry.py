"""OpenTelemetry traces, switched on by OpenTelemetry's own environment variables and by nothing else.

`OTEL_EXPORTER_OTLP_ENDPOINT` (or `OTEL_TRACES_EXPORTER=console`) turns them on; sampling, headers and the service's
name are its other variables. Without them no instrumentation is imported.
"""

import os
from typing import Final

from guardapp.secret_redaction import redact_span

_SWITCHES: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def is_enabled() -> bool:
    """Whether the environment asks for traces."""
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "")
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or exporter == "none"
    return not off and (bool(exporter) or any(os.environ.get(name) for name in _SWITCHES))


def start_tracing(part: str) -> bool:
    """Trace this process, which is `part` of the product, if the environment asks for it. Returns whether it does.

    Statements are traced without their parameters. A process that is forked later goes on by itself.
    """
    if not is_enabled():
        return False
    # Read by the instrumentation at its import. Probes and scrapes come every few seconds and tell nothing.
    os.environ.setdefault("OTEL_PYTHON_DJANGO_EXCLUDED_URLS", "healthz,readyz,metrics")
    # Imported here: together they cost a tenth of a second and some megabytes of every process.
    from opentelemetry import trace  # noqa: PLC0415
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.instrumentation.celery import CeleryInstrumentor  # noqa: PLC0415
    from opentelemetry.instrumentation.django import DjangoInstrumentor  # noqa: PLC0415
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor  # noqa: PLC0415
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter  # noqa: PLC0415

    # OTEL_SERVICE_NAME wins where it is set: `Resource.create` reads it when no name is given.
    service = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: f"provenanceguard-{part}"}
    provider = TracerProvider(resource=Resource.create(service))
    console = os.environ.get("OTEL_TRACES_EXPORTER") == "console"
    provider.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter() if console else OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    DjangoInstrumentor().instrument(request_hook=redact_span)
    CeleryInstrumentor().instrument()  # type: ignore[no-untyped-call]
    PsycopgInstrumentor().instrument()
    return True
