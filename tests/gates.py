"""A judge at IntentGuard's gates that lets everything pass until a test tells it otherwise."""

from typing import Final

import pytest

from reviews.provenance.judges.questions.intent_guard import (
    CombinationAnswer,
    DeviationAnswer,
    IntentAnswer,
    RiskAnswer,
)
from tests.provenance.detectors.scripted import ScriptedJudge

KEEPS_TO_IT: Final = "Every step serves the lunch."
HARMLESS: Final = IntentAnswer(label="safe", rationale="Nothing in it harms anybody.")
FAITHFUL: Final = DeviationAnswer(label="safe", rationale=KEEPS_TO_IT)
STRAYS: Final = DeviationAnswer(label="rewrite", rationale="Nobody asked for a newsletter.")
LOST: Final = DeviationAnswer(label="reject", rationale="It serves somebody else.")
HARMFUL: Final = IntentAnswer(label="reject", rationale="It empties the account.")
TAME: Final = RiskAnswer(label="safe", rationale="It moves a little money.")
BLOCKED: Final = RiskAnswer(label="blocked", rationale="It can send all the money away.")
TOGETHER: Final = CombinationAnswer(label="rewrite", rationale="Together they leak the contacts.")


@pytest.fixture
def gates(monkeypatch: pytest.MonkeyPatch) -> ScriptedJudge:
    """Whoever asks is answered by this judge."""
    judge = ScriptedJudge(
        malicious_intent=HARMLESS,
        intent_deviation=FAITHFUL,
        tool_risk=TAME,
        tool_combination=CombinationAnswer(label="safe", rationale="They belong together."),
    )
    monkeypatch.setattr("reviews.judging.build.judge_for", lambda *_: judge)
    return judge
