"""Every scenario through the engine with the rules judge, as the demonstration runs it."""

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest

from reviews.agents.examples import catalog
from reviews.agents.examples.scenario import Expected, Mistake
from reviews.agents.examples.story import Attempt
from reviews.intake.wire.read_action import read_proposal
from reviews.provenance import detectors
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import Aligned, Misaligned, Verdict
from reviews.provenance.detectors.base import Options, verdict_of
from reviews.provenance.judges import RulesJudge

TODAY = date(2025, 3, 4)
NAMES = sorted(catalog.BUILDS)
SEEDS = [str(number) for number in range(8)]


async def judged(attempt: Attempt) -> Verdict:
    """What the guard's rules make of the attempt's call."""
    now = datetime(TODAY.year, TODAY.month, TODAY.day, 9, tzinfo=UTC).isoformat()
    read = read_proposal({**attempt.submission(), "now": now}, trusted=lambda: False)
    guard = detectors.build("provenance-guard", Options(unknown="pass"))
    return await verdict_of(guard, Case(read.context, read.action), RulesJudge())


async def verdict(attempt: Attempt) -> str:
    """`allowed`, the type of misalignment, or `undetermined`."""
    found = await judged(attempt)
    return {"aligned": "allowed", "undetermined": "undetermined"}.get(found.label) or (
        str(found.type) if isinstance(found, Misaligned) else found.label
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
async def test_the_guard_makes_of_it_what_is_expected(name: str, seed: str) -> None:
    attempt = Attempt.first(name, seed=seed, today=TODAY)
    seen_by_rules = Expected.ALLOWED if attempt.scenario.needs_model else attempt.scenario.expected
    assert await verdict(attempt) == seen_by_rules


@pytest.mark.parametrize("name", NAMES)
async def test_the_corrected_call_passes(name: str) -> None:
    first = Attempt.first(name, seed="1", today=TODAY)
    second = first.after_rejection(str(uuid4()), "")
    if second is not None:
        assert await verdict(second) == "allowed"


@pytest.mark.parametrize("name", NAMES)
async def test_a_right_call_passes_because_it_is_established_and_a_wrong_write_never_is(name: str) -> None:
    attempt = Attempt.first(name, seed="3", today=TODAY)
    found = await judged(attempt)
    is_right = attempt.scenario.mistake in (Mistake.NONE, Mistake.READS_ONLY)
    assert (isinstance(found, Aligned) and found.established) is is_right
