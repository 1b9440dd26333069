"""The judge a guard profile asks for, and the one event loop its questions run on."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, wait
from functools import cache
from typing import TypeVar

from django.conf import settings

from reviews.models import GuardProfile, JudgeKind
from reviews.provenance.judges import Judge, OpenAIJudge, RulesFirst, RulesJudge

T = TypeVar("T")


def judge_for(profile: GuardProfile) -> Judge:
    """Rules alone, or rules first and the profile's model for the rest."""
    match JudgeKind(profile.judge):
        case JudgeKind.RULES:
            return RulesJudge()
        case JudgeKind.OPENAI:
            return RulesFirst(_model(profile.model or settings.GUARD.guard_model))


def run_each(items: AsyncIterator[T], *, tick: Callable[[], None], every: float) -> Iterator[T]:
    """Iterate an asynchronous iterator from a worker thread, calling `tick` each `every` seconds of waiting.

    All threads of a process share one event loop, and so one HTTP connection pool: a loop per task would spend its
    time on handshakes. What `tick` raises ends the wait and cancels what was waited for.
    """
    end = object()

    async def following() -> T | object:
        return await anext(items, end)

    while (item := _wait(asyncio.run_coroutine_threadsafe(following(), _loop()), tick, every)) is not end:
        yield item  # type: ignore[misc]  # `end` is excluded above


def _wait(future: Future[T], tick: Callable[[], None], every: float) -> T:
    try:
        while not wait([future], timeout=every).done:
            tick()
        return future.result()
    finally:
        future.cancel()


@cache
def _model(name: str) -> OpenAIJudge:
    guard = settings.GUARD
    return OpenAIJudge(
        model=name,
        api_key=guard.openai_api_key.get_secret_value() if guard.openai_api_key else None,
        base_url=guard.openai_base_url,
        timeout=guard.judge_timeout_seconds,
    )


_lock = threading.Lock()
_running: asyncio.AbstractEventLoop | None = None


def _loop() -> asyncio.AbstractEventLoop:
    global _running  # noqa: PLW0603 - one loop a process, made when the first check needs it, behind any fork
    with _lock:
        if _running is None:
            _running = asyncio.new_event_loop()
            threading.Thread(target=_running.run_forever, name="judge-loop", daemon=True).start()
        return _running
