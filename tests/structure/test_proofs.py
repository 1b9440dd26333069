"""Every proof says why it is sound and what it assumes, and its tests break each assumption."""

import ast
import re

import pytest

from tests.structure.package_graph import ROOT

PROOFS = ROOT / "reviews" / "provenance" / "proofs"
TESTS = ROOT / "tests" / "provenance" / "proofs"
# What the proofs have in common: the call they are about and its words, what stands around a value and leads to it,
# whether it is whole, a name or in the parameter's unit, which other values are said and which parameters left out,
# what describes and names its record, whether the verb leads to one, whether that still is as it was looked up, and
# which of its fields gives it, and which part of the call it has.
SHARED = {
    "call", "description", "governed_record", "leading", "other_meanings", "outdated_record", "parameter_field",
    "phrase", "record_lead", "record_role", "units", "whole_value", "words",
}  # fmt: skip
NAMES = sorted(path.stem for path in PROOFS.glob("*.py") if path.stem not in {"__init__", *SHARED})


def test_the_proofs_are_about_a_dozen() -> None:
    assert 6 <= len(NAMES) <= 14


@pytest.mark.parametrize("name", NAMES)
def test_a_proof_says_why_it_is_sound_and_what_it_assumes(name: str) -> None:
    docstring = ast.get_docstring(ast.parse((PROOFS / f"{name}.py").read_text())) or ""
    lines = {line.split(":")[0] for line in re.findall(r"^(?:Sound because|Assumes): \S.{20,}", docstring, re.M)}
    assert lines == {"Sound because", "Assumes"}


@pytest.mark.parametrize("name", NAMES)
def test_a_proof_has_tests_of_what_it_decides_and_of_what_stays_unknown(name: str) -> None:
    functions = [node for node in ast.walk(ast.parse((TESTS / f"test_{name}.py").read_text()))]  # noqa: C416
    tests = [node.name for node in functions if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    unknown = [test for test in tests if test.endswith("unknown")]
    assert unknown
    assert len(unknown) < len(tests)


def test_each_proof_test_belongs_to_a_proof() -> None:
    tested = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert set(NAMES) <= tested <= {*NAMES, *SHARED}
