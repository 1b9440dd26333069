import pytest

from tests.api.agent import Agent
from tests.cast import Cast, cast, script

__all__ = ["cast", "script"]


@pytest.fixture
def agent(cast: Cast) -> Agent:
    return Agent(cast.agent_secret)


@pytest.fixture
def outsider(cast: Cast) -> Agent:
    return Agent(cast.outside_secret)


@pytest.fixture
def stranger(cast: Cast) -> Agent:
    return Agent(None)
