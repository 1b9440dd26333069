"""Checks that were stored before deadlines were kept."""

import pytest
from django.core.management import call_command
from django.db import connection

from reviews import access
from reviews.models import OnUnknown
from tests.cast import make_cast, propose


@pytest.mark.django_db(transaction=True)
def test_stored_checks_get_the_key_of_their_action() -> None:
    cast = make_cast()
    propose(cast)
    # Back and forth: the rows lose what the migration adds, and get it again.
    call_command("migrate", "reviews", "0005", verbosity=0)
    call_command("migrate", "reviews", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT agent_key_id, killed, started_at FROM reviews_check")
        assert cursor.fetchall() == [(cast.agent.pk, 0, None)]


@pytest.mark.django_db(transaction=True)
def test_a_profile_from_before_there_was_a_choice_asks_about_grave_calls() -> None:
    cast = make_cast()
    call_command("migrate", "reviews", "0007", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE reviews_guardprofile SET on_unknown = 'pass'")
    call_command("migrate", "reviews", verbosity=0)
    assert access.current_profile(cast.workspace).on_unknown == OnUnknown.REVIEW_GRAVE
