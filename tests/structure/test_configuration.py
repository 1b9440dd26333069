import re
from pathlib import Path

import pytest

from guardapp.config import Config, ConfigurationError, config

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
TABLE = README.partition("## Configuration")[2].partition("## ")[0]
COMPLETE = {"SECRET_KEY": "s" * 32, "DATABASE_URL": "postgresql://u:p@h/n", "REDIS_URL": "redis://h:1/0"}


def check_refused(monkeypatch: pytest.MonkeyPatch, variable: str, value: str | None) -> None:
    """The environment, complete but for this variable, is refused with a message that names it."""
    for name, given in {**COMPLETE, variable: value}.items():
        monkeypatch.delenv(name, raising=False)
        if given is not None:
            monkeypatch.setenv(name, given)
    config.cache_clear()
    try:
        with pytest.raises(ConfigurationError, match=variable):
            config()
    finally:
        config.cache_clear()


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
        ("DATABASE_URL", "mysql://x"),
        ("REDIS_URL", "amqp://x"),
        ("MAX_TOOLS", "many"),
        ("CHECK_LEASE_SECONDS", "0"),
        ("GUARD_PRICES", "cheap"),
        ("GUARD_PRICES", '{"m": {"prompt": -1, "completion": 1}}'),
    ],
)
def test_an_unusable_value_is_named(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    check_refused(monkeypatch, variable, value)
