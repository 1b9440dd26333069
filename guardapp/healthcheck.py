"""`python -m guardapp.healthcheck [web|checks|default|beat]`: whether this container's part does its work.

Ends with an error if not. What is asked of each part is only what a restart of it can mend.
"""

import os
import socket
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from guardapp.beat_liveness import seconds_since_beat

ADDRESS: Final = "http://127.0.0.1:8000/healthz"
# Beat sends something every five seconds: six missed ones are no delay any more.
BEAT_SECONDS: Final = 30
# A worker answers in milliseconds, and within seconds on a machine that is busy.
PING_SECONDS: Final = 10


class UnhealthyError(Exception):
    """This part does not do its work; the message says what was found."""


def check_web() -> None:
    """The site answers."""
    # Imported here: the checks of the workers and of beat do without it.
    import httpx  # noqa: PLC0415

    # The site answers to its own names only, and from in here it is called by none of them.
    name = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip().lstrip("*.") or "localhost"
    # Below the five seconds the container's health check gives this command.
    try:
        httpx.get(ADDRESS, headers={"Host": name}, timeout=4).raise_for_status()
    except httpx.HTTPError as error:
        raise UnhealthyError(repr(error)) from None


def check_beat() -> None:
    """Beat sends tasks."""
    age = seconds_since_beat()
    if age is None:
        raise UnhealthyError("beat has not sent anything yet")
    if age > BEAT_SECONDS:
        raise UnhealthyError(f"beat sent nothing for {age:.0f} s")


def check_default() -> None:
    """The worker for sweeps and heartbeats answers."""
    _ping_worker("default")


def check_checks() -> None:
    """The worker for checks answers, and where checks wait, some begin."""
    _ping_worker("checks")
    # Behind the ping, which has set Django up.
    from reviews.scheduling import progress  # noqa: PLC0415

    if progress.is_stalled():
        raise UnhealthyError("checks wait, and none has begun for long: the worker's processes are stuck")


def _ping_worker(worker: str) -> None:
    """Ask the worker of this name in this container. Raises `UnhealthyError`."""
    # Imported here: the site's and beat's checks come every few seconds and need neither Celery nor Django.
    from guardapp.celery import app  # noqa: PLC0415

    app.loader.import_default_modules()
    name = f"{worker}@{socket.gethostname()}"
    if not app.control.inspect(destination=[name], timeout=PING_SECONDS).ping():
        raise UnhealthyError(f"{name} does not answer")


PARTS: Final[Mapping[str, Callable[[], None]]] = MappingProxyType(
    {"web": check_web, "checks": check_checks, "default": check_default, "beat": check_beat}
)


def main() -> None:
    """Ask this part, by default the site. Exits with a message when it is not well."""
    part = sys.argv[1] if sys.argv[1:] else "web"
    if part not in PARTS:
        sys.exit(f"There is no part “{part}”, but there are {', '.join(PARTS)}.")
    try:
        PARTS[part]()
    except UnhealthyError as error:
        sys.exit(f"{part}: {error}")


if __name__ == "__main__":
    main()
