import pytest

from reviews.lab import dry_run


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run of a process waits for the pool to start, and would leave the others to the next request."""
    monkeypatch.setattr(dry_run, "MAX_SECONDS", 60)
