import pickle
from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from tests.cast import Cast, cast, script
from tests.desk.desk import SESSIONS, Desk

__all__ = ["cast", "script"]


@pytest.fixture(scope="module")
def kept_sessions(kept_cast: bytes, django_db_blocker: DjangoDbBlocker) -> dict[int, str]:
    """Where the cast is kept for a module, so is a session of each of them: user -> session."""
    if not kept_cast:
        return {}
    kept: Cast = pickle.loads(kept_cast)  # noqa: S301 - our own
    members = (kept.reviewer, kept.other_reviewer, kept.annotator, kept.admin, kept.outsider)
    with django_db_blocker.unblock():
        return {member.user_id: str(Desk.of(member).client.session.session_key) for member in members}


@pytest.fixture(autouse=True)
def _signed_in(kept_sessions: dict[int, str]) -> Iterator[None]:
    SESSIONS.update(kept_sessions)
    yield
    SESSIONS.clear()


@pytest.fixture
def desk(cast: Cast) -> Desk:
    """The desk as the reviewer sees it."""
    return Desk.of(cast.reviewer)


@pytest.fixture
def admin_desk(cast: Cast) -> Desk:
    """The desk as the administrator sees it."""
    return Desk.of(cast.admin)


@pytest.fixture
def stranger(cast: Cast) -> Client:
    """A browser nobody has signed in with."""
    return Client()
