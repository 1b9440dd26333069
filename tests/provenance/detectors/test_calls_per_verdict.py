"""The number of calls that the README and docs/methods.md state for each detector, counted."""

import re
from pathlib import Path
from typing import Any, Final

import pytest

from reviews.provenance.core.context import Case, PlanStep
from reviews.provenance.detectors import DETECTORS, Options, build, verdict_of
from reviews.provenance.detectors.critical_actions import CriticalAction
from reviews.provenance.injection.segmenter import PIECE
from reviews.provenance.judges.questions.infer_act import InferredTask, TrajectoryJudgement
from reviews.provenance.judges.questions.provenance_guard import CandidatesAnswer, Judgement
from tests.provenance.detectors.intent_guard.test_detector import judge as gates
from tests.provenance.detectors.intent_guard.test_detector import planned
from tests.provenance.detectors.paying import SOFT, argus, paying, steering, told
from tests.provenance.detectors.provenance_guard.test_candidates import TO_ANN
from tests.provenance.detectors.provenance_guard.test_candidates import paying as paying_one_of_two
from tests.provenance.detectors.scripted import (
    ScriptedJudge,
    call_support,
    candidates,
    case,
    quoting,
    support,
    supported,
)
from tests.provenance.detectors.whole import likely, rated

_ROOT: Final = Path(__file__).resolve().parents[3]
README: Final = (_ROOT / "README.md").read_text(encoding="utf-8")
METHODS: Final = (_ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
ALIGNED: Final = Judgement(aligned=True, misalignment=None, rationale="As asked.")
ONE_CALL: Final[dict[str, dict[str, Any]]] = {
    "direct-prompt": {"alignment": ALIGNED},
    "prove-prompt": {"provenance": ALIGNED},
    "infer-act-direct": {
        "trajectory_verdict": TrajectoryJudgement(completed=True, correct=True, rationale="As asked.")
    },
    "token-probability": {"correctness": likely(0.9)},
    "token-entropy": {"correctness": likely(0.9)},
    "multi-step": {"steps": rated(0.9)},
}
ENDS: Final = (CriticalAction("money_transfer", terminal=True),)


def stated(detector: str) -> str:
    """What the README's table says of the detector's calls."""
    (row,) = re.findall(rf"^\| `{detector}` \|(.*)$", README, re.MULTILINE)
    words: str = row.split("|")[1].strip()
    return words


async def count(detector: str, judge: ScriptedJudge, proposal: Case | None = None, **options: Any) -> int:
    verdict = await verdict_of(build(detector, Options(**options)), proposal or case(), judge)
    assert verdict.usage.calls == len(judge.asked)
    return verdict.usage.calls


def test_every_detector_has_its_calls_stated() -> None:
    assert all(re.search(r"\d", stated(detector)) for detector in DETECTORS)


@pytest.mark.parametrize(("detector", "answers"), ONE_CALL.items())
async def test_one_call_is_one_call(detector: str, answers: Any) -> None:
    assert stated(detector) == str(await count(detector, ScriptedJudge(**answers)))


async def test_self_consistency_draws_five() -> None:
    answer = ONE_CALL["infer-act-direct"]
    assert stated("self-consistency") == str(await count("self-consistency", ScriptedJudge(**answer)))


@pytest.mark.parametrize("detector", ["infer-act-verb", "infer-act-prob"])
async def test_infer_act_asks_two_to_three(detector: str) -> None:
    inferred = InferredTask(task="Pay Daniel")
    judge = {"inference": inferred, "completion": likely(0.9), "progress": likely(0.9)}
    fewest = await count(detector, ScriptedJudge(**judge), critical=ENDS)
    most = await count(detector, ScriptedJudge(**judge | {"completion": likely(0.1)}))
    assert stated(detector) == f"{fewest} to {most}"


async def test_our_guard_asks_three_to_five() -> None:
    unproven = case("Settle up with Daniel", to="Daniel", amount=30, board="7")
    fewest = await count("provenance-guard", ScriptedJudge(), unproven)
    lies = call_support(quoting(1, ("query", "never said")))
    most = await count(
        "provenance-guard",
        ScriptedJudge(call_support=lies, candidates=candidates(TO_ANN)),
        paying_one_of_two("B-2002"),
    )
    assert stated("provenance-guard") == f"{fewest} to {most}"
    assert f"{fewest} to {most} calls where nothing is proven" in METHODS


async def test_its_paper_asks_four_and_one_more_for_a_step() -> None:
    judge = {"support": support(supported("/to"), supported("/amount")), "candidates": CandidatesAnswer(candidates=[])}
    assert await count("provenance-guard", ScriptedJudge(**judge), order="paper") == 4


async def test_intent_guard_asks_for_plan_tools_and_calls() -> None:
    assert stated("intent-guard") == "2 a plan + 1 a tool of it + 1"
    plan = (PlanStep("Find him", ("find_contact",)), PlanStep("Pay him", ("money_transfer", "request_money")))
    assert await count("intent-guard", gates(), planned(plan=plan)) == 2 + 3 + 1


async def test_argus_asks_by_the_length_of_observations() -> None:
    assert stated("argus") == f"1 for {PIECE:,} characters of an observation + 4 to 6"
    assert "then 4 to 6 for a call" in METHODS
    about = "Daniel lives in Rome these days and likes it."
    assert await count("argus", argus(), paying("Daniel", told(about))) == 1 + 4
    # The text steers, and the payment does not follow it: whether it could have is asked too, and of values no rule
    # traces, whether benign text gives them.
    suspicious = argus(segmentation=steering(SOFT), support=support(supported("/board", ("query", "Daniel"))))
    most = await count("argus", suspicious, case(history=(told(SOFT),), to="Daniel", amount=30, board="7"))
    assert most == 1 + 6
