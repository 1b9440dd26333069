import json
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from guardapp.celery import refuse_a_folder_that_cannot_be_used
from guardapp.config import Config, ConfigurationError, config

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = README.partition("## Configuration")[2].partition("## ")[0]
COMPLETE = {"SECRET_KEY": "s" * 32, "DATABASE_URL": "postgresql://u:p@h/n", "REDIS_URL": "redis://h:1/0"}


@pytest.fixture(autouse=True)
def read_anew() -> Iterator[None]:
    config.cache_clear()
    yield
    config.cache_clear()


def check_refused(monkeypatch: pytest.MonkeyPatch, variable: str, value: str | None) -> str:
    """The environment, complete but for this variable, is refused with a message that names it; all that is shown."""
    set_environment(monkeypatch, {variable: value})
    with pytest.raises(ConfigurationError, match=variable) as raised:
        config()
    return "".join(traceback.format_exception(raised.value))


def set_environment(monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str | None]) -> None:
    for name, given in {**COMPLETE, **variables}.items():
        monkeypatch.delenv(name, raising=False)
        if given is not None:
            monkeypatch.setenv(name, given)


def test_the_readme_names_every_variable() -> None:
    named = set(re.findall(r"`([A-Z_]{4,})`", TABLE))
    assert {name.upper() for name in Config.model_fields} <= named


@pytest.mark.parametrize("variable", COMPLETE)
def test_a_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    check_refused(monkeypatch, variable, None)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SECRET_KEY", "short"),
        ("SECRET_KEY", " " * 40),
        ("DATABASE_URL", "mysql://x"),
        ("DATABASE_URL", "postgresql://u:p@h:5432/"),
        ("REDIS_URL", "amqp://x"),
        ("REDIS_URL", "redis://h:6379/guard"),
        ("MAX_TOOLS", "many"),
        ("CHECK_LEASE_SECONDS", "0"),
        ("GUARD_MODEL_OPTIONS", '{"m": {"temperature": 3}}'),
        ("GUARD_MODEL_OPTIONS", '{"m": {"creativity": 1}}'),
        ("GUARD_PRICES", "cheap"),
        ("CORS_ORIGINS", "*"),
        ("CORS_ORIGINS", "null"),
        ("CORS_ORIGINS", "https://app.example, https://other.example/path"),
        ("GUARD_PRICES", '{"m": {"prompt": -1, "completion": 1}}'),
        ("ALLOWED_HOSTS", ","),
        ("ALLOWED_HOSTS", "https://guard.example.org"),
        ("ALLOWED_HOSTS", "guard.example.org:443"),
        ("PUBLIC_URL", "https://guard.example.org/"),
        ("PUBLIC_URL", "https://"),
        ("PUBLIC_URL", "https://guard.example.org:99999"),
        ("PUBLIC_URL", "https://guard example.org"),
        ("SMTP_URL", "mail.example.org:587"),
        ("SMTP_URL", "smtp://"),
        ("MAIL_FROM", "The guard"),
        ("MAIL_FROM", "Guard <guard@example.org>, Other <other@example.org>"),
        ("OPENAI_BASE_URL", "models.example.org/v1"),
        ("JUDGE_TIMEOUT_SECONDS", "inf"),
        ("SWEEP_SECONDS", "nan"),
        ("METRICS_TOKEN", "short"),
        ("MAX_NESTING", "1000"),
    ],
)
def test_an_unusable_value_is_named(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    check_refused(monkeypatch, variable, value)


SECRET = "s3cretW0rd-of-the-test"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", f"postgresql://u:{SECRET}/x@h/n"),
        ("DATABASE_URL", f"mysql://u:{SECRET}@h/n"),
        ("REDIS_URL", f"redis://:{SECRET}#x@h:1/0"),
        ("SMTP_URL", f"smtp://u:{SECRET}?x@h:25"),
        ("OPENAI_API_KEY", f"{SECRET}\nX-Other: 1"),
        ("OPENAI_API_KEY_SECOND", f"{SECRET}é"),
        ("METRICS_TOKEN", f"{SECRET * 2} x"),
        ("METRICS_TOKEN", SECRET),
        ("SECRET_KEY", SECRET),
        ("SECRET_KEY_FALLBACKS", SECRET),
        ("OIDC_PROVIDERS", f'[{{"id": "a", "name": "b", "secret": "{SECRET}", "typo": "{SECRET}"}}]'),
        ("OIDC_PROVIDERS", f'[{{"secret": "{SECRET}"'),
    ],
)
def test_a_refused_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    assert SECRET not in check_refused(monkeypatch, variable, value)


