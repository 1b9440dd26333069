"""Traces: no instrumentation is loaded until the environment asks for them."""

import subprocess
import sys

from tests.stack import ROOT

LOADED = "import guardapp.asgi, sys; print('opentelemetry.instrumentation.django' in sys.modules)"
ENVIRONMENT = {
    "SECRET_KEY": "s" * 32,
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "HTTPS": "false",
    "PATH": "",
}
# Answered without a database: what is traced is the request.
REQUEST = """
import django, guardapp.asgi
from django.test import Client
Client().get("/healthz"); Client().get("/api/v1/nowhere?secret=1")
"""


def printed(program: str, **variables: str) -> str:
    """What a fresh process prints under these variables."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT | variables, capture_output=True, text=True, check=True)
    return done.stdout


def test_nothing_of_it_is_loaded_while_nobody_asks() -> None:
    assert printed(LOADED).strip() == "False"


def test_it_can_be_switched_off_whatever_else_is_set() -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}
    assert printed(LOADED, **variables).strip() == "False"


def test_a_request_is_traced_and_a_probe_is_not() -> None:
    spans = printed(REQUEST, OTEL_TRACES_EXPORTER="console", ALLOWED_HOSTS="testserver")
    assert spans.count('"SpanKind.SERVER"') == 1
    assert "provenanceguard-web" in spans
