"""Django's sessions and accounts in the database, each read by one prepared statement.

Every request of a person begins with both. Through the ORM they cost more than the decision that the request brings.
"""

from functools import cache
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

from reviews.models import pipeline


class SessionStore(db.SessionStore):
    """Sessions as Django keeps them."""

    def _get_session_from_db(self) -> Session | None:
        now = timezone.now()
        session = pipeline.fetch_first(
            _select_statement(Session, "expire_date > %s AND session_key = %s"), (now, self.session_key), Session
        )
        if session is None:
            # As Django does: the cookie of a session that is over names none.
            self._session_key = None
        return session


class PeopleBackend(ModelBackend):
    """Passwords as Django checks them."""

    def get_user(self, user_id: int) -> Any:
        """The account, unless it is switched off."""
        user = pipeline.fetch_first(_select_statement(User, "id = %s"), (user_id,), User)
        return user if user and self.user_can_authenticate(user) else None


@cache
def _select_statement(table: type[models.Model], where: str) -> str:
    name = table._meta.db_table
    return f"SELECT {pipeline.column_list(table, name)} FROM {name} WHERE {where}"  # noqa: S608 - names of the models
