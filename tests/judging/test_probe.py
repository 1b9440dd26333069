import math
from typing import Any

from reviews.judging.probe import ProbeReport, probe_model
from reviews.provenance.judges import ModelOptions
from reviews.provenance.judges.openai import OpenAIJudge
from tests.endpoint import ScriptedEndpoint

DENIES = {"arguments": [{"pointer": "/amount", "derived": False, "quotes": [], "rationale": "It says 40."}]}
SUPPORT = {**DENIES, "can_address": False, "rationale": "Ten times as much."}


async def probed(endpoint: ScriptedEndpoint, *, seconds: float = math.inf, **options: Any) -> ProbeReport:
    async with OpenAIJudge(
        model="m", base_url=endpoint.base_url, max_retries=0, options=ModelOptions(**options)
    ) as judge:
        return await probe_model(judge, seconds=seconds)


async def test_a_yes_to_everything_agrees_with_two_of_three() -> None:
    with ScriptedEndpoint(support=SUPPORT, probability=0.9) as endpoint:
        report = await probed(endpoint)
    assert (report.can_judge, report.agreeing, report.reports_probabilities) == (True, 2, True)
    assert (report.usage.calls, report.working) == (3, report.configured)


async def test_a_model_that_takes_no_temperature_can_judge_and_is_told_so() -> None:
    with ScriptedEndpoint(support=SUPPORT) as endpoint:
        endpoint.refused = {"temperature", "logprobs"}
        report = await probed(endpoint)
    assert (report.can_judge, report.reports_probabilities) == (True, False)
    assert report.working == ModelOptions(temperature=None, logprobs=False)


async def test_an_endpoint_that_ignores_the_form_is_asked_for_it_in_words() -> None:
    prose = {"text": "Well, it depends."}
    with ScriptedEndpoint(support=SUPPORT, relevance=prose) as endpoint:
        report = await probed(endpoint)
    # One of the three could be read: the form is not at fault.
    assert (report.can_judge, report.answered, report.working.response_format) == (False, 1, "json_schema")
    with ScriptedEndpoint(support=prose, relevance=prose) as endpoint:
        report = await probed(endpoint)
    assert (report.answered, report.working) == (0, report.configured)
    # Each of the three forms was tried, and none is recommended.
    assert endpoint.questions.total() > 2 * len(report.replies)


async def test_an_endpoint_out_of_reach_is_told_once() -> None:
    with ScriptedEndpoint() as endpoint:
        endpoint.down = True
        report = await probed(endpoint)
    assert (report.can_judge, endpoint.questions.total()) == (False, 3)
    assert "503" in report.replies[0].note


async def test_what_a_slow_model_answered_in_time_is_kept() -> None:
    with ScriptedEndpoint(support=SUPPORT, delay=0.5) as endpoint:
        report = await probed(endpoint, seconds=0.8)
    assert [reply.agrees for reply in report.replies] == [True, None, None]
    assert "in the time" in report.replies[-1].note
