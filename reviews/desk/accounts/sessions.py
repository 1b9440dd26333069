"""Django's sessions and accounts in the database, each read by one prepared statement.

Every request of a person begins with both. Through the ORM they cost more than the decision that the request brings.
"""

from functools import cache
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from reviews import access
from reviews.models import pipeline


class SessionStore(db.SessionStore):
    """Sessions as Django keeps them."""

    def _get_session_from_db(self) -> Session | None:
        session = pipeline.fetch_first(_select_session(), (timezone.now(), self.session_key), Session)
        if session is None:
            # As Django does: the cookie of a session that is over names none.
            self._session_key = None
        return session


class PeopleBackend(ModelBackend):
    """Passwords as Django checks them."""

    def get_user(self, user_id: int) -> Any:
        """The account with its memberships, unless it is switched off."""
        user = access.account_with_memberships(user_id)
        return user if user and self.user_can_authenticate(user) else None


@cache
def _select_session() -> str:
    columns, table = pipeline.column_list(Session, "s"), Session._meta.db_table
    return f"SELECT {columns} FROM {table} AS s WHERE s.expire_date > %s AND s.session_key = %s"  # noqa: S608
