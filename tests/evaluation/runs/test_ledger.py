"""What is written down of a check's questions."""

from collections.abc import Mapping
from typing import Any

from reviews.evaluation.runs.ledger import NOBODY, Ledger, Listening, ListeningRules
from reviews.provenance.core.findings import Usage
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import Options, build, verdict_of
from reviews.provenance.judges import RulesFirst
from tests.provenance.detectors.scripted import GIBBERISH, ScriptedJudge, call_support, case


async def verdict_and_ledger(judge: Any, detector: str = "provenance-guard", **options: Any) -> tuple[Verdict, Ledger]:
    """A check by rules and this model, and what was written down."""
    ledger = Ledger()
    layered = RulesFirst(Listening(judge, ledger), ListeningRules(ledger))
    return await verdict_of(build(detector, Options(**options)), case(), layered), ledger


def answered(ledger: Ledger) -> Mapping[str, Mapping[str, int]]:
    return {name: dict(tally.answered) for name, tally in ledger.by_question.items()}


async def test_what_rules_leave_open_is_the_models() -> None:
    verdict, ledger = await verdict_and_ledger(ScriptedJudge())
    by = answered(ledger)
    assert (by["candidates"], by["derivability"]) == ({"scripted": 1}, {"rules": 1, "scripted": 1})
    assert sum((tally.usage for tally in ledger.by_question.values()), Usage()) == verdict.usage


async def test_draws_of_one_question_are_counted() -> None:
    verdict, ledger = await verdict_and_ledger(ScriptedJudge(trajectory_verdict=GIBBERISH), "self-consistency")
    tally = ledger.by_question["trajectory_verdict"]
    assert (dict(tally.answered), tally.usage.calls, verdict.label) == ({NOBODY: 5}, 5, "misaligned")


async def test_a_question_that_is_taken_back_was_answered_by_nobody() -> None:
    judge = ScriptedJudge(call_support=call_support(relevant=False)).silent_on("candidates")
    ledger = Ledger()
    await verdict_of(build("provenance-guard", Options()), case(), Listening(judge, ledger))
    assert answered(ledger)["candidates"] == {NOBODY: 1}
    assert answered(ledger)["call_support"] == {"scripted": 1}


async def test_listening_changes_no_verdict() -> None:
    for judge in (ScriptedJudge(), ScriptedJudge(call_support=call_support(relevant=False))):
        plain = await verdict_of(build("provenance-guard", Options()), case(), RulesFirst(judge))
        assert (await verdict_and_ledger(judge))[0].label == plain.label
