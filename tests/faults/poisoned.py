"""A detector that some requests make run for ever, whatever the engine bounds by itself."""

import asyncio
import re
import threading
from typing import Final

from reviews.provenance import detectors
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors import Detector, Options
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge

# Nothing in Python can end it: the interpreter's lock is held by a library until it is done, which takes centuries.
IN_A_LIBRARY: Final = "Poison in a library"
IN_PYTHON: Final = "Poison in Python"
# The loop goes on taking turns, while what the next check needs stays locked.
IN_A_THREAD: Final = "Poison in a thread"
IN_MEMORY: Final = "Poison in memory"
KINDS: Final = (IN_A_LIBRARY, IN_PYTHON, IN_A_THREAD, IN_MEMORY)

_build = detectors.build
_needed_by_all = threading.Lock()


class Poisonable:
    """The real detector, for requests that are no poison."""

    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self.name, self.version = detector.name, detector.version

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        query = case.context.query
        if query == IN_A_LIBRARY:
            re.match(r"(a+)+$", "a" * 99 + "!")
        while query == IN_PYTHON:
            pass
        if query == IN_A_THREAD:
            await asyncio.to_thread(_hold_what_others_need)
        hoard = [b""]
        while query == IN_MEMORY:
            hoard.append(bytes(64 * 1024 * 1024))
        with _needed_by_all:
            pass
        async for stage in self.detector.stages(case, judge, done):
            yield stage


def _hold_what_others_need() -> None:
    with _needed_by_all:
        while True:
            pass


def build(name: str, options: Options) -> Detector:
    return Poisonable(_build(name, options))
