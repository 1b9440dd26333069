"""Learn of the process's end while requests are still open.

The server announces its end through ASGI only when every request has been answered, so nobody who waits would hear of
it in time.
"""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def on_termination(call: Callable[[], None]) -> Iterator[None]:
    """While the context lasts, have the running loop call this when the process is asked to end.

    Whoever handled the signals before still does. Outside of the main thread, which signals do not reach, it does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    # The server's own handler is not among these: the loop reads signals from a pipe, which is written to whatever
    # Python's handler is, so both are called.
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(call)
        previous = before[signal.Signals(number)]
        if callable(previous):
            previous(number, frame)

    for number in _SIGNALS:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
