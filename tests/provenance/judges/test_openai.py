import json
import math
import time
from typing import Any

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, ToolDoc
from reviews.provenance.core.findings import DecidedBy, Usage
from reviews.provenance.judges import (
    Answered,
    JudgeMisconfiguredError,
    JudgeUnavailableError,
    ModelOptions,
    Prices,
    RulesFirst,
    Unknown,
)
from reviews.provenance.judges.answers import find_json_object
from reviews.provenance.judges.base import Sampling
from reviews.provenance.judges.openai import OpenAIJudge
from reviews.provenance.judges.questions.infer_act import TrajectoryVerdict
from reviews.provenance.judges.questions.provenance_guard import Derivability, Relevance
from reviews.provenance.judges.questions.question_forms import Held
from tests.endpoint import ScriptedEndpoint
from tests.llm import MODEL
from tests.provenance.judges.replies import Endpoint, Reply, said, serving

QUESTION = Relevance(ToolDoc("pay"), "Pay Daniel", ("Request $30 from Daniel",))
OPEN_QUESTION = Relevance(ToolDoc("pay"), "Look Daniel up", QUESTION.request)
YES = said(json.dumps({"holds": True, "rationale": "It does."}))


async def ask(endpoint: Endpoint, **options: Any) -> Answered[Held] | Unknown:
    async with OpenAIJudge(model="m", base_url=endpoint.base_url, **({"max_retries": 0} | options)) as judge:
        return await judge.ask(QUESTION)


async def check_unparsable(reply: Reply) -> None:
    with serving(reply) as endpoint:
        answer = await ask(endpoint)
    assert isinstance(answer, Unknown)
    assert answer.unparsable


async def test_an_answer_that_fits_is_the_models() -> None:
    with serving(YES) as endpoint:
        answer = await ask(endpoint)
    assert isinstance(answer, Answered)
    assert (answer.answer.holds, answer.decided_by) == (True, DecidedBy.JUDGE)


async def test_an_answer_that_makes_no_sense_is_asked_for_once_more() -> None:
    with serving(said("{"), YES) as endpoint:
        answer = await ask(endpoint)
    assert (isinstance(answer, Answered), answer.usage.calls, answer.usage.prompt_tokens) == (True, 2, 200)


@pytest.mark.parametrize("host", ["127.0.0.1:1", "judge.invalid"])
async def test_an_address_where_nobody_listens_is_called_no_time_out(host: str) -> None:
    async with OpenAIJudge(model="m", base_url=f"http://{host}/v1", max_retries=0) as judge:
        with pytest.raises(JudgeUnavailableError, match="ClientConnector"):
            await judge.ask(QUESTION)


async def test_the_second_time_at_another_temperature() -> None:
    with serving(said("{"), YES) as endpoint:
        await ask(endpoint)
    assert [request["temperature"] for request in endpoint.requests] == [0.0, 0.5]


async def test_no_answer_is_asked_for_a_third_time() -> None:
    with serving(said("{")) as endpoint:
        answer = await ask(endpoint)
    assert (isinstance(answer, Unknown), len(endpoint.requests)) == (True, 2)


async def test_what_the_first_call_used_is_told_though_the_second_fails() -> None:
    with serving(said("{"), Reply({}, 503)) as endpoint:
        answer = await ask(endpoint)
    assert (isinstance(answer, Unknown) and answer.unparsable, answer.usage.prompt_tokens) == (True, 100)


async def test_whoever_wants_one_call_gets_one() -> None:
    with serving(said("{"), YES) as endpoint:
        answer = await ask(endpoint, readings=1)
    assert (isinstance(answer, Unknown), len(endpoint.requests)) == (True, 1)


async def test_tokens_and_cost_are_counted() -> None:
    with serving(YES) as endpoint:
        answer = await ask(endpoint, prices=Prices(prompt=2.0, completion=10.0))
    assert answer.usage == Usage(1, 100, 10, pytest.approx(0.0003))  # type: ignore[arg-type]


async def test_the_request_is_strict_cold_and_bounded() -> None:
    with serving(YES) as endpoint:
        await ask(endpoint, options=ModelOptions(answer_tokens=99))
    request = endpoint.requests[0]
    form = request["response_format"]["json_schema"]
    assert (form["name"], form["strict"], form["schema"]["additionalProperties"]) == ("relevance", True, False)
    assert (request["temperature"], request["max_completion_tokens"]) == (0.0, 99)


async def test_a_model_that_takes_no_temperature_gets_none() -> None:
    with serving(YES) as endpoint:
        await ask(endpoint, options=ModelOptions(temperature=None))
    assert "temperature" not in endpoint.requests[0]