def test_no_link_leads_over_a_plain_line_to_a_site_that_has_another(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, {"HTTPS": "true", "PUBLIC_URL": "http://guard.example.org"})
    with pytest.raises(ConfigurationError, match="PUBLIC_URL must begin with https://"):
        config()


SIGNER = {"entity_id": "https://corp.example", "metadata_url": "https://corp.example/metadata"}


@pytest.mark.parametrize(
    ("variable", "settings", "missing"),
    [
        ("OIDC_PROVIDERS", {}, "server_url"),
        ("OIDC_PROVIDERS", {"server_url": "corp.example"}, "server_url"),
        ("SAML_PROVIDERS", {}, "entity_id"),
        ("SAML_PROVIDERS", {"idp": "https://corp.example"}, "entity_id"),
        ("SAML_PROVIDERS", {"idp": {"entity_id": "corp"}}, "metadata_url"),
        ("SAML_PROVIDERS", {"idp": {"entity_id": "corp", "metadata_url": "corp.example"}}, "metadata_url"),
        ("SAML_PROVIDERS", {"idp": {"entity_id": "corp", "sso_url": "https://corp.example"}}, "x509cert"),
    ],
)
def test_a_provider_whose_button_would_fail_is_refused_at_start(
    monkeypatch: pytest.MonkeyPatch, variable: str, settings: dict[str, object], missing: str
) -> None:
    provider = {"id": "corp", "name": "Corp", "client_id": "guard", "settings": settings}
    assert missing in check_refused(monkeypatch, variable, json.dumps([provider]))


def test_two_providers_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = {"id": "corp", "name": "Corp", "settings": {"idp": SIGNER}}
    assert "same id" in check_refused(monkeypatch, "SAML_PROVIDERS", json.dumps([provider, provider]))


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "GUARD_MODEL", "SMTP_URL", "MAIL_FROM", "FILES_FOLDER"])
def test_an_empty_variable_is_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    set_environment(monkeypatch, {variable: ""})
    assert getattr(config(), variable.lower()) == Config.model_fields[variable.lower()].default


def test_hosts_are_named_as_requests_name_them(monkeypatch: pytest.MonkeyPatch) -> None:
    named = "guard.example.org, .example.org, web, localhost, 127.0.0.1, [::1]"
    set_environment(monkeypatch, {"ALLOWED_HOSTS": named})
    assert config().allowed_hosts == tuple(named.split(", "))


def test_no_secret_is_shown_with_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = {"id": "a", "name": "b", "client_id": "c", "secret": SECRET}
    connect = {**provider, "settings": {"server_url": "https://corp.example"}}
    saml = {**provider, "settings": {"idp": SIGNER, "advanced": {"private_key": SECRET}}}
    holding = {
        "SECRET_KEY": SECRET * 2,
        "SECRET_KEY_FALLBACKS": SECRET * 2,
        "DATABASE_URL": f"postgresql://u:{SECRET}@h/n",
        "REDIS_URL": f"redis://:{SECRET}@h:1/0",
        "SMTP_URL": f"smtp://u:{SECRET}@h:25",
        "OPENAI_API_KEY": f"{SECRET}\n",
        "OPENAI_API_KEY_SECOND": SECRET,
        "METRICS_TOKEN": SECRET * 2,
        "METRICS_DIRECTORY": "x",
        "OIDC_PROVIDERS": json.dumps([connect]),
        "SAML_PROVIDERS": json.dumps([saml]),
    }
    set_environment(monkeypatch, holding)
    assert config().openai_api_key == SecretStr(SECRET)
    assert SECRET not in repr(config()) + str(config())


def test_a_directory_that_cannot_be_made_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    given = {**COMPLETE, "METRICS_DIRECTORY": str(tmp_path / "file" / "metrics"), "PATH": os.environ["PATH"]}
    command = [sys.executable, "manage.py", "migrate", "--help"]
    ended = subprocess.run(command, env=given, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "METRICS_DIRECTORY cannot be made: Not a directory\n")


@pytest.mark.parametrize("command", ["guardapp.web --port 1", "celery -A guardapp worker -Q default"])
def test_what_stores_files_does_not_start_without_their_folder(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").touch()
    given = {**COMPLETE, "FILES_FOLDER": str(tmp_path / "file"), "PATH": os.environ["PATH"]}
    started = [sys.executable, "-m", *command.split()]
    ended = subprocess.run(started, env=given, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert ended.stderr.endswith("FILES_FOLDER cannot be written to: File exists\n")


def test_a_worker_for_checks_needs_no_folder_of_files(tmp_path: Path, settings: Any) -> None:
    (tmp_path / "file").touch()
    settings.MEDIA_ROOT = tmp_path / "file"
    refuse_a_folder_that_cannot_be_used({"queues": ["checks"]})
