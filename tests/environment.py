"""Where the tests find PostgreSQL and Redis: at `DATABASE_URL` and `REDIS_URL` when given, else servers of their own.

Importing this completes the environment `guardapp.settings` is read from. The addresses are chosen at once, the servers
start later and only for a run that needs them. Every process of a parallel run has its own pair, so that a test may
stop one without harm to the others.
"""

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from guardapp.embedded import EmbeddedPostgres, EmbeddedRedis

Server = TypeVar("Server", EmbeddedPostgres, EmbeddedRedis)

ME: Final = os.environ.get("PYTEST_XDIST_WORKER", "main")
DIRECTORY: Final = Path(tempfile.gettempdir(), f"guardapp-tests-{secrets.token_hex(8)}")


def start() -> None:
    """Start the servers that are ours."""
    DIRECTORY.mkdir(exist_ok=True)
    if postgres:
        postgres.start()
    if redis:
        redis.start()


def stop() -> None:
    """Stop the servers that are ours and remove what they left."""
    if redis:
        redis.stop()
    if postgres:
        postgres.discard()
    shutil.rmtree(DIRECTORY, ignore_errors=True)


def numbered(redis_url: str, process: str) -> str:
    """The address with a database number of this process' own, for a server that a parallel run shares."""
    number = re.search(r"\d+$", process)
    return f"{redis_url.rstrip('/')}/{number[0]}" if number and not re.search(r"\w/\d*$", redis_url) else redis_url


def _own(variable: str, create: Callable[[], Server]) -> Server | None:
    chooser = f"{variable}_CHOSEN_BY"
    # Children of this process use what it chose; a parallel process, which inherited it too, chooses for itself.
    if variable in os.environ and os.environ.get(chooser, ME) == ME:
        return None
    server = create()
    os.environ |= {variable: server.url, chooser: ME}
    return server


postgres: Final = _own("DATABASE_URL", lambda: EmbeddedPostgres(DIRECTORY / "postgres", durable=False))
redis: Final = _own("REDIS_URL", lambda: EmbeddedRedis(DIRECTORY / "redis"))
os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(48))
os.environ.setdefault("HTTPS", "false")
