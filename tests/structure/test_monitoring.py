"""Dashboard, alerts and their page speak of series that the product has."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from reviews.messaging import metrics
from reviews.scheduling import prometheus_gauges

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "monitoring"
ALERTS: list[dict[str, Any]] = [
    rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]
]
PANELS: list[dict[str, Any]] = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
EXPRESSIONS = [rule["expr"] for rule in ALERTS] + [target["expr"] for panel in PANELS for target in panel["targets"]]
GROWING = re.compile(r'increase\((guard_\w+)\{(\w+)="(\w+)"\}')
GAUGE = re.compile(r'"(guard_\w+)"')
assert metrics


def existing() -> set[str]:
    """Names of every series: what is counted, and what is read from the database."""
    counted = {family.name: family.type for family in REGISTRY.collect() if family.name.startswith("guard_")}
    endings = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum", ""), "gauge": ("",)}
    names = {name + ending for name, kind in counted.items() for ending in endings[kind]}
    return names | set(GAUGE.findall(Path(prometheus_gauges.__file__).read_text()))


def named(text: str) -> set[str]:
    """The series a text speaks of."""
    return set(re.findall(r"\bguard_\w+", text))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_names_series_that_exist(expression: str) -> None:
    assert named(expression)
    assert named(expression) <= existing()


def test_what_an_alert_sees_grow_stands_before_its_first_event() -> None:
    watched = [found for rule in ALERTS for found in GROWING.findall(rule["expr"])]
    assert watched
    for name, label, value in watched:
        assert REGISTRY.get_sample_value(name, {label: value}) is not None, name


def test_the_page_names_every_series_and_no_other() -> None:
    page = named((FOLDER / "README.md").read_text())
    assert page <= existing()
    # A histogram is named by itself.
    assert {re.sub(r"_(bucket|count|sum)$", "", name) for name in existing()} <= page


def test_every_alert_says_why_and_what_to_do() -> None:
    lines = (FOLDER / "alerts.yml").read_text().splitlines()
    for rule in ALERTS:
        behind = lines[lines.index(f"      - alert: {rule['alert']}") + 1]
        assert behind.strip().startswith("#"), rule["alert"]
        assert {"summary", "action"} <= set(rule["annotations"])
