import pytest

from reviews.workspaces import agent_keys
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


@pytest.fixture
def known_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are looked up once: with the next second on the clock a request would take a query more."""
    monkeypatch.setattr(agent_keys, "KNOWN_SECONDS", float("inf"))
