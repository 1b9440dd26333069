"""One check for the detectors that ask about a call as a whole, and what they are told."""

from typing import Any

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import DecidedBy
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import Options, build, verdict_of
from reviews.provenance.judges import Answered, Unknown
from reviews.provenance.judges.questions.infer_act import Truth, step_probabilities
from reviews.provenance.judges.questions.question_forms import ItemAnswers
from tests.provenance.detectors.scripted import COST, GIBBERISH, SILENT, ScriptedJudge, case

USED_UP = Unknown("The budget is used up.", unparsable=True, unasked=True)
NO_ANSWER = [(GIBBERISH, "plan"), (SILENT, "undetermined"), (USED_UP, "undetermined")]
"""What a method of InferAct's paper makes of each: unreadable output is a misalignment, silence is no verdict."""


async def check_whole(
    detector: str, expected: str, judge: Any, proposal: Case | None = None, **options: Any
) -> Verdict:
    """The verdict is `aligned`, `undetermined` or the type of misalignment, and every call is accounted for."""
    verdict = await verdict_of(build(detector, Options(**options)), proposal or case(), judge)
    assert getattr(verdict, "type", verdict.label) == expected, verdict
    assert verdict.usage.calls == len([name for name in judge.asked if judge.answers[name] not in (SILENT, USED_UP)])
    return verdict


def truth(holds: bool, probability: float | None = None) -> Answered[Truth]:
    return Answered(Truth(holds=holds), DecidedBy.JUDGE, COST, probability)


def likely(probability: float | None) -> Answered[Truth]:
    return truth(probability is not None and probability >= 0.5, probability)


def rated(*probabilities: float) -> ItemAnswers:
    """What the judge says of so many calls."""
    steps = {f"step_{number}": each for number, each in enumerate(probabilities, start=1)}
    return step_probabilities(len(probabilities)).model_validate({**steps, "rationale": "The second is odd."})


def correctness(answer: Any) -> ScriptedJudge:
    """A judge asked whether the agent acts correctly."""
    return ScriptedJudge(correctness=answer)
