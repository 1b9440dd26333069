"""A worker that is stuck is told from one that is busy."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Action, Check, CheckStatus
from reviews.scheduling import progress
from tests.cast import Cast, propose

pytestmark = pytest.mark.django_db


def waiting_for_long(cast: Cast) -> None:
    Check.objects.filter(action=propose(cast)).update(created_at=timezone.now() - timedelta(minutes=5))


def in_hand(action: Action, since: timedelta) -> None:
    now = timezone.now()
    held = {"status": CheckStatus.RUNNING, "leased_until": now + timedelta(minutes=1), "started_at": now - since}
    Check.objects.filter(action=action).update(**held)


def test_nothing_stands_still_where_nothing_waits(cast: Cast) -> None:
    assert not progress.is_stalled()


def test_a_check_that_waits_for_long_while_none_begins_stands_still(cast: Cast) -> None:
    waiting_for_long(cast)
    in_hand(propose(cast, trace_id="stuck"), timedelta(minutes=4))
    assert progress.is_stalled()


def test_a_check_that_waits_for_long_while_others_begin_does_not(cast: Cast) -> None:
    waiting_for_long(cast)
    in_hand(propose(cast, trace_id="busy"), timedelta(seconds=1))
    assert not progress.is_stalled()
