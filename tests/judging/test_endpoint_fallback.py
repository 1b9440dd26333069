"""Two keys of one endpoint, and what is counted of its answers."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack

import pytest
from prometheus_client import REGISTRY

from reviews.judging.endpoint_fallback import Counted, EitherKey
from reviews.provenance.core.context import ToolDoc
from reviews.provenance.judges import Judge, JudgeMisconfiguredError, JudgeUnavailableError
from reviews.provenance.judges.base import Answered
from reviews.provenance.judges.openai import OpenAIJudge
from reviews.provenance.judges.questions.provenance_guard import Relevance
from tests.endpoint import ScriptedEndpoint

QUESTION = Relevance(ToolDoc("pay"), "Pay Daniel", ("Request $30 from Daniel",))
Under = Callable[[str], OpenAIJudge]


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as endpoint:
        yield endpoint


@pytest.fixture
async def under(endpoint: ScriptedEndpoint) -> AsyncIterator[Under]:
    """The endpoint's model under a key of this name."""
    async with AsyncExitStack() as open_clients:

        def judge(key: str) -> OpenAIJudge:
            made = OpenAIJudge(model="m", api_key=key, base_url=endpoint.base_url, max_retries=0)
            open_clients.push_async_callback(made.aclose)
            return made

        yield judge


def counted(outcome: str) -> float:
    return REGISTRY.get_sample_value("guard_judge_calls_total", {"outcome": outcome}) or 0


async def test_the_second_key_answers_where_the_first_is_refused(endpoint: ScriptedEndpoint, under: Under) -> None:
    endpoint.withdrawn = {"old"}
    judge = EitherKey(under("old"), under("new"))
    assert isinstance(await judge.ask(QUESTION), Answered)
    assert judge.name == "m"


async def test_the_first_key_comes_back_when_the_second_is_withdrawn(endpoint: ScriptedEndpoint, under: Under) -> None:
    judge = EitherKey(under("one"), under("two"))
    for withdrawn in ("one", "two", "one"):
        endpoint.withdrawn = {withdrawn}
        assert isinstance(await judge.ask(QUESTION), Answered)


async def test_with_both_keys_refused_the_judge_is_misconfigured(endpoint: ScriptedEndpoint, under: Under) -> None:
    endpoint.withdrawn = {"old", "new"}
    with pytest.raises(JudgeMisconfiguredError):
        await EitherKey(under("old"), under("new")).ask(QUESTION)


async def test_an_endpoint_that_is_down_is_not_asked_under_the_other_key(
    endpoint: ScriptedEndpoint, under: Under
) -> None:
    endpoint.down = True
    with pytest.raises(JudgeUnavailableError):
        await EitherKey(under("one"), under("two")).ask(QUESTION)
    assert sum(endpoint.questions.values()) == 1


@pytest.mark.parametrize(
    ("outcome", "withdrawn", "down"),
    [("answered", "", False), ("misconfigured", "k", False), ("unavailable", "", True)],
)
async def test_each_question_is_counted_by_how_it_ended(
    endpoint: ScriptedEndpoint, under: Under, outcome: str, withdrawn: str, down: bool
) -> None:
    endpoint.withdrawn, endpoint.down = {withdrawn}, down
    judge: Judge = Counted(under("k"))
    before = counted(outcome)
    try:
        await judge.ask(QUESTION)
    except (JudgeMisconfiguredError, JudgeUnavailableError):
        assert outcome != "answered"
    assert counted(outcome) == before + 1
