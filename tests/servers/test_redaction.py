"""Links that let somebody in are in no log and in no trace."""

import io
import json
import logging
from typing import Any

import pytest
import structlog
from django.conf import settings
from django.urls import reverse
from django.views.debug import get_exception_reporter_filter

from guardapp.secret_redaction import without_secrets
from reviews.models import AgentKey
from tests.servers.test_telemetry import printed
from tests.stack import ROOT

SECRET = "aS-3cret_0f-a-link"
KEY = AgentKey.new_secret()
REFUSED = f"""
import django, guardapp.asgi
from django.test import Client
Client().put("/invitations/{SECRET}")
"""


@pytest.mark.parametrize(
    "path",
    [
        reverse("invitation", args=[SECRET]),
        reverse("confirm", args=[SECRET]),
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


@pytest.mark.parametrize(
    ("line", "redacted"),
    [
        (f"refused {KEY}", f"refused {KEY[:10]}-"),
        ("the hint pgr_abcdef", "the hint pgr_abcdef"),
        (f"{{'Authorization': 'Bearer {'x' * 20}'}}", "{'Authorization': 'Bearer -'}"),
        ("a basic question of a bearer", "a basic question of a bearer"),
        ("at redis://:pass@h:1/0 and postgresql://u:p%2Fw@h/n", "at redis://:-@h:1/0 and postgresql://u:-@h/n"),
        ("at http://h:80/a@b", "at http://h:80/a@b"),
        ('{"access_token": "abc", "expires_in": 3}', '{"access_token": "-", "expires_in": 3}'),
        (r'{"event": "{\"id_token\": \"abc\"}"}', r'{"event": "{\"id_token\": \"-\"}"}'),
        ("/callback/?code=abc&state=x", "/callback/?code=-&state=x"),
        ("exit code=1", "exit code=1"),
    ],
    # The key is another one in every process, and workers must agree on the names of the tests.
    ids=lambda text: text.replace(KEY, "KEY").replace(KEY[:10], "KEY"),
)
def test_a_secret_is_known_by_its_form(line: str, redacted: str) -> None:
    assert without_secrets(line) == redacted


def written(**fields: Any) -> str:
    """What the product's own handler writes."""
    stream = io.StringIO()
    logging_settings: Any = settings.LOGGING
    handler = logging.StreamHandler(stream)
    formatter = dict(logging_settings["formatters"]["line"])
    handler.setFormatter(formatter.pop("()")(**formatter))
    logger = logging.getLogger("of this test")
    logger.handlers, logger.propagate = [handler], False
    wrapped: Any = structlog.wrap_logger(logger, **structlog.get_config())
    wrapped.warning(**fields)
    logger.warning("%(event)s", fields, exc_info=fields.get("exc_info"))
    return stream.getvalue()


def test_every_line_is_redacted_as_it_is_written() -> None:
    secret = settings.SECRET_KEY
    try:
        raise ValueError(secret)
    except ValueError as error:
        lines = written(event=f"/invitations/{SECRET} {secret}", deep=[{"in": {"a": secret}}], exc_info=error)
    assert [json.loads(line)["event"] for line in lines.splitlines()] == ["/invitations/- -"] * 2
    assert "ValueError: -" in lines
    assert secret not in lines
    assert SECRET not in lines


def test_the_debug_page_hides_addresses_with_passwords() -> None:
    shown = repr(get_exception_reporter_filter(None).get_safe_settings())
    hidden: tuple[str, ...] = (settings.REDIS_URL, settings.SECRET_KEY, str(settings.DATABASES["default"]["PASSWORD"]))
    assert [secret for secret in hidden if secret and secret in shown] == []


def test_a_trace_holds_none() -> None:
    spans = printed(REFUSED, OTEL_TRACES_EXPORTER="console", ALLOWED_HOSTS="testserver")
    assert '"SpanKind.SERVER"' in spans
    assert SECRET not in spans


def test_the_proxys_log_is_written_through_the_same_pattern() -> None:
    caddyfile = (ROOT / "deploy" / "Caddyfile").read_text()
    for field in ("request>uri", "request>headers>Referer", "resp_headers>Location"):
        assert f'{field} regexp "(/invitations/|/confirm/|/password/reset/[0-9A-Za-z]+-)[^?]+"' in caddyfile
