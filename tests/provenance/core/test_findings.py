from reviews.provenance.core.findings import Finding, Relation, StageResult, stage_from_json, stage_to_json
from reviews.provenance.core.verdicts import Aligned, conclude_stages
from reviews.provenance.judges import RulesJudge
from tests.provenance.detectors.scripted import SILENT, ScriptedJudge, case, judged

HOLDS = Finding(Relation.RELEVANT_TO, "pay", True, "It is.")
OPEN = Finding(Relation.DERIVED_FROM, "/to", None, "Nobody knows.")


def aligned(*findings: Finding, questions: tuple[str, ...] = ()) -> Aligned:
    verdict = conclude_stages((StageResult("tool", findings, open_questions=questions),))
    assert isinstance(verdict, Aligned)
    return verdict


def test_aligned_is_established_when_everything_asked_for_holds() -> None:
    verdict = aligned(HOLDS)
    assert (verdict.established, verdict.open_relations) == (True, ())


def test_what_passes_because_unknown_passes_is_not_established_and_says_what_is_open() -> None:
    verdict = aligned(HOLDS, OPEN, OPEN)
    assert (verdict.established, verdict.open_relations) == (False, ("DerivedFrom of /to",))


def test_what_no_single_relation_says_is_open_too() -> None:
    assert aligned(HOLDS, questions=("whether another reading competes",)).established is False


def test_open_questions_survive_storage() -> None:
    stage = StageResult("interpretation", open_questions=("whether another reading competes",))
    assert stage_from_json(stage_to_json(stage)) == stage


# Nothing in these words asks for a payment more than for anything else.
UNCLEAR = case("Settle up with Daniel: $30", subtask="Pay Daniel")


async def test_a_judge_who_is_content_with_everything_establishes_a_call() -> None:
    verdict = await judged(case(), ScriptedJudge())
    assert isinstance(verdict, Aligned)
    assert verdict.established


async def test_rules_that_cannot_tell_establish_nothing() -> None:
    verdict = await judged(UNCLEAR, RulesJudge(), unknown="pass")
    assert isinstance(verdict, Aligned)
    assert not verdict.established
    assert "whether another reading competes" in verdict.open_relations


async def test_candidates_that_nobody_named_stay_open() -> None:
    verdict = await judged(UNCLEAR, ScriptedJudge(candidates=SILENT), unknown="pass")
    assert verdict.open_relations == ("whether another reading competes",)
