"""The containers run the same programs as the demonstration, with an environment the product accepts."""

import os
import re
import shutil
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from guardapp import demo, healthcheck
from guardapp.config import Config, config

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"
YAML: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
SERVICES: dict[str, dict[str, Any]] = YAML["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
SECRETS = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")
GIVEN = dict.fromkeys(SECRETS, "s" * 32)
PROGRAMS = {program.name: program.command for program in demo.demo_programs(port=8000, directory=Path("/tmp"))}


def filled(value: str) -> str:
    """A value with its variables replaced, by the default where there is one."""
    return re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda match: GIVEN.get(match[1], match[2] or ""), value)


def has_compose() -> bool:
    """Whether the docker client here has the plug-in; no engine is needed."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "compose", "version"], check=False, capture_output=True).returncode == 0


def test_every_part_of_the_demonstration_has_a_container() -> None:
    assert set(PROGRAMS) <= set(OURS)


@pytest.mark.parametrize("name", ["worker-checks", "worker-default", "beat"])
def test_a_container_runs_what_the_demonstration_runs(name: str) -> None:
    _, _, *command = PROGRAMS[name]
    assert SERVICES[name]["command"] == command


def test_every_queue_has_a_worker() -> None:
    queues = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()} | {settings.CELERY_TASK_DEFAULT_QUEUE}
    commands = [service["command"] for name, service in SERVICES.items() if name.startswith("worker-")]
    assert {command[command.index("-Q") + 1] for command in commands} == queues


@pytest.mark.parametrize("name", OURS)
def test_a_container_sets_only_variables_that_exist(name: str) -> None:
    # OpenTelemetry reads its own.
    ours = {variable.lower() for variable in OURS[name]["environment"] if not variable.startswith("OTEL_")}
    assert ours <= set(Config.model_fields)


@pytest.mark.parametrize("name", OURS)
def test_what_an_operator_sets_reaches_a_container(name: str) -> None:
    # Neither debug pages nor a demonstration is ever published.
    settable = {field.upper() for field in Config.model_fields} - {"DEBUG", "DEMO"}
    named = set(re.findall(r"`(OTEL_\w+)[=`]", (ROOT / "docs" / "monitoring" / "README.md").read_text()))
    assert (settable | named) - OURS[name]["environment"].keys() == set()


@pytest.mark.parametrize("name", OURS)
def test_the_environment_of_a_container_is_accepted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in OURS[name]["environment"].items():
        monkeypatch.delenv(variable, raising=False)
        if value is not None:
            monkeypatch.setenv(variable, filled(value))
    config.cache_clear()
    try:
        assert config().https
    finally:
        config.cache_clear()


def test_nothing_is_published_but_the_proxy() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


def test_the_site_believes_the_proxys_address_and_no_other() -> None:
    (address,) = {service["environment"]["TRUSTED_PROXIES"] for service in OURS.values()}
    assert SERVICES["proxy"]["networks"]["edge"]["ipv4_address"] == address
    (subnet,) = YAML["networks"]["edge"]["ipam"]["config"]
    assert ip_address(filled(address)) in ip_network(filled(subnet["subnet"]))


def test_database_and_broker_lead_nowhere() -> None:
    assert YAML["networks"]["data"]["internal"]
    assert [SERVICES[name]["networks"] for name in ("postgres", "redis")] == [["data"], ["data"]]


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_has_bounds(name: str) -> None:
    service = SERVICES[name]
    assert service["mem_limit"]
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert "no-new-privileges:true" in service["security_opt"]


@pytest.mark.parametrize("name", OURS)
def test_a_container_of_ours_writes_nothing_and_may_nothing(name: str) -> None:
    assert OURS[name]["read_only"] is True
    assert OURS[name]["cap_drop"] == ["ALL"]


@pytest.mark.parametrize("name", [name for name in OURS if name not in ("migrate", "web")])
def test_a_container_is_looked_after(name: str) -> None:
    _, *command = OURS[name]["healthcheck"]["test"]
    assert command[:3] == ["python", "-m", "guardapp.healthcheck"]
    assert command[3] in healthcheck.PARTS


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_required_wherever_it_is_used(secret: str) -> None:
    uses = re.findall(rf"\$\{{{secret}\b[^}}]*\}}", COMPOSE.read_text())
    assert uses
    assert all(":?" in use for use in uses)


@pytest.mark.parametrize("name", [name for name in OURS if name != "migrate"])
def test_a_container_starts_behind_the_migrations(name: str) -> None:
    assert OURS[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


@pytest.mark.skipif(not has_compose(), reason="the docker client has no compose here")
def test_compose_itself_accepts_the_file() -> None:
    command = ["docker", "compose", "--file", str(COMPOSE), "config", "--quiet"]
    subprocess.run(command, env={**os.environ, **GIVEN}, check=True)
