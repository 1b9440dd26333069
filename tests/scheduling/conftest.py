"""Checks begin with an empty queue at the broker."""

import pytest


@pytest.fixture(autouse=True)
def _nothing_waits(empty_queue: None) -> None:
    pass
