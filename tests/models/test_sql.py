"""Every name in SQL by hand is a column's: PostgreSQL plans each statement over the tables of the models."""

import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from reviews.models import CheckMode, Finding, Interpretation, pipeline, sql
from tests.structure.package_graph import ROOT, sources

MODULES = [import_module(f"{sql.__name__}.{module.name}") for module in iter_modules(sql.__path__)]
STATEMENT = re.compile(r"\s*\(*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
# What a condition or an order may be chosen by.
CHOICES: dict[str, list[dict[str, Any]]] = {
    "select_with_context": [{"where": "true"}],
    "select_next": [{"behind": True}, {"behind": False}],
    "select_of_enforced": [{"table": Finding}, {"table": Interpretation}],
    "select_by_turn": [{"mode": mode, "idle": idle} for mode in CheckMode for idle in (True, False)],
}
# Where PostgreSQL cannot tell the type of an empty parameter from what it stands beside.
VALUES: dict[str, Any] = {
    "id": uuid4(),
    "lease_end": timezone.now(),
    "now": timezone.now(),
    "times": 2,
    "may_view": True,
    "is_shared": False,
    "is_shared_later": False,
}


def statements(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Each statement of a module with its name, in every form that it takes."""
    for name, member in vars(module).items():
        if isinstance(member, str) and STATEMENT.match(member):
            yield name, member
        elif hasattr(member, "cache_info") and member.__module__ == module.__name__:
            yield from ((name, member(**choice)) for choice in CHOICES.get(name, [{}]))


ALL = [
    pytest.param(text, id=f"{module.__name__.rpartition('.')[2]}.{name}")
    for module in MODULES
    for name, text in statements(module)
]


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ALL)
def test_postgresql_plans_the_statement(statement: str) -> None:
    names = re.findall(r"%\((\w+)\)s", statement)
    parameters = {name: VALUES.get(name) for name in names} if names else [None] * statement.count("%s")
    assert pipeline.execute(f"EXPLAIN {statement}", parameters, prepared=False).fetchone()


def test_sql_by_hand_that_names_a_table_is_beside_the_models() -> None:
    names_table = re.compile(r"\b(FROM|JOIN|UPDATE|INTO) reviews_")
    elsewhere = {
        path.relative_to(ROOT / "reviews").as_posix() for path in sources() if names_table.search(path.read_text())
    }
    # An export's lines are put together of expressions of their own.
    assert {path for path in elsewhere if not path.startswith("models/sql/")} == {"datasets/export_rows.py"}
