import pytest
from django.test import Client

from tests.cast import Cast, cast, script
from tests.desk.desk import Desk

__all__ = ["cast", "script"]


@pytest.fixture
def desk(cast: Cast) -> Desk:
    """The desk as the reviewer sees it."""
    return Desk.of(cast.reviewer)


@pytest.fixture
def admin_desk(cast: Cast) -> Desk:
    """The desk as the administrator sees it."""
    return Desk.of(cast.admin)


@pytest.fixture
def stranger(db: None) -> Client:
    """A browser nobody has signed in with."""
    return Client()
