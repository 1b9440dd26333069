"""The example of docs/extending.md, as a reader would copy it."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction
from reviews.provenance.data.sources import Evidence
from reviews.provenance.proofs.call import ProposedCall

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "extending.md").read_text()
(PYTHON,) = re.findall(r"```python\n(.*?)```", TEXT.partition("\n## Write your own detector\n")[0], re.DOTALL)


@pytest.fixture
def proof() -> Any:
    module = ModuleType("delivered_before_ordered")
    exec(compile(PYTHON, "docs/extending.md", "exec"), module.__dict__)  # noqa: S102 - the example itself is tested
    return module


@pytest.mark.parametrize(("delivered", "refuted"), [("2026-03-01", True), ("2026-03-09", False), ("soon", False)])
def test_the_proof_refutes_what_it_says(proof: Any, delivered: str, refuted: bool) -> None:
    context = Context("Enter the order")
    action = ProposedAction("enter_order", {"ordered_on": "2026-03-05", "delivered_on": delivered})
    call = ProposedCall.of(Case(context, action), Evidence(context))
    assert [proof.refute(leaf, call) is not None for leaf in call.leaves] == [False, refuted]


def test_the_proof_says_why_it_is_sound_and_what_it_assumes(proof: Any) -> None:
    assert "Sound because:" in proof.__doc__
    assert "Assumes:" in proof.__doc__
