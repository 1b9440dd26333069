"""The name Django looks a database backend up by."""

from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL behind a pool in which one dead connection makes all of them suspect.

    The pool's own check tries idle connections one by one with a delay that doubles, so after a restart of the server
    five dead ones use up the whole time a request may wait.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that answers.

        Raises:
            psycopg_pool.PoolTimeout: The server cannot be reached.

        """
        while True:
            connection = super().get_new_connection(conn_params)
            try:
                ConnectionPool.check_connection(connection)
            except psycopg.OperationalError:
                self.pool.putconn(connection)
                self.pool.check()
            else:
                return connection
