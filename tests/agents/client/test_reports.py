"""What came of a call reaches the guard whatever it is."""

import asyncio
import json
from functools import reduce
from typing import Any

import pytest

from reviews.models import Execution
from tests.agents.client.test_sent_history import Site, site
from tests.cast import RIGHT, Cast, cast, propose
from tests.jobs import run_checks

__all__ = ["cast", "site"]

DEEP: dict[str, Any] = reduce(lambda inner, _: {"child": inner}, range(40), {})


@pytest.mark.parametrize("outcome", [DEEP, {"id": 10**400}], ids=["deep", "unbounded"])
def test_an_outcome_that_the_guard_does_not_take_as_it_is_is_told_as_text(cast: Cast, site: Site, outcome: Any) -> None:
    action = propose(cast, RIGHT)
    run_checks(action.pk)

    async def run_and_report() -> Any:
        async with site.guard() as guard:
            await guard.execute(str(action.pk))
            return await guard.report(str(action.pk), succeeded=True, outcome=outcome)

    told = asyncio.run(run_and_report())
    step = Execution.objects.select_related("step__text").get().step
    assert step is not None
    assert step.text is not None
    assert told == step.text.body == json.dumps(outcome)


def test_arguments_that_the_guard_does_not_take_are_told_as_text_and_flagged(cast: Cast, site: Site) -> None:
    action = propose(cast, RIGHT)
    run_checks(action.pk)

    async def run_and_report() -> None:
        async with site.guard() as guard:
            await guard.execute(str(action.pk))
            await guard.report(str(action.pk), succeeded=True, outcome="Sent.", arguments={"amount": 2**60})

    asyncio.run(run_and_report())
    execution = Execution.objects.select_related("step__text").get()
    assert execution.deviates
    assert execution.step is not None
    assert execution.step.text is not None
    assert (execution.step.arguments, execution.step.text.body) == ({"amount": str(2**60)}, "Sent.")
