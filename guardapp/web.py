"""`python -m guardapp.web [--host H] [--port P]`: the web server as the product runs it, in this process' place."""

import os
import sys
from typing import Final

from guardapp.config import config
from guardapp.demo import WEB_OPTIONS

# More than one process uses more than one core; beyond four the database and the workers need the cores, and each
# process takes a hundred megabytes and a pool of connections of its own.
MOST_PROCESSES: Final = 4


def processes() -> int:
    """How many processes serve: WEB_PROCESSES, or one a core this process may use, at most `MOST_PROCESSES`."""
    return config().web_processes or min(len(os.sched_getaffinity(0)), MOST_PROCESSES)


def command() -> list[str]:
    """What is executed, with the arguments of this process."""
    options = (*WEB_OPTIONS, "--workers", str(processes()), *sys.argv[1:])
    return [sys.executable, "-m", "granian", *options, "guardapp.asgi:application"]


if __name__ == "__main__":
    # Replaced, not started: signals and the exit status are the server's own.
    os.execv(sys.executable, command())  # noqa: S606
