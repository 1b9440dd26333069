"""Links that let somebody in are in no log and in no trace."""

import logging
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from guardapp.redaction import redact_line, without_secrets
from tests.servers.test_telemetry import printed
from tests.stack import ROOT

SECRET = "aS-3cret_0f-a-link"
REFUSED = f"""
import django, guardapp.asgi
from django.test import Client
Client().put("/invitations/{SECRET}")
"""


@pytest.mark.parametrize(
    "path",
    [
        reverse("invitation", args=[SECRET]),
        reverse("account_reset_password_from_key", kwargs={"uidb36": "1f", "key": SECRET}),
    ],
)
def test_a_link_keeps_its_beginning_only(path: str) -> None:
    line = f"GET {path}?next=%2Fqueue: refused"
    assert SECRET not in without_secrets(line)
    assert without_secrets(line).endswith("-?next=%2Fqueue: refused")


@pytest.mark.parametrize(
    "path", ["/password/reset", "/password/reset/sent", "/settings/invitations/7/withdraw", "/queue"]
)
def test_other_addresses_stay_as_they_are(path: str) -> None:
    assert without_secrets(path) == path


def test_every_line_goes_through_it() -> None:
    logging_settings: Any = settings.LOGGING
    assert redact_line in logging_settings["formatters"]["line"]["foreign_pre_chain"]
    record = {"event": f"Conflict: /invitations/{SECRET}", "status": 409}
    assert redact_line(logging, "info", record) == {"event": "Conflict: /invitations/-", "status": 409}


def test_a_trace_holds_none() -> None:
    spans = printed(REFUSED, OTEL_TRACES_EXPORTER="console", ALLOWED_HOSTS="testserver")
    assert '"SpanKind.SERVER"' in spans
    assert SECRET not in spans


def test_the_proxys_log_is_written_through_the_same_pattern() -> None:
    caddyfile = (ROOT / "deploy" / "Caddyfile").read_text()
    for field in ("request>uri", "request>headers>Referer", "resp_headers>Location"):
        assert f'{field} regexp "(/invitations/|/password/reset/[0-9A-Za-z]+-)[^?]+"' in caddyfile
