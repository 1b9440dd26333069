import pytest


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for between two tries and two looks."""
    monkeypatch.setattr("reviews.agents.client.provenanceguard.connections.FIRST_DELAY_SECONDS", 0.0)
    monkeypatch.setattr("reviews.agents.client.provenanceguard.waiting.PAUSE_SECONDS", 0.0)
