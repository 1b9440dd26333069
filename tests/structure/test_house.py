"""The house stays as drawn: few packages, few imports between them, one direction, functions that are ideas."""

from tests.structure.package_graph import ROOT, floors, imports

FLAT = {"__init__.py", "apps.py", "audit.py", "errors.py", "pagination.py", "tasks.py"}


def test_there_are_at_most_32_packages() -> None:
    assert len(imports()) <= 32


def test_imports_run_one_way() -> None:
    # Raises CycleError where they do not.
    assert floors(imports())[-1]


def test_nothing_new_lies_flat_under_reviews() -> None:
    assert {path.name for path in (ROOT / "reviews").glob("*.py")} <= FLAT


def test_every_module_of_the_engine_is_read_in_one_sitting() -> None:
    lines = {path: len(path.read_text().splitlines()) for path in (ROOT / "reviews/provenance").rglob("*.py")}
    assert {path.name: count for path, count in lines.items() if count > 300} == {}
