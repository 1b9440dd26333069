"""`python -m guardapp.web [--host H] [--port P]`: the web server as the product runs it, in this process' place."""

import os
import sys

from guardapp.config import config
from guardapp.demo import WEB_OPTIONS, web_workers


def processes() -> int:
    """How many processes serve: WEB_PROCESSES, or as many as the demonstration starts."""
    return config().web_processes or web_workers()


def command() -> list[str]:
    """What is executed, with the arguments of this process."""
    options = (*WEB_OPTIONS, "--workers", str(processes()), *sys.argv[1:])
    return [sys.executable, "-m", "granian", *options, "guardapp.asgi:application"]


if __name__ == "__main__":
    # Replaced, not started: signals and the exit status are the server's own.
    os.execv(sys.executable, command())  # noqa: S606
