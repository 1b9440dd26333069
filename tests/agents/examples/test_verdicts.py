"""Every scenario through the engine with the rules judge, as the demonstration runs it."""

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest

from reviews.agents.examples import catalog
from reviews.agents.examples.scenario import Expected
from reviews.agents.examples.story import Attempt
from reviews.intake.wire.read_action import read_proposal
from reviews.provenance import detectors
from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Case
from reviews.provenance.core.reasons import reason_of
from reviews.provenance.core.verdicts import Aligned, Misaligned, Verdict
from reviews.provenance.detectors.base import Options, verdict_of
from reviews.provenance.judges import RulesJudge

TODAY = date(2025, 3, 4)
NAMES = sorted(catalog.BUILDS)
SEEDS = [str(number) for number in range(8)]


WRONG = [name for name in NAMES if catalog.build_scenario(name, seed="1", today=TODAY).expected is not Expected.ALLOWED]
RIGHT = [name for name in NAMES if name not in WRONG]


async def judged(attempt: Attempt) -> Verdict:
    """What the guard makes of the attempt's call, proofs alone."""
    now = datetime(TODAY.year, TODAY.month, TODAY.day, 9, tzinfo=UTC).isoformat()
    read = read_proposal({**attempt.submission(), "now": now}, trusted=lambda: False)
    guard = detectors.build("provenance-guard", Options())
    return await verdict_of(guard, Case(read.context, read.action), RulesJudge())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WRONG)
async def test_no_wrong_call_passes_and_a_person_is_told_why(name: str, seed: str) -> None:
    verdict = await judged(Attempt.first(name, seed=seed, today=TODAY))
    assert not isinstance(verdict, Aligned)
    assert len(reason_of(verdict)) > len("Unproven: .")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", RIGHT)
async def test_no_right_call_is_refuted(name: str, seed: str) -> None:
    assert not isinstance(await judged(Attempt.first(name, seed=seed, today=TODAY)), Misaligned)


@pytest.mark.parametrize("name", NAMES)
async def test_no_corrected_call_is_refuted(name: str) -> None:
    first = Attempt.first(name, seed="1", today=TODAY)
    second = first.after_rejection(str(uuid4()), "")
    if second is not None:
        assert not isinstance(await judged(second), Misaligned)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["crm.deal_won", "cloud.service_scaled", "files.draft_deleted"])
async def test_what_the_request_says_in_the_tools_words_is_established(name: str, seed: str) -> None:
    verdict = await judged(Attempt.first(name, seed=seed, today=TODAY))
    assert isinstance(verdict, Aligned)
    assert verdict.established


@pytest.mark.parametrize("seed", SEEDS)
async def test_what_an_example_says_of_its_sources_stands_there(seed: str) -> None:
    attempt = Attempt.first("payments.lunch_paid_back", seed=seed, today=TODAY)
    said = attempt.call.provenance or {}
    read = read_proposal({**attempt.submission(), "provenance": said}, trusted=lambda: False)
    leaves = Grounder(read.context).trace_call(read.action).leaves
    assert {leaf.pointer: leaf.claim and leaf.claim.stands for leaf in leaves} == dict.fromkeys(said, True)
    assert said
