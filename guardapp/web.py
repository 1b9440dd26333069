"""`python -m guardapp.web [--host H] [--port P]`: the web server as the product runs it.

Its first process has imported all that the site is made of before it forks those that serve: one that is killed is
replaced within a moment, and they share that memory.
"""

import os
import sys
from typing import Final

# Connections that may be open at once: some six thousand agents that wait for a decision, and more than as many again
# that do nothing. The server leaves the next ones in a queue without a sign.
CONNECTIONS: Final = 16_000
# A connection without a request is closed after this: a page that is open and an agent that polls send one more often.
IDLE_MILLISECONDS: Final = 15_000
# Waits are answered at once when the server is to stop: this is for submissions that are being stored. Below the
# supervisor's 8 s and the 10 s after which service managers commonly kill.
DRAIN_SECONDS: Final = 6
# What the web server is started with everywhere. No page uses web sockets. HTTP/1 by name: a server that has to find
# out which version a client speaks waits for its first byte for ever. Proxies speak it to what is behind them anyway.
WEB_OPTIONS: Final = (
    "--interface=asgi",
    "--no-ws",
    "--http=1",
    f"--http1-header-read-timeout={IDLE_MILLISECONDS}",
    f"--backpressure={CONNECTIONS}",
    f"--workers-kill-timeout={DRAIN_SECONDS}",
    # Otherwise the death of one process ends all of them.
    "--respawn-failed-workers",
)
# More only share the cores, and each takes a hundred megabytes and database connections of its own.
MAX_WEB_WORKERS: Final = 4


def web_workers() -> int:
    """Processes of the web server: one a core, because Python computes on one core in each."""
    return min(len(os.sched_getaffinity(0)), MAX_WEB_WORKERS)


def process_count() -> int:
    """How many processes serve: WEB_PROCESSES, or as many as the demonstration starts."""
    # Imported here: whatever starts this module's functions in a process of its own needs no configuration.
    from guardapp.config import config  # noqa: PLC0415

    return config().web_processes or web_workers()


def web_arguments(*, workers: int) -> tuple[str, ...]:
    """What the server is started with, but for its address."""
    return (*WEB_OPTIONS, "--workers", str(workers), "guardapp.asgi:application")


def server_command() -> list[str]:
    """What runs in this process' place, with the arguments it was given."""
    return ["granian", *web_arguments(workers=process_count()), *sys.argv[1:]]


if __name__ == "__main__":
    from guardapp import files_folder, standby

    standby.preload_program("granian")
    files_folder.require_files_folder()
    standby.become_program(server_command())
