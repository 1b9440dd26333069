"""What waiting is tested with."""

import pytest


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> None:
    """A subscription that is live and silent."""
    monkeypatch.setattr("reviews.api.longpoll.wakeups.Wakeups.start", lambda self: setattr(self, "live", True))
