"""The house stays as drawn: few packages, few imports between them, one direction, functions that are ideas."""

from pathlib import Path

from tests.structure.house import ROOT, floors, grain, imports, outside_the_engine, sources

FLAT = {"__init__.py", "apps.py", "audit.py", "errors.py", "pagination.py", "tasks.py"}


def test_there_are_at_most_32_packages() -> None:
    assert len(imports()) <= 32


def test_imports_run_one_way() -> None:
    # Raises CycleError where they do not.
    assert floors(imports())[-1]


def test_nothing_new_lies_flat_under_reviews() -> None:
    assert {path.name for path in (ROOT / "reviews").glob("*.py")} <= FLAT


def test_a_function_is_an_idea_and_comments_say_why() -> None:
    cut = grain(outside_the_engine())
    assert 7 <= cut.median <= 11
    assert cut.ninetieth <= 30
    assert cut.comments >= 4


def test_no_module_is_over_400_lines() -> None:
    def length(path: Path) -> int:
        return len(path.read_text().splitlines())

    assert [str(path) for path in sources() if length(path) > 400] == []
