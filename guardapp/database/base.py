"""The name Django looks a database backend up by."""

import select
import time
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg_pool import ConnectionPool

# More than one: while the pool is checked, another thread may put a dead connection back. Each costs a round trip.
_MAX_DEAD: Final = 3
# How long a connection is believed without being asked. A server that ends says so on each of its connections, which
# costs no round trip to see; this is for one that a firewall has dropped without a word.
_BELIEVED_SECONDS: Final = 10.0


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL behind a pool in which one dead connection makes all of them suspect.

    The pool's own check tries idle connections one by one with a delay that doubles, so after a restart of the server
    five dead ones use up the whole time a request may wait.
    """

    def get_connection_params(self) -> dict[str, Any]:
        """As Django's, with moments that are read quickly."""
        parameters: dict[str, Any] = super().get_connection_params()
        return parameters | {"context": _with_quick_moments(parameters["context"])}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that answers.

        Raises:
            psycopg.OperationalError: The server cannot be reached, or takes connections and answers on none.

        """
        for _ in range(_MAX_DEAD):
            connection = super().get_new_connection(conn_params)
            try:
                _check(connection)
            except psycopg.OperationalError:
                # The pool closes what comes back dead, and checks all idle ones: they have the same server.
                self.pool.putconn(connection)
                self.pool.check()
            else:
                return connection
        raise psycopg.OperationalError("The database takes connections and answers on none.")


class MomentLoader(Loader):
    """A moment as the server writes it, whose offset stands behind it.

    Django's own takes fifteen times as long, for each moment of each row.
    """

    timezone: tzinfo = UTC
    """The session's, as Django asks: with another one it puts its own loader in place of this."""

    def load(self, data: Buffer) -> datetime:
        """Raises `ValueError` for what Python has no moment for, such as infinity."""
        return datetime.fromisoformat(str(data, "ascii"))


@cache
def _with_quick_moments(adapters: AdaptersMap) -> AdaptersMap:
    """Once for each of Django's: it asks for the parameters whenever a request takes a connection."""
    quick = AdaptersMap(adapters)
    quick.register_loader("timestamptz", MomentLoader)
    return quick


def _check(connection: Any) -> None:
    """Ask the server, unless it answered lately and has said nothing since. Raises `psycopg.OperationalError`."""
    # What an idle connection has to read is its end, or a notice that the full check then takes.
    watch = select.poll()
    watch.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    now = time.monotonic()
    if watch.poll(0) or now - getattr(connection, "answered_at", -_BELIEVED_SECONDS) >= _BELIEVED_SECONDS:
        ConnectionPool.check_connection(connection)
        connection.answered_at = now