async def asked_for_a_sample(**options: Any) -> list[dict[str, Any]]:
    """The requests for one draw at 0.7, whose answers make no sense."""
    case = Case(Context("Pay Daniel"), ProposedAction("money_transfer", {}))
    with serving(said("{}")) as endpoint:
        async with OpenAIJudge(model="m", base_url=endpoint.base_url, **options) as judge:
            await judge.ask(TrajectoryVerdict(case, Sampling(0.7, 1)))
    return endpoint.requests


async def test_a_sample_is_drawn_at_its_own_temperature_the_second_time_too() -> None:
    assert [request["temperature"] for request in await asked_for_a_sample()] == [0.7, 0.7]


async def test_a_sample_of_a_model_that_takes_no_temperature_is_drawn_at_the_models() -> None:
    assert not any(
        "temperature" in request for request in await asked_for_a_sample(options=ModelOptions(temperature=None))
    )


LIKELY = {"token": " true", "logprob": -0.1, "bytes": None}
UNLIKELY = {"token": " false", "logprob": -2.5, "bytes": None}
TOKENS = [
    {"token": '{"holds":', "logprob": 0.0, "bytes": None, "top_logprobs": []},
    {**LIKELY, "top_logprobs": [LIKELY, UNLIKELY]},
]


def probable() -> Reply:
    """A yes with its probabilities."""
    reply = said(json.dumps({"holds": True, "rationale": "It does."}))
    reply.body["choices"][0]["logprobs"] = {"content": TOKENS, "refusal": None}
    return reply


async def test_the_probability_of_a_boolean_is_told_where_the_endpoint_tells_it() -> None:
    with serving(probable()) as endpoint:
        answer = await ask(endpoint)
    assert isinstance(answer, Answered)
    assert answer.probability == pytest.approx(math.exp(-0.1) / (math.exp(-0.1) + math.exp(-2.5)))
    assert (endpoint.requests[0]["logprobs"], endpoint.requests[0]["top_logprobs"]) == (True, 20)


async def test_an_endpoint_without_probabilities_is_asked_for_them_once() -> None:
    refused = Reply({"error": {"message": "logprobs are not supported"}}, status=400)
    with serving(refused, YES) as endpoint:
        async with OpenAIJudge(model="m", base_url=endpoint.base_url, max_retries=0) as judge:
            answers = [await judge.ask(QUESTION), await judge.ask(QUESTION)]
    assert all(isinstance(answer, Answered) and answer.probability is None for answer in answers)
    assert ["logprobs" in request for request in endpoint.requests] == [True, False, False]


async def test_only_decisive_booleans_are_asked_with_probabilities() -> None:
    with serving(said(json.dumps({"parameters": []}))) as endpoint:
        async with OpenAIJudge(model="m", base_url=endpoint.base_url) as judge:
            await judge.ask(Derivability(ToolDoc("act"), ("/who",)))
    assert "logprobs" not in endpoint.requests[0]


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "yes",
        "{}",
        '{"holds": "yes", "rationale": ""}',
        '{"holds": true, "rationale": "", "x": 1}',
        r'{"holds": true, "rationale": "a \u0000 b"}',
        r'{"holds": true, "rationale": "a \ud800 b"}',
        "9" * 70_000,
    ],
)
async def test_output_that_does_not_fit_is_no_answer(content: str | None) -> None:
    await check_unparsable(said(content))


async def test_a_refusal_is_no_answer() -> None:
    await check_unparsable(said(None, refusal="I would rather not."))


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": None}, {"choices": {"a": 1}}, {"choices": [{}]}, [], "no JSON"]
)
async def test_an_envelope_of_any_other_form_is_no_answer(body: Any) -> None:
    await check_unparsable(Reply(body))


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_question_the_endpoint_refuses_is_no_answer(status: int) -> None:
    await check_unparsable(Reply({"error": {"message": "too long"}}, status))


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_an_endpoint_in_trouble_may_be_asked_again(status: int) -> None:
    with serving(Reply({"error": {}}, status)) as endpoint, pytest.raises(JudgeUnavailableError, match=str(status)):
        await ask(endpoint)


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_wrong_key_or_model_is_said_so(status: int) -> None:
    with serving(Reply({"error": {}}, status)) as endpoint, pytest.raises(JudgeMisconfiguredError, match=str(status)):
        await ask(endpoint)


async def test_a_slow_endpoint_is_given_up() -> None:
    started = time.monotonic()
    with serving(Reply(YES.body, delay=2)) as endpoint, pytest.raises(JudgeUnavailableError):
        await ask(endpoint, timeout=0.2)
    assert time.monotonic() - started < 10


async def test_nobody_at_the_address_may_be_asked_again() -> None:
    with pytest.raises(JudgeUnavailableError):
        await ask(Endpoint([], base_url="http://127.0.0.1:9/v1"))


