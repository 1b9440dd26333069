"""A new secret takes over without anybody being signed out."""

import pytest
from django.conf import settings as present
from django.test import Client
from pytest_django import Settings

from tests.cast import PASSWORD, Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(cast: Cast) -> Client:
    client = Client()
    client.post("/sign-in", {"username": "rita", "password": PASSWORD})
    assert client.get("/queue").status_code == 200
    return client


def test_who_signed_in_under_the_secret_before_stays_signed_in(signed_in: Client, settings: Settings) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [present.SECRET_KEY]
    assert signed_in.get("/queue").status_code == 200
    # From now on under the new one alone.
    settings.SECRET_KEY_FALLBACKS = []
    assert signed_in.get("/queue").status_code == 200


def test_a_secret_that_is_no_longer_believed_signs_everybody_out(signed_in: Client, settings: Settings) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, []
    assert signed_in.get("/queue").status_code == 302
