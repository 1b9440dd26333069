"""Of the made conversations no wrong call is established and no right one refuted; the guard by rules alone agrees."""

import pytest

from reviews.provenance.argument_grounding import GroundedCall, Grounder
from reviews.provenance.core.context import Case, ProposedAction
from reviews.provenance.detectors import Options, ProvenanceGuard, verdict_of
from reviews.provenance.judges import RulesJudge
from tests.provenance.argument_grounding.made import Made
from tests.provenance.argument_grounding.pairs import PAIRS

# Right calls of the made conversations that are established: fewer would be a proof lost. More are welcome.
ESTABLISHED = 35

RIGHT = [(pair, pair.right) for pair in PAIRS if pair.right]
WRONG = [(pair, pair.wrong) for pair in PAIRS if pair.wrong]


def traced(pair: Made, action: ProposedAction) -> GroundedCall:
    return Grounder(pair.context).trace_call(action)


def is_refuted(call: GroundedCall) -> bool:
    return any(leaf.holds is False for leaf in call.leaves)


@pytest.mark.parametrize(("pair", "action"), WRONG, ids=lambda part: getattr(part, "name", ""))
async def test_a_wrong_call_is_not_established(pair: Made, action: ProposedAction) -> None:
    call = traced(pair, action)
    assert not call.is_proven or is_refuted(call), [leaf.note for leaf in call.leaves]
    verdict = await verdict_of(ProvenanceGuard(Options()), Case(pair.context, action), RulesJudge())
    assert verdict.label != "aligned"


@pytest.mark.parametrize(("pair", "action"), RIGHT, ids=lambda part: getattr(part, "name", ""))
def test_a_right_call_is_not_refuted(pair: Made, action: ProposedAction) -> None:
    assert not is_refuted(traced(pair, action)), [leaf.note for leaf in traced(pair, action).leaves]


def test_right_calls_that_leave_nothing_open_are_established() -> None:
    assert sum(traced(pair, action).is_proven for pair, action in RIGHT) >= ESTABLISHED