async def test_one_failure_is_retried() -> None:
    with serving(Reply({"error": {}}, 503), YES) as endpoint:
        answer = await ask(endpoint, max_retries=1)
    assert isinstance(answer, Answered)
    assert len(endpoint.requests) == 2


async def test_an_error_never_repeats_what_the_endpoint_said() -> None:
    refusal = Reply({"error": {"message": "key sk-secret is wrong"}}, 401)
    with serving(refusal) as endpoint, pytest.raises(JudgeMisconfiguredError) as error:
        await ask(endpoint)
    assert "secret" not in str(error.value)


async def test_rules_first_asks_the_model_only_what_is_open() -> None:
    with serving(YES) as endpoint:
        async with OpenAIJudge(model="m", base_url=endpoint.base_url) as model:
            replies = [await RulesFirst(model).ask(each) for each in (Derivability(ToolDoc("pay"), ()), QUESTION)]
    assert [reply.usage.calls for reply in replies] == [0, 1]
    assert len(endpoint.requests) == 1


REFUSALS = {
    "temperature": ModelOptions(temperature=None),
    "max_completion_tokens": ModelOptions(token_limit="max_tokens"),
    "top_logprobs": ModelOptions(logprobs=False),
    "json_schema": ModelOptions(response_format="json_object"),
}


@pytest.mark.parametrize(("refused", "working"), REFUSALS.items())
async def test_what_an_endpoint_refuses_is_left_out_from_then_on(refused: str, working: ModelOptions) -> None:
    with ScriptedEndpoint() as endpoint:
        endpoint.refused = {refused}
        async with OpenAIJudge(model="m", base_url=endpoint.base_url, max_retries=0) as judge:
            answers = [await judge.ask(QUESTION), await judge.ask(QUESTION)]
    assert all(isinstance(answer, Answered) and answer.answer.holds for answer in answers)
    assert judge.options == working


async def test_a_model_that_refuses_all_but_the_question_can_judge() -> None:
    with ScriptedEndpoint() as endpoint:
        endpoint.refused = {*REFUSALS, "json_object", "reasoning_effort"}
        endpoint.prose = "<think>Is {this} it?</think>Here is my answer:\n```json\n"
        effort = ModelOptions(reasoning_effort="low")
        async with OpenAIJudge(model="m", base_url=endpoint.base_url, max_retries=0, options=effort) as judge:
            answer = await judge.ask(QUESTION)
    assert isinstance(answer, Answered)
    assert endpoint.requests == [{"model": "m", "max_tokens": 2048}]


async def test_a_refusal_for_another_reason_changes_no_option() -> None:
    refusal = Reply({"error": {"message": "The context is too long."}}, 400)
    with serving(refusal) as endpoint:
        async with OpenAIJudge(model="m", base_url=endpoint.base_url, max_retries=0) as judge:
            answer = await judge.ask(QUESTION)
    assert isinstance(answer, Unknown)
    assert judge.options == ModelOptions()


async def test_options_of_a_model_that_reasons_are_sent_as_set() -> None:
    options = ModelOptions(temperature=None, reasoning_effort="high", answer_tokens=9000, logprobs=False)
    with serving(YES) as endpoint:
        await ask(endpoint, options=options)
    request = endpoint.requests[0]
    assert (request["reasoning_effort"], request["max_completion_tokens"]) == ("high", 9000)
    assert not {"temperature", "logprobs"} & set(request)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('<think>{"a": 2}</think> Sure: ```json\n{"a": 1}\n```', '{"a": 1}'),
        ('{"a": 1} and again {"a": 1}', '{"a": 1}'),
        ('The page says {"a": 2}, so {"a": 1}', None),
        ("no object { at all", None),
        ("{" * 60_000, None),
        ('{"a":' * 10_000, None),
    ],
)
def test_the_one_object_of_an_answer_is_its_answer(text: str, found: str | None) -> None:
    assert find_json_object(text) == found


@pytest.mark.timeout(300)
async def test_a_real_endpoint_fills_the_form(llm: str) -> None:
    # Its grammar begins every answer with the first field; what a model this small says behind it is nothing to test.
    options: dict[str, Any] = {
        "options": ModelOptions(answer_tokens=8),
        "timeout": 280,
        "max_retries": 0,
        "readings": 1,
    }
    async with OpenAIJudge(model=MODEL, base_url=llm, **options) as judge:
        answer = await judge.ask(QUESTION)
    assert (answer.usage.calls, answer.usage.prompt_tokens > 20, answer.usage.completion_tokens > 5) == (1, True, True)
    assert isinstance(answer, Answered) or answer.unparsable
