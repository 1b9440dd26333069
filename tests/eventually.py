"""Waiting for what has no event of its own."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; fail when it does not come."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("It did not come to that within ten seconds.")
